"""Handwritten digits: a network of two layers, trained by gradient descent.

The graph does the training. Each hundredth step, the loss goes to the host, which prints it. At the
end, the network reads the fifth of the digits that was not used for training.
"""

import pathlib

import numpy as np

import tfx
from tfx import Tensor, f32, i64

TABLE = pathlib.Path(__file__).resolve().parents[1] / "data" / "digits.csv"


@tfx.struct
class Network:
    w1: Tensor[f32, 64, 32]
    b1: Tensor[f32, 32]
    w2: Tensor[f32, 32, 10]
    b2: Tensor[f32, 10]

    def __call__(self, x):
        return tfx.tanh(x @ self.w1 + self.b1) @ self.w2 + self.b2


@tfx.program
def train(x: Tensor[f32, None, 64], labels: Tensor[i64, None], start: Network, steps: int) -> Network:
    answers = tfx.astype(labels[:, None] == tfx.arange(10), f32)
    network = start
    for step in range(steps):
        loss, gradient = tfx.value_and_grad(lambda n: tfx.cross_entropy(n(x), answers))(network)
        network = network - 0.5 * gradient
        if step % 100 == 0:
            print(f"step {step}: loss {loss:.4f}")
    return network


@tfx.program
def accuracy(x: Tensor[f32, None, 64], labels: Tensor[i64, None], network: Network) -> float:
    hits = network(x).argmax(axis=1) == labels
    return tfx.astype(hits, f32).mean().item()


def main():
    rows = np.loadtxt(TABLE, dtype=np.int64, delimiter=",")
    images, labels = (rows[:, :64] / 16).astype(np.float32), rows[:, 64]
    is_test = np.arange(len(rows)) % 5 == 0
    random = np.random.default_rng(0)

    def weights(inputs, outputs):
        return tfx.asarray(random.normal(scale=0.2, size=(inputs, outputs)).astype(np.float32))

    start = Network(weights(64, 32), tfx.zeros((32,)), weights(32, 10), tfx.zeros((10,)))
    network = train(images[~is_test], labels[~is_test], start, 1000)
    share = accuracy(images[is_test], labels[is_test], network)
    print(f"of the held-out digits it reads right: {share:.3f}")


if __name__ == "__main__":
    main()
