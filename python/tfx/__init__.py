"""tfx for Python: write a program as one thinks, and get two that run side by side.

`@program` compiles a function with all functions that it calls; `@host` marks a function that stays
Python and that programs call; `@struct` makes a class whose objects programs hold. A `Tensor` is
immutable. Outside of programs, and inside of `eager()`, its operations run at once.
"""

from . import _tfx
from ._eager import __getattr__ as _function
from ._eager import _attribute, asarray, from_dlpack
from ._program import CompileError, CopyWarning, Program, eager, gradient, host, program, struct, value_and_grad
from ._types import DType, _dtypes, bool_, f32, f64, i8, i16, i32, i64

Tensor = _tfx.Tensor
__version__ = _tfx.VERSION

float32, float64, int8, int16, int32, int64 = f32, f64, i8, i16, i32, i64
grad = gradient


def __getattr__(name):
    return _function(name)
