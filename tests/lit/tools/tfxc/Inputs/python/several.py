import tfx
from layers import START
from tfx import Tensor, f32


@tfx.program
def first(x: Tensor[f32, 3]) -> Tensor[f32, 3]:
    return x + x


@tfx.program
def second(x):
    return x


@tfx.program
def third(x: Tensor[f32, 3]) -> Tensor[f32, 3]:
    return x + START


@tfx.program
def fourth(x: int):
    try:
        return x
    finally:
        return x


@tfx.host
def load() -> Tensor[f32, 3]:
    return [1.0, 2.0, 3.0]


load_ahead = tfx.prefetch(load, 2)


@tfx.program
def fifth(x: Tensor[f32, 3]) -> Tensor[f32, 3]:
    return x + load_ahead()
