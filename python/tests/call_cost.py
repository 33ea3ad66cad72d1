"""The time of a call of a compiled program that does almost nothing.

    python python/tests/call_cost.py

Prints the median and the spread of 15 rounds of 2,000 calls, in microseconds, for tfx, and for
`tf.function` and `jax.jit` where this Python has them. Each runs in a process of its own.
"""

import importlib.util
import json
import statistics
import subprocess
import sys
import time

ROUNDS = 15
CALLS = 2000
ROWS = ["one int", "eight ints", "a NumPy array", "a tensor", "eight tensors"]


def tfx_calls():
    import numpy as np
    import tfx
    from tfx import Tensor, f32

    @tfx.program
    def one(a: int) -> int:
        return a + 1

    @tfx.program
    def eight(a: int, b: int, c: int, d: int, e: int, f: int, g: int, h: int) -> int:
        return a + h

    @tfx.program
    def add(x: Tensor[f32, None]):
        return x + 1.0

    @tfx.program
    def add_eight(
        a: Tensor[f32, None],
        b: Tensor[f32, None],
        c: Tensor[f32, None],
        d: Tensor[f32, None],
        e: Tensor[f32, None],
        f: Tensor[f32, None],
        g: Tensor[f32, None],
        h: Tensor[f32, None],
    ):
        return a + h

    array = np.ones(8, np.float32)
    tensor = tfx.asarray(array)
    return [
        lambda: one(1),
        lambda: eight(1, 2, 3, 4, 5, 6, 7, 8),
        lambda: add(array),
        lambda: add(tensor),
        lambda: add_eight(*[tensor] * 8),
    ]


def tensorflow_calls():
    import numpy as np
    import tensorflow as tf

    # An int of Python is a constant of the trace, so both take tensors of rank 0.
    one = tf.function(lambda a: a + 1)
    eight = tf.function(lambda a, b, c, d, e, f, g, h: a + h)
    number = tf.constant(1)
    array = np.ones(8, np.float32)
    tensor = tf.constant(array)
    return [
        lambda: one(number).numpy(),
        lambda: eight(*[number] * 8).numpy(),
        lambda: one(array),
        lambda: one(tensor),
        lambda: eight(*[tensor] * 8),
    ]


def jax_calls():
    import jax
    import numpy as np

    one = jax.jit(lambda a: a + 1)
    eight = jax.jit(lambda a, b, c, d, e, f, g, h: a + h)
    array = np.ones(8, np.float32)
    tensor = jax.numpy.asarray(array)
    return [
        lambda: int(one(1)),
        lambda: int(eight(1, 2, 3, 4, 5, 6, 7, 8)),
        lambda: one(array).block_until_ready(),
        lambda: one(tensor).block_until_ready(),
        lambda: eight(*[tensor] * 8).block_until_ready(),
    ]


SYSTEMS = {"tfx": tfx_calls, "tensorflow": tensorflow_calls, "jax": jax_calls}


def measured(call):
    """Returns the times of the rounds, in microseconds per call."""
    for _ in range(10):
        call()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        times.append((time.perf_counter() - start) / CALLS * 1e6)
    return times


def cell(times):
    return f"{statistics.median(times):.1f} ({min(times):.1f} to {max(times):.1f})"


def main():
    if len(sys.argv) == 2:
        print(json.dumps([measured(call) for call in SYSTEMS[sys.argv[1]]()]))
        return
    columns = {}
    for name in SYSTEMS:
        if importlib.util.find_spec(name) is None:
            print(f"skipped: this Python has no {name}", file=sys.stderr)
            continue
        output = subprocess.run([sys.executable, __file__, name], check=True, stdout=subprocess.PIPE).stdout
        columns[name] = json.loads(output.splitlines()[-1])
    print(f"| arguments | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 1) + "|")
    for index, row in enumerate(ROWS):
        print(f"| {row} | {' | '.join(cell(column[index]) for column in columns.values())} |")


if __name__ == "__main__":
    main()
