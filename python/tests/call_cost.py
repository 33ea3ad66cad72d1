"""The time of a call of a compiled program that does almost nothing.

    python python/tests/call_cost.py

Prints the median and the spread of 15 rounds of 2,000 calls, in microseconds, for tfx, and for
`tf.function` and `jax.jit` where this Python has them. Each runs in a process of its own.
"""

import systems

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


if __name__ == "__main__":
    systems.main(
        __file__,
        "arguments",
        ROWS,
        {"tfx": tfx_calls, "tensorflow": tensorflow_calls, "jax": jax_calls},
        lambda row: CALLS,
    )
