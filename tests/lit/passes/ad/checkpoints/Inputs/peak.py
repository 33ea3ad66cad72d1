"""Runs a program; prints the peak of its memory in bytes, and its output. The peak that `wait4` returns
includes that of this process before it became the program, which is larger."""

import subprocess
import sys
import time

INTERVAL = 0.001  # seconds


def peak_of(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            lines = [line.split() for line in status if line.startswith("VmHWM:")]
    except OSError:  # It has ended.
        return 0
    return int(lines[0][1]) * 1024 if lines else 0


process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
peak = 0
while process.poll() is None:
    peak = max(peak, peak_of(process.pid))
    time.sleep(INTERVAL)
if process.returncode != 0:
    sys.exit(f"the program failed with status {process.returncode}")
print(peak, process.stdout.read(), end="")
