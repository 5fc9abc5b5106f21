"""Named configurations: small TOML files with a model, its constants, what to check, and the expected result."""

import os
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from workbench.kernel import InputError, Machine, Result, Verdict, machine_of
from workbench.kernel.meaning.constants import spell
from workbench.kernel.meaning.errors import brief, did_you_mean, listed, unknown
from workbench.kernel.meaning.machine import ModelClass
from workbench.kernel.meaning.result import WITHIN, with_states
from workbench.kernel.meaning.text import printable
from workbench.kernel.meaning.translation import STALE
from workbench.registry import file_in, get_model, having, models
from workbench.registry.shipped import MODULES, folder

_KEYS = ("title", "model", "source", "symmetry", "properties", "constants", "expect")
_SPECS = "specs"
#: The counts of a complete search that a configuration may expect.
COUNTS = ("distinct", "depth", "generated", "outside")
#: The words of verdicts without a trace.
VERDICT_WORDS = tuple(
    f"{word}{bound}" for bound in ("", *map(" {}".format, WITHIN)) for word in ("holds", "not reached")
)


class Mismatch(NamedTuple):
    """A count or verdict of a check that differs from the configuration's expectation."""

    name: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.name}: expected {self.expected}, found {self.found}"


@dataclass(frozen=True)
class Configuration:
    """One file of ``specs/``.

    Attributes:
        source: The source of the expected figures.
        constants: The constants that the file sets, as written there.
        expect: ``distinct``, ``depth``, ``generated``, ``outside``, and ``verdicts``: per property ``"holds"``, ``"not
            reached"``, the same ``within the constraint`` or ``within the VIEW``, or ``{violated = N}`` or ``{reached =
            N}`` with N the number of states of a shortest trace.
        model_file: The model's file, unless it comes with the package.
    """

    path: Path
    title: str
    source: str
    model: Machine
    symmetry: tuple[str, ...] = ()
    properties: list[str] | None = None
    constants: dict[str, Any] = field(default_factory=dict)
    expect: dict[str, Any] = field(default_factory=dict)
    model_file: Path | None = None

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def files(self) -> list[Path]:
        """The files that were read: the configuration, and the model's file if one is named."""
        return [self.path] if self.model_file is None else [self.path, self.model_file]

    def differences(self, result: Result) -> list[str]:
        """The mismatches of `result`, a line each; see :meth:`compared`."""
        return list(map(str, self.compared(result)))

    def compared(self, result: Result) -> list[Mismatch]:
        """Compare `result` with the expectations.

        An unknown or missing verdict is a mismatch, unless the search is incomplete or Ctrl-C stopped the making of
        traces after it.
        """
        different = []
        for name in COUNTS if result.complete else ():
            expectation, counted = self.expect.get(name), getattr(result, name)
            if expectation is not None and counted != expectation:
                different.append(Mismatch(name, f"{expectation:,}", f"{counted:,}"))
        verdicts = {verdict.name: verdict for verdict in result.verdicts}
        asked = [declared.name for declared in self.model.select(self.properties)]
        for name in dict.fromkeys([*asked, *verdicts]):
            expected, verdict = self._expected(name), verdicts.get(name)
            if verdict is None or verdict.holds is None:
                differs = result.cut_short is None
            elif expected is None:
                differs = not verdict.holds or verdict.within is not None
            elif result.interrupted and verdict.trace is None:  # its length is unknown
                differs = expected.partition(" (")[0] != verdict.word
            else:
                differs = verdict.summary != expected
            if differs:
                expectation = expected or "that it holds, since nothing is said"
                different.append(Mismatch(name, expectation, "no verdict" if verdict is None else _in_words(verdict)))
        return different

    def expectations(self) -> list[tuple[str, str]]:
        """The expected counts and verdicts, as names and words."""
        counts = [(name, f"{self.expect[name]:,}") for name in COUNTS if name in self.expect]
        return counts + [(name, str(self._expected(name))) for name in self.expect.get("verdicts", {})]

    def as_expected(self, result: Result) -> bool:
        """Whether `result` meets all expectations.

        It never does if it is incomplete, if nothing is judged or expected, or if it is that of a stale translation.
        """
        judged = bool(result.verdicts or self.expect)
        decided = result.cut_short is None and result.translation != STALE
        return decided and judged and not self.differences(result)

    def _expected(self, name: str) -> str | None:
        verdict = self.expect.get("verdicts", {}).get(name)
        return with_states(*next(iter(verdict.items()))) if isinstance(verdict, dict) else verdict


def _in_words(verdict: Verdict) -> str:
    """A verdict in a line, with the reason if it is not known."""
    return f"{verdict.summary}: {verdict.why}" if verdict.holds is None and verdict.why else verdict.summary


def configuration(target: str | Path, find_model: Callable[[str], ModelClass] = get_model) -> Configuration:
    """Read one configuration.

    Args:
        target: A file, or the name of a configuration that comes with the package, such as ``"v2_race"``.
        find_model: Finds the model by the name in the file.

    Raises:
        InputError: If the file cannot be read, is not TOML, or names something unknown.

    Examples:
        >>> configuration("v2_race").model
        BakeryV2Extended(AsyncParquet=True, RestampPatch=False)
    """
    path = resolve(target) if isinstance(target, str) else target
    try:
        text = path.read_bytes()
    except (OSError, ValueError) as error:  # no file can have a NUL in its name
        raise InputError(f"configuration {str(path)!r} cannot be read: {getattr(error, 'strerror', error)}") from None
    try:
        table = tomllib.loads(text.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError(f"configuration {str(path)!r} cannot be read: not UTF-8 text") from None
    except RecursionError:
        raise InputError(f"configuration {str(path)!r} is nested too deeply to be read") from None
    except ValueError as error:  # also for a number of thousands of digits
        raise InputError(f"configuration {str(path)!r} is not TOML: {error}") from None
    try:
        return _from_table(path, table, find_model)
    except InputError as error:
        raise InputError(f"{printable(str(path))}: {error}") from None


def _from_table(path: Path, table: dict[str, Any], find_model: Callable[[str], ModelClass]) -> Configuration:
    for key in table:
        if key not in _KEYS:
            raise unknown("key", key, _KEYS)
    if "model" not in table:
        raise InputError('there is no model in it; it takes a line such as model = "hudi"')
    title = _typed(table, "title", path.stem, str, "a text")
    source = _typed(table, "source", "", str, "a text")
    constants = _typed(table, "constants", {}, dict, "a table")
    name = _typed(table, "model", "", str, "the name of a model")
    file, attribute = file_in(name) or (None, "")
    if file is not None and (beside := _beside(path, file)).is_file():
        file, name = beside, f"{beside}:{attribute}"
    model = machine_of(find_model(name)(**constants))
    symmetry = model.declared.symmetric_sets("symmetry", _names(table, "symmetry", []))
    properties = _names(table, "properties", None)
    expect = _typed(table, "expect", {}, dict, "a table")
    _check_expectations(expect, [p.name for p in model.select(properties)])
    return Configuration(path, title, source, model, symmetry, properties, constants, expect, file)


def _beside(path: Path, file: Path) -> Path:
    """The file that a configuration names `file`; an installed package keeps its modules in another folder."""
    beside, top = path.parent / file, folder(_SPECS).parent
    module = Path(os.path.normpath(beside))
    return beside if beside.is_file() or not module.is_relative_to(top) else MODULES / module.relative_to(top)


def _typed(table: dict[str, Any], key: str, default: Any, kind: type, takes: str) -> Any:
    value = table.get(key, default)
    if not isinstance(value, kind):
        raise InputError(f"{key} = {brief(value)} is not accepted; it takes {takes}")
    return value


def _names(table: dict[str, Any], key: str, default: list[str] | None) -> Any:
    value = table.get(key, default)
    if key in table and not (isinstance(value, list) and all(isinstance(name, str) for name in value)):
        raise InputError(f"{key} = {brief(value)} is not accepted; it takes a list of names")
    return value


def _check_expectations(expect: dict[str, Any], checked: list[str]) -> None:
    for key in expect:
        if key not in (*COUNTS, "verdicts"):
            raise unknown("key of expect", key, (*COUNTS, "verdicts"))
        if key in COUNTS and not _is_count(expect[key]):
            raise InputError(f"expect.{key} = {brief(expect[key])} is not accepted; it takes an integer")
    for name, verdict in _typed(expect, "verdicts", {}, dict, "a table").items():
        if name not in checked:
            raise unknown("checked property", name, checked)
        plain = verdict in VERDICT_WORDS
        counted = isinstance(verdict, dict) and len(verdict) == 1 and set(verdict) <= {"violated", "reached"}
        if not (plain or (counted and all(map(_is_count, verdict.values())))):
            raise InputError(
                f"expect.verdicts.{name} = {brief(verdict)} is not accepted; it takes 'holds', 'not reached', "
                f"either of them with {' or '.join(map(repr, WITHIN))}, "
                "{ violated = N } or { reached = N }"
            )


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63


def find(targets: Iterable[str | Path]) -> list[Path]:
    """The configuration files that `targets` - files, folders with their subfolders, or names - stand for."""
    paths: list[Path] = []
    for target in map(resolve, targets):
        if target.is_dir():
            inside = sorted(path for path in target.rglob("*.toml") if not path.is_dir())
            if not inside:
                raise InputError(f"folder {str(target)!r} has no configuration (*.toml)")
            paths += inside
        else:
            paths.append(target)
    return paths


# The configurations that come with the package -----------------------------------------------------------------------


def shipped() -> dict[str, Path]:
    """The files of the configurations that come with a package, by name, such as ``bakery/v2_race``."""
    specs = folder(_SPECS)
    files = {path.relative_to(specs).with_suffix("").as_posix(): path for path in sorted(specs.rglob("*.toml"))}
    for name, protocol in having("specs").items():
        files |= {f"{name}/{path.stem}": path for path in sorted(Path(str(protocol.specs)).glob("*.toml"))}
    return files


@dataclass(frozen=True)
class Neighbour:
    """A configuration in which a property is expected to hold, and the constants that it sets otherwise."""

    one: Configuration
    differs: str


def neighbours(model: Machine, name: str, most: int) -> list[Neighbour]:
    """The nearest of the package's configurations of `model` in which a property is expected to hold.

    Args:
        most: The largest number of constants in which they may differ.

    Examples:
        >>> changed = machine_of(get_model("peterson")(LeavesLevels=False))
        >>> near = neighbours(changed, "WhoWantsEnters", most=1)
        >>> [(other.one.name, other.differs) for other in near]
        [('peterson', 'LeavesLevels=on')]
        >>> neighbours(changed, "WhoWantsEnters", most=0)
        []
    """
    near = []
    for other in _shipped_of(model.name):
        if type(other.model.author) is not type(model.author) or other.expect.get("verdicts", {}).get(name) != "holds":
            continue
        differs = {key: value for key, value in other.model.constants.items() if value != model.constants[key]}
        if 0 < len(differs) <= most:
            near.append((len(differs), Neighbour(other, spell(differs, model.declared.constants))))
    fewest = min((count for count, _ in near), default=0)
    return [neighbour for count, neighbour in near if count == fewest]


@cache
def _shipped_of(model: str) -> list[Configuration]:
    """The package's configurations that may belong to a model."""
    paths = shipped().values()
    return [configuration(path) for path in paths if f'"{model}' in path.read_text(encoding="utf-8")]


def resolve(target: str | Path) -> Path:
    """The file or folder that `target` stands for.

    An existing path stands for itself, and so does one that begins like ``./specs``. Otherwise ``specs`` and paths
    below it are in the folder that comes with the package, and any other name is a configuration in it: ``v2_race``, or
    ``bakery/v2_race`` if several folders have one.

    Raises:
        InputError: If no configuration has the name, or several have it.

    Examples:
        >>> resolve("v2_race") == resolve("bakery/v2_race") == folder("specs") / "bakery" / "v2_race.toml"
        True
    """
    path = Path(target)
    if str(target) and os.path.exists(path):
        return path
    if str(target).startswith((".", "/")):
        if path.suffix == ".toml":
            return path
        raise _gone(str(target))
    if path.parts[:1] == (_SPECS,) and (ours := folder(_SPECS).joinpath(*path.parts[1:])).exists():
        return ours
    if path.suffix == ".toml":
        return path
    names = shipped()
    matching = [name for name in names if str(target) in (name, _stem(name))]
    if len(matching) > 1:
        raise InputError(
            f"{brief(str(target))} is the name of several configurations; give one of {', '.join(matching)}"
        )
    if not matching:
        raise _unknown(str(target), names)
    return names[matching[0]]


def told_path(path: Path) -> str:
    """The path of a configuration's file for display; the package's own are cut to ``specs`` and what follows."""
    specs = folder(_SPECS)
    return (_SPECS / path.relative_to(specs)).as_posix() if path.is_relative_to(specs) else str(path)


def _stem(name: str) -> str:
    return name.rpartition("/")[2]


def _unknown(target: str, names: Iterable[str]) -> InputError:
    """The error for a name of neither a model nor a configuration, with the nearest names of both."""
    candidates = {*models(), *names, *map(_stem, names)}
    own = f" (did you mean {target}.toml?)" if target and os.path.isfile(f"{target}.toml") else ""
    near = own or did_you_mean(target, candidates, most=3)
    if not near and Path(target).parts[1:] and Path(target).parts[0] != _SPECS:
        return _gone(target)
    hint = near or f"; models: {listed(sorted(models()))}"
    return InputError(f"unknown model or configuration {brief(target)}{hint}; `workbench list` shows all")


def _gone(target: str) -> InputError:
    """The error for a path: of a configuration, a folder of them or a run directory."""
    return InputError(f"there is no file or folder {brief(target)}")
