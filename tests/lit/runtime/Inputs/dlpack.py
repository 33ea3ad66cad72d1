"""Exchange tensors of the runtime with arrays of NumPy or PyTorch.

    dlpack.py LIBTFX_RUNTIME.so numpy|torch

Prints a line for each property that holds; raises an exception for one that does not.
"""

import ctypes
import gc
import importlib
import sys

runtime = ctypes.CDLL(sys.argv[1])
library = importlib.import_module(sys.argv[2])
is_numpy = library.__name__ == "numpy"

pointer = ctypes.c_void_p
for name, result, parameters in [
    ("tfx_tensor_new", pointer, [ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_int64)]),
    ("tfx_tensor_data", pointer, [pointer]),
    ("tfx_tensor_dtype", ctypes.c_int32, [pointer]),
    ("tfx_tensor_rank", ctypes.c_int32, [pointer]),
    ("tfx_tensor_dim", ctypes.c_int64, [pointer, ctypes.c_int32]),
    ("tfx_tensor_release", None, [pointer]),
    ("tfx_tensor_to_dlpack", pointer, [pointer]),
    ("tfx_tensor_from_dlpack", pointer, [pointer]),
    ("tfx_tensors_alive", ctypes.c_uint64, []),
]:
    function = getattr(runtime, name)
    function.restype, function.argtypes = result, parameters

python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [pointer, ctypes.c_char_p, pointer]
python.PyCapsule_GetPointer.restype = pointer
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]

UNUSED, USED = b"dltensor", b"used_dltensor"

# The element types with TensorFlow's numbers.
TYPES = {"float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "int64": 9}
if is_numpy:
    TYPES.update({"uint16": 17, "uint32": 22, "uint64": 23})
    if tuple(map(int, library.__version__.split(".")[:2])) >= (1, 25):
        TYPES["bool"] = 10  # Older versions export no booleans.


class Exported:
    """A tensor as an argument of `from_dlpack`, which consumes the capsule and calls its deleter."""

    def __init__(self, tensor):
        self.managed = runtime.tfx_tensor_to_dlpack(tensor)

    def __dlpack__(self, **_):
        return python.PyCapsule_New(self.managed, UNUSED, None)

    def __dlpack_device__(self):
        return (1, 0)


def array_of(tensor):
    return library.from_dlpack(Exported(tensor))


def tensor_of(array):
    capsule = array.__dlpack__()
    managed = python.PyCapsule_GetPointer(capsule, UNUSED)
    python.PyCapsule_SetName(capsule, USED)
    return runtime.tfx_tensor_from_dlpack(managed)


def new(dtype, *sizes):
    return runtime.tfx_tensor_new(TYPES[dtype], len(sizes), (ctypes.c_int64 * len(sizes))(*sizes))


def address(array):
    return array.ctypes.data if is_numpy else array.data_ptr()


def count(number, *sizes, dtype):
    """Return 0, 1, 2, ... in a shape."""
    flat = library.arange(number)
    flat = flat.astype(dtype) if is_numpy else flat.to(getattr(library, dtype))
    return flat.reshape(sizes)


def alive():
    gc.collect()
    return runtime.tfx_tensors_alive()


def elements(tensor, array):
    """Return the elements of a tensor, which must have the shape and type of an array."""
    sizes = [runtime.tfx_tensor_dim(tensor, index) for index in range(runtime.tfx_tensor_rank(tensor))]
    assert sizes == list(array.shape), (sizes, array.shape)
    if 0 in sizes:
        return []
    taken = array_of(tensor)
    assert taken.dtype == array.dtype, (taken.dtype, array.dtype)
    return taken.reshape(-1).tolist()


def export():
    for dtype in TYPES:
        tensor = new(dtype, 16, 64)
        data = runtime.tfx_tensor_data(tensor)
        array = array_of(tensor)
        assert str(array.dtype).split(".")[-1] == dtype and tuple(array.shape) == (16, 64)
        assert address(array) == data, "the elements were copied"
        ctypes.memset(data, 1, 1)
        assert array[0, 0] == array[0, 0] and bool(array[0, 0] != 0), "a write is not visible in the array"
        runtime.tfx_tensor_release(tensor)
        assert alive() == 1, "the array does not own its elements"
        assert array[15, 63] == 0
        del array
        assert alive() == 0, "the elements of the array were not released"
    print("export:", " ".join(sorted(TYPES)))


def import_():
    for dtype in TYPES:
        for array in [
            count(4096, 64, 64, dtype=dtype),
            count(4096, 64, 64, dtype=dtype)[::2, 1:40:3],
            count(24, 2, 3, 4, dtype=dtype).transpose(*((2, 0, 1) if is_numpy else (0, 2))),
            count(1, dtype=dtype),
            count(0, 0, 3, dtype=dtype),
        ]:
            tensor = tensor_of(array)
            assert runtime.tfx_tensor_dtype(tensor) == TYPES[dtype]
            expected = array.reshape(-1).tolist()
            assert elements(tensor, array) == expected, (dtype, expected)
            runtime.tfx_tensor_release(tensor)
            assert alive() == 0
    print("import: contiguous, strided, transposed, a scalar, empty")


def shared():
    """A large aligned array is shared and later released."""
    allocation = count(1 << 16, 1 << 16, dtype="float32")
    first = -address(allocation) % 64 // 4
    array = allocation[first : first + 4096]
    tensor = tensor_of(array)
    assert runtime.tfx_tensor_data(tensor) == address(array), "copied"
    back = array_of(tensor)
    runtime.tfx_tensor_release(tensor)
    expected = array.tolist()
    del array, allocation
    gc.collect()
    assert back.tolist() == expected, "the elements were freed with their first owner"
    del back
    assert alive() == 0
    print("shared: the same elements, imported and exported")


def unused():
    """An array that is not used is released by its deleter."""
    tensor = new("int32", 3)
    exported = Exported(tensor)
    array = library.from_dlpack(exported)
    del exported, array
    runtime.tfx_tensor_release(tensor)
    assert alive() == 0
    print("unused: deleted")


export()
import_()
shared()
unused()
