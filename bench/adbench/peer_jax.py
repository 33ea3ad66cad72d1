"""The programs of this folder in JAX: prints what they print.

    python3 bench/adbench/peer_jax.py gmm 20

The objectives do the same computations. The derivatives are as one writes them in JAX.
"""

import math
import sys

import jax
import jax.numpy as jnp
import numpy as np

import expected
from expected import show
from peer import ba_data, gmm_layout, hand_tables, measure, print_first, show_ba

jax.config.update("jax_enable_x64", True)


def compare(runs, objective, derivative, arguments, report, name=""):
    """Reports the results of both, then measures both."""
    arguments = [jnp.asarray(a) for a in arguments]
    ready = lambda f: lambda: jax.block_until_ready(f(*arguments))
    compiled = jax.jit(derivative)
    report(ready(jax.jit(objective))(), print_first(f"{name}derivative", ready(compiled)))
    measure(f"{name}primal", runs, ready(jax.jit(objective)))
    measure(f"{name}derivative", runs, ready(compiled))
    memory = compiled.lower(*arguments).compile().memory_analysis()
    print(f"memory {name}derivative: {memory.temp_size_in_bytes}")


def gmm(runs):
    weights, means, factors, points, gamma, m = expected.gmm_data()
    (n, d), k = points.shape, weights.size
    layout = gmm_layout(d)
    freedom = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi) + sum(math.lgamma(0.5 * (freedom - j)) for j in range(d))
    constant = -0.5 * n * d * math.log(2 * math.pi) - k * (freedom * d * (math.log(gamma) - 0.5 * math.log(2)) - log_gamma)

    def objective(weights, means, factors, points):
        logs = factors[:, :d]
        elements = jnp.concatenate([jnp.zeros((k, 1)), jnp.exp(logs), factors[:, d:]], axis=1)
        centered = points[None] - means[:, None]
        scaled = centered @ elements[:, layout].swapaxes(1, 2)
        log_determinants = logs.sum(axis=1)
        terms = (weights + log_determinants)[:, None] - 0.5 * (scaled**2).sum(axis=2)
        likelihood = jax.nn.logsumexp(terms, axis=0).sum() - n * jax.nn.logsumexp(weights)
        return likelihood + 0.5 * gamma**2 * (elements**2).sum() - m * log_determinants.sum() + constant

    def report(value, gradient):
        show("value", value)
        for name, part in zip(["weights", "means", "factors"], gradient):
            show(name, part)

    compare(runs, objective, jax.grad(objective, argnums=(0, 1, 2)), (weights, means, factors, points), report)


def ba(runs):
    def rotate(rotation, v):
        square = rotation @ rotation
        none = square == 0
        angle = jnp.sqrt(jnp.where(none, 1.0, square))
        axis = rotation / angle
        cos = jnp.cos(angle)
        rotated = v * cos + jnp.cross(axis, v) * jnp.sin(angle) + axis * ((axis @ v) * (1 - cos))
        return jnp.where(none, v + jnp.cross(rotation, v), rotated)

    def errors(camera, point, weight, feature):
        in_camera = rotate(camera[:3], point - camera[3:6])
        plane = in_camera[:2] / in_camera[2]
        square = plane @ plane
        distorted = plane * (1 + camera[9] * square + camera[10] * square**2)
        return weight * (distorted * camera[6] + camera[7:9] - feature)

    def objective(cameras, points, weights, camera_at, point_at, features):
        return jax.vmap(errors)(cameras[camera_at], points[point_at], weights, features), 1 - weights**2

    def derivative(cameras, points, weights, camera_at, point_at, features):
        blocks = jax.vmap(jax.jacrev(errors, argnums=(0, 1, 2)))(cameras[camera_at], points[point_at], weights, features)
        return blocks, jax.vmap(jax.grad(lambda w: 1 - w**2))(weights)

    def report(values, derivatives):
        blocks, weight_block = derivatives
        show_ba(*values, [[part[:, i] for part in blocks] for i in range(2)], weight_block)

    compare(runs, objective, derivative, ba_data(), report)


def hand(runs):
    parents, relatives, inverses, vertices, weights, observed, points, parameters = expected.hand_data()
    nodes, angle_table = hand_tables(parents)

    def rotations(x, y, z):
        cx, cy, cz, sx, sy, sz = jnp.cos(x), jnp.cos(y), jnp.cos(z), jnp.sin(x), jnp.sin(y), jnp.sin(z)
        zero, one = jnp.zeros_like(x), jnp.ones_like(x)
        rows = [cz * cy, -(sz * cx + cz * sy * sx), sz * sx - cz * sy * cx, zero]
        rows += [sz * cy, cz * cx - sz * sy * sx, -(cz * sx + sz * sy * cx), zero]
        rows += [sy, cy * sx, cy * cx, zero, zero, zero, zero, one]
        return jnp.stack(rows, axis=1).reshape(-1, 4, 4)

    def rotation(vector):
        angle = jnp.sqrt((vector**2).sum())

        def turned():
            x, y, z = axis = vector / angle
            cross = jnp.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            return jnp.cos(angle) * jnp.eye(3) + jnp.sin(angle) * cross + (1 - jnp.cos(angle)) * jnp.outer(axis, axis)

        return jax.lax.cond(angle < 0.0001, lambda: jnp.eye(3), turned)

    def objective(p, relatives, inverses, vertices, weights, observed, points):
        angles = jnp.concatenate([p, jnp.zeros(1)])[angle_table]
        places = jnp.concatenate([relatives @ rotations(angles[:, 0], angles[:, 2], angles[:, 1]), jnp.eye(4)[None]])
        above = nodes
        for _ in range(3):
            places = places[above] @ places
            above = above[above]
        moves = places[:-1] @ inverses
        matrices = (weights @ moves.reshape(-1, 16)).reshape(-1, 4, 4)
        moved = (matrices @ vertices[:, :, None])[:, :3, 0]
        return points - (moved @ rotation(p[:3]).T + p[3:6])[observed]

    def report(value, jacobian):
        show("distances", value)
        show("jacobian", np.moveaxis(np.asarray(jacobian), 2, 0))

    arguments = (parameters, relatives, inverses, vertices, weights, observed, points)
    compare(runs, objective, jax.jacfwd(objective), arguments, report)


def lstm(runs):
    gates, ends, state, sequence = expected.lstm_data()
    layers, (characters, bits) = gates.shape[0], sequence.shape

    def objective(gates, ends, state, sequence):
        def step(carried, inputs):
            state, total = carried
            now, later = inputs
            v = now * ends[0]
            following = []
            for (hidden, cells), (weight, bias) in zip(state, gates):
                forget = jax.nn.sigmoid(v * weight[0] + bias[0])
                into = jax.nn.sigmoid(hidden * weight[1] + bias[1])
                out = jax.nn.sigmoid(v * weight[2] + bias[2])
                change = jnp.tanh(hidden * weight[3] + bias[3])
                cells = cells * forget + into * change
                v = out * jnp.tanh(cells)
                following.append((v, cells))
            y = v * ends[1] + ends[2]
            normal = y - jnp.log(jnp.exp(y).sum() + 2)
            return (following, total + (later * normal).sum()), None

        start = [(state[i, 0], state[i, 1]) for i in range(layers)]
        (_, total), _ = jax.lax.scan(step, (start, 0.0), (sequence[:-1], sequence[1:]))
        return -total / ((characters - 1) * bits)

    def report(value, gradient):
        show("value", value)
        show("gates", gradient[0])
        show("ends", gradient[1])

    compare(runs, objective, jax.grad(objective, argnums=(0, 1)), (gates, ends, state, sequence), report)


def rnn(runs):
    def loss(weights, bias, state, steps):
        end = jax.lax.fori_loop(0, steps, lambda i, s: jnp.tanh(s @ weights + bias), state)
        return 0.5 * (end**2).sum()

    def report(value, gradient):
        show("value", value)
        show("weights", gradient[0])
        show("bias", gradient[1])

    fixed = lambda *arguments: loss(*arguments, 1000)
    compare(runs, fixed, jax.grad(fixed, argnums=(0, 1)), expected.rnn_data(), report, "static ")
    try:
        jax.jit(jax.grad(loss, argnums=(0, 1)))(*expected.rnn_data(), 1000)
    except ValueError as error:
        print(f"not possible with a number of steps that is known only at run time: {str(error).splitlines()[0]}")


def recurrence(runs):
    def objective(slope, offset):
        return jax.lax.fori_loop(0, 10000, lambda i, y: jnp.sin(slope * y + offset), 1.0)

    def report(value, gradient):
        show("value", value)
        show("gradient", gradient)

    compare(runs, objective, jax.grad(objective, argnums=(0, 1)), (0.9, 0.3), report)


if __name__ == "__main__":
    {"gmm": gmm, "ba": ba, "hand": hand, "lstm": lstm, "rnn": rnn, "recurrence": recurrence}[sys.argv[1]](int(sys.argv[2]))
