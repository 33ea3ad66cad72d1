"""Failures of tensor operations (exception E2): the effects before them happen, and none is lost."""

import contextlib
import io
import random

import numpy as np
import pytest

import tfx
from tfx import Tensor, f32

LOG = []
EXECUTORS = ["embedded", "native"]


@tfx.host
def log(number: int, value: float) -> float:
    LOG.append((number, value))
    return value % 3.0


@tfx.host
def note(number: int, value: float):
    LOG.append((number, value))


@tfx.program
def ahead_of_an_answer(x: Tensor[f32, None], y: Tensor[f32, None]):
    first = log(0, float(x.sum()))
    log(1, float((x * first).sum()))
    return x + y


@tfx.program
def after_a_loop(x: Tensor[f32, None], y: Tensor[f32, None]):
    total = x
    for number in range(3):
        total = total + log(number, float(total.sum()))
    return total, x + y


@tfx.program
def in_a_branch(x: Tensor[f32, None], y: Tensor[f32, None]):
    if x.sum() > 0.0:
        note(0, float(x.sum()))
        x = x + y
        note(1, float(x.sum()))
    return x


@tfx.program
def with_shared_operations(x: Tensor[f32, None], y: Tensor[f32, None]):
    double = x * 2.0
    note(0, float((double + x).sum()))
    return double * y


@tfx.program
def unused(x: Tensor[f32, None], y: Tensor[f32, None]):
    x + y
    return x


def both(x, y):
    return x * 2.0, x + y


@tfx.program
def unused_of_a_function(x: Tensor[f32, None], y: Tensor[f32, None]):
    double, _ = both(x, y)
    return double


@tfx.program
def unused_in_a_loop(x: Tensor[f32, None], y: Tensor[f32, None]):
    add = lambda z: z + y
    for number in range(2):
        note(number, float(x.sum()))
        add(x)
    return x


@tfx.program
def unused_row(x: Tensor[f32, None], y: Tensor[f32, None]):
    x[5]
    return y


@tfx.program
def unused_in_a_derivative(x: Tensor[f32, None], y: Tensor[f32, None]):
    def square(x):
        for _ in range(2):
            x + y
            x = x * x
        return x.sum()

    return tfx.gradient(square)(x)


def of_sizes(*sizes):
    return [tfx.asarray(np.linspace(0.1, 1.0, size, dtype=np.float32) + 0.1) for size in sizes]


def outcome(program, arguments, is_eager):
    LOG.clear()
    text = io.StringIO()
    with contextlib.redirect_stdout(text), tfx.eager(is_eager):
        try:
            program(*arguments)
            raised = None
        except (ValueError, IndexError) as error:
            raised = type(error)
    return list(LOG), text.getvalue(), raised


def check(program, arguments):
    """Compares the effects up to a failure; returns whether there was one."""
    expected, text, raised = outcome(program, arguments, True)
    found, found_text, found_raised = outcome(program, arguments, False)
    assert found_raised == raised
    assert len(found) >= len(expected) if raised else len(found) == len(expected)
    for (number, value), (found_number, found_value) in zip(expected, found):
        assert found_number == number
        assert found_value == pytest.approx(value, rel=1e-3, abs=1e-3)
    assert found_text.startswith(text)
    return raised is not None


@pytest.mark.filterwarnings("ignore::tfx.CopyWarning")
@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize(
    "program",
    [
        ahead_of_an_answer,
        after_a_loop,
        in_a_branch,
        with_shared_operations,
        unused,
        unused_of_a_function,
        unused_in_a_loop,
        unused_row,
    ],
    ids=lambda program: program.__wrapped__.__name__,
)
def test_effects_before_a_failure_happen(program, executor, monkeypatch):
    monkeypatch.setenv("TFX_EXECUTOR", executor)
    compiled = tfx.program(program.__wrapped__)
    assert check(compiled, of_sizes(3, 4))
    assert check(compiled, of_sizes(3, 3)) == (program is unused_row)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_derivative_keeps_failures(executor, monkeypatch):
    monkeypatch.setenv("TFX_EXECUTOR", executor)
    compiled = tfx.program(unused_in_a_derivative.__wrapped__)
    assert compiled(*of_sizes(3, 3)).shape == (3,)
    with pytest.raises(ValueError):
        compiled(*of_sizes(3, 4))


HEAD = """
@tfx.program
def main(x: Tensor[f32, None], y: Tensor[f32, None], z: Tensor[f32, None], n: int):
"""


def statements(choose, variables, depth, lines, numbers):
    """Adds statements whose operations fail if the sizes of the variables differ."""
    indent = "    " * (depth + 1)
    for _ in range(choose.randint(2, 5)):
        kind, variable = choose.random(), choose.choice(variables)
        if kind < 0.45:
            new = f"t{len(variables)}" if depth == 0 and choose.random() < 0.25 else choose.choice(variables)
            operator = choose.choice("+-*")
            lines.append(f"{indent}{new} = tfx.tanh({variable} {operator} {choose.choice(variables)})")
            if new not in variables:
                variables.append(new)
        elif kind < 0.6:
            lines.append(f"{indent}note({next(numbers)}, float({variable}.sum()))")
        elif kind < 0.75:
            other = choose.choice(variables)
            lines.append(f"{indent}{other} = {other} * log({next(numbers)}, float({variable}.sum()))")
        elif kind < 0.95 and depth < 2:
            head = f"for i{depth} in range(n):" if kind < 0.85 else f"if {variable}.sum() > 0.0:"
            lines.append(f"{indent}{head}")
            statements(choose, list(variables), depth + 1, lines, numbers)
        else:
            lines.append(f"{indent}print({next(numbers)}, {variable}.sum() > 0.0)")


def random_program(seed, folder):
    """Returns a random program and its arguments."""
    choose, variables, lines = random.Random(seed), ["x", "y", "z"], []
    statements(choose, variables, 0, lines, iter(range(1000)))
    lines.append(f"    return {', '.join(variables)}")
    path = folder / f"failures_{seed}.py"
    path.write_text(HEAD + "\n".join(lines) + "\n")
    scope = {"tfx": tfx, "Tensor": Tensor, "f32": f32, "log": log, "note": note, "__name__": path.stem}
    exec(compile(path.read_text(), path, "exec"), scope)
    sizes = [choose.choice([3, 3, 3, 4, 1]) for _ in range(3)]
    return scope["main"], [*of_sizes(*sizes), choose.randint(0, 3)]


@pytest.mark.filterwarnings("ignore::tfx.CopyWarning")
@pytest.mark.parametrize("executor", EXECUTORS)
def test_random_programs_lose_no_effects(executor, monkeypatch, tmp_path):
    monkeypatch.setenv("TFX_EXECUTOR", executor)
    failed = sum(check(*random_program(seed, tmp_path)) for seed in range(60))
    assert 10 <= failed <= 40
