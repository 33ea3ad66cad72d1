"""What the array API standard has beside operations of graphs: element types, and functions whose
results have sizes that depend on data. Programs call the latter in `@tfx.host` functions.

Source: the array API standard, version 2025.12.
"""

import collections
import dataclasses
import functools
import inspect
from math import e, inf, nan, pi

from . import _tfx
from ._eager import _ELEMENTS_BY_NAME, asarray
from ._types import DType, _dtypes, bool_, f32, f64, i64

newaxis = None

_FLOATS, _INTS = ("f32", "f64"), ("i8", "i16", "i32", "i64")
_KINDS = {
    "bool": ("bool",),
    "signed integer": _INTS,
    "unsigned integer": (),
    "integral": _INTS,
    "real floating": _FLOATS,
    "complex floating": (),
    "numeric": _INTS + _FLOATS,
}
_STANDARD_NAMES = {name: _ELEMENTS_BY_NAME[name] for name in _dtypes}

# ---- Element types -------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class finfo_object:
    """The limits of a type of floats."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclasses.dataclass(frozen=True)
class iinfo_object:
    """The limits of a type of integers."""

    bits: int
    max: int
    min: int
    dtype: DType


def _dtype_of(value):
    dtype = value.dtype if isinstance(value, _tfx.Tensor) else value
    if not isinstance(dtype, DType):
        raise TypeError(f"{value!r} is neither a tensor nor an element type")
    return dtype


def finfo(type, /):
    """Returns the limits of a type of floats."""
    dtype = _dtype_of(type)
    if dtype.__name__ not in _FLOATS:
        raise TypeError(f"{dtype!r} has no floats")
    digits, exponent = (24, 128) if dtype is f32 else (53, 1024)
    most = (2.0 - 2.0 ** (1 - digits)) * 2.0 ** (exponent - 1)
    bits = 32 if dtype is f32 else 64
    return finfo_object(bits, 2.0 ** (1 - digits), most, -most, 2.0 ** (2 - exponent), dtype)


def iinfo(type, /):
    """Returns the limits of a type of integers."""
    dtype = _dtype_of(type)
    if dtype.__name__ not in _INTS:
        raise TypeError(f"{dtype!r} has no integers")
    bits = int(dtype.__name__[1:])
    return iinfo_object(bits, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), dtype)


def isdtype(dtype, kind):
    """Returns whether an element type is one of a kind, of a type, or of several of these."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, of) for of in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"{kind!r} is no kind of element types")
        return _dtype_of(dtype).__name__ in _KINDS[kind]
    return dtype is _dtype_of(kind)


def can_cast(from_, to, /):
    """Returns whether each element of a type is one of another type."""
    try:
        return result_type(from_, to) is _dtype_of(to)
    except TypeError:
        return False


def result_type(*arrays_and_dtypes):
    """Returns the element type of an operation on tensors, element types and numbers."""
    numbers = [of for of in arrays_and_dtypes if isinstance(of, (bool, int, float))]
    dtypes = [_dtype_of(of) for of in arrays_and_dtypes if not isinstance(of, (bool, int, float))]
    if not dtypes:
        raise ValueError("result_type() needs a tensor or an element type")
    for kind in (("bool",), _INTS, _FLOATS):
        if all(dtype.__name__ in kind for dtype in dtypes):
            result = max(dtypes, key=lambda dtype: kind.index(dtype.__name__))
            break
    else:
        raise TypeError(f"{', '.join(map(repr, dtypes))} have no common element type; write astype")
    for number in numbers:
        fits = {bool: _KINDS["bool"], int: _INTS + _FLOATS, float: _FLOATS}[type(number)]
        if result.__name__ not in fits:
            raise TypeError(f"{number!r} with {result!r} needs astype")
    return result


class __array_namespace_info__:
    """What tfx has of the optional parts of the standard."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self):
        return "cpu"

    def default_dtypes(self, *, device=None):
        return {"real floating": f32, "complex floating": None, "integral": i64, "indexing": i64}

    def devices(self):
        return ("cpu",)

    def dtypes(self, *, device=None, kind=None):
        named = {name: _dtypes[of] for of, name in _STANDARD_NAMES.items()}
        return {name: of for name, of in named.items() if kind is None or isdtype(of, kind)}


def broadcast_shapes(*shapes):
    """Returns the shape of an operation on the elements of tensors of some shapes."""
    rank = max(map(len, shapes), default=0)
    result = [1] * rank
    for shape in shapes:
        for axis, size in enumerate(shape, rank - len(shape)):
            if size != 1:
                if result[axis] not in (1, size):
                    raise ValueError(f"the shapes {shapes} do not fit together")
                result[axis] = size
    return tuple(result)


# ---- Functions of the host -----------------------------------------------------------------------


def of_host(function):
    """Marks a function that programs do not call."""

    @functools.wraps(function)
    def called(*arguments, **keywords):
        import numpy

        tensors = [numpy.asarray(of) if isinstance(of, _tfx.Tensor) else of for of in arguments]
        found = function(numpy, *tensors, **keywords)
        if isinstance(found, tuple):
            made = [asarray(of) for of in found]
            return type(found)(*made) if hasattr(found, "_fields") else tuple(made)
        return asarray(found)

    signature = inspect.signature(function)
    called.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])
    called._tfx_name = f"tfx.{function.__name__}"
    return called


@of_host
def argsort(numpy, x, /, *, axis=-1, descending=False, stable=True):
    """Returns the positions of the elements in sorted order."""
    if not descending:
        return numpy.argsort(x, axis=axis, stable=True)
    # Equal elements keep their order.
    order = numpy.argsort(numpy.flip(x, axis=axis), axis=axis, stable=True)
    return x.shape[axis] - 1 - numpy.flip(order, axis=axis)


@of_host
def sort(numpy, x, /, *, axis=-1, descending=False, stable=True):
    """Returns the elements in sorted order."""
    order = numpy.sort(x, axis=axis, stable=True)
    return numpy.flip(order, axis=axis) if descending else order


@of_host
def searchsorted(numpy, x1, x2, /, *, side="left", sorter=None):
    """Returns the positions at which elements could be inserted into a sorted vector."""
    sorter = None if sorter is None else numpy.asarray(sorter)
    return numpy.asarray(numpy.searchsorted(x1, x2, side=side, sorter=sorter))


@of_host
def nonzero(numpy, x, /):
    """Returns the positions of the elements that are not zero: one vector for each dimension."""
    if x.ndim == 0:
        raise ValueError("nonzero() of a tensor of rank 0")
    return tuple(numpy.nonzero(x))


@of_host
def take_along_axis(numpy, x, indices, /, *, axis=-1):
    """Returns elements by their positions along a dimension."""
    return numpy.take_along_axis(x, indices, axis=axis)


@of_host
def _repeat(numpy, x, repeats, axis):
    return numpy.repeat(x, repeats, axis=axis)


def repeat(x, repeats, /, *, axis=None):
    """Returns each element several times. Programs call it with one number of repetitions."""
    if isinstance(repeats, int):
        return _tfx.eager("function", "repeat", (x, repeats), {"axis": axis})
    return _repeat(x, repeats, axis)


repeat._tfx_name = "tfx.repeat"


@of_host
def isin(numpy, x1, x2, /, *, invert=False):
    """Returns whether each element is one of another tensor."""
    return numpy.isin(x1, x2, invert=invert)


unique_all_result = collections.namedtuple("unique_all_result", "values indices inverse_indices counts")
unique_counts_result = collections.namedtuple("unique_counts_result", "values counts")
unique_inverse_result = collections.namedtuple("unique_inverse_result", "values inverse_indices")


@of_host
def unique_all(numpy, x, /):
    """Returns the distinct elements, where they are, and how often."""
    return unique_all_result(*numpy.unique_all(x))


@of_host
def unique_counts(numpy, x, /):
    """Returns the distinct elements, and how often they are there."""
    return unique_counts_result(*numpy.unique_counts(x))


@of_host
def unique_inverse(numpy, x, /):
    """Returns the distinct elements, and the position of each element in these."""
    return unique_inverse_result(*numpy.unique_inverse(x))


@of_host
def unique_values(numpy, x, /):
    """Returns the distinct elements."""
    return numpy.unique(x, equal_nan=False)


__all__ = [
    *("__array_namespace_info__ argsort broadcast_shapes can_cast e finfo iinfo inf isdtype isin nan").split(),
    *("newaxis nonzero pi repeat result_type searchsorted sort take_along_axis unique_all unique_counts").split(),
    *("unique_inverse unique_values").split(),
]
