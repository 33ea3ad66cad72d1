"""Layers as frozen classes, a training loop, and a host function that ends it.

The loop runs on both sides. Each hundredth step, one scalar goes to the host, and one boolean comes
back; the compiler says so, at the line of the call. Everything else stays in the graph.
"""

import numpy as np

import tfx
from tfx import Tensor, f32


@tfx.struct
class Dense:
    w: Tensor[f32, None, None]
    b: Tensor[f32, None]

    def __call__(self, x):
        return x @ self.w + self.b


@tfx.struct
class Network:
    hidden: Dense
    output: Dense

    def __call__(self, x):
        return self.output(tfx.relu(self.hidden(x)))


@tfx.host
def log(step: int, loss: float) -> bool:
    print(f"step {step}: loss {loss:.3f}")
    return loss < 0.1


@tfx.program
def train(x: Tensor[f32, None, 2], y: Tensor[f32, None, 2], model: Network, steps: int) -> Network:
    for step in range(steps):
        loss, grad = tfx.value_and_grad(lambda m: tfx.cross_entropy(m(x), y))(model)
        model = model - 0.5 * grad
        if step % 100 == 0 and log(step, loss):
            break
    return model


def main():
    # Whether two signs are equal: no linear function knows.
    x = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]], np.float32)
    y = np.array([[1, 0], [0, 1], [0, 1], [1, 0]], np.float32)
    random = np.random.default_rng(0)

    def dense(inputs, outputs):
        w = random.normal(size=(inputs, outputs)).astype(np.float32)
        return Dense(tfx.asarray(w), tfx.zeros((outputs,)))

    model = train(x, y, Network(dense(2, 8), dense(8, 2)), 1000)
    print("answers:", np.asarray(model(tfx.asarray(x))).argmax(axis=1))


if __name__ == "__main__":
    main()
