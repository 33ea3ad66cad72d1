"""Functions called with arguments at the limits of 64 bits, or of another kind: errors, never bugs."""

import numpy as np
import pytest

import tfx
from tfx import Tensor, f32

LIMITS = [-(2**63), 2**63 - 1, -1, 0]
# These make a tensor of the size that is asked for, or are no functions of tensors.
LEFT_OUT = {"arange", "empty", "eye", "full", "linspace", "ones", "zeros", "set_threads"}
NAMES = sorted(
    name
    for name in dir(tfx)
    if not name.startswith("_") and name not in LEFT_OUT and callable(getattr(tfx, name))
)


def is_bug(error):
    return "internal error" in str(error) or type(error).__name__ == "PanicException"


@pytest.mark.parametrize("name", NAMES)
def test_no_argument_is_an_internal_error(name):
    function = getattr(tfx, name)
    vector = tfx.asarray(np.arange(6, dtype=np.float32))
    matrix = tfx.asarray(np.arange(6, dtype=np.int64).reshape(2, 3))
    for tensor in (vector, matrix):
        for limit in LIMITS:
            positional = [
                [limit],
                [limit, limit],
                [tensor, limit],
                [limit, tensor],
                [tensor, (2, limit)],
                [tensor, limit, limit],
                [tensor, tensor, limit],
            ]
            for arguments in positional:
                for keywords in ({}, {"axis": limit}, {"axis": (limit,)}):
                    try:
                        function(*arguments, **keywords)
                    except BaseException as error:
                        assert not is_bug(error), (name, arguments, keywords)


def test_the_least_shift_overflows_as_compiled():
    @tfx.program
    def rolled(x: Tensor[f32, None], shift: int):
        return tfx.roll(x, shift)

    x = tfx.asarray([1.0, 2.0, 3.0], dtype=f32)
    for call in (rolled, tfx.roll):
        with pytest.raises(OverflowError, match="int is 64 bits in tfx"):
            call(x, -(2**63))
        assert np.array_equal(call(x, -(2**63) + 1), np.roll([1.0, 2.0, 3.0], -(2**63) + 1))
