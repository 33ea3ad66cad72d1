"""The oracle: the same functions in CPython with eager tensors, and compiled.

Each case is a program and its arguments. Printed text, the arguments of host functions in their
order, the bits of the result, and the class of an exception must be equal. In native code, sums of
floats may be rounded differently (exception E4).
"""

import contextlib
import io

import numpy as np
import pytest

import cases
import tfx

CASES = [(name, arguments) for name, arguments in cases.CASES]


def bits(value):
    """Makes a value comparable: tensors by element type, sizes and bytes."""
    if isinstance(value, tfx.Tensor):
        return (value.dtype.__name__, value.shape, value.tobytes())
    if isinstance(value, (tuple, list)):
        return type(value)(bits(part) for part in value)
    if isinstance(value, float):
        return np.float64(value).tobytes()
    if hasattr(value, "__dataclass_fields__"):
        return (type(value).__name__, [bits(getattr(value, name)) for name in value.__dataclass_fields__])
    return (type(value).__name__, value)


def run(program, arguments, is_eager):
    """Returns what a call does: its text, the calls of host functions, its result or exception."""
    cases.LOG.clear()
    text = io.StringIO()
    with contextlib.redirect_stdout(text), tfx.eager(is_eager):
        try:
            outcome = bits(program(*arguments))
        except Exception as error:
            outcome = ("raised", type(error).__name__)
    return text.getvalue(), list(cases.LOG), outcome


def is_rounded(found, expected):
    """Returns whether two comparable values differ at most in the rounding of tensors of floats."""
    match found, expected:
        case (str(dtype), sizes, bytes(one)), (str(other_dtype), other_sizes, bytes(other)):
            if (dtype, sizes) != (other_dtype, other_sizes) or dtype not in ("f32", "f64"):
                return found == expected
            one, other = (np.frombuffer(it, np.float32 if dtype == "f32" else np.float64) for it in (one, other))
            return np.allclose(one, other, rtol=1e-5, atol=1e-6, equal_nan=True)
        case (tuple() | list(), tuple() | list()) if len(found) == len(expected):
            return type(found) is type(expected) and all(map(is_rounded, found, expected))
    return found == expected


@pytest.mark.filterwarnings("ignore::tfx.CopyWarning")
@pytest.mark.parametrize("executor", ["embedded", "native"])
@pytest.mark.parametrize("name,arguments", CASES, ids=[f"{name}-{index}" for index, (name, _) in enumerate(CASES)])
def test_compiled_is_eager(name, arguments, executor, monkeypatch):
    monkeypatch.setenv("TFX_EXECUTOR", executor)
    # Compiled for this executor.
    program = tfx.program(getattr(cases, name).__wrapped__)
    expected = run(program, arguments, True)
    found = run(program, arguments, False)
    assert found == expected or executor == "native" and is_rounded(found, expected)
