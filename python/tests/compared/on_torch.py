"""The programs with `torch.compile`.

The backend `eager` runs the graphs without code generation: the semantics are those of Dynamo, and
no C++ compiler is needed.
"""

import torch
from torch._dynamo import utils

CALLS = []
compiled = torch.compile(backend="eager")


def tensor(values):
    return torch.tensor(values, dtype=torch.int32 if isinstance(values[0], int) else torch.float32)


@compiled
def prints(x):
    y = x * 2
    print(y.sum())
    return y


def log(step, loss):
    CALLS.append((step, loss))


@compiled
def logs(x, steps):
    for step in range(steps):
        x = x * 0.5
        loss = (x * x).sum()
        log(step, float(loss))
    return x


@compiled
def halves(x):
    while x.sum() > 1:
        x = x / 2
    return x


@compiled
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


@compiled
def counts(x):
    counter.n += 1
    counter.total += x.sum()
    return x * 2


@compiled
def appends(x):
    parts = []
    while x.sum() < 100:
        x = x * 2
        parts.append(x)
    return torch.stack(parts)


rate = 0.5


@compiled
def scales(x):
    return x * rate


@compiled
def branches(x):
    if x.sum() > 0:
        y = x + 1
    return y


@compiled
def adds(x):
    return x + int(x.sum())


def check(step):
    CALLS.append((step,))
    if step == 2:
        raise KeyError("step 2")
    return step


@compiled
def fails(n):
    total = 0
    for step in range(n):
        total += check(step)
    return total


@compiled
def square(n):
    return n * n


@compiled
def power(n):
    return 2**n


@compiled
def doubles(x):
    return x * 2


def start(is_compiled):
    torch._dynamo.reset()
    utils.counters.clear()
    utils.clear_compilation_metrics()
    utils.graph_break_reasons.clear()
    torch.compiler.set_stance("default" if is_compiled else "force_eager")


def compilations():
    counters = utils.counters
    again = sum(of.compile_id.split("/")[1] != "0" for of in utils.get_compilation_metrics())
    frames = counters["frames"]["total"] - counters["frames"]["ok"]
    breaks = len(utils.graph_break_reasons)
    return {"graph": counters["stats"]["unique_graphs"], "break": breaks, "recompilation": again, "eager frame": frames}
