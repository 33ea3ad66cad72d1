#!/usr/bin/env python3
"""Extracts TensorFlow's message descriptors and operation list from its wheel.

    pip install protobuf
    pip download --no-deps --only-binary=:all: --python-version 3.11 tensorflow-cpu==2.21.0
    python3 extract.py tensorflow_cpu-2.21.0-*.whl .

writes into the last folder:

    tensorflow.fds   a FileDescriptorSet of the files in ROOTS and of their imports
    ops.pb           the OpList that TF_GetAllOpList returns, sorted by the bytes of the names, for
                     the binary search of the registry

The wheel contains no .proto files. Each of its _pb2.py modules has the serialized descriptor of one
file as the argument of AddSerializedFile. The script reads it from the syntax tree, without running
the wheel's Python code. The libraries in the wheel return the operation list. Both outputs are
deterministic.
"""

import ast
import ctypes
import pathlib
import sys
import tempfile
import zipfile

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# The files that tfx needs: graphs, the operation registry, and the options of sessions and runs.
ROOTS = [
    "tensorflow/core/framework/graph.proto",
    "tensorflow/core/framework/op_def.proto",
    "tensorflow/core/protobuf/config.proto",
]
LIBRARIES = ["libtensorflow_framework.so.2", "libtensorflow_cc.so.2"]


class TfBuffer(ctypes.Structure):
    """TF_Buffer of tensorflow/c/tf_buffer.h."""

    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t), ("deallocator", ctypes.c_void_p)]


def descriptors(wheel):
    """Returns the FileDescriptorProto of every message file in the wheel, by name."""
    found = {}
    for member in wheel.namelist():
        if not member.endswith("_pb2.py"):
            continue
        for node in ast.walk(ast.parse(wheel.read(member))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "AddSerializedFile":
                file = descriptor_pb2.FileDescriptorProto.FromString(node.args[0].value)
                found[file.name] = file
    return found


def closure(found):
    """Returns the files in ROOTS and their imports, each after its imports."""
    ordered, seen = [], set()

    def visit(name):
        if name in seen:
            return
        seen.add(name)
        for dependency in found[name].dependency:
            visit(dependency)
        ordered.append(found[name])

    for root in ROOTS:
        visit(root)
    return ordered


def message_class(files, name):
    """Returns the class of a message."""
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def operations(wheel, op_list_class):
    """Returns the serialized OpList of the wheel's libraries, sorted."""
    with tempfile.TemporaryDirectory() as folder:
        for library in LIBRARIES:
            path = wheel.extract(f"tensorflow/{library}", folder)
            loaded = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        loaded.TF_GetAllOpList.restype = ctypes.POINTER(TfBuffer)
        buffer = loaded.TF_GetAllOpList().contents
        listed = op_list_class.FromString(ctypes.string_at(buffer.data, buffer.length))
    listed.op.sort(key=lambda op: op.name.encode())
    return listed.SerializeToString(deterministic=True)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    wheel, folder = zipfile.ZipFile(sys.argv[1]), pathlib.Path(sys.argv[2])
    files = descriptor_pb2.FileDescriptorSet(file=closure(descriptors(wheel)))
    (folder / "tensorflow.fds").write_bytes(files.SerializeToString(deterministic=True))
    (folder / "ops.pb").write_bytes(operations(wheel, message_class(files, "tensorflow.OpList")))


if __name__ == "__main__":
    main()
