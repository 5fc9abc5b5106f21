"""The expected figures in a configuration's file: on which lines they stand, and how found ones take their place."""

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple

from workbench.configurations import COUNTS, VERDICT_WORDS, Configuration, spell
from workbench.kernel import InputError, Result, Verdict

#: Where a figure stands in a file: the keys that lead to it, such as ``("expect", "distinct")``.
Keys = tuple[str, ...]

#: The word for what a configuration does not say.
NOTHING = "nothing"

_EXPECT, _VERDICTS = "expect", "verdicts"
#: What is written where a configuration expects nothing so far; figures of TLC seldom have more.
_FIRST = ("distinct", "depth")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HEADER = re.compile(r"\s*\[\s*([\w.-]+)\s*\]\s*(#.*)?$")
#: No figure, and no word of a verdict, holds a #.
_ENTRY = re.compile(r"(\s*([\w-]+|\"[^\"]*\")\s*=\s*)([^#]*?)(\s*(?:#.*)?)$")


class Change(NamedTuple):
    """A figure as a file has it, and as it was found.

    Attributes:
        before, now: In words; `before` is :data:`NOTHING` where nothing was expected.
        value: What was found, as TOML.
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
    """Where the figure called `name` stands: a count, or the verdict on a property."""
    return (_EXPECT, name) if name in COUNTS else (_EXPECT, _VERDICTS, name)


def changes(one: Configuration, result: Result) -> list[Change]:
    """What has to change in a configuration's figures so that `result`, of a complete search, is what it expects.

    Only figures that it has change; to one that expects nothing so far all verdicts come, and the numbers of states and
    levels.

    Raises:
        InputError: For what is not decided, which nobody can expect.
    """
    before = dict(one.expectations())
    if one.expect:
        names = [different.name for different in one.compared(result)]
    else:
        names = [*_FIRST, *(verdict.name for verdict in result.verdicts)]
    verdicts = {verdict.name: verdict for verdict in result.verdicts}
    return [
        Change(keys_of(name), before.get(name, NOTHING), *_found(name, result, verdicts.get(name))) for name in names
    ]


def _found(name: str, result: Result, verdict: Verdict | None) -> tuple[str, str]:
    """What was found, in words and as TOML."""
    if name in COUNTS:
        return f"{getattr(result, name):,}", str(getattr(result, name))
    if verdict is not None and verdict.word in VERDICT_WORDS:
        return verdict.word, json.dumps(verdict.word)
    if verdict is None or verdict.holds is None or verdict.trace is None:
        raise InputError(f"{name} is not decided, so that there is no verdict to accept")
    return spell(verdict), f"{{ {verdict.word} = {len(verdict.trace)} }}"


def lines_of(text: str) -> dict[Keys, int]:
    r"""The lines, from 1 on, on which the figures in a configuration's text stand.

    Examples:
        >>> lines_of('model = "bakery"\n\n[expect]\ndistinct = 9  # of TLC\n[expect.verdicts]\nSafe = "holds"\n')
        {('expect', 'distinct'): 4, ('expect', 'verdicts', 'Safe'): 6}
    """
    return {keys: at + 1 for keys, at in _entries(text.split("\n")).items()}


def rewritten(text: str, found: Mapping[Keys, str]) -> str:
    r"""A configuration's text with other figures; all else, comments too, stays as it is.

    Raises:
        InputError: If the figures stand in a form that is not rewritten, such as ``expect = { distinct = 9 }``.

    Examples:
        >>> rewritten("[expect]\ndistinct = 9  # of TLC\n", {("expect", "distinct"): "12"})
        '[expect]\ndistinct = 12  # of TLC\n'
    """
    lines, end = text.split("\n"), "\r" if "\r\n" in text else ""
    for keys, value in found.items():
        at = _entries(lines).get(keys)
        if at is None:
            _add(lines, keys, value, end)
        else:
            lines[at] = _ENTRY.sub(rf"\g<1>{value}\g<4>", lines[at])
    changed = "\n".join(lines)
    if not _is_meant(changed, text, found):
        raise InputError("its figures stand in a form that is not rewritten; it takes a line for each below [expect]")
    return changed


def _is_meant(changed: str, text: str, found: Mapping[Keys, str]) -> bool:
    """Whether a text says what `text` says, but for what was found: the lines above are found by their looks."""
    meant: dict[str, Any] = tomllib.loads(text)
    for keys, value in found.items():
        table = meant
        for key in keys[:-1]:
            table = table.setdefault(key, {})
        table[keys[-1]] = tomllib.loads(f"value = {value}")["value"]
    try:
        return tomllib.loads(changed) == meant
    except tomllib.TOMLDecodeError:
        return False


def _entries(lines: list[str]) -> dict[Keys, int]:
    """The lines, from 0 on, of what stands below ``[expect]`` and ``[expect.verdicts]``."""
    section, found = "", {}
    for at, line in enumerate(lines):
        if header := _HEADER.match(line):
            section = header[1]
        elif section in (_EXPECT, f"{_EXPECT}.{_VERDICTS}") and (entry := _ENTRY.match(line)):
            found[*section.split("."), entry[2].strip('"')] = at
    return found


def _add(lines: list[str], keys: Keys, value: str, end: str) -> None:
    """Put a figure that a text does not have below the last one of its section, or below a section of its own."""
    *section, name = keys
    key = name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)
    beside = [at for other, at in _entries(lines).items() if other[:-1] == tuple(section)]
    headers = [at for at, line in enumerate(lines) if (found := _HEADER.match(line)) and found[1] == ".".join(section)]
    if not beside and not headers:
        while lines and not lines[-1].strip():
            lines.pop()
        headers = [len(lines) + 1]
        lines += [end, f"[{'.'.join(section)}]{end}", ""]
    lines.insert(max([*beside, *headers]) + 1, f"{key} = {value}{end}")
