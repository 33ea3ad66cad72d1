import tfx
from layers import RATE, Dense
from tfx import Tensor, f32


@tfx.host
def log(step: int, loss: float) -> bool:
    print(step, loss)
    return loss < 0.1


@tfx.program
def train(x: Tensor[f32, None, 64], y: Tensor[f32, None, 10], model: Dense, steps: int) -> Dense:
    for step in range(steps):
        loss, grad = tfx.value_and_grad(lambda m: tfx.cross_entropy(m(x), y))(model)
        model = model - RATE * grad
        if step % 100 == 0 and log(step, loss):
            break
    return model
