"""The oracle: the same functions in CPython with eager tensors, and compiled.

Each case is a program and its arguments. Printed text, the arguments of host functions in their
order, the bits of the result, and the class of an exception must be equal.
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


@pytest.mark.filterwarnings("ignore::tfx.CopyWarning")
@pytest.mark.parametrize("name,arguments", CASES, ids=[f"{name}-{index}" for index, (name, _) in enumerate(CASES)])
def test_compiled_is_eager(name, arguments):
    program = getattr(cases, name)
    expected = run(program, arguments, True)
    found = run(program, arguments, False)
    assert found == expected
