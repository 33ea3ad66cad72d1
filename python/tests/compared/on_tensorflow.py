"""The programs with `tf.function`."""

import tensorflow as tf

CALLS = []


def tensor(values):
    return tf.constant(values, tf.int32 if isinstance(values[0], int) else tf.float32)


@tf.function
def prints(x):
    y = x * 2
    print(tf.reduce_sum(y))
    return y


def log(step, loss):
    CALLS.append((step, loss))


@tf.function
def logs(x, steps):
    for step in range(steps):
        x = x * 0.5
        loss = tf.reduce_sum(x * x)
        log(step, float(loss))
    return x


@tf.function
def halves(x):
    while tf.reduce_sum(x) > 1:
        x = x / 2
    return x


@tf.function
def returns(x):
    for i in range(20):
        if tf.reduce_max(x) > 10:
            return x
        x = x + 1.5
    return x * 0


class Counter:
    def __init__(self):
        self.n = 0
        self.total = 0.0


counter = Counter()


@tf.function
def counts(x):
    counter.n += 1
    counter.total += tf.reduce_sum(x)
    return x * 2


@tf.function
def appends(x):
    parts = []
    while tf.reduce_sum(x) < 100:
        x = x * 2
        parts.append(x)
    return tf.stack(parts)


rate = 0.5


@tf.function
def scales(x):
    return x * rate


@tf.function
def branches(x):
    if tf.reduce_sum(x) > 0:
        y = x + 1
    return y


@tf.function
def adds(x):
    return x + int(tf.reduce_sum(x))


def check(step):
    CALLS.append((int(step),))
    if step == 2:
        raise KeyError("step 2")
    return step


@tf.function
def fails(n):
    total = 0
    for step in tf.range(n):
        total += tf.ensure_shape(tf.py_function(check, [step], tf.int32), ())
    return total


@tf.function
def square(n):
    return n * n


@tf.function
def power(n):
    return 2**n


@tf.function
def doubles(x):
    return x * 2


def start(is_compiled):
    tf.config.run_functions_eagerly(not is_compiled)


def compilations():
    functions = [of for of in globals().values() if hasattr(of, "experimental_get_tracing_count")]
    return {"trace": sum(of.experimental_get_tracing_count() for of in functions)}
