"""Computes what the programs in this folder print, without tfx: needs only numpy.

    python3 bench/adbench/expected.py [gmm] [ba] [hand] [lstm] [rnn] [recurrence]

The objectives are written from their definitions. Derivatives are complex steps: the imaginary part
of f(x + ih) / h, with so small an h that it has all digits of f64. Each is also compared with
central differences, in some random direction.
"""

import math
import pathlib
import sys

import numpy as np

DATA = pathlib.Path(__file__).parent / "data"
STEP = 1e-100


def show(name, values):
    """Prints the checksums of adbench.h."""
    v = np.asarray(values, dtype=np.float64).reshape(-1)
    weighted = np.sum(v * np.sin(np.arange(1, v.size + 1)))
    print(f"{name}: {v.size}, first {v[0]:.12e}, sum {v.sum():.12e}, squares {np.sum(v * v):.12e}, weighted {weighted:.12e}")


def jacobian(f, x):
    """Returns df/dx, with the shape of x before that of f."""
    rows = []
    for i in range(x.size):
        moved = x.astype(np.complex128)
        moved.reshape(-1)[i] += 1j * STEP
        rows.append(np.imag(f(moved)) / STEP)
    rows = np.array(rows)
    return rows.reshape(x.shape + rows.shape[1:])


def compare_with_differences(f, x, d):
    """Ends the program if the derivative in a random direction is not that of central differences."""
    direction = np.random.default_rng(1).standard_normal(x.shape)
    h = 1e-6
    differences = (f(x + h * direction) - f(x - h * direction)) / (2 * h)
    exact = np.tensordot(direction, d, x.ndim)
    error = np.max(np.abs(differences - exact)) / (1 + np.max(np.abs(exact)))
    if error > 1e-6:
        sys.exit(f"central differences differ by {error}")


def log_sum_exp(terms):
    largest = max(t.real for t in terms)
    return largest + np.log(sum(np.exp(t - largest) for t in terms))


def gmm_data():
    numbers = iter((DATA / "gmm_d10_K5.txt").read_text().split())
    d, k, n = (int(next(numbers)) for _ in range(3))
    take = lambda *shape: np.array([float(next(numbers)) for _ in range(math.prod(shape))]).reshape(shape)
    return take(k), take(k, d), take(k, d * (d + 1) // 2), take(n, d), float(next(numbers)), float(next(numbers))


def gmm():
    weights, means, factors, points, gamma, m = gmm_data()
    (n, d), k = points.shape, weights.size

    def objective(weights, means, factors):
        terms = []
        prior = 0
        for j in range(k):
            logs, below = factors[j, :d], factors[j, d:]
            matrix = np.zeros((d, d), dtype=factors.dtype)
            at = 0
            for column in range(d):
                matrix[column, column] = np.exp(logs[column])
                matrix[column + 1 :, column] = below[at : at + d - 1 - column]
                at += d - 1 - column
            y = (points - means[j]) @ matrix.T
            terms.append(weights[j] + logs.sum() - 0.5 * (y * y).sum(axis=1))
            prior = prior + 0.5 * gamma**2 * (matrix * matrix).sum() - m * logs.sum()
        freedom = d + m + 1
        log_gamma = 0.25 * d * (d - 1) * math.log(math.pi) + sum(math.lgamma(0.5 * (freedom - j)) for j in range(d))
        prior = prior - k * (freedom * d * (math.log(gamma) - 0.5 * math.log(2)) - log_gamma)
        terms = np.array(terms)
        largest = terms.real.max(axis=0)
        likelihood = (largest + np.log(np.exp(terms - largest).sum(axis=0))).sum()
        return likelihood - n * log_sum_exp(list(weights)) - 0.5 * n * d * math.log(2 * math.pi) + prior

    show("value", objective(weights, means, factors))
    for name, f, x in [
        ("weights", lambda x: objective(x, means, factors), weights),
        ("means", lambda x: objective(weights, x, factors), means),
        ("factors", lambda x: objective(weights, means, x), factors),
    ]:
        gradient = jacobian(f, x)
        compare_with_differences(f, x, gradient)
        show(name, gradient)


def ba():
    numbers = iter((DATA / "ba1_n49_m7776_p31843.txt").read_text().split())
    _, _, observations = (int(next(numbers)) for _ in range(3))
    camera, point, weight, feature = (np.array([float(next(numbers)) for _ in range(size)]) for size in (11, 3, 1, 2))

    # All observations are the same, so one is enough.
    def errors(x):
        rotation, center, focus, principal, radial = x[:3], x[3:6], x[6], x[7:9], x[9:11]
        seen, w = x[11:14], x[14]
        angle = np.sqrt((rotation * rotation).sum())
        axis = rotation / angle
        v = seen - center
        turned = v * np.cos(angle) + np.cross(axis, v) * np.sin(angle) + axis * (axis * v).sum() * (1 - np.cos(angle))
        plane = turned[:2] / turned[2]
        square = (plane * plane).sum()
        distorted = plane * (1 + radial[0] * square + radial[1] * square**2)
        return w * (distorted * focus + principal - feature)

    x = np.concatenate([camera, point, weight])
    block = jacobian(errors, x)
    compare_with_differences(errors, x, block)
    all_of = lambda row: np.tile(row, observations)
    show("errors", all_of(errors(x)))
    show("weight errors", all_of(1 - weight**2))
    for i, name in enumerate(["first", "second"]):
        show(f"{name} by camera", all_of(block[:11, i]))
        show(f"{name} by point", all_of(block[11:14, i]))
        show(f"{name} by weight", all_of(block[14:, i]))
    show("weight error by weight", all_of(-2 * weight))


def hand_data():
    bones = [line.split(":") for line in (DATA / "bones.txt").read_text().split("\n") if line]
    parents = [int(b[1]) for b in bones]
    relatives = np.array([[float(x) for x in b[2:18]] for b in bones]).reshape(-1, 4, 4)
    inverses = np.array([[float(x) for x in b[18:34]] for b in bones]).reshape(-1, 4, 4)
    lines = [line.split(":") for line in (DATA / "vertices.txt").read_text().split("\n") if line]
    vertices = np.array([[float(x) for x in line[:3]] + [1.0] for line in lines])
    weights = np.zeros((len(lines), len(bones)))
    for row, line in zip(weights, lines):
        for bone, weight in zip(line[9::2], line[10::2]):
            row[int(bone)] = float(weight)
    numbers = iter((DATA / "hand1_t26_c100.txt").read_text().split())
    count, size = int(next(numbers)), int(next(numbers))
    table = np.array([float(next(numbers)) for _ in range(4 * count)]).reshape(count, 4)
    parameters = np.array([float(next(numbers)) for _ in range(size)])
    return parents, relatives, inverses, vertices, weights, table[:, 0].astype(int), table[:, 1:], parameters


def hand():
    parents, relatives, inverses, vertices, weights, observed, points, parameters = hand_data()

    def turn(axis, angle, sign):
        """A rotation by an angle in the plane of the two other axes."""
        i, j = [k for k in range(3) if k != axis]
        matrix = np.eye(4, dtype=angle.dtype)
        matrix[i, i] = matrix[j, j] = np.cos(angle)
        matrix[i, j], matrix[j, i] = -sign * np.sin(angle), sign * np.sin(angle)
        return matrix

    def objective(p):
        angles = np.zeros((len(parents), 3), dtype=p.dtype)
        for finger in range(5):
            q = p[6 + 4 * finger : 10 + 4 * finger]
            angles[2 + 4 * finger, :2] = q[:2]
            angles[3 + 4 * finger, 0] = q[2]
            angles[4 + 4 * finger, 0] = q[3]
        places = []
        for bone, parent in enumerate(parents):
            x, z, y = angles[bone]
            place = relatives[bone] @ turn(2, z, 1) @ turn(1, y, 1) @ turn(0, x, 1)
            places.append(place if parent < 0 else places[parent] @ place)
        moved = sum(
            weights[:, bone : bone + 1] * (vertices @ (places[bone] @ inverses[bone]).T)[:, :3] for bone in range(len(parents))
        )
        angle = np.sqrt((p[:3] * p[:3]).sum())
        axis = p[:3] / angle
        cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        rotation = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
        return points - (moved[observed] @ rotation.T + p[3:6])

    d = jacobian(objective, parameters)
    compare_with_differences(objective, parameters, d)
    show("distances", objective(parameters))
    show("jacobian", d)


def lstm_data():
    numbers = iter((DATA / "lstm_l2_c1024.txt").read_text().split())
    layers, characters, bits = (int(next(numbers)) for _ in range(3))
    take = lambda *shape: np.array([float(next(numbers)) for _ in range(math.prod(shape))]).reshape(shape)
    return take(layers, 2, 4, bits), take(3, bits), take(layers, 2, bits), take(characters, bits)


def lstm():
    gates, ends, state, sequence = lstm_data()
    layers, characters, bits = gates.shape[0], *sequence.shape
    sigmoid = lambda x: 1 / (1 + np.exp(-x))

    # `x` has any number of rows of all parameters.
    def objective(x):
        g = x[:, : gates.size].reshape((-1,) + gates.shape)
        e = x[:, gates.size :].reshape((-1,) + ends.shape)
        hidden = [state[i, 0] for i in range(layers)]
        cells = [state[i, 1] for i in range(layers)]
        total = 0
        for t in range(characters - 1):
            v = sequence[t] * e[:, 0]
            for i in range(layers):
                (forget, into, out, change), bias = g[:, i, 0].swapaxes(0, 1), g[:, i, 1].swapaxes(0, 1)
                kept = cells[i] * sigmoid(v * forget + bias[0])
                cells[i] = kept + sigmoid(hidden[i] * into + bias[1]) * np.tanh(hidden[i] * change + bias[3])
                hidden[i] = sigmoid(v * out + bias[2]) * np.tanh(cells[i])
                v = hidden[i]
            y = v * e[:, 1] + e[:, 2]
            y = y - np.log(np.exp(y).sum(axis=1, keepdims=True) + 2)
            total = total + (sequence[t + 1] * y).sum(axis=1)
        return -total / ((characters - 1) * bits)

    x = np.concatenate([gates.reshape(-1), ends.reshape(-1)])
    gradient = np.imag(objective(x + 1j * STEP * np.eye(x.size))) / STEP
    f = lambda x: objective(x[None])[0]
    compare_with_differences(f, x, gradient)
    show("value", f(x))
    show("gates", gradient[: gates.size])
    show("ends", gradient[gates.size :])

    # The second derivative along a direction: differences of gradients, of fourth order.
    direction = np.concatenate([np.sin(gates).reshape(-1), np.cos(ends).reshape(-1)])
    slope = lambda x: np.imag(objective(x + 1j * STEP * np.eye(x.size))) / STEP
    differences = lambda h: (slope(x + h * direction) - slope(x - h * direction)) / (2 * h)
    second = (4 * differences(1e-3) - differences(2e-3)) / 3
    show("second by gates", second[: gates.size])
    show("second by ends", second[gates.size :])


def rnn_data():
    def random(rows, columns, scale, state):
        values = []
        for _ in range(rows * columns):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            values.append((np.float32(state >> 40) / np.float32(1 << 23) - np.float32(1)) * np.float32(scale))
        return np.array(values, dtype=np.float32).reshape(rows, columns)

    return random(64, 64, 0.2, 1), random(1, 64, 0.1, 2), random(32, 64, 1.0, 3)


def rnn():
    """By hand, in f64: the programs compute in f32, so that they have fewer digits."""
    weights, bias, start = (x.astype(np.float64) for x in rnn_data())
    states = [start]
    for _ in range(1000):
        states.append(np.tanh(states[-1] @ weights + bias))
    d, d_weights, d_bias = states[-1], 0, 0
    for before, after in zip(reversed(states[:-1]), reversed(states[1:])):
        d_sum = d * (1 - after**2)
        d_weights = d_weights + before.T @ d_sum
        d_bias = d_bias + d_sum.sum(axis=0)
        d = d_sum @ weights.T
    show("value", 0.5 * (states[-1] ** 2).sum())
    show("weights", d_weights)
    show("bias", d_bias)


def recurrence():
    def objective(x):
        y = 1.0
        for _ in range(10000):
            y = np.sin(x[0] * y + x[1])
        return y

    x = np.array([0.9, 0.3])
    gradient = jacobian(objective, x)
    compare_with_differences(objective, x, gradient)
    show("value", objective(x))
    show("gradient", gradient)


if __name__ == "__main__":
    known = {"gmm": gmm, "ba": ba, "hand": hand, "lstm": lstm, "rnn": rnn, "recurrence": recurrence}
    for name in sys.argv[1:] or known:
        print(f"{name}")
        known[name]()
