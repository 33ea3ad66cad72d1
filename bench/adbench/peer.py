"""What the peers share: they print what the programs of tfx print."""

import time

import numpy as np

from expected import show


def measure(name, runs, call):
    """Prints the times of calls in microseconds. `call` returns when its results are there."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e6)
    if times:
        print(f"times {name}: " + " ".join(f"{t:.3f}" for t in times), flush=True)


def print_first(name, call):
    """Prints the time of the first call, which compiles, and returns its results."""
    start = time.perf_counter()
    results = call()
    print(f"first {name}: {(time.perf_counter() - start) * 1e6:.3f}", flush=True)
    return results


def gmm_layout(size):
    """Where a row of the factors, after a zero, has the elements of the matrix."""
    layout = np.zeros((size, size), dtype=np.int32)
    following = size + 1
    for j in range(size):
        layout[j, j] = 1 + j
        for i in range(j + 1, size):
            layout[i, j] = following
            following += 1
    return layout


def hand_tables(parents):
    """The parents of the nodes, of which the last one is the root, and the parameter of each angle."""
    count = len(parents)
    nodes = np.array([count if p < 0 else p for p in parents] + [count], dtype=np.int32)
    angles = np.full((count, 3), 26, dtype=np.int32)
    for finger in range(5):
        bone, parameter = 2 + 4 * finger, 6 + 4 * finger
        angles[bone, :2] = parameter, parameter + 1
        angles[bone + 1, 0] = parameter + 2
        angles[bone + 2, 0] = parameter + 3
    return nodes, angles


def ba_data():
    """The parameters, the indices of the observations, and the features."""
    import expected

    numbers = (expected.DATA / "ba1_n49_m7776_p31843.txt").read_text().split()
    cameras, points, observations = (int(x) for x in numbers[:3])
    x = np.array([float(v) for v in numbers[3:]])
    at = np.arange(observations, dtype=np.int32)
    return (
        np.tile(x[:11], (cameras, 1)),
        np.tile(x[11:14], (points, 1)),
        np.full(observations, x[14]),
        at % cameras,
        at % points,
        np.tile(x[15:17], (observations, 1)),
    )


def show_ba(errors, weight_errors, blocks, weight_block):
    """`blocks` has for each of both residuals its derivatives by the camera, the point and the weight."""
    show("errors", errors)
    show("weight errors", weight_errors)
    for name, block in zip(["first", "second"], blocks):
        for part, values in zip(["camera", "point", "weight"], block):
            show(f"{name} by {part}", values)
    show("weight error by weight", weight_block)
