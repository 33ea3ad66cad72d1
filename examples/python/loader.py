"""A training loop with a loader on the host, which a thread calls in advance.

While the graph computes a step, the thread loads the next two batches. The loss of each step is
logged, so that each step waits for the host; it does not wait for the loader.
"""

import time

import numpy as np

import tfx
from tfx import Tensor, f32

SIZE = 256
losses = []
random = np.random.default_rng(0)
secret = random.normal(size=(SIZE, SIZE)).astype(np.float32)


@tfx.host
def load() -> tuple[Tensor[f32, SIZE, SIZE], Tensor[f32, SIZE, SIZE]]:
    # A file or a decoder would take this time.
    time.sleep(0.002)
    x = random.normal(size=(SIZE, SIZE)).astype(np.float32)
    return x, x @ secret


@tfx.host
def log(loss: float):
    losses.append(loss)


load_ahead = tfx.prefetch(load, 2)


@tfx.program
def train(start: Tensor[f32, SIZE, SIZE], steps: int) -> Tensor[f32, SIZE, SIZE]:
    weights = start
    for _ in range(steps):
        x, y = load_ahead()
        loss, gradient = tfx.value_and_grad(lambda w: ((x @ w - y) ** 2).mean())(weights)
        weights = weights - 50.0 * gradient
        log(loss)
    return weights


def main():
    train(np.zeros((SIZE, SIZE), np.float32), 100)
    load_ahead.close()
    print(f"loss: {losses[0]:.0f}, and {losses[-1]:.3f} after {len(losses)} steps")


if __name__ == "__main__":
    main()
