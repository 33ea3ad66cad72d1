"""Element types."""


class DType:
    """An element type of tensors, such as `tfx.f32`."""

    __slots__ = ("__name__",)

    def __init__(self, name):
        self.__name__ = name

    def __repr__(self):
        return f"tfx.{self.__name__}"

    def __call__(self, value):
        from . import asarray

        return asarray(value, self)


_dtypes = {name: DType(name) for name in ("bool", "i8", "i16", "i32", "i64", "f32", "f64")}
bool_ = _dtypes["bool"]
i8, i16, i32, i64 = (_dtypes[name] for name in ("i8", "i16", "i32", "i64"))
f32, f64 = _dtypes["f32"], _dtypes["f64"]
