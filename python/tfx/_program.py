"""`program`, `host` and `struct`.

A program is linked when it is first called: the source of each function that it reaches is given
to the compiler, with what its global names are bound to. It is linked again if one of these names
is bound to another function or class. Values are read at each call.
"""

import builtins
import contextlib
import contextvars
import dataclasses
import functools
import inspect
import linecache
import os
import threading
import types
import warnings

from . import _tfx
from ._types import DType

_is_eager = contextvars.ContextVar("tfx_is_eager", default=False)
# From this number of compilations on, each one is reported.
_MANY = 8
_MISSING = object()


class CompileError(Exception):
    """A part of a program that is not compiled, at its line."""


class CopyWarning(UserWarning):
    """A copy between host and accelerator that costs time."""


@contextlib.contextmanager
def eager(is_eager=True):
    """Runs programs as CPython does, with eager tensors, in a `with` statement."""
    token = _is_eager.set(is_eager)
    try:
        yield
    finally:
        _is_eager.reset(token)


def _as_float(value, annotation):
    """Converts an int for a parameter that is annotated as float, as a compiled call does."""
    return builtins.float(value) if annotation is builtins.float and type(value) in (builtins.int, builtins.bool) else value


def _as_argument(value, annotation):
    """Converts an argument as a compiled call does: arrays become tensors."""
    value = _as_float(value, annotation)
    if isinstance(value, (builtins.bool, builtins.int, builtins.float, builtins.str, _tfx.Tensor)):
        return value
    if type(value) in (builtins.tuple, builtins.list):
        return type(value)(_as_argument(part, None) for part in value)
    if isinstance(value, _Struct):
        parts = (_as_argument(getattr(value, of.name), None) for of in dataclasses.fields(value))
        return type(value)(*parts)
    if hasattr(value, "__array__") or hasattr(value, "__dlpack__"):
        from . import asarray

        return asarray(value)
    return value


class _Wrapper:
    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)


class HostFunction(_Wrapper):
    """A function that stays Python. Programs call it in program order, with NumPy arrays."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self._signature = inspect.signature(function)
        self._annotations = None

    def __call__(self, *args, **kwargs):
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if self._annotations is None:
            self._annotations = {
                name: eval(of, self.__wrapped__.__globals__) if isinstance(of, str) else of
                for name, of in self.__wrapped__.__annotations__.items()
            }
        for name, value in bound.arguments.items():
            annotation = self._annotations.get(name)
            if annotation in (builtins.int, builtins.float, builtins.bool) and isinstance(value, _tfx.Tensor):
                value = value.item()
            elif isinstance(value, _tfx.Tensor):
                value = value.__array__()
            bound.arguments[name] = _as_float(value, annotation)
        return _to_tensors(self.__wrapped__(*bound.args, **bound.kwargs), self._annotations.get("return"))


def _to_tensors(value, annotation):
    """Converts the result of a host function to its annotated type."""
    origin = getattr(annotation, "__origin__", None)
    if origin is _tfx.Tensor:
        from . import asarray

        return asarray(value)
    if origin is builtins.tuple and isinstance(value, builtins.tuple):
        return builtins.tuple(_to_tensors(part, of) for part, of in zip(value, annotation.__args__))
    return _as_float(value, annotation)


def host(function):
    """Marks a function that stays Python, and that programs call."""
    return HostFunction(function)


def _leafwise(operation, a, b):
    if isinstance(a, _Struct) and isinstance(b, _Struct):
        if type(a) is not type(b):
            return NotImplemented
        pairs = ((getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a))
        return type(a)(*(_leafwise(operation, x, y) for x, y in pairs))
    if isinstance(a, builtins.tuple) and isinstance(b, builtins.tuple):
        return builtins.tuple(_leafwise(operation, x, y) for x, y in zip(a, b))
    if isinstance(a, _Struct):
        return type(a)(*(_leafwise(operation, getattr(a, f.name), b) for f in dataclasses.fields(a)))
    if isinstance(b, _Struct):
        return type(b)(*(_leafwise(operation, a, getattr(b, f.name)) for f in dataclasses.fields(b)))
    if isinstance(a, builtins.tuple):
        return builtins.tuple(_leafwise(operation, x, b) for x in a)
    if isinstance(b, builtins.tuple):
        return builtins.tuple(_leafwise(operation, a, x) for x in b)
    if a is None or b is None:
        return None
    return operation(a, b)


def _is_scalar(value):
    return isinstance(value, (builtins.int, builtins.float)) or isinstance(value, _tfx.Tensor) and value.ndim == 0


class _Struct:
    """The operators of objects: `+` and `-` by leaf, `*` and `/` with a scalar."""

    __slots__ = ()

    def __add__(self, other):
        return _leafwise(lambda a, b: a + b, self, other) if isinstance(other, _Struct) else NotImplemented

    def __sub__(self, other):
        return _leafwise(lambda a, b: a - b, self, other) if isinstance(other, _Struct) else NotImplemented

    def __mul__(self, other):
        return _leafwise(lambda a, b: a * b, self, other) if _is_scalar(other) else NotImplemented

    def __rmul__(self, other):
        return _leafwise(lambda a, b: a * b, other, self) if _is_scalar(other) else NotImplemented

    def __truediv__(self, other):
        return _leafwise(lambda a, b: a / b, self, other) if _is_scalar(other) else NotImplemented

    def __neg__(self):
        return type(self)(*(-getattr(self, f.name) for f in dataclasses.fields(self)))

    def __repr__(self):
        fields = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self))
        return f"{type(self).__name__}({', '.join(fields)})"

    def replace(self, **fields):
        """Returns an object with other values of some fields."""
        return dataclasses.replace(self, **fields)


def struct(cls):
    """Makes a class whose objects programs hold: a frozen dataclass with operators by leaf."""
    line = inspect.getsourcelines(cls)[1]
    file = inspect.getsourcefile(cls)
    made = dataclasses.dataclass(frozen=True, eq=False, repr=False)(cls)
    for name in _Struct.__dict__:
        operator = name.startswith("__") and name not in ("__slots__", "__module__", "__doc__")
        if (operator or name == "replace") and name not in cls.__dict__:
            setattr(made, name, _Struct.__dict__[name])
    _Structs.register(made)
    made._tfx_source = (file, made.__qualname__.rsplit(".", 1)[-1], line)
    return made


class _Structs(type):
    """Makes the classes with `@struct` subclasses of `_Struct` for `isinstance`."""

    known = set()

    @classmethod
    def register(mcs, cls):
        mcs.known.add(cls)

    def __instancecheck__(cls, instance):
        return type(instance) in _Structs.known


_Struct = _Structs("_Struct", (), dict(_Struct.__dict__))


class _Gradient:
    """The gradient of a function, which only programs compute."""

    def __init__(self, function, wants_value):
        self._function, self._wants_value = function, wants_value

    def __call__(self, *args):
        return _numerical_error()


def _numerical_error():
    raise CompileError("a gradient is computed in a program only; write @tfx.program before the function")


def gradient(function):
    """Returns a function that computes the gradient by the first argument."""
    return _Gradient(function, False)


def value_and_grad(function):
    """Returns a function that computes the value and the gradient by the first argument."""
    return _Gradient(function, True)


gradient._tfx_name = "tfx.gradient"
value_and_grad._tfx_name = "tfx.value_and_grad"


class _Linked:
    """A program whose names are bound: what it depends on, and its compiled forms."""

    def __init__(self, function):
        self.world = _tfx.World()
        self.dependencies = []
        self.captured = {}
        # The executables by types of arguments, and that of the last call, which usually is that of
        # the next one.
        self.compiled = {}
        self.last = None
        self._lock = threading.Lock()
        self._files = {}
        self._done = {}
        # The classes and host functions by kind and number.
        self._objects = {}
        self.entry = self._source(function)[1]

    def _file(self, path):
        if path not in self._files:
            text = "".join(linecache.getlines(path))
            if not text:
                raise CompileError(f"'{path}' has no source text, which tfx compiles")
            self._files[path] = self.world.add_file(path, text)
        return self._files[path]

    def _source(self, obj):
        """Gives a function, a host function or a class to the compiler: its kind and number."""
        key = id(obj)
        if key in self._done:
            return self._done[key]
        if isinstance(obj, type):
            path, name, line = obj._tfx_source
            scope = inspect.getmodule(obj).__dict__
            functions = [of for of in vars(obj).values() if isinstance(of, types.FunctionType)]
        else:
            # Decorators of others are code, and are compiled as such.
            function = obj.__wrapped__ if isinstance(obj, (Program, HostFunction)) else obj
            code = function.__code__
            path, name, line = code.co_filename, code.co_name, code.co_firstlineno
            scope, functions = function.__globals__, [function]
        file = self._file(path)
        kind, number = self.world.find(file, name, line)
        self._done[key] = (kind, number)
        if kind in ("class", "host"):
            if self._objects.setdefault((kind, number), obj) is not obj:
                raise CompileError(f"'{name}' is called with and without tfx.prefetch; call one of both")
            self.world.set_object(kind, number, obj)
        names = self.world.names(kind, number)
        if kind == "class":
            for field in dataclasses.fields(obj):
                if isinstance(field.type, type) and hasattr(field.type, "_tfx_source"):
                    self._source(field.type)
        cells = {}
        for function in functions:
            cells.update(zip(function.__code__.co_freevars, function.__closure__ or ()))
        for name in names:
            self._bind(file, name, scope, cells.get(name))
        for function in functions:
            for annotation in function.__annotations__.values():
                if isinstance(annotation, type) and hasattr(annotation, "_tfx_source"):
                    self._source(annotation)
        return kind, number

    def _bind(self, file, name, scope, cell):
        def read():
            if cell is not None:
                try:
                    return cell.cell_contents
                except ValueError:
                    return _MISSING
            return scope.get(name, _MISSING)

        value = read()
        if value is _MISSING:
            # A builtin, or a name that the compiler reports where it is read.
            return
        bind = functools.partial(self.world.bind, file, name)
        is_value = False
        if isinstance(value, types.ModuleType):
            bind("module", text=value.__name__)
        elif hasattr(value, "_tfx_name"):
            bind("builtin", text=value._tfx_name)
        elif isinstance(value, DType):
            bind("dtype", text=value.__name__)
        elif value is _tfx.Tensor:
            bind("builtin", text="tfx.Tensor")
        elif getattr(value, "__module__", None) == "math" and callable(value):
            bind("builtin", text=f"math.{value.__name__}")
        elif isinstance(value, type) and hasattr(value, "_tfx_source"):
            bind(*self._source(value))
        elif isinstance(value, type) and getattr(builtins, value.__name__, None) is value:
            bind("builtin", text=value.__name__)
        elif isinstance(value, (Program, HostFunction)):
            bind(*self._source(value))
        elif isinstance(value, types.FunctionType):
            self._plain(bind, name, value)
        elif isinstance(value, types.BuiltinFunctionType) and getattr(builtins, value.__name__, None) is value:
            bind("builtin", text=value.__name__)
        else:
            is_value = self._value(bind, name, value, read)
        if not is_value:
            self.dependencies.append((read, value))

    def _plain(self, bind, name, value):
        try:
            bind(*self._source(value))
        except CompileError as error:
            bind("unusable", text=f"'{name}' is not compiled; use a @tfx.host function: {error}")

    def _value(self, bind, name, value, read):
        try:
            number = self.world.capture(name, value)
        except (TypeError, OverflowError) as error:
            kind = f"{type(value).__module__}.{type(value).__name__}"
            text = f"'{name}' ({kind}) is not a value of a program: {error}; use it in a @tfx.host function"
            if isinstance(value, type):
                is_error = issubclass(value, BaseException)
                advice = "one of Python's exceptions" if is_error else "a class with @tfx.struct"
                text = f"'{name}' is a class that programs do not know; use {advice}"
            bind("unusable", text=text)
            return False
        bind("captured", number)
        self.captured[number] = (read, type(value))
        return True

    def know(self, value):
        """Gives the classes of an argument to the compiler, which the program may not name."""
        if isinstance(value, (builtins.tuple, builtins.list)):
            for part in value:
                self.know(part)
        elif isinstance(value, _Struct):
            if id(type(value)) not in self._done:
                with self._lock:
                    self._source(type(value))
            for field in dataclasses.fields(value):
                self.know(getattr(value, field.name))

    def is_current(self):
        """Whether the names are bound to the same functions, and the values have the same types."""
        # Without generators, which cost more than what they do here: each call is checked.
        for read, value in self.dependencies:
            if read() is not value:
                return False
        for read, of in self.captured.values():
            if type(read()) is not of:
                return False
        return True


class Program(_Wrapper):
    """A function that is compiled with all functions that it calls."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self._signature = inspect.signature(function)
        parameters = self._signature.parameters.values()
        are_plain = all(of.kind in (of.POSITIONAL_ONLY, of.POSITIONAL_OR_KEYWORD) for of in parameters)
        # The number of positional arguments that need no binding.
        self._plain = len(parameters) if are_plain else None
        # The parameters that may have objects of any class.
        self._open = [index for index, of in enumerate(parameters) if of.annotation is of.empty]
        self._lock = threading.Lock()
        self._linked = None

    def _bound(self, args, kwargs):
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound

    def _arguments(self, args, kwargs):
        linked = self._linked
        if linked is None or not linked.is_current():
            with self._lock:
                linked = self._linked = _Linked(self)
        if kwargs or len(args) != self._plain:
            args = builtins.tuple(self._bound(args, kwargs).arguments.values())
        for index in self._open:
            linked.know(args[index])
        return linked, linked.world.arguments(linked.entry, args)

    def _executable(self, linked, arguments):
        last = linked.last
        if last is not None and last.accepts(arguments):
            return last
        key = arguments.key
        compiled = linked.compiled.get(key)
        if compiled is None:
            with self._lock:
                compiled, copies = linked.world.compile(linked.entry, arguments)
                linked.compiled[key] = compiled
            for file, line, text in copies:
                warnings.warn_explicit(text, CopyWarning, file or __file__, line)
            if len(linked.compiled) >= _MANY:
                text = f"'{self.__name__}' is compiled {len(linked.compiled)} times, now for {key}"
                warnings.warn(text, RuntimeWarning, stacklevel=3)
        linked.last = compiled
        return compiled

    def __call__(self, *args, **kwargs):
        if _is_eager.get():
            bound = self._bound(args, kwargs)
            for name, value in bound.arguments.items():
                bound.arguments[name] = _as_argument(value, self.__wrapped__.__annotations__.get(name))
            return self.__wrapped__(*bound.args, **bound.kwargs)
        linked, arguments = self._arguments(args, kwargs)
        compiled = self._executable(linked, arguments)
        captured = [linked.captured[number][0]() for number in compiled.captured]
        _interrupts()
        return compiled.call(arguments, captured)

    def _show(self, stage, args, kwargs):
        linked, arguments = self._arguments(args, kwargs)
        return linked.world.show(linked.entry, arguments, stage)

    def mlir(self, *args, stage="source", **kwargs):
        """Returns the program for these arguments as MLIR: `source`, or after passes of tfx."""
        return self._show(stage, args, kwargs)

    def report(self, *args, **kwargs):
        """Returns the report of the copies between host and accelerator."""
        return self._show("report", args, kwargs)

    def graphdef(self, *args, **kwargs):
        """Returns the graph of the accelerator as text."""
        return self._show("graphdef", args, kwargs)


def program(function):
    """Compiles a function at its first call for each signature."""
    return Program(function)


_waker = None


def _interrupts():
    """Starts the thread that cancels programs at Ctrl-C, unless something else watches signals."""
    global _waker
    if _waker is not None or threading.current_thread() is not threading.main_thread():
        return
    import signal

    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    before = signal.set_wakeup_fd(sender, warn_on_full_buffer=False)
    if before != -1:
        signal.set_wakeup_fd(before)
        os.close(receiver)
        os.close(sender)
        _waker = ()
        return
    _waker = (receiver, sender)

    def watch():
        while True:
            number = os.read(receiver, 1)
            if not number:
                return
            if number[0] == signal.SIGINT:
                _tfx.wake()

    threading.Thread(target=watch, name="tfx-interrupt", daemon=True).start()
