r"""Transcripts: what is typed at a terminal and what is printed then, on pages of docs/ and in tests/commands/*.md.

In a block marked ``console``, a line with $ is a command, which lines with > continue. Below it stands what it prints:
its standard output, then its standard error with ! before each line, then its exit status, ``[1]``, if that is not 0.
What varies is written as ``...``, within a line or as a line of its own, for any number of lines. How many seconds
something takes is not compared.

In a block marked ``refused``, each line is a command of the workbench and, after =>, the short line that refuses it:
the status is 2, nothing else is printed (with ``--json`` only the same as JSON), and no file changes. If the mark goes
on with a command, such as ``refused check one.toml``, each line is text that the command's last file goes on with, with
``\n`` for an end of line.

``pytest --accept`` writes what is printed into the transcripts, and keeps each ellipsis that still holds.
"""

import fcntl
import json
import os
import re
import shlex
import subprocess
from contextlib import ExitStack
from difflib import unified_diff
from itertools import product, takewhile
from operator import itemgetter
from pathlib import Path

from tests.command import Done, Run

_BLOCK = re.compile(r"^```(?P<kind>console|refused)(?P<of>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_TYPED = re.compile(r"^\$ (?P<typed>.*\n(?:>.*\n)*)(?P<said>(?:(?!\$ ).*\n)*)", re.MULTILINE)
_SECONDS = re.compile(r"\d+\.\d+(?= s\b|$)")
_LONGEST_REFUSAL = 600
ANYTHING = "..."


def compare(page: Path, text: str, run: Run, *, accept: bool) -> None:
    """Play the blocks of a part of a page. What differs is an error, or goes into the page if it is accepted."""
    played = play(text, run)
    if accept:
        with page.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # other workers accept other parts
            whole = file.read().replace(text, played)
            file.seek(0)
            file.truncate()
            file.write(whole)
    else:
        assert played == text, "\n".join(unified_diff(text.splitlines(), played.splitlines(), "is said", "is printed"))


def play(text: str, run: Run) -> str:
    """The text as it would be if it said what its commands print, here and now."""

    def block(found: re.Match[str]) -> str:
        kind, of, said = found["kind"], found["of"], found["text"]
        if kind == "console":
            now = _TYPED.sub(lambda one: _typed(one["typed"], one["said"], run), said)
        else:
            now = "".join(f"{_refused(of, line, run)}\n" for line in said.splitlines())
        return f"```{kind}{of}\n{now}```"

    return _BLOCK.sub(block, text)


def _typed(typed: str, said: str, run: Run) -> str:
    line = re.sub(r"^> ?", "", typed, flags=re.MULTILINE)
    if line.startswith("workbench "):
        done = run(*shlex.split(line)[1:])
    elif line.startswith("cd "):
        os.chdir(line.split()[1])
        done = Done(0, "", "")
    else:
        shell = subprocess.run(line, shell=True, capture_output=True, text=True)
        done = Done(shell.returncode, shell.stdout, shell.stderr)
    printed = [text.rstrip() for text in (*_lines(done.out), *(f"! {text}" for text in _lines(done.err)))]
    if done.status:
        printed.append(f"[{done.status}]")
    return "".join([f"$ {typed}", *(f"{text}\n" for text in merged(_lines(said), printed))])


def _refused(of: str, line: str, run: Run) -> str:
    given, _, said = line.partition(" => ")
    with ExitStack() as afterwards:
        command = shlex.split(of or given)
        if of:
            file = Path(command[-1])
            held = file.read_text()
            afterwards.callback(file.write_text, held)
            file.write_text(held + given.replace("\\n", "\n"))
        before = contents(Path())
        done = run(*command)
        refusal = re.fullmatch("workbench:? (.*)\n", done.err)
        changed = contents(Path()) != before
    if done.status != 2 or refusal is None or len(refusal[1]) > _LONGEST_REFUSAL or changed:
        return f"{given} => is no refusal: {done}"
    if not (refusal[1].endswith(json.loads(done.out)["error"]) if "--json" in command else done.out == ""):
        return f"{given} => is no refusal: {done}"
    return f"{given} => {merged([said], [refusal[1]])[0]}"


def contents(folder: Path) -> dict[Path, bytes | None]:
    """The files in a folder with what they hold, and the folders in it."""
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def merged(said: list[str], printed: list[str]) -> list[str]:
    """The lines that are printed, in the words of those that are said where they hold, with ellipses.

    Where they do not hold, a line is replaced by the one that is most like it: dear is a line that is lost, else an
    ellipsis nearby would swallow what replaces it.

    >>> merged(["one ...", "...", "two"], ["one fine day", "or", "other", "three"])
    ['one ...', '...', 'three']
    """
    patterns = [_pattern(line) for line in said]
    plain = [_SECONDS.sub("", line) for line in printed]
    # From the ends on: what the rest costs, the lines that it begins with, and where it goes on after them.
    rest: dict[tuple[int, int], tuple[float, list[str], tuple[int, int]]] = {}
    for i, j in product(range(len(said), -1, -1), range(len(printed), -1, -1)):
        ways: list[tuple[float, list[str], tuple[int, int]]] = []
        if i < len(said):
            anything = said[i] == ANYTHING
            ways.append((0, [ANYTHING], (i + 1, j)) if anything else (3, [], (i + 1, j)))
            if j < len(printed) and anything:
                ways.append((0, [], (i, j + 1)))
            elif j < len(printed) and patterns[i].fullmatch(plain[j]):
                ways.append((0, [said[i]], (i + 1, j + 1)))
            elif j < len(printed):
                ways.append((2 * (1 - _likeness(said[i], printed[j])), [printed[j]], (i + 1, j + 1)))
        if j < len(printed):
            ways.append((0.5, [printed[j]], (i, j + 1)))
        costs = [(cost + rest[then][0], lines, then) for cost, lines, then in ways]
        rest[i, j] = min(costs, key=itemgetter(0), default=(0, [], (i, j)))
    at, lines = (0, 0), list[str]()
    while at != (len(said), len(printed)):
        _, more, at = rest[at]
        lines += more
    return lines


def _pattern(line: str) -> re.Pattern[str]:
    return re.compile(".*?".join(map(re.escape, _SECONDS.sub("", line).split(ANYTHING))))


def _likeness(one: str, other: str) -> float:
    """How much of two lines is the same at their beginnings: less than 1."""
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return alike / (1 + max(len(one), len(other)))
