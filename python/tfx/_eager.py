"""Functions and methods of eager tensors."""

import sys

from . import _tfx

# The functions of tfx on tensors, by the array API standard where it has them.
NAMES = frozenset(
    """abs acos acosh add all any arange argmax argmin array asin asinh astype atan atanh
    bitwise_and bitwise_invert bitwise_or bitwise_xor broadcast_to ceil concat concatenate cos cosh
    cross_entropy divide elu equal erf exp expand_dims expm1 eye floor floor_divide full full_like
    greater greater_equal isfinite isinf isnan less less_equal log log1p log_softmax logical_and
    logical_not logical_or logical_xor matmul matrix_transpose max maximum mean min minimum multiply
    negative not_equal one_hot ones ones_like permute_dims pow prod reciprocal relu remainder reshape
    round rsqrt sigmoid sign sin sinh softmax softplus sqrt square squeeze stack stop_gradient subtract
    sum take tan tanh tensor transpose where zeros zeros_like""".split()
)
METHODS = frozenset(
    "all any argmax argmin astype max mean min prod reshape squeeze sum transpose".split()
)
# The element types of NumPy that tensors have.
_ELEMENTS = frozenset(["bool", "int8", "int16", "int32", "int64", "float32", "float64"])


class Function:
    """A function of tfx. A program compiles it; elsewhere it runs at once."""

    __slots__ = ("__name__", "_tfx_name")

    def __init__(self, name):
        self.__name__ = name
        self._tfx_name = f"tfx.{name}"

    def __call__(self, *operands, **keywords):
        return _tfx.eager("function", self.__name__, operands, keywords)

    def __repr__(self):
        return f"<function tfx.{self.__name__}>"


def __getattr__(name):
    """Makes the function of tfx of a name."""
    if name not in NAMES:
        raise AttributeError(f"tfx has no function '{name}'")
    function = Function(name)
    setattr(sys.modules[__package__], name, function)
    return function


class _At:
    """`x.at[index]`, whose `set` and `add` return a tensor with changed elements."""

    __slots__ = ("_tensor", "_index")

    def __init__(self, tensor, index=None):
        self._tensor, self._index = tensor, index

    def __getitem__(self, index):
        return _At(self._tensor, index)

    def set(self, value):
        return _tfx.eager("at", "set", (self._tensor, self._index, value))

    def add(self, value):
        return _tfx.eager("at", "add", (self._tensor, self._index, value))


def _attribute(tensor, name):
    """Returns a method or an attribute of a tensor that the extension does not have."""
    if name in METHODS:

        def method(*operands, **keywords):
            if name == "transpose" and len(operands) > 1:
                operands = (operands,)
            return _tfx.eager("function", name, (tensor, *operands), keywords)

        method.__name__ = name
        return method
    if name in ("T", "mT"):
        return _tfx.eager("attribute", name, (tensor,))
    if name == "at":
        return _At(tensor)
    if name == "__array__":

        def to_numpy(dtype=None, copy=None):
            import numpy

            # A read-only view of the elements.
            array = numpy.asarray(memoryview(tensor))
            return array if dtype is None or array.dtype == dtype else array.astype(dtype)

        return to_numpy
    if name == "numpy":
        return tensor.__array__
    if name == "__dlpack__":

        def to_dlpack(**keywords):
            # Other libraries may write what they get, so they get a copy.
            return tensor.__array__().copy().__dlpack__(**keywords)

        return to_dlpack
    if name == "__dlpack_device__":
        return lambda: (1, 0)
    raise AttributeError(f"a tensor has no attribute '{name}'")


def asarray(obj, dtype=None, copy=None):
    """Makes a tensor of an array, a number, or nested sequences of these."""
    if not isinstance(obj, _tfx.Tensor) and (hasattr(obj, "__array__") or hasattr(obj, "__dlpack__")):
        import numpy

        array = numpy.asarray(obj) if hasattr(obj, "__array__") else numpy.from_dlpack(obj)
        if array.dtype.name not in _ELEMENTS:
            raise TypeError(f"tensors have no elements of type '{array.dtype.name}'")
        native = array.dtype.newbyteorder("=")
        elements = numpy.asarray(array, dtype=native, order="C").reshape(-1)
        obj = _tfx.tensor_of(elements, array.shape)
    return _tfx.eager("function", "asarray", (obj, dtype))


asarray._tfx_name = "tfx.asarray"


def from_dlpack(obj):
    """Makes a tensor of an array of another library."""
    return asarray(obj)
