"""The expected figures in a configuration's file: the lines they stand on, and how to rewrite them."""

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple

from workbench.kernel import InputError, Result, Verdict
from workbench.registry.configurations import COUNTS, VERDICT_WORDS, Configuration

#: A figure's path of keys in a file, such as ``("expect", "distinct")``.
Keys = tuple[str, ...]

#: The word for a missing expectation.
NOTHING = "nothing"

_EXPECT, _VERDICTS = "expect", "verdicts"
#: The counts for a configuration without expectations; published figures of TLC seldom have more.
_FIRST = ("distinct", "depth")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HEADER = re.compile(r"\s*\[\s*([\w.-]+)\s*\]\s*(#.*)?$")
#: No figure, and no word of a verdict, holds a #.
_ENTRY = re.compile(r"(\s*([\w-]+|\"[^\"]*\")\s*=\s*)([^#]*?)(\s*(?:#.*)?)$")


class FigureChange(NamedTuple):
    """A change to one of the expected figures in a configuration's file.

    Attributes:
        keys: The figure's path in the file.
        before, now: The expected and the computed figure, in words; `before` is :data:`NOTHING` if the file expects
            none.
        value: The computed figure, as TOML.
    """

    keys: Keys
    before: str
    now: str
    value: str

    @property
    def is_verdict(self) -> bool:
        return _VERDICTS in self.keys[:-1]

    def __str__(self) -> str:
        return f"{self.keys[-1]}: {self.before} -> {self.now}"


def keys_of(name: str) -> Keys:
    """The keys of the figure called `name`: a count, or the verdict on a property."""
    return (_EXPECT, name) if name in COUNTS else (_EXPECT, _VERDICTS, name)


def figure_changes(configuration: Configuration, result: Result) -> list[FigureChange]:
    """The changes that make a configuration expect `result`, the result of a complete search.

    Expected figures that differ are replaced. A configuration that expects nothing gets all verdicts, ``distinct`` and
    ``depth``.

    Raises:
        InputError: If a verdict is unknown: a configuration cannot expect that.
    """
    before = dict(configuration.expectations())
    if configuration.expect:
        names = [different.name for different in configuration.compared(result)]
    else:
        names = [*_FIRST, *(verdict.name for verdict in result.verdicts)]
    verdicts = {verdict.name: verdict for verdict in result.verdicts}
    return [
        FigureChange(keys_of(name), before.get(name, NOTHING), *_computed(name, result, verdicts.get(name)))
        for name in names
    ]


def _computed(name: str, result: Result, verdict: Verdict | None) -> tuple[str, str]:
    """The computed figure, in words and as TOML."""
    if name in COUNTS:
        return f"{getattr(result, name):,}", str(getattr(result, name))
    if verdict is not None and verdict.word in VERDICT_WORDS:
        return verdict.word, json.dumps(verdict.word)
    if verdict is None or verdict.holds is None or verdict.trace is None:
        raise InputError(f"{name} is not decided, so that there is no verdict to accept")
    return verdict.summary, f"{{ {verdict.word} = {len(verdict.trace)} }}"


def lines_of(text: str) -> dict[Keys, int]:
    r"""The line of each figure in a configuration's text, counted from 1.

    Examples:
        >>> lines_of('model = "bakery"\n\n[expect]\ndistinct = 9  # of TLC\n[expect.verdicts]\nSafe = "holds"\n')
        {('expect', 'distinct'): 4, ('expect', 'verdicts', 'Safe'): 6}
    """
    return {keys: at + 1 for keys, at in _entries(text.split("\n")).items()}


def rewritten(text: str, figures: Mapping[Keys, str]) -> str:
    r"""A configuration's text with other figures; everything else, comments included, stays.

    Raises:
        InputError: If the figures are written in an unsupported form, such as ``expect = { distinct = 9 }``.

    Examples:
        >>> rewritten("[expect]\ndistinct = 9  # of TLC\n", {("expect", "distinct"): "12"})
        '[expect]\ndistinct = 12  # of TLC\n'
    """
    lines, end = text.split("\n"), "\r" if "\r\n" in text else ""
    for keys, value in figures.items():
        at = _entries(lines).get(keys)
        if at is None:
            _add(lines, keys, value, end)
        else:
            lines[at] = _ENTRY.sub(rf"\g<1>{value}\g<4>", lines[at])
    changed = "\n".join(lines)
    if not _is_meant(changed, text, figures):
        raise InputError("its figures stand in a form that is not rewritten; it takes a line for each below [expect]")
    return changed


def _is_meant(changed: str, text: str, figures: Mapping[Keys, str]) -> bool:
    """Whether TOML reads `changed` as `text` with the new `figures`: the lines were edited by regular expressions."""
    meant: dict[str, Any] = tomllib.loads(text)
    for keys, value in figures.items():
        table = meant
        for key in keys[:-1]:
            table = table.setdefault(key, {})
        table[keys[-1]] = tomllib.loads(f"value = {value}")["value"]
    try:
        return tomllib.loads(changed) == meant
    except tomllib.TOMLDecodeError:
        return False


def _entries(lines: list[str]) -> dict[Keys, int]:
    """The lines, counted from 0, of the entries below ``[expect]`` and ``[expect.verdicts]``."""
    section, entries = "", {}
    for at, line in enumerate(lines):
        if header := _HEADER.match(line):
            section = header[1]
        elif section in (_EXPECT, f"{_EXPECT}.{_VERDICTS}") and (entry := _ENTRY.match(line)):
            entries[*section.split("."), entry[2].strip('"')] = at
    return entries


def _add(lines: list[str], keys: Keys, value: str, end: str) -> None:
    """Add a new figure below the last one of its section, or in a new section."""
    *section, name = keys
    key = name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)
    beside = [at for other, at in _entries(lines).items() if other[:-1] == tuple(section)]
    headers = [
        at for at, line in enumerate(lines) if (header := _HEADER.match(line)) and header[1] == ".".join(section)
    ]
    if not beside and not headers:
        while lines and not lines[-1].strip():
            lines.pop()
        headers = [len(lines) + 1]
        lines += [end, f"[{'.'.join(section)}]{end}", ""]
    lines.insert(max([*beside, *headers]) + 1, f"{key} = {value}{end}")
