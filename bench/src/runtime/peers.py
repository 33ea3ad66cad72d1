"""Counterparts of tfx programs in TensorFlow for Python. Prints the name of the peer and the seconds of each run,
as JSON.

    peers.py round-trip|training|start RUNS ITERATIONS
"""

import json
import os
import sys
import time

# The settings of the runtime of tfx: TensorFlow's plain kernels, and no log.
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import numpy
import tensorflow as tf


def simulate(x):
    return numpy.asarray(x * numpy.float32(0.5))


def round_trip(function, iterations):
    """A loop of the graph that calls Python in each iteration."""

    @tf.function
    def loop(iterations):
        def body(i, v):
            x = tf.tanh(v)
            (r,) = function(simulate, [x], [tf.float32])
            r.set_shape([4])
            return i + 1, r + x

        start = (tf.constant(0), tf.constant([0.1, 0.2, 0.3, 0.4]))
        return tf.while_loop(lambda i, _: i < iterations, body, start)[1]

    iterations = tf.constant(iterations)
    return lambda: loop(iterations).numpy()


def training(steps):
    """Linear regression that prints its weights every hundredth step."""
    inputs = tf.constant(numpy.arange(64 * 16).reshape(64, 16) % 7 * 0.1 - 0.3, tf.float32)
    outputs = tf.constant(numpy.arange(64).reshape(64, 1) % 7 * 0.1 - 0.3, tf.float32)

    @tf.function
    def loop(steps, inputs, outputs):
        def body(step, w):
            errors = tf.matmul(inputs, w) - outputs
            new = w - tf.matmul(inputs, errors, transpose_a=True) * 0.001

            def show():
                tf.print(new, output_stream="file:///dev/null", summarize=-1)
                return 0

            tf.cond(tf.equal(step % 100, 0), show, lambda: 0)
            return step + 1, new

        start = (tf.constant(0), tf.zeros([16, 1]))
        return tf.while_loop(lambda step, _: step < steps, body, start)[1]

    steps = tf.constant(steps)
    return lambda: loop(steps, inputs, outputs).numpy()


def measured(run, runs):
    run()
    seconds = []
    for _ in range(runs):
        since = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - since)
    return seconds


def main():
    name, runs, iterations = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if name == "training":
        print(json.dumps(["tf.function", measured(training(iterations), runs)]))
        return
    both = {
        "numpy_function": lambda f, i, t: tf.numpy_function(f, i, t),
        "py_function": lambda f, i, t: tf.py_function(f, i, t),
    }
    each = {what: measured(round_trip(function, iterations), runs) for what, function in both.items()}
    faster = min(each, key=lambda what: sorted(each[what])[runs // 2])
    print(json.dumps([faster, each[faster]]))


main()
