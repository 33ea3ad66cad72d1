"""Generates the GraphDefs that the tests import, from functions as users of TensorFlow write them.

    pip install tensorflow-cpu==2.21.0
    python make_graphs.py

Each file is the graph of one concrete function with its library. Its parameters are placeholders,
and its results are the nodes `Identity`, `Identity_1`, ...
"""

import pathlib

import tensorflow as tf

HERE = pathlib.Path(__file__).parent


def save(name, *signature):
    def take(function):
        concrete = tf.function(function, input_signature=signature).get_concrete_function()
        graph = concrete.graph.as_graph_def()
        (HERE / f"{name}.pb").write_bytes(graph.SerializeToString(deterministic=True))
        return function

    return take


@tf.function
def half(v):
    return v * 0.5


@save("control_flow", tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32))
def control_flow(x, n):
    """A loop with a conditional that calls a function, another call of it, a switch, and a node with
    several outputs."""
    w = tf.constant([1.0, 2.0])
    i = tf.constant(0)
    while i < n:
        if tf.reduce_sum(x) > 10.0:
            x = half(x)
        else:
            x = x + tf.reduce_sum(w)
        i += 1
    a, b = tf.split(tf.concat([x, half(x)], 0), 2)
    s = tf.switch_case(n % 3, [lambda: a, lambda: b, lambda: a - b])
    return s, i


@save("training", tf.TensorSpec([4, 3], tf.float32), tf.TensorSpec([4], tf.int32))
def training(x, labels):
    """Steps of gradient descent, with the gradients that TensorFlow derives."""
    w = tf.constant([[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]])
    b = tf.zeros([2])
    loss = tf.constant(0.0)
    for _ in tf.range(5):
        with tf.GradientTape() as tape:
            tape.watch([w, b])
            logits = tf.nn.relu(x) @ w + b
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = tf.reduce_mean(losses)
        dw, db = tape.gradient(loss, [w, b])
        w -= 0.5 * dw
        b -= 0.5 * db
    return w, b, loss


@save("lists", tf.TensorSpec([3, 2], tf.float32))
def lists(x):
    """Tensor lists (variants) as loop variables; an operation with three results of different
    types."""
    rows = tf.map_fn(lambda row: tf.cumsum(row) * 2.0, x)
    flat, index, count = tf.unique_with_counts(tf.reshape(tf.round(rows), [-1]))
    return rows, flat, index, count


@save("variable", tf.TensorSpec([], tf.float32))
def variable(x):
    """Effects that only control edges keep in order."""
    handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[], shared_name="counter")
    tf.raw_ops.AssignVariableOp(resource=handle, value=x)
    before = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
    tf.raw_ops.AssignAddVariableOp(resource=handle, value=tf.constant(1.0))
    between = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
    if x > 0.0:
        tf.raw_ops.AssignVariableOp(resource=handle, value=between * 10.0)
    after = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
    return before, between, after


@save("constants")
def constants():
    """All encodings of elements."""
    return (
        tf.constant([1.5, 2.5], tf.float16),
        tf.constant([1.0, 2.0, 2.0, 2.0, 2.0], tf.bfloat16),
        tf.constant([[1, 2], [3, -4]], tf.int64),
        tf.constant([True, False, True]),
        tf.constant([1 + 2j, 3 - 4j], tf.complex64),
        tf.constant(7, tf.uint8, shape=[3]),
        tf.constant(2**63 + 1, tf.uint64),
        tf.zeros([0, 2], tf.float64),
    )
