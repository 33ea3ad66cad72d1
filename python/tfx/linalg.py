"""Linear algebra, by the array API standard.

Programs can call `matmul`, `matrix_transpose`, `outer`, `tensordot`, `trace`, `vecdot` and
`vector_norm`.
"""

import sys

from ._eager import LINALG, function_of

_SHARED = ("matmul", "matrix_transpose", "tensordot", "vecdot")


def __getattr__(name):
    function = function_of(name) if name in _SHARED else function_of(name, LINALG)
    setattr(sys.modules[__name__], name, function)
    return function


def __dir__():
    return sorted([*_SHARED, *LINALG])
