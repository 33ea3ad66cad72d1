"""The programs with `tfx.program`."""

import contextlib

import numpy as np

import tfx
from tfx import Tensor, f32, i32

CALLS = []


def tensor(values):
    return tfx.asarray(np.array(values, dtype=np.int32 if isinstance(values[0], int) else np.float32))


@tfx.program
def prints(x: Tensor[f32, None]):
    y = x * 2
    print(y.sum())
    return y


@tfx.host
def log(step: int, loss: float):
    CALLS.append((step, loss))


@tfx.program
def logs(x: Tensor[f32, None], steps: int):
    for step in range(steps):
        x = x * 0.5
        loss = (x * x).sum()
        log(step, float(loss))
    return x


@tfx.program
def halves(x: Tensor[f32, None]):
    while x.sum() > 1:
        x = x / 2
    return x


@tfx.program
def returns(x: Tensor[f32, None]):
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


@tfx.program
def counts(x: Tensor[f32, None]):
    counter.n += 1
    counter.total += x.sum()
    return x * 2


@tfx.program
def appends(x: Tensor[f32, None]):
    parts = []
    while x.sum() < 100:
        x = x * 2
        parts.append(x)
    return tfx.stack(parts)


rate = 0.5


@tfx.program
def scales(x: Tensor[f32, None]):
    return x * rate


@tfx.program
def branches(x: Tensor[f32, None]):
    if x.sum() > 0:
        y = x + 1
    return y


@tfx.program
def adds(x: Tensor[i32, None]):
    return x + int(x.sum())


@tfx.host
def check(step: int) -> int:
    CALLS.append((step,))
    if step == 2:
        raise KeyError("step 2")
    return step


@tfx.program
def fails(n: int):
    total = 0
    for step in range(n):
        total += check(step)
    return total


@tfx.program
def square(n: int):
    return n * n


@tfx.program
def power(n: int):
    return 2**n


@tfx.program
def doubles(x: Tensor[f32, None]):
    return x * 2


count = 0
_switch = contextlib.ExitStack()


def counted(original):
    """Counts the calls that add a compiled form to a program."""

    def executable(self, linked, arguments):
        global count
        before = len(linked.compiled)
        found = original(self, linked, arguments)
        count += len(linked.compiled) - before
        return found

    return executable


tfx.Program._executable = counted(tfx.Program._executable)


def start(is_compiled):
    global count
    count = 0
    _switch.close()
    _switch.enter_context(tfx.eager(not is_compiled))


def compilations():
    return {"compilation": count}
