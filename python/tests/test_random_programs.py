"""A few random programs, in CPython and compiled, on each executor (`make fuzz-python` runs more)."""

import os
import pathlib

import pytest

import random_programs

# Programs for each executor, which take a few seconds.
COUNT = 15
TRIVIAL = """\
import tfx

EVENTS = []


@tfx.program
def main(x: tfx.Tensor[tfx.f32, None]):
    return ((x + 1,), ())


CALLS = [({}, "(tfx.arange(3, dtype=tfx.f32),)")]
"""


@pytest.mark.parametrize("executor", random_programs.EXECUTORS)
def test_compiled_is_eager(executor, tmp_path):
    path = tmp_path / "trivial.py"
    path.write_text(TRIVIAL)
    worker = random_programs.Worker(executor)
    answer = worker.run(path)
    worker.stop()
    if executor == "tensorflow" and "TensorFlow cannot be loaded" in answer.get("detail", ""):
        pytest.skip("TensorFlow is not installed")
    assert answer["status"] == "equal", answer["detail"]
    folder = os.environ.get("TFX_MISMATCHES")
    folder = pathlib.Path(folder) if folder else None
    found = []
    counts, *_, mismatches = random_programs.run(range(1, COUNT + 1), executor, folder, 0, found.append)
    assert not mismatches, "\n".join(found)
    assert counts["equal"] > COUNT / 2
