"""The programs of `compare.py` with tfx: their behaviour, and their cells on the page on Python."""

import pathlib

import pytest

import compare
from compare import REFERENCE, ROWS, Behaviour, Run

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


def cells_of_page(title):
    """Returns the cells of CPython and of tfx."""
    line = next(line for line in PAGE.read_text().splitlines() if line.startswith(f"| {title} |"))
    cells = [cell.strip() for cell in line.strip("|").split(" | ")]
    return cells[1], cells[-1]


@pytest.mark.parametrize("name", ROWS)
def test_program(name):
    found = {(system, name): compare.observe(system, name) for system in (REFERENCE, "tfx")}
    assert list(compare.problems_of(name, found)) == []
    assert (compare.cell(REFERENCE, name, found), compare.cell("tfx", name, found)) == cells_of_page(ROWS[name].title)


EXPECTED = Behaviour("a\nb\n", [[0, 1.0]], [[1.0, 2.0], 2**70])


@pytest.mark.parametrize(
    "found,problem",
    [
        (EXPECTED, None),
        (Behaviour("a\n", EXPECTED.calls, EXPECTED.results), "1 of 2 lines"),
        (Behaviour("a\nc\n", EXPECTED.calls, EXPECTED.results), "2 of 2 lines: `c`…"),
        (Behaviour(EXPECTED.text, [], EXPECTED.results), "0 of 1 host calls"),
        (Behaviour(EXPECTED.text, [[0, 2.0]], EXPECTED.results), "1 of 1 host calls: 2.0, not 1.0"),
        (Behaviour(EXPECTED.text, EXPECTED.calls, [[1.0, 3.0], 0]), "3.0, not 2.0"),
        (Behaviour(EXPECTED.text, EXPECTED.calls, [[1.0, 2.0]]), "results of another structure"),
        (Behaviour("a\n", exception="KeyError"), "`KeyError`"),
        (Behaviour("a\n", exception="CompileError", message="no"), "rejected: no"),
        (Behaviour("a\n", exception="OverflowError", message="int is 64 bits in tfx"), None),
        (Behaviour("b\n", exception="OverflowError", message="int is 64 bits in tfx"), "`OverflowError`"),
    ],
)
def test_problems(found, problem):
    runs = {
        (REFERENCE, "prints"): Run(compiled=EXPECTED),
        ("tfx", "prints"): Run(eager=EXPECTED, compiled=found),
    }
    problems = list(compare.problems_of("prints", runs))
    assert [of.startswith(f"prints: {problem}") for of in problems[:1]] == [True] * bool(problem)
