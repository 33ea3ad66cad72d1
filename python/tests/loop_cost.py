"""The time of a training loop in the graph: a line, and a network with one hidden layer.

    python python/tests/loop_cost.py

Prints the median and the spread of 15 rounds, in microseconds for a call of 1,000 steps, for tfx, and
for `tf.function` and `jax.jit` where this Python has them. Each runs in a process of its own. The
number of steps is an argument, and sizes of batches are not known when tfx and TensorFlow compile.
"""

import numpy as np

import systems

STEPS = 1000
ROWS = ["a line, 8 points", "a network, 64 rows"]
CALLS = {ROWS[0]: 20, ROWS[1]: 3}
RATE = 0.1


def data():
    x = np.linspace(-1, 1, 8, dtype=np.float32)
    random = np.random.default_rng(1)
    rows = random.standard_normal((64, 16)).astype(np.float32)
    labels = np.tanh(rows[:, :1] * rows[:, 1:2]).astype(np.float32)
    shapes = [(16, 32), (32,), (32, 1), (1,)]
    weights = [(random.standard_normal(shape) * 0.3).astype(np.float32) for shape in shapes]
    return (x, 3 * x + 1), (rows, labels), weights


def tfx_calls():
    import tfx
    from tfx import Tensor, f32

    @tfx.struct
    class Line:
        slope: Tensor[f32]
        offset: Tensor[f32]

        def loss(self, x, y):
            return ((self.slope * x + self.offset - y) ** 2).mean()

    @tfx.struct
    class Network:
        w: Tensor[f32, 16, 32]
        b: Tensor[f32, 32]
        v: Tensor[f32, 32, 1]
        c: Tensor[f32, 1]

        def loss(self, x, y):
            hidden = tfx.tanh(x @ self.w + self.b)
            return ((hidden @ self.v + self.c - y) ** 2).mean()

    @tfx.program
    def fit_line(x: Tensor[f32, None], y: Tensor[f32, None], line: Line, steps: int) -> Line:
        for _ in range(steps):
            line = line - RATE * tfx.gradient(lambda m: m.loss(x, y))(line)
        return line

    @tfx.program
    def fit_network(
        x: Tensor[f32, None, 16], y: Tensor[f32, None, 1], network: Network, steps: int
    ) -> Network:
        for _ in range(steps):
            network = network - RATE * tfx.gradient(lambda m: m.loss(x, y))(network)
        return network

    line, rows, weights = data()
    start = Line(tfx.f32(0.0), tfx.f32(0.0))
    network = Network(*map(tfx.asarray, weights))
    return [
        lambda: fit_line(*line, start, STEPS),
        lambda: fit_network(*rows, network, STEPS),
    ]


def tensorflow_calls():
    import tensorflow as tf

    def line_loss(m, x, y):
        return tf.reduce_mean((m[0] * x + m[1] - y) ** 2)

    def network_loss(m, x, y):
        hidden = tf.tanh(x @ m[0] + m[1])
        return tf.reduce_mean((hidden @ m[2] + m[3] - y) ** 2)

    def fit(loss, sizes):
        signature = [tf.TensorSpec(size, tf.float32) for size in sizes]

        @tf.function(input_signature=[*signature[:2], signature[2:], tf.TensorSpec((), tf.int32)])
        def trained(x, y, m, steps):
            m = tuple(m)
            for _ in tf.range(steps):
                with tf.GradientTape() as tape:
                    tape.watch(m)
                    found = loss(m, x, y)
                m = tuple(w - RATE * d for w, d in zip(m, tape.gradient(found, m)))
            return m

        return trained

    line, rows, weights = data()
    fit_line = fit(line_loss, [(None,), (None,), (), ()])
    fit_network = fit(network_loss, [(None, 16), (None, 1), *(w.shape for w in weights)])
    steps = tf.constant(STEPS)
    zeros = [tf.constant(0.0)] * 2
    line, rows, weights = (list(map(tf.constant, it)) for it in (line, rows, weights))
    return [
        lambda: fit_line(*line, zeros, steps)[0].numpy(),
        lambda: fit_network(*rows, weights, steps)[0].numpy(),
    ]


def jax_calls():
    import jax
    import jax.numpy as jnp

    def line_loss(m, x, y):
        return jnp.mean((m[0] * x + m[1] - y) ** 2)

    def network_loss(m, x, y):
        hidden = jnp.tanh(x @ m[0] + m[1])
        return jnp.mean((hidden @ m[2] + m[3] - y) ** 2)

    def fit(loss):
        @jax.jit
        def trained(x, y, m, steps):
            def step(_, m):
                return tuple(w - RATE * d for w, d in zip(m, jax.grad(loss)(m, x, y)))

            return jax.lax.fori_loop(0, steps, step, m)

        return trained

    line, rows, weights = data()
    fit_line, fit_network = fit(line_loss), fit(network_loss)
    zeros = (jnp.float32(0), jnp.float32(0))
    line, rows, weights = (tuple(map(jnp.asarray, it)) for it in (line, rows, weights))
    return [
        lambda: fit_line(*line, zeros, STEPS)[0].block_until_ready(),
        lambda: fit_network(*rows, weights, STEPS)[0].block_until_ready(),
    ]


if __name__ == "__main__":
    systems.main(
        __file__,
        f"{STEPS} steps",
        ROWS,
        {"tfx": tfx_calls, "tensorflow": tensorflow_calls, "jax": jax_calls},
        CALLS.get,
    )
