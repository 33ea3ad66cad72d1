"""The examples: each runs, and prints what it prints with eager tensors, where it has no gradient."""

import contextlib
import importlib.util
import io
import pathlib
import warnings

import pytest

import tfx

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
EXPECTED = {
    "digits": ["step 900: loss 0.0", "of the held-out digits it reads right: 0.9"],
    "loader": ["loss: 25", "after 100 steps"],
    "layers": ["answers: [0 1 1 0]"],
    "simulator": ["balanced for 200 steps, at most 0.50 from the top"],
    "newton": ["steps: f(2.094551) ="],
}


def load(path):
    """Imports a file again, so that each run starts anew."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    import sys

    sys.modules[path.stem] = module
    specification.loader.exec_module(module)
    return module


def output(path, is_eager):
    text = io.StringIO()
    module = load(path)
    with contextlib.redirect_stdout(text), tfx.eager(is_eager), warnings.catch_warnings():
        warnings.simplefilter("ignore", tfx.CopyWarning)
        module.main()
    return text.getvalue()


def test_all_examples_are_listed():
    assert sorted(path.stem for path in FOLDER.glob("*.py")) == sorted(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_example(name):
    path = FOLDER / f"{name}.py"
    text = output(path, False)
    for line in EXPECTED[name]:
        assert line in text
    if name == "simulator":
        assert output(path, True) == text
