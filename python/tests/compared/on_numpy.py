"""The programs in CPython with NumPy: the reference."""

import numpy as np

CALLS = []


def tensor(values):
    return np.array(values, dtype=np.int32 if isinstance(values[0], int) else np.float32)


def prints(x):
    y = x * 2
    print(y.sum())
    return y


def log(step, loss):
    CALLS.append((step, loss))


def logs(x, steps):
    for step in range(steps):
        x = x * 0.5
        loss = (x * x).sum()
        log(step, float(loss))
    return x


def halves(x):
    while x.sum() > 1:
        x = x / 2
    return x


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


def counts(x):
    counter.n += 1
    counter.total += x.sum()
    return x * 2


def appends(x):
    parts = []
    while x.sum() < 100:
        x = x * 2
        parts.append(x)
    return np.stack(parts)


rate = 0.5


def scales(x):
    return x * rate


def branches(x):
    if x.sum() > 0:
        y = x + 1
    return y


def adds(x):
    return x + int(x.sum())


def check(step):
    CALLS.append((step,))
    if step == 2:
        raise KeyError("step 2")
    return step


def fails(n):
    total = 0
    for step in range(n):
        total += check(step)
    return total


def square(n):
    return n * n


def power(n):
    return 2**n


def doubles(x):
    return x * 2
