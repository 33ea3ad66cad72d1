"""Counterparts of the programs in cases.rs, in numpy, JAX and TensorFlow. Prints the seconds of each call and the sum
of the squares of the result, as JSON.

    peers.py numpy|jax|tensorflow CASE CALLS STEPS SHAPES THREADS ROWS
"""

import json
import os
import sys
import time

THREADS = int(sys.argv[6])
for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]:
    os.environ[name] = str(THREADS)
if THREADS == 1:
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-THREADS:])

import numpy as np

SYSTEM, CASE = sys.argv[1], sys.argv[2]
CALLS, STEPS = int(sys.argv[3]), int(sys.argv[4])
SHAPES = json.loads(sys.argv[5])
ROWS, BELOW = json.loads(sys.argv[7])


def filled(sizes):
    index = np.arange(int(np.prod(sizes)), dtype=np.int64)
    return (((index * 37 + 11) % 101).astype(np.float32) / np.float32(101) - np.float32(0.5)).reshape(sizes)


# Each case is a function of a module of arrays, `m`, of functions that the modules name differently, `f`, and of
# the inputs. `loop` runs a function of a state a number of times.


def regression(m, f, x, y, w):
    return f.loop(lambda w: w - m.matmul(m.transpose(x), m.matmul(x, w) - y) * np.float32(0.01), w)


def network(m, f, x, y, w1, b1, w2, b2):
    labels = f.softmax(y)

    def step(state):
        w1, b1, w2, b2 = state
        h = m.tanh(m.matmul(x, w1) + b1)
        dz = (f.softmax(m.matmul(h, w2) + b2) - labels) * np.float32(1 / x.shape[0])
        ds = m.matmul(dz, m.transpose(w2)) * (1 - h * h)
        rate = np.float32(0.5)
        return (
            w1 - m.matmul(m.transpose(x), ds) * rate,
            b1 - f.sum(ds, 0) * rate,
            w2 - m.matmul(m.transpose(h), dz) * rate,
            b2 - f.sum(dz, 0) * rate,
        )

    return f.loop(step, (w1, b1, w2, b2))[0]


def elementwise(m, f, x, y):
    a = x + y
    c = m.tanh(a * x)
    d = c - y
    h = m.exp(c) * m.maximum(d * d, x)
    return 1 / (1 + m.exp(-h)) + a


def softmax(m, f, x):
    return f.softmax(x)


def layer_norm(m, f, x, gain, bias):
    d = x - f.mean(x)
    v = f.mean(d * d)
    return d / m.sqrt(v + np.float32(1e-5)) * gain + bias


def matmul(m, f, x, y):
    return m.matmul(x, y)


def gradient(m, f, x, y):
    return m.matmul(m.transpose(x), y)


def dense(m, f, x, y, bias):
    return m.maximum(m.matmul(x, y) + bias, np.float32(0))


def convolution(m, f, x, y):
    return f.convolution(x, y)


def gather(m, f, table, rows):
    return f.gather(table, rows)


def scatter(m, f, table, new, rows):
    return f.loop(lambda table: f.scatter(table, rows, new), table)


def sums_along_rows(m, f, x):
    return f.cumsum(x, 1)


def sums_along_columns(m, f, x):
    return f.cumsum(x, 0)


def matmul_in_loop(m, f, x, y):
    return f.loop(lambda w: m.matmul(w, y) * np.float32(0.5), x)


FUNCTIONS = {
    "regression": regression,
    "network": network,
    "elementwise": elementwise,
    "softmax": softmax,
    "layer-norm": layer_norm,
    "matmul-64": matmul_in_loop,
    "gradient-1024": gradient,
    "dense-1024": dense,
    "convolution": convolution,
    "gather": gather,
    "scatter": scatter,
    "sums-along-rows": sums_along_rows,
    "sums-along-columns": sums_along_columns,
}


class Numpy:
    @staticmethod
    def sum(x, axis):
        return x.sum(axis)

    @staticmethod
    def mean(x):
        return x.mean(-1, keepdims=True)

    @staticmethod
    def softmax(x):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    @staticmethod
    def cumsum(x, axis):
        return x.cumsum(axis)

    @staticmethod
    def gather(table, rows):
        return table[rows]

    @staticmethod
    def scatter(table, rows, new):
        table = table.copy()
        np.add.at(table, rows, new)
        return table

    @staticmethod
    def loop(step, state):
        for _ in range(STEPS):
            state = step(state)
        return state


def numpy_call(function, inputs):
    # A loop of a million steps in Python takes minutes.
    if STEPS > 100_000:
        sys.exit("not measured: numpy has no loop")
    if CASE == "convolution":
        sys.exit("not measured: numpy has no convolution")
    return lambda: function(np, Numpy, *inputs)


def jax_call(function, inputs):
    import jax
    import jax.numpy as jnp

    class Jax:
        sum = staticmethod(jnp.sum)
        cumsum = staticmethod(jnp.cumsum)
        softmax = staticmethod(jax.nn.softmax)

        @staticmethod
        def mean(x):
            return jnp.mean(x, -1, keepdims=True)

        @staticmethod
        def convolution(x, y):
            return jax.lax.conv_general_dilated(
                x, y, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )

        @staticmethod
        def gather(table, rows):
            return table[rows]

        @staticmethod
        def scatter(table, rows, new):
            return table.at[rows].add(new)

        @staticmethod
        def loop(step, state):
            return jax.lax.fori_loop(0, STEPS, lambda _, state: step(state), state)

    compiled = jax.jit(lambda *inputs: function(jnp, Jax, *inputs))
    arrays = [jnp.asarray(x) for x in inputs]
    return lambda: compiled(*arrays).block_until_ready()


def tensorflow_call(function, inputs):
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(THREADS)
    tf.config.threading.set_inter_op_parallelism_threads(1)

    class TensorFlow:
        sum = staticmethod(tf.reduce_sum)
        cumsum = staticmethod(tf.cumsum)
        softmax = staticmethod(tf.nn.softmax)

        @staticmethod
        def mean(x):
            return tf.reduce_mean(x, -1, keepdims=True)

        @staticmethod
        def convolution(x, y):
            return tf.nn.conv2d(x, y, 1, "SAME")

        @staticmethod
        def gather(table, rows):
            return tf.gather(table, rows)

        @staticmethod
        def scatter(table, rows, new):
            return tf.tensor_scatter_nd_add(table, rows[:, None], new)

        @staticmethod
        def loop(step, state):
            single = not isinstance(state, tuple)
            start = (state,) if single else state

            def body(i, *state):
                new = step(state[0] if single else state)
                return (i + 1, new) if single else (i + 1, *new)

            ended = tf.while_loop(lambda i, *_: i < STEPS, body, (tf.constant(0), *start))[1:]
            return ended[0] if single else ended

    class Module:
        matmul, transpose, tanh, exp = tf.matmul, tf.transpose, tf.tanh, tf.exp
        maximum, sqrt = tf.maximum, tf.sqrt

    compiled = tf.function(lambda *inputs: function(Module, TensorFlow, *inputs))
    tensors = [tf.constant(x) for x in inputs]
    return lambda: compiled(*tensors).numpy()


def main():
    calls = {"numpy": numpy_call, "jax": jax_call, "tensorflow": tensorflow_call}
    function = FUNCTIONS.get(CASE, matmul)
    inputs = [filled(sizes) for sizes in SHAPES]
    if ROWS:
        inputs.append(((np.arange(ROWS, dtype=np.int64) * 7919 + 11) % BELOW).astype(np.int32))
    call = calls[SYSTEM](function, inputs)
    result = np.asarray(call(), dtype=np.float64)
    seconds = []
    for _ in range(CALLS):
        since = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - since)
    print(json.dumps({"seconds": seconds, "squares": float((result**2).sum())}))


main()
