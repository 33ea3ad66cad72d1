"""Compares the code blocks of a page with the sources: snippets.py PAGE FOLDER.

A block of Rust or calc must occur in a file of the folder, line by line, at any indentation.
"""

import pathlib
import re
import sys
import textwrap


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def contains(lines, block):
    width = len(block)
    return any(lines[start : start + width] == block for start in range(len(lines) - width + 1))


page, folder = sys.argv[1], pathlib.Path(sys.argv[2])
sources = [lines_of(path.read_text()) for path in sorted(folder.rglob("*")) if path.suffix in (".rs", ".calc")]
blocks = re.findall(r"^```(?:rust|calc)\n(.*?)^```", pathlib.Path(page).read_text(), re.M | re.S)
if not blocks:
    sys.exit(f"{page} has no code block")
for block in blocks:
    if not any(contains(source, lines_of(block)) for source in sources):
        sys.exit(f"{page} shows code that is in no file of {folder}:\n{textwrap.indent(block, '  ')}")
