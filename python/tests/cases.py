"""Programs for the oracle. Each is called with some arguments, eagerly and compiled."""

import math

import numpy as np

import tfx
from tfx import Tensor, f32, i32

LOG = []
RATE = 0.5
SCALE = tfx.asarray(np.float32([1.0, 2.0]))


def array(*values, dtype="float32"):
    return tfx.asarray(np.array(values, dtype=dtype))


@tfx.host
def log(step: int, loss: float) -> bool:
    LOG.append((step, loss))
    return loss < 0.5


@tfx.host
def double(x: Tensor[f32, None]) -> Tensor[f32, None]:
    LOG.append(x.tolist())
    return x * np.float32(2.0)


@tfx.host
def fails(step: int) -> int:
    if step == 2:
        raise KeyError("step")
    return step


@tfx.struct
class Dense:
    w: Tensor[f32, None, None]
    b: Tensor[f32, None]

    def __call__(self, x):
        return tfx.tanh(x @ self.w + self.b)


@tfx.struct
class Network:
    first: Dense
    second: Dense
    scale: float = 1.0

    def __call__(self, x):
        return self.second(self.first(x)) * self.scale


@tfx.program
def prints(x: Tensor[f32, None]):
    y = x * 2.0
    print(y.sum())
    print("x", x, x[0], f"{y.sum():.3f}", x.shape[0])


@tfx.program
def logs(x: Tensor[f32, None], steps: int):
    for step in range(steps):
        x = x * 0.5
        if log(step, x.sum()):
            break
    return x


@tfx.program
def while_on_tensor(x: Tensor[f32, None]):
    n = 0
    while x.sum() > 1:
        x = x / 2
        n += 1
    return x, n


@tfx.program
def return_in_loop(x: Tensor[f32, None], limit: float):
    for i in range(20):
        if x.max() > limit:
            return x, i
        x = x + 1.5
    return x * 0.0, -1


@tfx.program
def set_in_one_branch(x: Tensor[f32, None], flag: bool):
    if flag:
        y = x + 1.0
    return y


@tfx.program
def adds_item(x: Tensor[i32, None]):
    return x + int(x.sum())


@tfx.program
def callback_fails(n: int):
    total = 0
    for i in range(n):
        print(i)
        total += fails(i)
    return total


@tfx.program
def captured(x: Tensor[f32, None]):
    return x * RATE + SCALE


@tfx.program
def sizes(x: Tensor[f32, None, None]):
    rows, columns = x.shape
    return x.reshape(columns, rows), rows * columns, x.T @ x


@tfx.program
def host_arrays(x: Tensor[f32, None]):
    y = double(x + 1.0)
    return y - x


@tfx.program
def layers(x: Tensor[f32, None, None], model: Network):
    print(model.scale)
    moved = model - 0.1 * model
    return model(x), moved


@tfx.program
def operators(x: Tensor[f32, None], y: Tensor[f32, None], n: Tensor[i32, None]):
    a = (x + y, x - y, x * y, x / y, x // y, x % y, x**2, -x, abs(x))
    b = (n + 3, n // 2, n % 3, n * n, n & 3, n | 4, n ^ 5, ~n)
    c = (x < y, x <= 1.0, x == y, x != y, (x > y) & (x > 0), ~(x > 0))
    return a, b, c


@tfx.program
def functions(x: Tensor[f32, None, None]):
    a = (tfx.relu(x), tfx.exp(x), tfx.tanh(x), tfx.sigmoid(x), tfx.square(x), tfx.floor(x), tfx.sign(x))
    b = (x.sum(), x.sum(axis=0), x.mean(axis=1, keepdims=True), x.max(axis=-1), x.min(), x.argmax(axis=1), x.prod(0))
    c = (tfx.where(x > 0, x, 0.0), tfx.maximum(x, 0.5), tfx.softmax(x), tfx.stack((x, x), axis=1), tfx.concat((x, x)))
    d = (x[0], x[-1], x[:, 1], x[1:], x[::2, None], x[..., 0], x.at[0].set(9.0), x.at[1, 0].add(1.0))
    e = (tfx.zeros((2, 3)), tfx.arange(4), tfx.full((2,), 1.5), tfx.eye(2), tfx.one_hot(x.argmax(axis=1), 3))
    return a, b, c, d, e


@tfx.program
def rows(x: Tensor[f32, None, None]):
    total = tfx.zeros_like(x[0])
    for i, row in enumerate(x):
        total = total + row * (i + 1.0)
    return total


def helper(x, axis=0):
    return x.sum(axis=axis)


@tfx.program
def static_arguments(x: Tensor[f32, None, None]):
    return helper(x), helper(x, 1), [helper(x, axis=a) for a in (0, 1)]


@tfx.program
def scalars(n: int, x: float):
    y = x
    for i in range(n):
        y = math.sin(y) + i / 3
        if i % 7 == 5:
            y = -y
    assert y < 100.0, "too large"
    return y, n // 3, divmod(-n, 4), f"{y:.3e}", n > 3 and n < 10


@tfx.program
def raises(n: int):
    for i in range(n):
        print("step", i)
        if i == 3:
            raise ValueError(f"bad step {i}")
    return n


@tfx.program
def closures(x: Tensor[f32, None], k: float):
    def scaled(y, by=2.0):
        return y * by * k

    fs = (scaled, lambda y: y + k, lambda y: scaled(y, by=3.0))
    for f in fs:
        x = f(x)
    return x


@tfx.program
def local_recursion(n: int, k: int):
    def even(n):
        return True if n == 0 else odd(n - 1)

    def odd(n):
        log(n, float(k))
        return False if n == 0 else even(n - 1)

    def third(n):
        return n if n < 1 else first(n - 1) + k

    def first(n):
        return n if n < 1 else second(n - 1) * 2

    def second(n):
        return n if n < 1 else third(n - 1) - 1

    return even(n), odd(n), first(n), third(n)


@tfx.program
def list_slices(n: int):
    items = [n, 2, 3]
    print(items[1:], items[::-1], (n, 4)[:1])
    return items[:2]


@tfx.program
def reshaped(x: Tensor[f32, None], n: int):
    return x.reshape(n, 1), x.reshape(n), x.reshape(n, -1), x.reshape(-1, n)


@tfx.program
def narrow_integers(x: Tensor[tfx.i32, None], n: int):
    total = x + int(x.sum())
    print(total)
    return x + n, x.at[x.argmax()].set(n)


@tfx.program
def empty_splat(flags: Tensor[tfx.bool_, None], x: Tensor[f32, None], n: int):
    while n:
        for i in range(n):
            if tfx.all(x > -1):
                return 2
    x += tfx.full((flags.shape[0],), 5, dtype=f32)
    log(1, x[0])
    return 1


@tfx.program
def chains(x: Tensor[f32, None], k: int):
    count = 0
    while 0 <= count < x.sum() and not k < count < 10.0:
        count += 1
    assert -1 < count <= x.sum() + 1.0, "out of bounds"
    return count, 1 if 0.0 < x.sum() < k < 100 else 2


@tfx.program
def unannotated(x, n, flag=True):
    if flag:
        return x * n
    return x


X = array(1.5, -2.0, 3.25)
M = tfx.asarray(np.arange(6, dtype=np.float32).reshape(2, 3) - 2.5)
MODEL = Network(
    Dense(tfx.asarray(np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)), array(0.1, 0.2, 0.3, 0.4)),
    Dense(tfx.asarray(np.linspace(-1, 1, 8, dtype=np.float32).reshape(4, 2)), array(0.5, -0.5)),
    2,
)
CASES = [
    ("chains", (array(1.0, 2.5), 9)),
    ("chains", (array(1.0, 2.5), 1)),
    ("chains", (array(-5.0), 1)),
    ("prints", (X,)),
    ("logs", (X * 10.0, 10)),
    ("logs", (X, 0)),
    ("while_on_tensor", (X * 100.0,)),
    ("return_in_loop", (X, 10.0)),
    ("return_in_loop", (X, 1000.0)),
    ("set_in_one_branch", (X, True)),
    ("set_in_one_branch", (X, False)),
    ("adds_item", (array(1, 2, 3, dtype="int32"),)),
    ("callback_fails", (2,)),
    ("callback_fails", (5,)),
    ("captured", (array(1, 2),)),
    ("sizes", (M,)),
    ("sizes", (M.T,)),
    ("host_arrays", (X,)),
    ("layers", (M, MODEL)),
    ("operators", (X, array(0.5, 2.0, -1.0), array(7, -8, 9, dtype="int32"))),
    ("functions", (M,)),
    ("rows", (M,)),
    ("static_arguments", (M,)),
    ("scalars", (20, 0.5)),
    ("scalars", (1, 3)),
    ("raises", (2,)),
    ("raises", (9,)),
    ("closures", (X, 1.5)),
    ("local_recursion", (5, 3)),
    ("local_recursion", (0, 3)),
    ("list_slices", (7,)),
    ("reshaped", (X, 3)),
    ("narrow_integers", (array(1, 2, 3, dtype="int32"), 7)),
    ("narrow_integers", (array(1, 2, 3, dtype="int32"), -(2**31))),
    ("narrow_integers", (array(1, 2, 3, dtype="int32"), 2**31)),
    ("empty_splat", (array(True, False, True, dtype="bool"), X, 0)),
    ("empty_splat", (array(True, False, True, dtype="bool"), X * X, 2)),
    ("unannotated", (X, 2.5)),
    ("unannotated", (M, 3)),
    ("unannotated", (2, 3, False)),
]
