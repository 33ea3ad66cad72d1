"""Functions and methods of eager tensors."""

import sys

from . import _tfx

# The functions of tfx that programs can call, by the array API standard where it has them.
SIGNATURES = """
abs(x, /)
acos(x, /)
acosh(x, /)
add(x1, x2, /)
all(x, /, *, axis=None, keepdims=False)
any(x, /, *, axis=None, keepdims=False)
arange(start, /, stop=None, step=1, *, dtype=None, device=None)
argmax(x, /, *, axis=None, keepdims=False)
argmin(x, /, *, axis=None, keepdims=False)
array(obj, /, dtype=None)
asin(x, /)
asinh(x, /)
astype(x, dtype, /, *, copy=True, device=None)
atan(x, /)
atan2(x1, x2, /)
atanh(x, /)
bitwise_and(x1, x2, /)
bitwise_invert(x, /)
bitwise_left_shift(x1, x2, /)
bitwise_or(x1, x2, /)
bitwise_right_shift(x1, x2, /)
bitwise_xor(x1, x2, /)
broadcast_arrays(*arrays)
broadcast_to(x, /, shape)
ceil(x, /)
clip(x, /, min=None, max=None)
concat(arrays, /, *, axis=0)
concatenate(arrays, /, *, axis=0)
conj(x, /)
copysign(x1, x2, /)
cos(x, /)
cosh(x, /)
count_nonzero(x, /, *, axis=None, keepdims=False)
cross_entropy(logits, labels)
cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False)
diff(x, /, *, axis=-1, n=1, prepend=None, append=None)
divide(x1, x2, /)
elu(x, /)
empty(shape, *, dtype=None, device=None)
empty_like(x, /, *, dtype=None, device=None)
equal(x1, x2, /)
erf(x, /)
exp(x, /)
expand_dims(x, /, axis=0)
expm1(x, /)
eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)
flip(x, /, *, axis=None)
floor(x, /)
floor_divide(x1, x2, /)
full(shape, fill_value, *, dtype=None, device=None)
full_like(x, /, fill_value, *, dtype=None, device=None)
greater(x1, x2, /)
greater_equal(x1, x2, /)
hypot(x1, x2, /)
imag(x, /)
isfinite(x, /)
isinf(x, /)
isnan(x, /)
less(x1, x2, /)
less_equal(x1, x2, /)
linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True)
log(x, /)
log10(x, /)
log1p(x, /)
log2(x, /)
log_softmax(x, /, axis=-1)
logaddexp(x1, x2, /)
logical_and(x1, x2, /)
logical_not(x, /)
logical_or(x1, x2, /)
logical_xor(x1, x2, /)
matmul(x1, x2, /)
matrix_transpose(x, /)
max(x, /, *, axis=None, keepdims=False)
maximum(x1, x2, /)
mean(x, /, *, axis=None, keepdims=False)
meshgrid(*arrays, indexing="xy")
min(x, /, *, axis=None, keepdims=False)
minimum(x1, x2, /)
moveaxis(x, source, destination, /)
multiply(x1, x2, /)
negative(x, /)
nextafter(x1, x2, /)
not_equal(x1, x2, /)
one_hot(indices, depth, dtype=None)
ones(shape, *, dtype=None, device=None)
ones_like(x, /, *, dtype=None, device=None)
permute_dims(x, /, axes)
positive(x, /)
pow(x1, x2, /)
prod(x, /, *, axis=None, dtype=None, keepdims=False)
real(x, /)
reciprocal(x, /)
relu(x, /)
remainder(x1, x2, /)
reshape(x, /, shape, *, copy=None)
roll(x, /, shift, *, axis=None)
round(x, /)
rsqrt(x, /)
sigmoid(x, /)
sign(x, /)
signbit(x, /)
sin(x, /)
sinh(x, /)
softmax(x, /, axis=-1)
softplus(x, /)
sqrt(x, /)
square(x, /)
squeeze(x, /, axis)
stack(arrays, /, *, axis=0)
std(x, /, *, axis=None, correction=0.0, keepdims=False)
stop_gradient(x)
subtract(x1, x2, /)
sum(x, /, *, axis=None, dtype=None, keepdims=False)
take(x, indices, /, *, axis=None)
tan(x, /)
tanh(x, /)
tensor(obj, /, dtype=None)
tensordot(x1, x2, /, *, axes=2)
tile(x, repetitions, /)
transpose(x, /, axes=None)
tril(x, /, *, k=0)
triu(x, /, *, k=0)
trunc(x, /)
unstack(x, /, *, axis=0)
var(x, /, *, axis=None, correction=0.0, keepdims=False)
vecdot(x1, x2, /, *, axis=-1)
where(condition, x1, x2, /)
zeros(shape, *, dtype=None, device=None)
zeros_like(x, /, *, dtype=None, device=None)
"""
# Those of the namespace `tfx.linalg`.
LINALG_SIGNATURES = """
cholesky(x, /, *, upper=False)
det(x, /)
inv(x, /)
outer(x1, x2, /)
trace(x, /, *, offset=0, dtype=None)
vector_norm(x, /, *, axis=None, keepdims=False, ord=2)
"""


def _by_name(signatures):
    return {line.partition("(")[0]: line for line in signatures.split("\n") if line}


NAMES = _by_name(SIGNATURES)
LINALG = _by_name(LINALG_SIGNATURES)
METHODS = frozenset(
    "all any argmax argmin astype max mean min prod reshape squeeze sum transpose".split()
)
# The element types of NumPy that tensors have.
_ELEMENTS_BY_NAME = {
    "bool": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "f32": "float32",
    "f64": "float64",
    "int": "int64",
    "float": "float64",
}
_ELEMENTS = frozenset(_ELEMENTS_BY_NAME.values())


class Function:
    """A function of tfx. A program compiles it; elsewhere it runs at once."""

    __slots__ = ("__name__", "_tfx_name", "_text")

    def __init__(self, text):
        self._text = text
        self.__name__ = text.partition("(")[0]
        self._tfx_name = f"tfx.{self.__name__}"

    def __call__(self, *operands, **keywords):
        return _tfx.eager("function", self.__name__, operands, keywords)

    def __repr__(self):
        return f"<function tfx.{self._text}>"

    @property
    def __signature__(self):
        import inspect

        scope = {}
        exec(f"def {self._text}: ...", scope)
        return inspect.signature(scope[self.__name__])


def function_of(name, signatures=NAMES):
    """Makes the function of tfx of a name."""
    text = signatures.get(name)
    if text is None:
        raise AttributeError(f"tfx has no function '{name}'")
    return Function(text)


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


# Libraries that ignore DLPack's flag of arrays that must not be written, and those that do not ask
# for the flag because they never write.
_WRITES = {"torch"}
_NEVER_WRITES = {"jax"}


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
    if name == "device":
        return "cpu"
    if name == "to_device":

        def to_device(device, /, *, stream=None):
            """Returns the tensor: the device of eager tensors is "cpu"."""
            if device != "cpu" or stream is not None:
                raise ValueError(f"eager tensors are on the device 'cpu', not on {device!r}")
            return tensor

        return to_device
    if name == "__array_namespace__":

        def namespace(*, api_version=None):
            """Returns tfx, for code that is written for any library of the standard."""
            if api_version not in (None, "2022.12", "2023.12", "2024.12", "2025.12"):
                raise ValueError(f"tfx has no version {api_version!r} of the array API standard")
            return sys.modules[__package__]

        return namespace
    if name == "__complex__":
        return lambda: complex(float(tensor))
    if name == "__dlpack__":

        def to_dlpack(*, stream=None, max_version=None, dl_device=None, copy=None):
            array = tensor.__array__()
            library = sys._getframe(1).f_globals.get("__name__", "").partition(".")[0]
            # The flag of arrays that must not be written came with version 1.0.
            has_flag = max_version is not None and max_version >= (1, 0) and library not in _WRITES
            if copy or not has_flag and library not in _NEVER_WRITES:
                if copy is False:
                    raise BufferError("a tensor must not be written, so a library that may write it gets a copy")
                array = array.copy()
            elif not has_flag:
                return _tfx.unversioned_dlpack(tensor)
            given = {"max_version": max_version, "dl_device": dl_device}
            return array.__dlpack__(**{name: value for name, value in given.items() if value is not None})

        return to_dlpack
    if name == "__dlpack_device__":
        return lambda: (1, 0)
    raise AttributeError(f"a tensor has no attribute '{name}'")


def _is_numbers(parts):
    """Returns whether nested sequences contain only numbers of Python."""
    return all(
        _is_numbers(part) if isinstance(part, (list, tuple)) else isinstance(part, (bool, int, float))
        for part in parts
    )


def _array_of(numbers, dtype):
    """Makes an array of NumPy of nested sequences of numbers, or returns what is no array of the
    element type, of which the extension says why.
    """
    import numpy

    try:
        array = numpy.asarray(numbers)
        wide = {"b": 0, "i": 1, "f": 2}
        if dtype is None:
            return array.astype(numpy.float32) if array.dtype.kind == "f" else array
        wanted = numpy.dtype(_ELEMENTS_BY_NAME[dtype.__name__])
        if wide.get(array.dtype.kind, 3) <= wide[wanted.kind] and (wanted.kind != "b" or array.dtype.kind == "b"):
            return numpy.asarray(numbers, dtype=wanted)
    except (ValueError, OverflowError, KeyError, AttributeError):
        pass
    return numbers


def asarray(obj, /, dtype=None, *, device=None, copy=None):
    """Makes a tensor of an array, a number, or nested sequences of these.

    Arrays are copied, because they may change. With `copy=False`, the tensor uses the memory of the
    array, which must not change afterwards, and a `ValueError` says why if it cannot.
    """
    if isinstance(obj, _tfx.Tensor):
        pass
    elif hasattr(obj, "__array__") or hasattr(obj, "__dlpack__"):
        import numpy

        array = numpy.asarray(obj) if hasattr(obj, "__array__") else numpy.from_dlpack(obj)
        obj = _tensor_of(array, copy is False)
    elif copy is False:
        raise ValueError(f"copy=False needs an array, not '{type(obj).__name__}'")
    elif isinstance(obj, (list, tuple)) and obj and _is_numbers(obj):
        numbers = _array_of(obj, dtype)
        obj = numbers if numbers is obj else _tensor_of(numbers, False)
    if copy is False and dtype not in (None, obj.dtype):
        raise ValueError(f"a tensor of {obj.dtype.__name__} needs a copy to become one of {dtype.__name__}")
    return _tfx.eager("function", "asarray", (obj, dtype), {"device": device})


asarray._tfx_name = "tfx.asarray"


def _tensor_of(array, share):
    """Makes a tensor of an array of NumPy, which shares its memory if `share` is true."""
    import numpy

    if array.dtype.name not in _ELEMENTS:
        raise TypeError(f"tensors have no elements of type '{array.dtype.name}'")
    if share and not (array.flags.c_contiguous and array.dtype.isnative and array.flags.aligned):
        raise ValueError("elements that are not in row-major order, or not in the order of this machine, need a copy")
    native = array.dtype.newbyteorder("=")
    elements = numpy.asarray(array, dtype=native, order="C").reshape(-1)
    return _tfx.tensor_of(elements, array.shape, share)


def from_dlpack(x, /, *, device=None, copy=None):
    """Makes a tensor of an array of another library.

    The tensor uses the memory of the array, which must not change afterwards. `copy=True` makes a
    copy. Elements of other orders, and those that are not aligned, are copied in any case, unless
    `copy=False` makes that a `BufferError`.
    """
    import numpy

    if isinstance(x, _tfx.Tensor):
        return asarray(x, device=device)
    array = numpy.from_dlpack(x)
    if copy is not True:
        try:
            return asarray(array, device=device, copy=False)
        except ValueError as error:
            if copy is False:
                raise BufferError(str(error)) from None
    return asarray(array, device=device)
