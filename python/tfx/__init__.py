"""tfx for Python: write a program as one thinks, and get two that run side by side.

`@program` compiles a function with all functions that it calls; `@host` marks a function that stays
Python and that programs call; `@struct` makes a class whose objects programs hold. A `Tensor` is
immutable. Outside of programs, and inside of `eager()`, its operations run at once.
"""

import sys

from . import _array_api, _eager, _tfx, linalg
from ._eager import _attribute, asarray, from_dlpack
from ._prefetch import prefetch
from ._program import CompileError, CopyWarning, Program, eager, gradient, host, program, struct, value_and_grad
from ._types import DType, _dtypes, bool_, f32, f64, i8, i16, i32, i64

Tensor = _tfx.Tensor
set_threads = _tfx.set_threads
__version__ = _tfx.VERSION
__array_api_version__ = "2025.12"

float32, float64, int8, int16, int32, int64 = f32, f64, i8, i16, i32, i64
grad = gradient


def __getattr__(name):
    """Makes a function or a constant when it is first used, so that the import stays fast."""
    if name == "bool":
        # No name of this file, which would hide that of Python.
        return bool_
    elif name in _array_api.__all__:
        found = getattr(_array_api, name)
    else:
        found = _eager.function_of(name)
    setattr(sys.modules[__name__], name, found)
    return found


def __dir__():
    return sorted({*globals(), *_eager.NAMES, *_array_api.__all__})
