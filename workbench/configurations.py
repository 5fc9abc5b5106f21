"""Named configurations: a model with constants, what to check, and what is expected, each in a small TOML file."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.kernel import InputError, Model, Result
from workbench.kernel.errors import unknown
from workbench.models import get_model

_KEYS = ("title", "model", "source", "symmetry", "properties", "constants", "expect")
_EXPECTED = ("distinct", "depth", "generated", "verdicts")


@dataclass(frozen=True)
class Configuration:
    """One file of ``specs/``.

    Attributes
    ----------
    path : Path
    title : str
    source : str
        Where the expected figures come from.
    model : Model
    symmetry : tuple of str
    properties : list of str or None
    expect : dict
        ``distinct``, ``depth``, ``generated``, and ``verdicts``: per property ``"holds"``, ``"not reached"``,
        ``{violated = N}`` or ``{reached = N}`` with N the number of states of a shortest trace.
    """

    path: Path
    title: str
    source: str
    model: Model
    symmetry: tuple[str, ...] = ()
    properties: list[str] | None = None
    expect: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path.stem

    def differences(self, result: Result) -> list[str]:
        """How `result` differs from what is expected, a line each."""
        lines = [] if result.complete else [f"the search is incomplete: {result.stopped}"]
        for name in ("distinct", "depth", "generated"):
            wanted = self.expect.get(name)
            found = getattr(result, name)
            if wanted is not None and found != wanted:
                lines.append(f"{name}: expected {wanted:,}, found {found:,}")
        for name, wanted in self.expect.get("verdicts", {}).items():
            found = spell(result[name].word, result[name].trace_states)
            expected = wanted if isinstance(wanted, str) else spell(*next(iter(wanted.items())))
            if found != expected:
                lines.append(f"{name}: expected {expected}, found {found}")
        return lines


def spell(word: str, states: int | None) -> str:
    """A verdict in a line: ``violated (22 states)``."""
    return word if states is None else f"{word} ({states} states)"


def load(path: Path) -> Configuration:
    """Read one configuration.

    Raises
    ------
    InputError
        If the file cannot be read, is not TOML, or names something that does not exist.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise InputError(f"configuration {str(path)!r} cannot be read: {reason}") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"configuration {str(path)!r} is not TOML: {error}") from None
    try:
        return _from_table(path, table)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _from_table(path: Path, table: dict[str, Any]) -> Configuration:
    for key in table:
        if key not in _KEYS:
            raise unknown("key", key, _KEYS)
    if not isinstance(table.get("model"), str):
        raise InputError(f"model = {table.get('model')!r} is not accepted; it takes the name of a model")
    constants, expect = table.get("constants", {}), table.get("expect", {})
    if not isinstance(constants, dict) or not isinstance(expect, dict):
        raise InputError("constants and expect are not accepted as single values; they take a table each")
    model = get_model(table["model"])(**constants)
    for key in expect:
        if key not in _EXPECTED:
            raise unknown("key of expect", key, _EXPECTED)
    properties = table.get("properties")
    checked = {p.name for p in model.select(properties)}
    for name, wanted in expect.get("verdicts", {}).items():
        if name not in checked:
            raise unknown("checked property", name, checked)
        plain = wanted in ("holds", "not reached")
        counted = isinstance(wanted, dict) and len(wanted) == 1 and set(wanted) <= {"violated", "reached"}
        if not (plain or (counted and all(type(n) is int for n in wanted.values()))):
            raise InputError(
                f"expect.verdicts.{name} = {wanted!r} is not accepted; it takes 'holds', 'not reached', "
                "{ violated = N } or { reached = N }"
            )
    return Configuration(
        path,
        table.get("title", path.stem),
        table.get("source", ""),
        model,
        tuple(table.get("symmetry", ())),
        properties,
        expect,
    )


def find(targets: Iterable[str | Path]) -> list[Path]:
    """The configuration files that `targets` - files, or folders searched to the bottom - stand for."""
    found: list[Path] = []
    for target in map(Path, targets):
        if target.is_dir():
            inside = sorted(target.rglob("*.toml"))
            if not inside:
                raise InputError(f"folder {str(target)!r} holds no configuration (*.toml)")
            found += inside
        else:
            found.append(target)
    return found
