"""Counts what derivatives cost, with `tfxc interpret --stats`, and compares it with bounds.

    measure.py FILE [ARGUMENT ...] --of FUNCTION:MODE<=BOUND ... [--let NAME=NUMBER]

| MODE | the bound is on |
|---|---|
| reverse, forward | floating-point operations of the derivative, divided by those of the function |
| bytes | what the forward function returns in addition to the function, in bytes |
| peak | the most bytes on tapes at a time, of the whole run |
| size | operations of entry point B, divided by those of A, after deabstraction; FUNCTION is A/B |

`--let` changes a constant of the program, so that a test takes no longer than it must.

A program that requests a derivative of a function need not call the function: the script adds a
call before each request, so that it is counted.
"""

import argparse
import os
import re
import subprocess
import sys

REQUEST = re.compile(
    r"^(?P<indent> *)%[^\n]* = tfx_ad\.(?:gradient|vjp|jvp) (?P<callee>@[\w.]+)"
    r"\((?P<arguments>[^)]*)\)",
    re.MULTILINE,
)
FUNCTION = r"^( *)func\.func (?:private )?(@[\w.]+)\(.*?^\1\}"
DEFINITION = r"func\.func (?:private |public )?{}\((?P<parameters>[^{{]*)\{{"


def run(*command, text=None):
    folder = os.path.dirname(os.path.abspath(given.file))  # Programs name their C files from there.
    done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done


def signature(text, callee):
    """The types of the parameters and of the results of a function, as written."""
    found = re.search(DEFINITION.format(re.escape(callee)), text)
    parameters, results = split(found["parameters"])
    types = [parameter.split(":", 1)[1].strip() for parameter in parts(parameters)]
    results = results.split("attributes")[0].strip().removeprefix("->").strip()
    return types, results or "()"


def split(text):
    """Splits `%x: T, %y: U) -> R` at the parenthesis that ends the parameters."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return text[:place], text[place + 1 :]
    raise ValueError(text)


def parts(text):
    """Splits a list at its outermost commas."""
    depth, part = 0, ""
    for letter in text.replace("->", "\0"):
        depth += (letter in "(<[{") - (letter in ")>]}")
        if letter == "," and not depth:
            yield part.replace("\0", "->").strip()
            part = ""
        else:
            part += letter
    if part.strip():
        yield part.replace("\0", "->").strip()


def with_calls(text):
    """Adds a call of the function before each request for its derivative."""

    def add(match):
        types, results = signature(text, match["callee"])
        count = len(list(parts(results[1:-1]))) if results.startswith("(") else 1
        name = f"%measured.{match.start()}"
        call = f"{match['indent']}{name}{f':{count}' if count > 1 else ''} = func.call "
        call += f"{match['callee']}({match['arguments']}) : ({', '.join(types)}) -> {results}\n"
        return call + match[0]

    return REQUEST.sub(add, text)


def table(text):
    """The rows of the table of `--stats`, by function; and the peak of the tapes."""
    functions = {}
    for line in text.splitlines():
        words = line.split()
        if line.startswith("@"):
            name, *counts = line.rsplit(maxsplit=4)  # That of a generic function has spaces.
            calls, flops, _, returned = map(int, counts)
            functions[name] = calls, flops, returned
        if line.startswith("tapes:"):
            peak = int(words[words.index("most") + 1])
    return functions, peak


def size(text, function):
    """The number of operations of a function and of those that it calls."""
    bodies = {found[2]: found[0] for found in re.finditer(FUNCTION, text, re.S | re.M)}
    reached, todo = set(), [function]
    while todo:
        name = todo.pop()
        if name in bodies and name not in reached:
            reached.add(name)
            todo += re.findall(r"@[\w.]+", bodies[name])
    lines = (line for name in reached for line in bodies[name].splitlines()[1:])
    return sum(bool(re.match(r" +(%\S+ = )?[a-z_]+\.", line)) for line in lines)


def per_call(name, position):
    calls, *counts = functions[f"@{name}"]
    return counts[position] / calls


FLOPS, RETURNED = 0, 1
PASSES = ["--tfx-specialize", "--tfx-differentiate", "--canonicalize", "--cse"]
DERIVED = {"forward": ["tangents"], "reverse": ["forward", "backward"]}

arguments = argparse.ArgumentParser()
arguments.add_argument("file")
arguments.add_argument("values", nargs="*")
arguments.add_argument("--of", action="append", default=[])
arguments.add_argument("--let", action="append", default=[])
given = arguments.parse_intermixed_args()
bounds = [re.match(r"(.+):(\w+)<=([\d.]+)$", bound).groups() for bound in given.of]

with open(given.file) as file:
    source = file.read()
for change in given.let:
    name, number = change.split("=")
    source = re.sub(rf"(%{name} = arith\.constant )\d+", rf"\g<1>{number}", source)
if any(mode == "size" for _, mode, _ in bounds):
    flat = run("tfx-opt", "-", "--tfx-deabstract", text=source).stdout
if any(mode != "size" for _, mode, _ in bounds):
    derived = run("tfx-opt", "-", *PASSES, text=with_calls(source)).stdout
    counted = run("tfxc", "interpret", "-", "--stats", *given.values, text=derived).stderr
    functions, peak = table(counted)
failed = False
for function, mode, most in bounds:
    if mode == "size":
        first, second = (size(flat, f"@{name}") for name in function.split("/"))
        value = second / first
    elif mode == "peak":
        value = peak
    elif mode == "bytes":
        value = per_call(f"{function}.forward", RETURNED) - per_call(function, RETURNED)
    else:
        value = sum(per_call(f"{function}.{part}", FLOPS) for part in DERIVED[mode])
        value /= per_call(function, FLOPS)
    is_more = value > float(most)
    failed |= is_more
    shown = f"{value:.0f}" if mode in ("bytes", "peak") else f"{value:.2f}"
    print(f"{function} {mode}: {shown}{f', more than {most}' if is_more else ''}")
sys.exit(failed)
