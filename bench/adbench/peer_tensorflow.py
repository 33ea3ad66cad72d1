"""The programs of this folder in TensorFlow: prints what they print.

    python3 bench/adbench/peer_tensorflow.py gmm 20           # tf.function
    python3 bench/adbench/peer_tensorflow.py gmm 20 --xla     # tf.function, compiled by XLA

The objectives do the same computations. The derivatives are as one writes them in TensorFlow.
"""

import math
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

import expected
from expected import show
from peer import ba_data, gmm_layout, hand_tables, measure, print_first, show_ba

XLA = "--xla" in sys.argv


def compare(runs, objective, derivative, arguments, report, name=""):
    """Reports the results of both, then measures both."""
    arguments = [tf.constant(a) for a in arguments]
    objective = tf.function(objective, jit_compile=XLA)
    derivative = tf.function(derivative, jit_compile=XLA)

    def ready(f):
        """TensorFlow returns before its kernels have run, unless a result is read."""
        return lambda: [x.numpy() for x in tf.nest.flatten(f(*arguments))]

    packed = lambda f, flat: tf.nest.pack_sequence_as(f.get_concrete_function(*arguments).structured_outputs, flat)
    values = packed(objective, ready(objective)())
    derivatives = packed(derivative, print_first(f"{name}derivative", ready(derivative)))
    report(values, derivatives)
    measure(f"{name}primal", runs, ready(objective))
    measure(f"{name}derivative", runs, ready(derivative))


def gradient_of(objective, count):
    """Returns the function that computes the gradient with respect to the first parameters."""

    def gradient(*arguments):
        with tf.GradientTape() as tape:
            tape.watch(arguments[:count])
            value = objective(*arguments)
        return tape.gradient(value, arguments[:count])

    return gradient


def gmm(runs):
    weights, means, factors, points, gamma, m = expected.gmm_data()
    (n, d), k = points.shape, weights.size
    layout = gmm_layout(d)
    freedom = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi) + sum(math.lgamma(0.5 * (freedom - j)) for j in range(d))
    constant = -0.5 * n * d * math.log(2 * math.pi) - k * (freedom * d * (math.log(gamma) - 0.5 * math.log(2)) - log_gamma)

    def objective(weights, means, factors, points):
        logs = factors[:, :d]
        elements = tf.concat([tf.zeros((k, 1), tf.float64), tf.exp(logs), factors[:, d:]], axis=1)
        centered = points[None] - means[:, None]
        scaled = tf.matmul(centered, tf.gather(elements, layout, axis=1), transpose_b=True)
        log_determinants = tf.reduce_sum(logs, axis=1)
        terms = (weights + log_determinants)[:, None] - 0.5 * tf.reduce_sum(scaled**2, axis=2)
        likelihood = tf.reduce_sum(tf.reduce_logsumexp(terms, axis=0)) - n * tf.reduce_logsumexp(weights)
        return likelihood + 0.5 * gamma**2 * tf.reduce_sum(elements**2) - m * tf.reduce_sum(log_determinants) + constant

    def report(value, gradient):
        show("value", value)
        for name, part in zip(["weights", "means", "factors"], gradient):
            show(name, part)

    compare(runs, objective, gradient_of(objective, 3), (weights, means, factors, points), report)


def ba(runs):
    def rotate(r, v):
        square = tf.reduce_sum(r * r, axis=1, keepdims=True)
        none = tf.equal(square, 0)
        angle = tf.sqrt(tf.where(none, tf.constant(1.0, tf.float64), square))
        axis = r / angle
        cos = tf.cos(angle)
        rotated = v * cos + tf.linalg.cross(axis, v) * tf.sin(angle)
        rotated += axis * (tf.reduce_sum(axis * v, axis=1, keepdims=True) * (1 - cos))
        return tf.where(none, v + tf.linalg.cross(r, v), rotated)

    def errors(camera, point, weight, feature):
        in_camera = rotate(camera[:, :3], point - camera[:, 3:6])
        plane = in_camera[:, :2] / in_camera[:, 2:]
        square = tf.reduce_sum(plane * plane, axis=1, keepdims=True)
        distorted = plane * (1 + camera[:, 9:10] * square + camera[:, 10:] * square**2)
        return weight[:, None] * (distorted * camera[:, 6:7] + camera[:, 7:9] - feature)

    def objective(cameras, points, weights, camera_at, point_at, features):
        return errors(tf.gather(cameras, camera_at), tf.gather(points, point_at), weights, features), 1 - weights**2

    def derivative(cameras, points, weights, camera_at, point_at, features):
        x = tf.gather(cameras, camera_at), tf.gather(points, point_at), weights
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            both = tf.unstack(errors(*x, features), axis=1)
            weight_errors = 1 - weights**2
        return [tape.gradient(e, x) for e in both], tape.gradient(weight_errors, weights)

    compare(runs, objective, derivative, ba_data(), lambda values, derivatives: show_ba(*values, *derivatives))


def hand(runs):
    parents, relatives, inverses, vertices, weights, observed, points, parameters = expected.hand_data()
    nodes, angle_table = hand_tables(parents)
    eye = np.eye(3)

    def rotations(x, y, z):
        cx, cy, cz, sx, sy, sz = tf.cos(x), tf.cos(y), tf.cos(z), tf.sin(x), tf.sin(y), tf.sin(z)
        zero, one = tf.zeros_like(x), tf.ones_like(x)
        rows = [cz * cy, -(sz * cx + cz * sy * sx), sz * sx - cz * sy * cx, zero]
        rows += [sz * cy, cz * cx - sz * sy * sx, -(cz * sx + sz * sy * cx), zero]
        rows += [sy, cy * sx, cy * cx, zero, zero, zero, zero, one]
        return tf.reshape(tf.stack(rows, axis=1), (-1, 4, 4))

    def rotation(vector):
        angle = tf.sqrt(tf.reduce_sum(vector**2))

        def turned():
            axis = vector / angle
            x, y, z = tf.unstack(axis)
            zero = tf.zeros_like(x)
            cross = tf.reshape(tf.stack([zero, -z, y, z, zero, -x, -y, x, zero]), (3, 3))
            return tf.cos(angle) * eye + tf.sin(angle) * cross + (1 - tf.cos(angle)) * axis[:, None] * axis

        return tf.cond(angle < 0.0001, lambda: tf.constant(eye), turned)

    def objective(p):
        angles = tf.gather(tf.concat([p, tf.zeros(1, tf.float64)], axis=0), angle_table)
        bones = relatives @ rotations(angles[:, 0], angles[:, 2], angles[:, 1])
        places = tf.concat([bones, np.eye(4)[None]], axis=0)
        above = nodes
        for _ in range(3):
            places = tf.gather(places, above) @ places
            above = above[above]
        moves = places[:-1] @ inverses
        matrices = tf.reshape(weights @ tf.reshape(moves, (-1, 16)), (-1, 4, 4))
        moved = (matrices @ vertices[:, :, None])[:, :3, 0]
        return points - tf.gather(tf.matmul(moved, rotation(p[:3]), transpose_b=True) + p[3:6], observed)

    def derivative(p):
        def column(direction):
            with tf.autodiff.ForwardAccumulator(p, direction) as forward:
                value = objective(p)
            return forward.jvp(value)

        return tf.map_fn(column, tf.eye(26, dtype=tf.float64))

    def report(value, jacobian):
        show("distances", value)
        show("jacobian", jacobian)

    compare(runs, objective, derivative, (parameters,), report)


def lstm(runs):
    gates, ends, state, sequence = expected.lstm_data()
    characters, bits = sequence.shape

    def objective(gates, ends, state, sequence):
        (w0, b0), (w1, b1) = [[tf.unstack(part) for part in tf.unstack(layer)] for layer in tf.unstack(gates)]
        in_weight, out_weight, out_bias = tf.unstack(ends)
        (h0, c0), (h1, c1) = [tf.unstack(s) for s in tf.unstack(state)]

        def layer(w, b, x, hidden, cells):
            forget, out = tf.sigmoid(x * w[0] + b[0]), tf.sigmoid(x * w[2] + b[2])
            into, change = tf.sigmoid(hidden * w[1] + b[1]), tf.tanh(hidden * w[3] + b[3])
            cells = cells * forget + into * change
            return out * tf.tanh(cells), cells

        def step(t, h0, c0, h1, c1, total):
            h0, c0 = layer(w0, b0, sequence[t] * in_weight, h0, c0)
            h1, c1 = layer(w1, b1, h0, h1, c1)
            y = h1 * out_weight + out_bias
            normal = y - tf.math.log(tf.reduce_sum(tf.exp(y)) + 2)
            return t + 1, h0, c0, h1, c1, total + tf.reduce_sum(sequence[t + 1] * normal)

        start = (tf.constant(0), h0, c0, h1, c1, tf.constant(0.0, tf.float64))
        end = tf.while_loop(lambda t, *_: t < characters - 1, step, start, maximum_iterations=characters - 1)
        return -end[-1] / ((characters - 1) * bits)

    def report(value, gradient):
        show("value", value)
        show("gates", gradient[0])
        show("ends", gradient[1])

    compare(runs, objective, gradient_of(objective, 2), (gates, ends, state, sequence), report)


def rnn(runs):
    def loss(weights, bias, state, steps, maximum):
        step = lambda i, s: (i + 1, tf.tanh(s @ weights + bias))
        _, end = tf.while_loop(lambda i, s: i < steps, step, (tf.constant(0), state), maximum_iterations=maximum)
        return 0.5 * tf.reduce_sum(end**2)

    def report(value, gradient):
        show("value", value)
        show("weights", gradient[0])
        show("bias", gradient[1])

    fixed = lambda weights, bias, state: loss(weights, bias, state, 1000, 1000)
    steps = next((int(a) for a in sys.argv[3:] if a.isdigit()), 1000)
    compare(runs, fixed, gradient_of(fixed, 2), expected.rnn_data(), report, "static ")
    free = lambda weights, bias, state, steps: loss(weights, bias, state, steps, None)
    try:
        compare(runs, free, gradient_of(free, 2), expected.rnn_data() + (steps,), report, "dynamic ")
    except tf.errors.InvalidArgumentError as error:
        print(f"not possible with a number of steps that is known only at run time: {error.message.splitlines()[0]}")


def recurrence(runs):
    def objective(slope, offset):
        step = lambda i, y: (i + 1, tf.sin(slope * y + offset))
        start = (tf.constant(0), tf.constant(1.0, tf.float64))
        return tf.while_loop(lambda i, y: i < 10000, step, start, maximum_iterations=10000)[1]

    def report(value, gradient):
        show("value", value)
        show("gradient", gradient)

    compare(runs, objective, gradient_of(objective, 2), (np.float64(0.9), np.float64(0.3)), report)


if __name__ == "__main__":
    {"gmm": gmm, "ba": ba, "hand": hand, "lstm": lstm, "rnn": rnn, "recurrence": recurrence}[sys.argv[1]](int(sys.argv[2]))
