"""Functions of the array API standard on random and special elements.

Eager calls are compared with `array_api_strict`, which is NumPy with the exact rules of the standard;
then each expression is compiled, and both executors are compared with the eager call. What graphs
cannot compute, such as sorting, is only called eagerly.
"""

import importlib.util

import array_api_strict
import numpy as np
import pytest

import tfx

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e30, float("inf"), -float("inf"), float("nan"), 7.0]

# Expressions of the argument x: floats with special values.
UNARY = """abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor isfinite isinf isnan log
log10 log1p log2 negative positive reciprocal round sign signbit sin sinh sqrt square tan tanh trunc"""
# Expressions of two such arguments.
BINARY = """add atan2 copysign divide equal greater greater_equal hypot less less_equal logaddexp maximum
minimum multiply nextafter not_equal subtract"""

# Expressions of x, y: f32[3, 4] of moderate numbers; i, j: i64[3, 4]; b, c: bool[3, 4];
# v, w: f32[4]; n: f32[3, 3], positive definite, of known sizes; t: f32[2, 3, 4]; k: i64[2] of indices.
COMPILED = """
xp.all(b)
xp.all(b, axis=1)
xp.any(b, axis=0, keepdims=True)
xp.arange(5)
xp.arange(3, 11, 2)
xp.arange(4, 1)
xp.arange(5, 0, -2, dtype=xp.float32)
xp.argmax(x)
xp.argmax(x, axis=1)
xp.argmin(x, axis=0, keepdims=True)
xp.astype(x, xp.int32)
xp.astype(i, xp.float32)
xp.astype(b, xp.int8)
xp.bitwise_and(i, j)
xp.bitwise_invert(i)
xp.bitwise_left_shift(i, xp.asarray(2))
xp.bitwise_left_shift(i, xp.asarray(64))
xp.bitwise_or(b, c)
xp.bitwise_right_shift(i, xp.asarray(1))
xp.bitwise_xor(i, j)
xp.broadcast_arrays(x, v)[1]
xp.broadcast_to(v, (2, 4))
xp.clip(x, -0.5, 0.5)
xp.clip(x, max=0.25)
xp.concat((x, y), axis=1)
xp.concat((x, v), axis=None)
xp.count_nonzero(b)
xp.count_nonzero(i, axis=1)
xp.cumulative_prod(x, axis=0)
xp.cumulative_sum(x, axis=1)
xp.cumulative_sum(i, axis=1, include_initial=True)
xp.cumulative_sum(v)
xp.diff(x)
xp.diff(v, n=2)
xp.diff(x, axis=0, prepend=y)
xp.expand_dims(x, axis=1)
xp.expand_dims(x, axis=-1)
xp.eye(3)
xp.eye(2, 4, k=1, dtype=xp.int32)
xp.flip(x)
xp.flip(x, axis=1)
xp.floor_divide(i, j)
xp.full((2, 3), 1.5)
xp.full_like(x, 2.0)
xp.full_like(i, 7)
xp.linspace(0.0, 1.0, 5)
xp.linspace(-3.0, 2.0, 4, endpoint=False)
xp.logical_and(b, c)
xp.logical_not(b)
xp.logical_or(b, c)
xp.logical_xor(b, c)
xp.matmul(x, y.T)
xp.matmul(xp.astype(i, xp.int8), xp.astype(j.T, xp.int8))
xp.matrix_transpose(t)
xp.max(x, axis=0)
xp.mean(x)
xp.mean(x, axis=1, keepdims=True)
xp.meshgrid(v, w)[0]
xp.meshgrid(v, v, w, indexing="ij")[2]
xp.min(i, axis=1)
xp.moveaxis(t, 0, 2)
xp.moveaxis(t, (0, 1), (-1, 0))
xp.ones((2, 2))
xp.ones_like(b)
xp.permute_dims(t, (2, 0, 1))
xp.pow(xp.abs(x), y)
xp.prod(v)
xp.prod(i, axis=1)
xp.remainder(i, j)
xp.repeat(x, 2)
xp.repeat(x, 3, axis=0)
xp.reshape(x, (4, 3))
xp.reshape(x, (-1, 2))
xp.roll(x, 1)
xp.roll(x, -2, axis=1)
xp.roll(x, (1, 2), axis=(0, 1))
xp.sign(i)
xp.squeeze(x[None, :, :], axis=0)
xp.stack((x, y))
xp.stack((x, y), axis=-1)
xp.std(x)
xp.std(x, axis=0, correction=1.0)
xp.sum(x, axis=1)
xp.sum(i)
xp.sum(x, dtype=xp.float64)
xp.take(x, k, axis=1)
xp.take(x, k - 4, axis=1)
xp.tensordot(x, y.T, axes=1)
xp.tensordot(x, y)
xp.tensordot(t, x, axes=((1, 2), (0, 1)))
xp.tile(x, (2, 1))
xp.tile(v, (2, 3))
xp.tril(x)
xp.tril(x, k=-1)
xp.triu(x, k=1)
xp.triu(t)
xp.unstack(n)[1]
xp.unstack(n, axis=1)[2]
xp.var(x, axis=1, keepdims=True)
xp.vecdot(x, y)
xp.vecdot(x, v)
xp.where(b, x, y)
xp.zeros((2, 3))
xp.zeros((2,), dtype=xp.bool)
xp.zeros_like(i)
xp.linalg.cholesky(n)
xp.linalg.det(n)
xp.linalg.inv(n)
xp.linalg.outer(v, w)
xp.linalg.trace(x)
xp.linalg.trace(t, offset=1)
xp.linalg.vector_norm(x)
xp.linalg.vector_norm(x, axis=1, ord=1)
xp.linalg.vector_norm(v, ord=3)
x[b]
x[:, 1:3]
x[1, ...]
x[::-1, 2]
"""
# What is only called eagerly.
EAGER = """
xp.argsort(x, axis=0)
xp.argsort(i, descending=True)
xp.isin(i, j)
xp.nonzero(b)[0]
xp.repeat(v, xp.asarray([1, 0, 2, 1]))
xp.searchsorted(xp.sort(v), w)
xp.sort(x, descending=True)
xp.take_along_axis(x, xp.argsort(x))
xp.unique_counts(i)[0]
xp.unique_counts(i)[1]
xp.sort(xp.unique_values(i))
xp.linalg.cross(x[:, :3], y[:, :3])
xp.linalg.diagonal(x)
xp.linalg.eigvalsh(n)
xp.linalg.matrix_norm(x)
xp.linalg.matrix_power(n, 3)
xp.linalg.matrix_rank(n)
xp.linalg.pinv(x)
xp.linalg.slogdet(n)[1]
xp.linalg.solve(n, x)
xp.linalg.solve(n, x[:, 0])
xp.linalg.svdvals(x)
"""

# What the standard does not have.
OWN = """
round(x)
divmod(i, j)[0]
divmod(i, 3)[1]
divmod(7, j)[1]
xp.roll(v[v > 9.0], 1)
x.at[1].set(v)
x.at[-1, 2].add(2.0)
"""


def lines(text):
    return [line for line in text.split("\n") if line]


EXPRESSIONS = [
    *(f"xp.{name}(s)" for name in UNARY.split()),
    *(f"xp.{name}(s, r)" for name in BINARY.split()),
    *lines(COMPILED),
]
PROGRAMS = [*EXPRESSIONS, *lines(OWN)]


def load(path):
    """Imports a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def inputs(seed):
    """Returns arrays by name."""
    source = np.random.default_rng(seed)
    of = lambda *sizes: source.normal(size=sizes).astype(np.float32)
    root = of(3, 3)
    j = source.integers(1, 9, (3, 4)) * source.choice([-1, 1], (3, 4))
    return {
        "s": np.array(source.choice(SPECIAL, (5, 6)), np.float32),
        "r": np.array(source.choice(SPECIAL, (5, 6)), np.float32),
        "x": of(3, 4),
        "y": of(3, 4),
        "v": of(4),
        "w": of(4),
        "t": of(2, 3, 4),
        "n": root @ root.T + np.eye(3, dtype=np.float32),
        "i": source.integers(-9, 9, (3, 4)),
        "j": j,
        "k": source.integers(0, 4, 2),
        "b": source.integers(0, 2, (3, 4)).astype(bool),
        "c": source.integers(0, 2, (3, 4)).astype(bool),
    }


def assert_close(found, expected):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("expression", [*EXPRESSIONS, *lines(EAGER)])
def test_eager(expression):
    for seed in range(3):
        arrays = inputs(seed)
        own = {name: tfx.asarray(of) for name, of in arrays.items()}
        strict = {name: array_api_strict.asarray(of) for name, of in arrays.items()}
        found = eval(expression, {"xp": tfx}, own)
        with np.errstate(all="ignore"):
            expected = eval(expression, {"xp": array_api_strict}, strict)
        assert_close(found, expected)
        if expected.dtype != array_api_strict.float64:
            # Floats of Python are f32 in tfx.
            assert str(found.dtype)[4:] == SHORT[str(expected.dtype).rpartition(".")[2]]


SHORT = {"bool": "bool", "int8": "i8", "int32": "i32", "int64": "i64", "float32": "f32"}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """A file with a program for each expression."""
    # The sizes of one tensor are known.
    parameters = ", ".join(inputs(0)).replace("n,", "n: tfx.Tensor[tfx.f32, 3, 3],")
    path = tmp_path_factory.mktemp("array_api") / "expressions.py"
    text = "import tfx\n\nxp = tfx\n"
    for index, expression in enumerate(PROGRAMS):
        text += f"\n\n@tfx.program\ndef expression_{index}({parameters}):\n    return {expression}\n"
    path.write_text(text)
    return load(path)


@pytest.mark.parametrize("executor", ["embedded", "native"])
@pytest.mark.parametrize("index", range(len(PROGRAMS)), ids=PROGRAMS)
def test_compiled(index, executor, programs, monkeypatch):
    monkeypatch.setenv("TFX_EXECUTOR", executor)
    # Compiled for this executor.
    program = tfx.program(getattr(programs, f"expression_{index}").__wrapped__)
    for seed in range(2):
        arguments = [tfx.asarray(of) for of in inputs(seed).values()]
        with tfx.eager():
            expected = program(*arguments)
        found = program(*arguments)
        assert found.dtype is expected.dtype
        assert_close(found, expected)


# Differentiable functions of x: f32[3, 4], with the second argument y.
DIFFERENTIABLE = """
tfx.atan2(x, y)
tfx.clip(x, -0.5, 0.5)
tfx.concat((x, y[:1]), axis=0)
tfx.copysign(x, y)
tfx.cumulative_sum(x, axis=0)
tfx.diff(x)
tfx.flip(x, axis=1) * y
tfx.hypot(x, y)
tfx.linalg.inv(x[:, :3] @ x[:, :3].T + tfx.eye(3))
tfx.linalg.det(x[:, :3] @ x[:, :3].T + tfx.eye(3))
tfx.linalg.trace(x * y)
tfx.linalg.vector_norm(x)
tfx.logaddexp(x, y)
tfx.logaddexp(x, x * 2.0 - x)
tfx.log10(tfx.abs(x))
tfx.moveaxis(x, 0, 1) @ y
tfx.repeat(x, 2, axis=1)
tfx.roll(x, 2, axis=1) * y
tfx.std(x, axis=1)
tfx.take(x, tfx.asarray([2, -1, 0]), axis=1)
tfx.tensordot(x, y.T, axes=1)
tfx.tile(x, (2, 1))
tfx.tril(x) * y
tfx.trunc(x) + x
tfx.var(x)
tfx.vecdot(x, y)
tfx.where(x > y, x, y)
x[x > 0.0]
x[tfx.asarray([0, 1]), tfx.asarray([3, -1])]
"""


@pytest.fixture(scope="module")
def losses(tmp_path_factory):
    """A file with a loss and its gradient for each expression."""
    path = tmp_path_factory.mktemp("array_api") / "losses.py"
    text = "import tfx\n"
    for index, expression in enumerate(lines(DIFFERENTIABLE)):
        text += f"\n\ndef loss_{index}(x, y):\n    of = {expression}\n    return (of * of * 0.5 + of).sum()\n"
        text += f"\n\n@tfx.program\ndef gradient_{index}(x, y):\n"
        text += f"    return tfx.gradient(lambda a: loss_{index}(a, y))(x)\n"
    path.write_text(text)
    return load(path)


@pytest.mark.parametrize("index", range(len(lines(DIFFERENTIABLE))), ids=lines(DIFFERENTIABLE))
def test_gradients(index, losses):
    arrays = inputs(5)
    x, y = (arrays[name].astype(np.float64) for name in "xy")
    found = np.asarray(getattr(losses, f"gradient_{index}")(tfx.asarray(x), tfx.asarray(y)))
    loss = lambda x: getattr(losses, f"loss_{index}")(tfx.asarray(x), tfx.asarray(y)).item()
    expected = np.zeros_like(x)
    for position in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[position] = 1e-6
        expected[position] = (loss(x + step) - loss(x - step)) / 2e-6
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@tfx.program
def gradient_of_product(x):
    return tfx.gradient(lambda a: tfx.cumulative_prod(a).sum())(x)


def test_a_derivative_that_is_not_known_is_an_error_in_the_words_of_python():
    with pytest.raises(tfx.CompileError, match=r"cut the path with tfx.stop_gradient\(x\)") as caught:
        gradient_of_product(tfx.asarray([1.0, 2.0]))
    assert "tfx_ad" not in str(caught.value)


def test_signatures():
    import inspect

    assert str(inspect.signature(tfx.sum)) == "(x, /, *, axis=None, dtype=None, keepdims=False)"
    assert repr(tfx.hypot) == "<function tfx.hypot(x1, x2, /)>"


def test_element_types():
    assert tfx.finfo(tfx.f32).eps == np.finfo(np.float32).eps
    assert tfx.finfo(tfx.f64).smallest_normal == np.finfo(np.float64).smallest_normal
    assert tfx.iinfo(tfx.i8).min == -128
    assert tfx.isdtype(tfx.i32, "integral") and not tfx.isdtype(tfx.bool, "numeric")
    assert tfx.result_type(tfx.i8, tfx.i32, 1) is tfx.i32
    assert tfx.can_cast(tfx.i8, tfx.i64) and not tfx.can_cast(tfx.f64, tfx.i64)
    with pytest.raises(TypeError, match="write astype"):
        tfx.result_type(tfx.f32, tfx.i32)


def test_a_function_of_the_host_is_no_part_of_a_program(tmp_path):
    path = tmp_path / "sorted.py"
    path.write_text("import tfx\n\n@tfx.program\ndef ordered(x):\n    return tfx.sort(x)\n")
    module = load(path)
    with pytest.raises(tfx.CompileError, match=r"sorted.py:5:12: error: .*'sort'.*@tfx.host"):
        module.ordered(tfx.asarray([2.0, 1.0]))
