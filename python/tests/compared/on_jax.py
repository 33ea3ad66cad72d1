"""The programs with `jax.jit`."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import io_callback

CALLS = []
traces = 0


def jit(function=None, **options):
    """`jax.jit` with a count of the traces."""
    if function is None:
        return functools.partial(jit, **options)

    @functools.wraps(function)
    def traced(*args):
        global traces
        traces += 1
        return function(*args)

    return jax.jit(traced, **options)


def tensor(values):
    return jnp.array(values, jnp.int32 if isinstance(values[0], int) else jnp.float32)


@jit
def prints(x):
    y = x * 2
    print(y.sum())
    return y


def log(step, loss):
    CALLS.append((step, loss))


@jit(static_argnums=1)
def logs(x, steps):
    for step in range(steps):
        x = x * 0.5
        loss = (x * x).sum()
        log(step, float(loss))
    return x


@jit
def halves(x):
    while x.sum() > 1:
        x = x / 2
    return x


@jit
def returns(x):
    for i in range(20):
        if x.max() > 10:
            return x
        x = x + 1.5
    return x * 0


class Counter:
    def __init__(self):
        self.n = 0
        self.total = 0.0


counter = Counter()


@jit
def counts(x):
    counter.n += 1
    counter.total += x.sum()
    return x * 2


@jit
def appends(x):
    parts = []
    while x.sum() < 100:
        x = x * 2
        parts.append(x)
    return jnp.stack(parts)


rate = 0.5


@jit
def scales(x):
    return x * rate


@jit
def branches(x):
    if x.sum() > 0:
        y = x + 1
    return y


@jit
def adds(x):
    return x + int(x.sum())


def check(step):
    CALLS.append((int(step),))
    if step == 2:
        raise KeyError("step 2")
    return step


@jit(static_argnums=0)
def fails(n):
    total = 0
    for step in range(n):
        total += io_callback(check, jax.ShapeDtypeStruct((), jnp.int32), step, ordered=True)
    return total


@jit
def square(n):
    return n * n


@jit
def power(n):
    return 2**n


@jit
def doubles(x):
    return x * 2


def start(is_compiled):
    global traces
    jax.config.update("jax_disable_jit", not is_compiled)
    traces = 0


def compilations():
    return {"trace": traces}
