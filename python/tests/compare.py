#!/usr/bin/env python3
"""Compare what tfx, tf.function, jax.jit and torch.compile do with the statements of a program.

    python python/tests/compare.py                   print the table of docs/python.md
    python python/tests/compare.py --only halves     one row (may be repeated)
    python python/tests/compare.py --check           run tfx only; exit 1 if it has a problem

The programs are python/tests/compared/on_*.py: the same statements, with the tensors of each
system. Each program runs in a process of its own. Its observable behaviour is the printed text, the
calls of host functions with their arguments, the results, and the class of an exception. The
expected behaviour is that of CPython with NumPy; the expected text is that of the same system
without compilation, because each system prints tensors in its own format. A number and a tensor of
rank 0 with the same value are equal.

A problem of tfx is a program that behaves differently, or that tfx rejects and docs/python.md
accepts. An `int` that does not fit 64 bits may raise `OverflowError`. A system that is not
installed is skipped.
"""

import argparse
import contextlib
import dataclasses
import importlib
import io
import json
import os
import pathlib
import platform
import subprocess
import sys
from collections.abc import Callable

FOLDER = pathlib.Path(__file__).resolve().parent / "compared"
SYSTEMS = {
    "numpy": "CPython",
    "tensorflow": "`tf.function`",
    "jax": "`jax.jit`",
    "torch": "`torch.compile`",
    "tfx": "`tfx.program`",
}
REFERENCE = "numpy"
SECONDS = 300
QUIET = {"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}


@dataclasses.dataclass
class Row:
    """A program: its title, its calls, and whether docs/python.md says that tfx compiles it."""

    title: str
    calls: Callable
    is_accepted: bool = True


def calls_of(name, *arguments):
    """Returns the calls of one function: a list of values is a tensor."""

    def calls(programs):
        for values in arguments:
            yield getattr(programs, name)(*(programs.tensor(of) if isinstance(of, list) else of for of in values))

    return calls


def calls_counts(programs):
    for _ in range(3):
        yield programs.counts(programs.tensor([1.0, 2.0]))
    yield programs.counter.n
    yield float(programs.counter.total)


def calls_scales(programs):
    for rate in (0.5, 2.0, 4.0):
        programs.rate = rate
        yield programs.scales(programs.tensor([1.0, 2.0]))


def calls_integers(programs):
    yield programs.square(3)
    yield programs.square(2**20)
    yield programs.power(70)


ROWS = {
    "prints": Row("`print(y.sum())`", calls_of("prints", ([1.0, 2.0],), ([3.0, 4.0],))),
    "logs": Row("`log(step, float(loss))` in a loop", calls_of("logs", ([4.0, 8.0], 3), ([2.0, 4.0], 3))),
    "halves": Row("`while x.sum() > 1`", calls_of("halves", ([4.0, 8.0],), ([64.0, 2.0],))),
    "returns": Row("`return` in a loop, by a tensor", calls_of("returns", ([1.0, 2.0],), ([-90.0, -80.0],))),
    "counts": Row("`counter.n += 1` of an outer object", calls_counts, is_accepted=False),
    "appends": Row("`append`, run-time length", calls_of("appends", ([4.0, 8.0],), ([1.0, 2.0],)), is_accepted=False),
    "scales": Row("a global is bound to another number", calls_scales),
    "branches": Row("a variable that one branch sets", calls_of("branches", ([1.0, 2.0],), ([-1.0, -2.0],))),
    "adds": Row("`x + int(x.sum())`", calls_of("adds", ([1, 2],), ([3, 4],))),
    "fails": Row("an exception in a host function", calls_of("fails", (2,), (5,))),
    "integers": Row("`n * n` and `2**n` of integers", calls_integers),
    "doubles": Row("seven sizes", calls_of("doubles", *(([1.0] * size,) for size in range(2, 9)))),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", metavar="NAME", choices=ROWS, help="a program: " + ", ".join(ROWS))
    parser.add_argument("--check", action="store_true", help="run tfx only; the exit status is 1 if it has a problem")
    parser.add_argument("--child", choices=SYSTEMS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    names = arguments.only or list(ROWS)
    if arguments.child:
        child(arguments.child, names[0])
        return 0
    systems = [REFERENCE, "tfx"] if arguments.check else list(SYSTEMS)
    found = {}
    for system in list(systems):
        # Each system runs all programs, so that a missing one is known after the first.
        for name in names:
            found[system, name] = observe(system, name)
            if found[system, name].missing:
                print(f"skipped: {system}: {found[system, name].missing}", file=sys.stderr)
                systems.remove(system)
                break
    if REFERENCE not in systems or arguments.check and "tfx" not in systems:
        return 1
    table(names, systems, found)
    problems = [problem for name in names if "tfx" in systems for problem in problems_of(name, found)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if arguments.check and problems else 0


def table(names, systems, found):
    """Prints the table, with the versions in its head."""
    heads = [f"{SYSTEMS[system]} {found[system, names[0]].version}" for system in systems]
    print("| program |", " | ".join(heads), "|")
    print("|---" * (len(systems) + 1) + "|")
    for name in names:
        print(f"| {ROWS[name].title} |", " | ".join(cell(system, name, found) for system in systems), "|")


def cell(system, name, found):
    """Returns the cell of a system: the behaviour of the reference, or a verdict."""
    run, reference = found[system, name], found[REFERENCE, name]
    if run.crash:
        return run.crash
    if system == REFERENCE:
        return summary(run.compiled)
    if system == "tfx" and is_overflow(run.compiled, reference.compiled):
        return f"`{run.compiled.exception}` (E1)"
    return verdict(run, reference)


# The behaviour of a program.


@dataclasses.dataclass
class Behaviour:
    """The observable behaviour of the calls of a program, and the number of compilations."""

    text: str = ""
    calls: list = dataclasses.field(default_factory=list)
    results: list = dataclasses.field(default_factory=list)
    exception: str | None = None
    message: str = ""
    compilations: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Run:
    """A program of a system, without compilation and compiled, or the reason why there is none."""

    eager: Behaviour | None = None
    compiled: Behaviour | None = None
    version: str = "?"
    missing: str | None = None
    crash: str | None = None


def observe(system, name):
    """Runs a program of a system in a process of its own."""
    command = [sys.executable, "-W", "ignore", __file__, "--child", system, "--only", name]
    run = Run()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=os.environ | QUIET)
    except subprocess.TimeoutExpired:
        run.crash = f"no end in {SECONDS} s"
        return run
    if done.returncode != 0:
        run.crash = f"crash ({done.returncode})"
        print(done.stderr[-2000:], file=sys.stderr)
    for line in done.stdout.splitlines():
        for key, value in json.loads(line).items():
            setattr(run, key, Behaviour(**value) if key in ("eager", "compiled") else value)
    if not (run.missing or run.crash or run.compiled):
        run.crash = "no output"
    return run


def child(system, name):
    """Runs a program, and prints what it does as lines of JSON."""
    output = os.fdopen(os.dup(1), "w")
    # What a library writes is not in the way.
    os.dup2(2, 1)

    def report(**values):
        print(json.dumps(values), file=output, flush=True)

    sys.path.insert(0, str(FOLDER))
    try:
        programs = importlib.import_module(f"on_{system}")
        version = importlib.import_module(system).__version__
    except Exception as error:
        # Libraries that are not complete raise any class.
        report(missing=f"{type(error).__name__}: {error}".splitlines()[0])
        return
    version = version.split()[0].partition("+")[0]
    report(version=f"{platform.python_version()}, NumPy {version}" if system == REFERENCE else version)
    if system != REFERENCE:
        programs.start(is_compiled=False)
        report(eager=vars(behaviour(programs, name)))
        # The state of the programs is new.
        programs.CALLS.clear()
        if hasattr(programs, "Counter"):
            programs.counter = programs.Counter()
        programs.start(is_compiled=True)
    report(compiled=vars(behaviour(programs, name)))


def behaviour(programs, name):
    """Calls a program, and returns its behaviour."""
    found = Behaviour()
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        try:
            for result in ROWS[name].calls(programs):
                found.results.append(plain(result))
        except Exception as error:
            found.exception = type(error).__name__
            found.message = str(error)
    found.text = text.getvalue()
    found.calls = plain(programs.CALLS)
    if hasattr(programs, "compilations"):
        found.compilations = programs.compilations()
    return found


def plain(value):
    """Returns a value as Python numbers and lists, and a value without numbers as its class."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    try:
        return (value if hasattr(value, "tolist") else value.numpy()).tolist()
    except Exception:
        # A symbolic value outside of its trace.
        return type(value).__name__


# The verdicts.


def verdict(run, reference):
    """Returns the difference of a program from CPython, in a few words, and its compilations."""
    found, expected = run.compiled, reference.compiled
    differences = list(different(found, expected, run.eager.text))
    if found.exception and found.exception != expected.exception:
        return ", ".join(differences)
    # The first kind is always printed: no graph at all says most.
    counts = [(what, number) for index, (what, number) in enumerate(found.compilations.items()) if number or not index]
    text = ", ".join(f"{number} {what}{'s' * (number != 1)}" for what, number in counts)
    return f"{', '.join(differences) or 'equal'}; {text}"


def different(found, expected, text):
    """Generates the differences. After an exception that is not expected, the rest is missing."""
    if found.exception != expected.exception:
        if not found.exception:
            yield f"no `{expected.exception}`"
        elif not expected.exception:
            yield f"`{found.exception}`"
        else:
            yield f"`{found.exception}`, not `{expected.exception}`"
    is_short = bool(found.exception) and not expected.exception
    if found.text != text and not (is_short and text.startswith(found.text)):
        yield lines_differ(found.text.splitlines(), text.splitlines())
    if found.calls != expected.calls and not (is_short and expected.calls[: len(found.calls)] == found.calls):
        yield calls_differ(found.calls, expected.calls)
    pairs = list(zip(leaves(found.results), leaves(expected.results)))
    if any(one != other for one, other in pairs):
        one, other = next((one, other) for one, other in pairs if one != other)
        yield f"{one}, not {other}"
    elif found.results != expected.results and found.exception == expected.exception:
        yield "results of another structure"


def lines_differ(found, expected):
    """Returns the difference of printed lines: their number, and the first other line."""
    other = next((f": `{one[:16]}`…" for one, line in zip(found, expected) if one != line), "")
    return f"{len(found)} of {len(expected)} lines{other}"


def calls_differ(found, expected):
    """Returns the difference of host calls: their number, and the first other arguments."""
    for one, other in zip(found, expected):
        if one != other:
            got, wanted = next((got, wanted) for got, wanted in zip(one, other) if got != wanted)
            return f"{len(found)} of {len(expected)} host calls: {got}, not {wanted}"
    return f"{len(found)} of {len(expected)} host calls"


def leaves(value):
    """Generates the numbers of a nested list."""
    if isinstance(value, list):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def summary(found):
    """Returns the behaviour in CPython in a few words."""
    lines = len(found.text.splitlines())
    parts = [f"{lines} lines"] if lines else []
    parts += [f"{len(found.calls)} host calls"] if found.calls else []
    parts += [f"`{found.exception}`"] if found.exception else []
    if not parts:
        last = found.results[-1]
        parts = [f"{len(found.results)} results" + (f", last {last}" if len(str(last)) <= 24 else "")]
    return ", ".join(parts)


def problems_of(name, found):
    """Generates what is wrong with a program of tfx."""
    run, reference = found["tfx", name], found[REFERENCE, name]
    if run.crash:
        yield f"{name}: {run.crash}"
    elif run.compiled.exception == "CompileError":
        if ROWS[name].is_accepted:
            yield f"{name}: rejected: {run.compiled.message}"
    elif not is_overflow(run.compiled, reference.compiled):
        for difference in different(run.compiled, reference.compiled, run.eager.text):
            yield f"{name}: {difference} {run.compiled.message}".rstrip()


def is_overflow(found, expected):
    """Tells whether a program stops at an `int` of more than 64 bits, after the expected behaviour."""
    if found.exception != "OverflowError" or found.message != "int is 64 bits in tfx":
        return False
    return (
        expected.text.startswith(found.text)
        and expected.calls[: len(found.calls)] == found.calls
        and expected.results[: len(found.results)] == found.results
        and any(is_wide(of) for of in leaves(expected.results[len(found.results) :]))
    )


def is_wide(value):
    return isinstance(value, int) and not -(2**63) <= value < 2**63


if __name__ == "__main__":
    sys.exit(main())
