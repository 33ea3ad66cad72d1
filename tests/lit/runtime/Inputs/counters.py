"""counters.py FILE: prints the values of the counters of a trace, in their order."""

import json
import sys

with open(sys.argv[1]) as file:
    events = json.load(file)
last = 0
for event in events:
    if event["ph"] == "C":
        assert last <= event["ts"], event
        last = event["ts"]
        print(f'{event["name"]}: {event["args"]["bytes"]}')
