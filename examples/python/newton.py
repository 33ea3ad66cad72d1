"""Control flow that depends on data, with a result after an unknown number of steps.

`while` tests a number of the graph, functions call functions, and a derivative is a function. One
graph is compiled for all inputs.
"""

import tfx


def f(x):
    return x**3 - 2.0 * x - 5.0


@tfx.program
def newton(x: float, tolerance: float = 1e-10):
    steps = 0
    while abs(f(x)) > tolerance:
        x -= f(x) / tfx.gradient(f)(x)
        steps += 1
        assert steps < 100, "no convergence"
    print(f"{steps} steps: f({x:.6f}) = {f(x):.1e}")
    return x


def main():
    for start in (2.0, 3.0, 10.0):
        newton(start)


if __name__ == "__main__":
    main()
