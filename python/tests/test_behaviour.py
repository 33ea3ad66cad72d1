"""The behaviour that is not of single programs: compilation, exceptions, threads, interrupts."""

import collections
import functools
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
import weakref

import numpy as np
import pytest

import cases
from cases import log
import tfx
from tfx import Tensor, f32, i32

FACTOR = 2.0


@tfx.program
def scaled(x: Tensor[f32, None]):
    return x * FACTOR


def test_seven_sizes_are_one_program():
    program = tfx.program(scaled.__wrapped__)
    for size in range(1, 8):
        x = np.arange(size, dtype=np.float32)
        assert np.array_equal(np.asarray(program(x)), x * FACTOR)
    assert len(program._linked.compiled) == 1


def test_rebound_global_needs_no_compilation(monkeypatch):
    program = tfx.program(scaled.__wrapped__)
    x = np.float32([1.0, 2.0])
    program(x)
    linked = program._linked
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 5.0)
    assert np.array_equal(np.asarray(program(x)), x * 5.0)
    assert program._linked is linked and len(program._linked.compiled) == 1


def offset(x):
    return x + 1.0


def test_rebound_function_is_compiled_again(monkeypatch):
    @tfx.program
    def calls(x: Tensor[f32, None]):
        return offset(x)

    x = np.float32([1.0])
    assert np.asarray(calls(x))[0] == 2.0
    monkeypatch.setattr(sys.modules[__name__], "offset", minus)
    assert np.asarray(calls(x))[0] == 0.0


def minus(x):
    return x - 1.0


def test_exception_of_a_host_function_is_itself():
    with pytest.raises(KeyError) as caught:
        cases.callback_fails(5)
    assert caught.value.args == ("step",)
    assert any("cases.py" in note for note in caught.value.__notes__)
    assert "fails" in [entry.name for entry in caught.traceback]


def test_exception_of_a_program_has_its_line():
    with pytest.raises(ValueError, match="bad step 3") as caught:
        cases.raises(9)
    line = next(n for n, text in enumerate(pathlib.Path(cases.__file__).read_text().splitlines(), 1) if "bad step" in text)
    assert f"cases.py:{line}:" in caught.value.__notes__[0]


def test_overflow_is_an_error():
    @tfx.program
    def squares(n: int):
        for i in range(10):
            n = n * n
        return n

    assert squares(1) == 1
    with pytest.raises(OverflowError, match="int is 64 bits in tfx"):
        squares(3)
    with pytest.raises(OverflowError):
        squares(2**70)


def test_arguments_are_checked():
    x = np.zeros((2, 3), np.float32)
    with pytest.raises(TypeError, match=r"'x' is Tensor\[f32, None\], but got Tensor\[f32, 2, 3\]"):
        scaled(x)
    with pytest.raises(TypeError, match=r"but got Tensor\[f64, 3\]"):
        scaled(np.zeros(3))

    @tfx.program
    def pair(x: Tensor[f32, "n"], y: Tensor[f32, "n"]):
        return x + y

    with pytest.raises(TypeError, match="the size 'n' is 2, and 3 in 'y'"):
        pair(np.zeros(2, np.float32), np.zeros(3, np.float32))


def test_compile_error_names_the_line():
    @tfx.program
    def branches(n: int, flag: bool):
        total = 0
        if flag:
            total = 1.5
        return total

    with pytest.raises(tfx.CompileError, match="'total' is int here and float at"):
        branches(1, True)


def test_outer_object_is_an_error():
    class Counter:
        n = 0

    counter = Counter()

    @tfx.program
    def counts(x: int):
        counter.n += 1
        return x

    with pytest.raises(tfx.CompileError, match="objects are immutable in a program"):
        counts(1)


def test_copy_warning_is_at_its_line():
    @tfx.program
    def stops(x: Tensor[f32, None], steps: int):
        for step in range(steps):
            x = x * 0.5
            if log(step, x.sum()):
                break
        return x

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        stops(np.ones(4, np.float32), 3)
    copies = [of for of in caught if issubclass(of.category, tfx.CopyWarning)]
    assert copies and all(of.filename == __file__ for of in copies)


def test_report_and_stages():
    x = np.ones(3, np.float32)
    assert "tfx_tensor.op" in scaled.mlir(x)
    assert "tfx_tensor.graph" in scaled.mlir(x, stage="tfx-deabstract,func.func(tfx-sese),tfx-partition")
    assert "Mul" in scaled.graphdef(x)
    assert "program" in scaled.report(x)


def test_threads_share_a_program():
    x = np.arange(1000, dtype=np.float32)
    results = []

    def work():
        for _ in range(20):
            results.append(np.asarray(scaled(x)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(results) == 80 and all(np.array_equal(of, x * FACTOR) for of in results)


def test_keyboard_interrupt():
    script = textwrap.dedent(
        """
        import tfx

        @tfx.program
        def forever(n: int):
            i = 0
            while i < n:
                print("running", flush=True) if i == 0 else None
                i = (i + 1) % 1000003
            return i

        try:
            forever(10**9)
        except KeyboardInterrupt:
            print("interrupted")
        """
    )
    path = pathlib.Path(os.environ.get("PYTEST_TMPDIR", "/tmp")) / f"tfx-interrupt-{os.getpid()}.py"
    path.write_text(script)
    try:
        # A shell ignores the signal for what it runs in the background, tests included.
        heeds = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        process = subprocess.Popen([sys.executable, "-u", path], stdout=subprocess.PIPE, text=True, preexec_fn=heeds)
        assert process.stdout.readline() == "running\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        text, _ = process.communicate(timeout=20)
        assert "interrupted" in text
    finally:
        path.unlink()


def test_arrays_go_both_ways():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    t = tfx.asarray(x)
    assert t.shape == (2, 3) and t.dtype is tfx.f32 and t.ndim == 2 and t.size == 6
    assert np.array_equal(np.asarray(t), x)
    assert np.array_equal(np.from_dlpack(t), x)
    assert np.array_equal(np.asarray(tfx.from_dlpack(x)), x)
    assert np.array_equal(np.asarray(tfx.asarray(x.T)), x.T)
    assert not np.asarray(t).flags.writeable


def address(array):
    return array.ctypes.data


def test_dlpack_shares_memory():
    x = np.arange(6000, dtype=np.float32).reshape(60, 100)
    t = tfx.from_dlpack(x)
    assert address(np.asarray(t)) == address(x)
    assert address(np.asarray(tfx.asarray(x, copy=False))) == address(x)
    for copied in (tfx.from_dlpack(x, copy=True), tfx.asarray(x), tfx.from_dlpack(x.T)):
        assert address(np.asarray(copied)) != address(x)
    back = np.from_dlpack(t)
    assert address(back) == address(x) and not back.flags.writeable
    assert address(np.from_dlpack(t, copy=True)) != address(x)
    assert np.array_equal(np.asarray(t + 1.0), x + 1.0)
    # The first bytes are not aligned.
    for make, error in ((tfx.asarray, ValueError), (tfx.from_dlpack, BufferError)):
        with pytest.raises(error, match="aligned"):
            make(x.reshape(-1)[1:], copy=False)
        with pytest.raises(error, match="row-major"):
            make(x.T, copy=False)
    with pytest.raises(ValueError, match="f64"):
        tfx.asarray(x, tfx.f64, copy=False)
    with pytest.raises(ValueError, match="'list'"):
        tfx.asarray([1.0], copy=False)
    assert tfx.from_dlpack(np.array(3.0, np.float32)).item() == 3.0


def test_shared_memory_lives_as_long_as_its_tensors():
    x = np.ones(5000, np.float32)
    t, lives = tfx.from_dlpack(x), weakref.ref(x)
    del x
    y = t * 2.0
    assert y.sum().item() == 10000.0 and lives() is not None
    del t
    assert lives() is None
    z = y.__dlpack__()
    del y
    assert np.from_dlpack(Given(z)).sum() == 10000.0


class Given:
    """An array that gives a capsule."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


def test_libraries_that_never_write_share_without_a_flag():
    t = tfx.from_dlpack(np.ones(5000, np.float32))
    scope = {"__name__": "jax._src.dlpack", "t": t}
    unversioned = eval("t.__dlpack__()", scope)
    assert address(np.from_dlpack(Given(unversioned))) == address(np.asarray(t))
    # Nobody takes this one, which then releases the tensor itself.
    del unversioned
    eval("t.__dlpack__()", scope)
    scope["__name__"] = "torch.utils.dlpack"
    written = np.from_dlpack(Given(eval("t.__dlpack__(max_version=(1, 0))", scope)))
    assert address(written) != address(np.asarray(t))
    with pytest.raises(BufferError, match="written"):
        t.__dlpack__(copy=False)


def test_numpy_agrees_on_random_inputs():
    random = np.random.default_rng(1)
    for _ in range(20):
        shape = tuple(random.integers(1, 5, size=2))
        a, b = (random.normal(size=shape).astype(np.float32) for _ in range(2))
        x, y = tfx.asarray(a), tfx.asarray(b)
        for ours, theirs in [
            (x + y, a + b), (x - y, a - b), (x * y, a * b), (x / y, a / b), (x @ y.T, a @ b.T),
            (x.sum(), a.sum()), (x.max(axis=0), a.max(axis=0)), (x.mean(axis=1), a.mean(axis=1)),
            (tfx.exp(x), np.exp(a)), (tfx.maximum(x, y), np.maximum(a, b)), (x // y, a // b), (x % y, a % b),
            (tfx.where(x > y, x, y), np.where(a > b, a, b)), (x.T, a.T), (x[0], a[0]), (x[:, ::-1], a[:, ::-1]),
        ]:
            assert ours.shape == theirs.shape
            np.testing.assert_allclose(np.asarray(ours), theirs, rtol=2e-5, atol=1e-5)


def test_arrays_become_tensors():
    wide = np.arange(24, dtype=np.float32).reshape(4, 6)
    arrays = [
        wide,
        wide.T,
        wide[::2, ::-1],
        wide.astype(">f4"),
        np.float64(2.5),
        np.zeros((0, 3), np.int64),
        np.array([True, False]),
        np.arange(3, dtype=np.int8),
    ]
    for array in arrays:
        tensor = tfx.asarray(array)
        assert tensor.shape == array.shape
        assert np.array_equal(np.asarray(tensor), array)
    with pytest.raises(TypeError, match="no elements of type 'uint8'"):
        tfx.asarray(np.zeros(3, np.uint8))
    with pytest.raises(TypeError, match="no elements of type 'complex64'"):
        tfx.asarray(np.zeros(3, np.complex64))


@tfx.program
def total(x: Tensor[f32, None]):
    return x.sum()


def test_arguments_may_be_strided_and_in_another_byte_order():
    wide = np.arange(8, dtype=np.float32)
    for array in (wide, wide[::2], wide.astype(">f4")):
        assert float(total(array)) == array.sum()


def test_arrays_of_tensors_are_views_that_do_not_change():
    for shape in ((3,), (4, 5), ()):
        tensor = tfx.asarray(np.ones(shape, np.float32))
        array = np.asarray(tensor)
        again = np.asarray(tensor)
        assert array.shape == shape and array.strides == np.ones(shape, np.float32).strides
        assert array.__array_interface__["data"][0] == again.__array_interface__["data"][0]
        assert not array.flags.writeable
        with pytest.raises(ValueError):
            array[...] = 2.0
        # The view keeps the elements.
        del tensor
        assert (array == 1).all()
    with pytest.raises(ValueError):
        np.asarray(tfx.asarray(np.ones(3))).flags.writeable = True


def test_a_later_change_of_an_array_does_not_change_its_tensor():
    array = np.ones(64, np.float32)
    tensor = tfx.asarray(array)
    array[:] = 7
    assert float(total(tensor)) == 64


@tfx.program
def next_of(x: Tensor[f32, None], *, step: float = 1.0):
    return x + step


def test_calls_bind_keywords_and_defaults():
    x = np.zeros(2, np.float32)
    assert np.asarray(next_of(x)).tolist() == [1, 1]
    assert np.asarray(next_of(x, step=2.0)).tolist() == [2, 2]
    assert np.asarray(next_of(x=x)).tolist() == [1, 1]
    with pytest.raises(TypeError):
        next_of()
    with pytest.raises(TypeError):
        next_of(x, 3.0)


@tfx.host
def batch(step: int) -> Tensor[f32, None]:
    return np.float32([step, 2.0])


@tfx.program
def trained(w: Tensor[f32, None], steps: int):
    for i in range(steps):
        x = batch(i)
        gradient = tfx.gradient(lambda v: ((v * x) ** 2).sum() * i)(w)
        w = w - 0.01 * gradient
    return w


@tfx.program
def gradient_of_a_later_value(w: Tensor[f32, None]):
    x = w
    gradient = tfx.gradient(lambda v: (v * x).sum())
    x = w * 3.0
    return gradient(w)


def test_gradients_read_the_variables_of_their_call():
    w = np.float32([1.0, 1.0])
    expected = w.copy()
    for i in range(3):
        expected -= np.float32(0.01) * 2 * expected * np.float32([i, 2.0]) ** 2 * i
    assert np.allclose(np.asarray(trained(w, 3)), expected, rtol=1e-6)
    assert np.asarray(gradient_of_a_later_value(w)).tolist() == [3, 3]


def test_operators_of_arrays_and_tensors_make_tensors():
    array = np.float32([1.0, 2.0])
    tensor = tfx.asarray(array)
    for made in (array + tensor, tensor + array, array[::-1] * tensor, tfx.maximum(array, tensor)):
        assert isinstance(made, tfx.Tensor)
    assert np.asarray(array - tensor).tolist() == [0, 0]
    assert (array < tensor + 1).dtype is tfx.bool_


def test_a_named_tuple_is_not_a_tuple():
    Pair = collections.namedtuple("Pair", "left right")

    @tfx.program
    def first(pair):
        return pair[0]

    assert first((1, 2)) == 1
    with pytest.raises(TypeError, match="but got Pair"):
        first(Pair(1, 2))


@tfx.program
def picked(x: Tensor[f32, None], i: int):
    return x[i]


@tfx.program
def taken(x: Tensor[f32, None], i: Tensor[i32, None]):
    return tfx.take(x, i)


@tfx.program
def added(x: Tensor[f32, None], y: Tensor[f32, None]):
    return x + y


@tfx.program
def multiplied(x: Tensor[f32, None, None], y: Tensor[f32, None, None]):
    return x @ y


@tfx.program
def divided(x: Tensor[i32, None], y: Tensor[i32, None]):
    return x // y


@tfx.program
def in_pairs(x: Tensor[f32, None], n: int):
    return x.reshape(n, 2)


@tfx.program
def without_first(x: Tensor[f32, None]):
    return x.squeeze(0)


@tfx.program
def side_by_side(x: Tensor[f32, None, None], y: Tensor[f32, None, None]):
    return tfx.concat([x, y])


def ones(*sizes):
    return np.ones(sizes, np.float32)


def whole(*elements):
    return np.array(elements, np.int32)


@pytest.mark.parametrize("executor", ["embedded", "native"])
@pytest.mark.parametrize(
    "program,arguments,expected",
    [
        (picked, (ones(3), 5), IndexError),
        (taken, (ones(3), whole(9)), IndexError),
        (added, (ones(3), ones(4)), ValueError),
        (multiplied, (ones(2, 3), ones(4, 2)), ValueError),
        (divided, (whole(1, 2), whole(1, 0)), ZeroDivisionError),
        (in_pairs, (ones(6), 4), ValueError),
        (without_first, (ones(3),), ValueError),
        (side_by_side, (ones(2, 3), ones(2, 4)), ValueError),
    ],
)
def test_a_failed_operation_raises_what_it_raises_eagerly(program, arguments, expected, executor, monkeypatch):
    monkeypatch.setenv("TFX_EXECUTOR", executor)
    for is_eager in (True, False):
        with tfx.eager(is_eager), pytest.raises(expected):
            program(*arguments)


@tfx.program
def layer_after_steps(x, w, steps: int):
    for _ in range(steps):
        h = tfx.tanh(x @ w)
        w = w - x.T @ (h * (1 - h * h)) * 0.001
    return w, tfx.softmax(x @ w)


def test_threads_do_not_change_results():
    with pytest.raises(ValueError, match="from 1 to 1024, but got '0'"):
        tfx.set_threads(0)
    x = np.sin(np.arange(3000 * 64, dtype=np.float32)).reshape(3000, 64)
    w = np.cos(np.arange(64 * 48, dtype=np.float32)).reshape(64, 48)
    results = []
    for threads in (1, 3):
        tfx.set_threads(threads)
        results.append([np.asarray(result).tobytes() for result in layer_after_steps(x, w, 3)])
    assert results[0] == results[1]


@tfx.host
def says_true(x: int) -> int:
    return True


@tfx.program
def asks(x: int):
    return says_true(x) + 1


def test_a_host_function_of_ints_returns_no_bool():
    with pytest.raises(TypeError, match=r"the result of a host function is an int, but got bool; return int\(..\)"):
        asks(1)


@tfx.program
def unpacked(x: Tensor[f32, 3, None]):
    a, b, c = x
    first, *rest = x[:, 0]
    return a * b - c, first, rest, [row.sum() for row in x]


@tfx.program
def unpacked_into_two(x: Tensor[f32, 3]):
    a, b = x
    return a + b


def test_a_tensor_of_known_rows_is_unpacked():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    with tfx.eager():
        expected = unpacked(x)
    found = unpacked(x)
    assert np.array_equal(found[0], expected[0])
    assert [float(of) for of in (found[1], *found[2], *found[3])] == [0.0, 4.0, 8.0, 6.0, 22.0, 38.0]
    for is_eager in (True, False):
        with tfx.eager(is_eager), pytest.raises(ValueError, match="too many values to unpack"):
            unpacked_into_two(ones(3))


def descends(n: int) -> int:
    return 0 if n == 0 else (descends(n - 1) ^ n) + 1


@tfx.program
def depth(n: int) -> int:
    return descends(n)


def test_a_recursion_without_an_end_raises():
    assert depth(5000) == depth(5000)
    for _ in range(2):
        with pytest.raises(RecursionError, match="a function calls itself too often; write a loop") as raised:
            depth(-1)
        assert "test_behaviour.py" in "".join(raised.value.__notes__)
    # A thread with another stack.
    outcomes = []

    def run():
        with pytest.raises(RecursionError):
            depth(-1)
        outcomes.append(depth(10) == depth(10))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert outcomes == [True]
