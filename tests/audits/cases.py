"""Audits as data: a case is the history of a table with what befalls it, and what an audit then says of it.

A file of cases, ``audit.txt`` beside the tests of each protocol, reads so::

    a slice is deleted
        commit a jack=red; commit a jack=blue
        remove a@2
        => PublishedFilesExist proved 2: there is no <a@2>

Steps, separated by semicolons or on lines of their own, are the methods of the format's `Table`: ``commit a jack=red``
calls ``table.commit("a", "jack=red")``. What stands between < and > is filled in by the table. The lines with => that
follow each other say all that one audit finds, in order: property, grade, version (or -), and parts of the text, with |
between them and ... for anything; ``not TEXT`` is not in it. Other such lines are

- ``sound``: nothing is found, and nothing left out; ``nothing``: nothing is found, but something was left out;
- ``incomplete``: something was left out;
- ``versions 1 4``: the first and the last version that were read;
- ``note TEXT``, ``no note TEXT``, ``looked TEXT``: the audit names it as not checked, does not, or as looked at;
- ``refused TEXT``: the line that is said instead of an audit.

A file's lines without indentation are names of cases, and may end with the variants of the table that the case is for,
``[8 9]``; those that begin with ``written:`` need the writers of real tables. Remarks begin with #. A line that ends
with a backslash goes on in the next.
"""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from tests.audits.damage import change, drop, put
from tests.audits.expected import agreed, refusal
from workbench.audits import Audit
from workbench.audits.findings import Finding


class Table:
    """A table in a folder: what can be done to the files of any format, and how it is to be audited."""

    #: The properties of which a finding may have no state.
    stateless: tuple[str, ...] = ()

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.how: dict[str, Any] = {}

    def __fspath__(self) -> str:
        return str(self.folder)

    def told(self, name: str) -> str:
        """What <`name`> stands for in a case."""
        raise KeyError(name)

    def version(self, name: str) -> int | None:
        """The version that a case calls `name`."""
        return None if name == "-" else int(name)

    def files(self, name: str) -> list[Path]:
        """The files that a case calls `name`, a pattern; one that is not there yet if none matches."""
        return sorted(self.folder.glob(name)) or [self.folder / name]

    def found(self, name: str) -> list[Path]:
        """The same, and not none."""
        files = self.files(name)
        assert files, f"there is no {name}"
        return files

    def filled(self, text: str) -> str:
        return re.sub("<(.+?)>", lambda name: self.told(name[1]), text)

    def audit(self) -> Audit:
        return agreed(self.folder, self.stateless, **self.how)

    # How it is audited

    def since(self, version: str) -> None:
        self.how["since"] = self.version(version)

    def acks(self, *lines: str) -> None:
        """Audit with these acknowledged commits; without any, if there is none."""
        file = self.folder.with_name("acks.jsonl")
        file.write_text("\n".join(lines))
        self.how["acks"] = file if lines else None

    def without_data(self) -> None:
        self.how["without_data"] = True

    # What befalls its files

    def remove(self, *names: str) -> None:
        for path in (path for name in names for path in self.found(name)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def empty(self, name: str) -> None:
        self.cut(name, "0")

    def cut(self, name: str, part: str) -> None:
        """Keep a part of each file, such as 0.5."""
        self._rewrite(name, lambda content: content[: int(len(content) * float(part))])

    def spoil(self, name: str) -> None:
        """Change the last byte of each file."""
        self._rewrite(name, lambda content: content[:-1] + bytes([content[-1] ^ 1]))

    def replace(self, name: str, old: str, new: str) -> None:
        """Put another text, in Latin-1, in the place of one, wherever it is in the files."""
        assert all(old.encode() in path.read_bytes() for path in self.found(name))
        self._rewrite(name, lambda content: content.replace(old.encode(), new.encode("latin-1")))

    def _rewrite(self, name: str, how: Callable[[bytes], bytes]) -> None:
        for path in self.found(name):
            path.write_bytes(how(path.read_bytes()))

    def write(self, name: str, *words: str) -> None:
        """Write a text, in Latin-1: then ÿ is no UTF-8."""
        (path,) = self.found(name)
        path.write_text(" ".join(words), "latin-1")

    def copy(self, name: str, to: str) -> None:
        (path,) = self.found(name)
        (self.folder / to).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, self.folder / to)

    def move_away(self, name: str) -> None:
        """Move a file or a folder out of the table, and leave a link to it."""
        elsewhere = self.folder.with_name("elsewhere")
        (self.folder / name).rename(elsewhere)
        (self.folder / name).symlink_to(elsewhere)

    def edit(self, name: str, *places: str) -> None:
        """Set fields, such as ``snapshots.3.parent=7``, or drop them: ``-snapshots.3``."""
        for path in self.found(name):
            change(path, lambda whole: _edit(whole, places))


def _edit(whole: Any, places: tuple[str, ...]) -> None:
    """Of one record, the places are those in the record."""
    (document,) = whole if isinstance(whole, list) and len(whole) == 1 else (whole,)
    for one in places:
        place, _, value = one.removeprefix("-").partition("=")
        parts = tuple(int(part) if re.fullmatch(r"-?\d+", part) else part for part in place.split("."))
        if one.startswith("-"):
            drop(parts, document)
        else:
            put(parts, json.loads(value), document)


@dataclass(frozen=True)
class Case:
    name: str
    lines: tuple[str, ...]

    def play(self, table: Table) -> None:
        """Make the table's history, and compare what audits say with what is expected."""
        for expects, lines in groupby(self.lines, key=lambda line: line.startswith("=>")):
            if expects:
                _expect(table, [table.filled(line.removeprefix("=>").strip()) for line in lines])
                continue
            for step in "; ".join(lines).split("; "):
                verb, *words = step.split()
                getattr(table, verb)(*map(table.filled, words))


def cases(file: Path, *variants: str) -> list[Any]:
    """The cases of a file as parameters of a test, each with every variant that it is for: all, or those it names."""
    found = []
    text = re.sub(r"^ *#.*\n|^\n|\\\n *", "", file.read_text(), flags=re.MULTILINE)
    for head, body in re.findall(r"^(\S.*)\n((?: .*\n)+)", text, re.MULTILINE):
        name, _, named = head.rstrip("]").partition(" [")
        case = Case(name, tuple(map(str.strip, body.splitlines())))
        for variant in named.split() or variants:
            marks = [pytest.mark.writers] if variant.startswith("written:") else []
            found.append(pytest.param(case, variant, id=f"{name} [{variant}]", marks=marks))
    return found


def _expect(table: Table, lines: list[str]) -> None:
    if lines[0].startswith("refused "):
        (line,) = lines
        said = refusal(table.folder, **table.how)
        assert _matches(line.removeprefix("refused "), said), said
        return
    found = table.audit()
    findings = [line for line in lines if re.match("[A-Z]", line)]
    graded = [(one.property, one.grade, one.version) for one in found.findings]
    expected = [(name, grade, table.version(n)) for name, grade, n in (line.split(":")[0].split() for line in findings)]
    assert graded == expected, found.text()
    for line, finding in zip(findings, found.findings, strict=True):
        for part in line.partition(":")[2].split("|"):
            sought = part.strip().removeprefix("not ")
            assert _matches(sought, _text(finding)) != part.strip().startswith("not "), _text(finding)
    for line in lines:
        if line not in findings:
            assert _is_so(table, found, *line.split(maxsplit=1)), f"{line}:\n{found.text()}"


def _text(one: Finding) -> str:
    return "\n".join([one.why, *one.evidence, f"bucket {one.bucket}", f"key {one.key}", *one.remarks()])


def _matches(part: str, text: str) -> bool:
    return bool(re.search(".*?".join(map(re.escape, part.split("..."))), text))


def _is_so(table: Table, found: Audit, what: str, more: str = "") -> bool:
    match what:
        case "sound":
            return found.findings == () and found.holds is True
        case "nothing":
            return found.findings == () and found.holds is None
        case "incomplete":
            return not found.complete
        case "versions":
            return found.versions == tuple(map(table.version, more.split()))
        case "note":
            return any(_matches(more, one) for one in found.not_checked)
        case "no":
            return not any(_matches(more.removeprefix("note "), one) for one in found.not_checked)
        case "looked":
            return any(_matches(more, one) for one in found.looked_at)
    raise ValueError(f"{what} is not known; see tests/audits/cases.py")
