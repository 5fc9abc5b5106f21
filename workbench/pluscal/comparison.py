"""Compares a translation with a fresh one: which definitions differ in meaning.

Layout, comments, the order of variables, and the line numbers in assertions do not count: they change with the version
of pcal and with the text above the algorithm. Next and the definitions about termination are not compared: their form
has changed between versions, and the other definitions determine them. Nor is Spec: its fairness may come from pcal's
command line, which is recorded nowhere.
"""

import re
from collections.abc import Iterable, Sequence

from workbench.pluscal.tokens import read

_COMMENT = re.compile(r"\\\*.*|\(\*.*?\*\)")
_HEAD = re.compile(r"(\w+)(?:\(self\))?\s*==|(VARIABLE|CONSTANT)")
_ASSERTION = re.compile(r'"Failure of assertion at line .*?"')
_UNCHANGED = re.compile(r"UNCHANGED (?:<< (.*?) >>|(\w+)(?= |$))")
_UNCOMPARED = frozenset({"Next", "Terminating", "Termination", "CONSTANT", "Spec"})


def differing(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """The names of definitions that only one of two translations has, or that differ."""
    before, after = _definitions(old), _definitions(new)
    names = (before.keys() | after.keys()) - _UNCOMPARED
    return sorted(name for name in names if before.get(name) != after.get(name))


def defined(lines: Iterable[str]) -> set[str]:
    """The names that a translation declares or defines."""
    names = set[str]()
    for name, words in _definitions(lines).items():
        names |= set(words.split()) if name in ("VARIABLE", "CONSTANT") else {name}
    return names


def _definitions(lines: Iterable[str]) -> dict[str, str]:
    """The words of each definition."""
    texts: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        if head := _HEAD.match(line):
            name = head[1] or head[2]
        text = _ASSERTION.sub('"Failure"', _COMMENT.sub("", line))
        if text.strip():
            texts.setdefault(name, []).append(text)
    return {name: _normal(name, [word.text for word in read("\n".join(text), 1, 1)]) for name, text in texts.items()}


def _normal(name: str, words: list[str]) -> str:
    if name in ("VARIABLE", "vars"):
        return " ".join(sorted(set(words) - {",", "VARIABLE", "VARIABLES"}))
    text = " ".join(words)
    return _UNCHANGED.sub(_unchanged, text)


def _unchanged(conjunct: re.Match[str]) -> str:
    names = conjunct[1].split(" , ") if conjunct[1] else [conjunct[2]]
    return " ".join(sorted(names)) if len(names) > 1 else f"{names[0]} ' = {names[0]}"
