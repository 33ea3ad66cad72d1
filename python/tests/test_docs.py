"""The page on Python: each example prints the text that follows it."""

import pathlib
import re
import subprocess
import sys

import pytest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE.read_text(), re.S)


def test_the_page_has_examples():
    assert len(EXAMPLES) >= 6


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example(number, tmp_path):
    source, expected = EXAMPLES[number]
    path = tmp_path / "example.py"
    path.write_text(source)
    command = [sys.executable, "-W", "ignore", path]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.stderr == ""
    assert result.stdout == expected
