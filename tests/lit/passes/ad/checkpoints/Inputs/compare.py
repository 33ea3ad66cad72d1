"""Compares the memory of three programs, and their results. See memory.test."""

import sys

MB = 1 << 20


def read(path):
    with open(path) as file:
        peak, slope = file.read().split()
    return int(peak), float(slope)


(tapes, slope), *others = (read(path) for path in sys.argv[1:])
print("tapes: more than 32 MB" if tapes > 32 * MB else f"tapes: {tapes} bytes")
for name, (peak, found) in zip(["binomial", "binomial, count unknown"], others):
    memory = "less than 12 MB" if peak < 12 * MB else f"{peak} bytes"
    is_same = abs(found - slope) <= 1e-9 * abs(slope)
    print(f"{name}: {memory}, {'the same derivative' if is_same else f'{found}, not {slope}'}")
