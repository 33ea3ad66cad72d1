"""A loop with a simulator of the host: each step needs the action, and returns the next state.

This is a round trip in each step, which the program needs. The compiler reports it, once.
"""

import numpy as np

import tfx
from tfx import Tensor, f32


class Pendulum:
    """A pendulum that an action pushes."""

    def __init__(self):
        self.angle, self.speed = 0.5, 0.0

    def step(self, push):
        self.speed += 0.05 * (np.sin(self.angle) + push)
        self.angle += 0.05 * self.speed
        return np.array([self.angle, self.speed], np.float32)


pendulum = Pendulum()


@tfx.host
def simulate(push: float) -> Tensor[f32, 2]:
    return pendulum.step(push)


@tfx.program
def balance(gains: Tensor[f32, 2], steps: int):
    state = simulate(0.0)
    worst = 0.0
    for step in range(steps):
        push = -(gains * state).sum()
        state = simulate(push)
        angle = abs(state[0].item())
        if angle > worst:
            worst = angle
        if angle > 1.5:
            return worst, step
    return worst, steps


def main():
    worst, steps = balance(np.array([4.0, 2.0], np.float32), 200)
    print(f"balanced for {steps} steps, at most {worst:.2f} from the top")


if __name__ == "__main__":
    main()
