"""Runs each program of some folders as its test does, and by the reference interpreter at every stage, and compares what they print.

    interpret_programs.py STAGE FOLDER...

A test says how to run its program: `// RUN: tfxc run %s 3 9`. STAGE is a pass or a pipeline that is run first, such as
`--tfx-extract`, or `source`. Prints how many agree, and each that does not.
"""

import glob
import os
import re
import subprocess
import sys

# Options that say how to compile, which the interpreter does not.
COMPILING = ["--executor", "--dynamic", "--unroll-recursion", "-O"]
FLAGS = ["--stats", "--unroll", "--graph-functions=false"]


def commands(path):
    """The arguments with which a test runs its program, each once."""
    text = open(path).read()
    found = [match.group(1).split() for match in re.finditer(r"RUN: tfxc run %s(.*?)(?: 2?>| \||$)", text, re.MULTILINE)]
    return [list(arguments) for arguments in dict.fromkeys(map(tuple, found)) if "%t" not in " ".join(arguments)]


def interpreted(arguments):
    """The same arguments without those that say how to compile."""
    kept, skip = [], False
    for argument in arguments:
        if skip or argument in FLAGS:
            skip = False
        elif argument in COMPILING:
            skip = True
        elif not any(argument.startswith(option + "=") for option in COMPILING) and not re.match(r"-O\d", argument):
            kept.append(argument)
    return kept


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def main(stage, folders):
    agree = 0
    differ = []
    paths = [path for folder in folders for path in sorted(glob.glob(os.path.join(folder, "*.mlir")))]
    for path in paths:
        for arguments in commands(path):
            arguments = [argument.replace("%S", os.path.dirname(path)) for argument in arguments]
            compiled = run(["tfxc", "run", path, *(argument for argument in arguments if argument != "--stats")])
            # One that is to fail, or needs TensorFlow, has an operation without a kernel here.
            if compiled.returncode != 0 or "tensorflow" in arguments:
                continue
            options = [option for option in arguments if option.startswith(("--dynamic", "--unroll", "--graph-functions=false"))]
            if stage == "source":
                text = open(path).read()
            elif options:
                continue
            else:
                text = run(["tfx-opt", path, stage]).stdout
            answer = run(["tfxc", "interpret", "-", "--fuel", "100000000", *interpreted(arguments)], input=text, cwd=os.path.dirname(path))
            if answer.returncode == 0 and answer.stdout == compiled.stdout:
                agree += 1
            else:
                differ.append(f"{path} {' '.join(arguments)}\n{answer.stderr or answer.stdout}")
    print("\n".join(differ))
    print(f"{agree} agree, {len(differ)} differ")


main(sys.argv[1], sys.argv[2:])
