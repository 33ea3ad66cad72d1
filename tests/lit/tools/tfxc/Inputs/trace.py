"""trace.py FILE: reads a trace as Perfetto would, and says how much of what is in it."""

import collections
import json
import sys

with open(sys.argv[1]) as file:
    events = json.load(file)
names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
spans = [event for event in events if event["ph"] == "X"]
counts = collections.Counter((names[span["tid"]], span["name"]) for span in spans)
for (thread, name), count in sorted(counts.items()):
    print(f"{thread}: {name}: {count}")

# Each arrow starts in a kernel, and ends in a wait of another stream.
for start in events:
    if start["ph"] == "s":
        end = next(event for event in events if event["ph"] == "f" and event["id"] == start["id"])
        print(f'{names[start["tid"]]} -> {names[end["tid"]]}')
        assert start["ts"] <= end["ts"], (start, end)

# Spans of one thread follow each other: nothing here is inside of something else, but for what a graph does in its run.
for thread, name in names.items():
    mine = sorted((s["ts"], s["ts"] + s["dur"], s["name"]) for s in spans if s["tid"] == thread and not s["name"].startswith("run "))
    for (_, end, before), (start, _, after) in zip(mine, mine[1:]):
        # A tenth of a microsecond for the rounding of decimal fractions.
        assert start > end - 0.1, (name, before, after)
for span in spans:
    if span["cat"] not in ("program", "stream"):
        assert span["args"]["bytes"] > 0 and ".mlir:" in span["args"]["location"], span
