"""A table of the times of the same calls in several systems, each in a process of its own."""

import importlib.util
import json
import statistics
import subprocess
import sys
import time

ROUNDS = 15
WARM_CALLS = 10


def measured(call, calls):
    """Returns the times of the rounds, in microseconds per call."""
    for _ in range(WARM_CALLS):
        call()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - start) / calls * 1e6)
    return times


def cell(times):
    return f"{statistics.median(times):.1f} ({min(times):.1f} to {max(times):.1f})"


def main(script, first, rows, systems, calls):
    """Prints the table, or the times of one system, if the command line names it.

    `script` is the file to run again, `first` the title of the first column; `systems` has for each
    name a function that returns a call for each row, and `calls(row)` is the number of calls of a
    round.
    """
    if len(sys.argv) == 2:
        made = zip(systems[sys.argv[1]](), rows)
        print(json.dumps([measured(call, calls(row)) for call, row in made]))
        return
    columns = {}
    for name in systems:
        if importlib.util.find_spec(name) is None:
            print(f"skipped: this Python has no {name}", file=sys.stderr)
            continue
        output = subprocess.run([sys.executable, script, name], check=True, stdout=subprocess.PIPE).stdout
        columns[name] = json.loads(output.splitlines()[-1])
    print_table(first, rows, columns)


def print_table(first, rows, columns):
    """Prints the table. `columns` has for each title the times of each row."""
    print(f"| {first} | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 1) + "|")
    for index, row in enumerate(rows):
        print(f"| {row} | {' | '.join(cell(column[index]) for column in columns.values())} |")
