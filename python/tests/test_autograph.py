"""The programs of `autograph.py`: those that run do so as eagerly, the others are refused with advice."""

import collections
import inspect
import pathlib
import re

import pytest

import autograph
import tfx
from autograph import REFUSED, RUNS
from test_oracle import run

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
# What an error says after its first words.
ADVICE = re.compile(r"[;,] (or )?(write|use|return|move|name|leave) ")


def name(program):
    return program.__wrapped__.__name__


CALLS = [
    pytest.param(program, arguments, id=f"{file}-{name(program)}-{index}")
    for file, programs in RUNS.items()
    for program, *calls in programs
    for index, arguments in enumerate(calls)
]
ERRORS = [
    pytest.param(program, arguments, id=f"{file}-{name(program)}")
    for file, programs in REFUSED.items()
    for program, _, arguments in programs
]


@pytest.mark.filterwarnings("ignore::tfx.CopyWarning")
@pytest.mark.parametrize("program,arguments", CALLS)
def test_compiled_is_eager(program, arguments):
    expected = run(program, arguments, True)
    found = run(program, arguments, False)
    assert found == expected


@pytest.mark.parametrize("program,arguments", ERRORS)
def test_refused_with_advice(program, arguments):
    lines, first = inspect.getsourcelines(program.__wrapped__)
    comments = re.finditer(r"# (error|TypeError): (.*)", "".join(lines))
    [(kind, words, line)] = [
        (of[1], of[2], first + of.string.count("\n", 0, of.start())) for of in comments
    ]
    if kind == "TypeError":
        with pytest.raises(TypeError) as caught:
            program(*arguments)
        assert words in str(caught.value)
        return
    with pytest.raises(tfx.CompileError) as caught:
        program(*arguments)
    place, _, text = str(caught.value).splitlines()[0].partition(" error: ")
    if not re.fullmatch(rf".*autograph\.py:{line}:\d+:", place) or words not in text:
        raise RuntimeError(str(caught.value))
    assert ADVICE.search(text)
    assert all(hasattr(tfx, of) for of in re.findall(r"\btfx\.(\w+)", text))


def test_every_program_is_listed_once():
    tables = [*RUNS.values(), *REFUSED.values()]
    listed = [name(entry[0]) for table in tables for entry in table]
    defined = [key for key, value in vars(autograph).items() if isinstance(value, type(autograph.ors))]
    assert sorted(listed) == sorted(defined)
    assert list(RUNS) == list(REFUSED)


def test_the_page_has_these_numbers():
    section = PAGE.read_text().partition("\n## AutoGraph's tests\n")[2].partition("\n## ")[0]
    refused = collections.Counter(reason for table in REFUSED.values() for _, reason, _ in table)
    runs = sum(map(len, RUNS.values()))
    counts = [("as eagerly", runs), *refused.most_common()]
    assert re.findall(r"^\| .* \| \d+ \|$", section, re.M) == [f"| {text} | {count} |" for text, count in counts]
    text = " ".join(section.split())
    assert f"{len(RUNS)} [reference tests]" in text
    assert f"{runs + refused.total()} programs" in text
    whole = [file for file in RUNS if not REFUSED[file]]
    assert f"All programs of {len(whole)} files run" in text
