"""Executes a page: page.py PAGE, in an empty folder.

A code block whose first line is a comment with a file name is written to that file. A block `console` has commands
after `$ `, each followed by its output, standard error included, in which `...` stands for any text. A command must fail
if and only if its output has an error.
"""

import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"(?://|/\*|#) ([\w./]+\.\w+)(?: \*/)?\n")


def main():
    ran = 0
    for language, text in BLOCK.findall(pathlib.Path(sys.argv[1]).read_text()):
        if language == "console":
            for command, expected in re.findall(r"^\$ (.*\n)((?:(?!\$ ).*\n)*)", text, re.M):
                execute(command.strip(), expected)
                ran += 1
        elif name := FILE.match(text):
            file = pathlib.Path(name[1])
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    if not ran:
        sys.exit("the page has no command")
    print(f"{ran} commands")


def execute(command, expected):
    result = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240)
    pattern = ".*".join(re.escape(part) for part in expected.rstrip("\n").split("..."))
    if not re.fullmatch(pattern, result.stdout.rstrip("\n"), re.S):
        sys.exit(f"$ {command}\n{result.stdout}\nis not what the page shows:\n{expected}")
    if (result.returncode != 0) != ("error:" in expected):
        sys.exit(f"$ {command}\n{result.stdout}\nends with exit code {result.returncode}")


if __name__ == "__main__":
    main()
