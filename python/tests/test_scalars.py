"""Scalars on random and special values: CPython and compiled code give the same text or exception.

Two differences are by design: `OverflowError` where an int needs more than 64 bits, and
`ValueError` where a power is complex.
"""

import random

import pytest

import tfx

INTS = [0, 1, -1, 2, -2, 3, 7, -7, 2**31, -(2**31), 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 10**18]
FLOATS = [
    0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 1e-300, 5e-324, 1e300, 1.7e308, float("inf"), -float("inf"),
    float("nan"), 0.1, 1 / 3, 2.0**53, 2.0**63, -(2.0**63), 123456.789, 2.675, 1e16, 1e22,
]


@tfx.program
def ints(a: int, b: int):
    return a + b, a - b, a * b, a // b, a % b, a < b, a == b, divmod(a, b), a & b, a | b, a ^ b, -a, abs(b)


@tfx.program
def floats(a: float, b: float):
    text = f"{a} {b:.3e} {a:g} {b:10.2f} {a!r}"
    return a + b, a - b, a * b, a // b, a % b, a / b, a < b, a == b, text, round(a, 2), -a, abs(b)


@tfx.program
def mixed(a: int, b: float):
    return a < b, a <= b, a == b, a != b, a > b, a >= b, a + b, a * b


@tfx.program
def power(a: float, b: float):
    return a**b


@tfx.program
def to_int(a: float, b: float):
    return int(a), round(b)


KINDS = {"ints": (ints, "ii"), "floats": (floats, "ff"), "mixed": (mixed, "if"), "power": (power, "ff"), "to_int": (to_int, "ff")}


def outcome(program, arguments, is_eager):
    with tfx.eager(is_eager):
        try:
            return repr(program(*arguments))
        except Exception as error:
            return type(error).__name__


@pytest.mark.parametrize("name", KINDS)
def test_scalars(name):
    program, kinds = KINDS[name]
    source = random.Random(name)

    def draw(kind):
        special, span = (INTS, 2**63 - 1) if kind == "i" else (FLOATS, 1e6)
        if source.random() < 0.6:
            return source.choice(special)
        return source.randint(-span, span) if kind == "i" else source.uniform(-span, span)

    computed = 0
    for _ in range(3000):
        arguments = [draw(kind) for kind in kinds]
        expected = outcome(program, arguments, True)
        found = outcome(program, arguments, False)
        if found == "OverflowError" or (found == "ValueError" and "j" in expected):
            continue
        if found == "ValueError" and name == "power" and expected == "OverflowError":
            # The power would be complex, and does not fit either.
            continue
        computed += not expected.endswith("Error")
        assert found == expected, arguments
    assert computed > 200
