"""The settings of a grid: enumerate them, plan and run their checks, and tabulate the outcomes."""

import itertools
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from workbench.checking.check import check
from workbench.checking.contract import Auto
from workbench.checking.questions.records import SettingOutcome, failed, of_model
from workbench.kernel import Constant, InputError, ModelError, Result, machine_of
from workbench.kernel.meaning.arguments import plain
from workbench.kernel.meaning.budget import Budget, Watch
from workbench.kernel.meaning.errors import brief, unknown
from workbench.kernel.meaning.machine import ModelClass, is_model_class
from workbench.kernel.meaning.plan import make_plan
from workbench.kernel.meaning.properties import DEADLOCK
from workbench.kernel.meaning.values import counted
from workbench.registry.programs import needs
from workbench.storage.identity import Identity

if TYPE_CHECKING:
    import pandas as pd

ERROR = "error"
_MEASURES = ("distinct", "depth", "seconds", "complete", "stopped", ERROR)

#: The kinds of constants for which all spellings of a value are the same setting.
_OF_ONE_SPELLING = ("switch", "choice", "integer")

Grid = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]]


def settings_of(model: ModelClass, grid: Grid, fixed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All constants of each setting in `grid`, with their values as the caller gave them."""
    if not is_model_class(model):
        raise InputError(f"model {model!r} is not accepted; it takes a class, such as Hudi, without constants")
    if not (
        isinstance(grid, Mapping) or (isinstance(grid, Sequence) and all(isinstance(entry, Mapping) for entry in grid))
    ):
        takes = "lists of values by constant, such as {'Writers': [2, 3]}, or a list of settings"
        raise InputError(f"grid {brief(grid)} is not accepted; it takes {takes}")
    if isinstance(grid, Mapping):
        for name, values in grid.items():
            if isinstance(values, str) or not isinstance(values, Sequence):
                raise InputError(f"grid: {name} = {brief(values)} is not accepted; it takes a list of values")
        varying = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    else:
        varying = [dict(setting) for setting in grid]
    if not varying:
        raise InputError(f"grid {brief(grid)} is not accepted; it takes at least one setting")
    declared = model.declared.constants
    for setting in [*varying, fixed]:
        for name, value in setting.items():
            if name not in declared:
                raise unknown(f"constant of {model.declared.name}", name, declared)
            if name in fixed and setting is not fixed:
                raise InputError(f"constants: {name} = {brief(fixed[name])} is not accepted; the grid sets it")
            declared[name].parse(name, value)
    defaults = {name: constant.default for name, constant in declared.items()}
    return [
        {name: same(name, declared[name], value) for name, value in {**defaults, **fixed, **setting}.items()}
        for setting in varying
    ]


def same(name: str, constant: Constant, value: Any) -> Any:
    """A value as given, except that words for a switch, a choice or a number become its value."""
    return constant.parse(name, value) if constant.domain.kind in _OF_ONE_SPELLING else plain(value)


class SettingPlan(NamedTuple):
    """The check of a single setting."""

    names: tuple[str, ...]
    symmetry: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


_REMARKS = ("symmetry", "notes")


def plans_of(
    model: ModelClass,
    settings: Sequence[Mapping[str, Any]],
    properties: Sequence[str] | None,
    symmetry: bool | Sequence[str] | None,
    deadlock: bool | None = None,
) -> list[SettingPlan]:
    """The plan for each setting: the wanted properties that apply with its constants."""
    for name in properties or ():
        model.declared.property_named(name)
    plans: list[SettingPlan] = []
    for setting in settings:
        try:
            checked = machine_of(model(**setting))
        except Exception:  # the error becomes the setting's result
            names = properties or (n for n, p in model.declared.properties.items() if p.by_default)
            plans.append(SettingPlan(tuple(n for n in names if deadlock is not False or n != DEADLOCK.name)))
            continue
        applying = None if properties is None else checked.applicable(properties)
        plan = make_plan(checked, checked.chosen(applying, deadlock), symmetry)
        plans.append(SettingPlan(tuple(p.name for p in plan.properties), plan.symmetry, tuple(plan.notes)))
    return plans


@dataclass(frozen=True)
class SettingsTask:
    """Settings to check, by number, and how; sent to other processes as a whole.

    Attributes:
        settings: All constants of each.
        budget: The budget of each check.
    """

    model: ModelClass
    settings: Sequence[Mapping[str, Any]]
    plans: Sequence[SettingPlan]
    budget: Budget

    def check(self, number: int, should_stop: Callable[[], bool] | None = None) -> tuple[SettingOutcome, Result | None]:
        """Check a setting in this process; any error becomes its outcome.

        Small spaces are searched before Numba is loaded; no search moves to Spark, whatever its size.
        """
        plan = self.plans[number]
        try:
            checked = self.model(**self.settings[number])
            result = check(
                checked,
                plan.names,
                symmetry=plan.symmetry,
                engine=Auto(hand_over_bytes=sys.maxsize),
                budget=self.budget,
                watch=Watch(should_stop=should_stop),
            )
        except InputError as error:
            return failed(str(error), final=True), None
        except ModelError as error:
            return failed(of_model(error), final=True), None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # even unforeseen ones, such as too little memory
            return failed(f"{type(error).__name__}: {error}"), None
        return SettingOutcome.of(result), result

    def identities(self) -> list[Identity]:
        """The identity of each setting's check."""
        made_by = Identity.of_class(self.model, {}, ())
        return [
            replace(
                made_by,
                constants=json.loads(json.dumps(setting, default=plain)),
                properties=tuple(sorted(plan.names)),
                symmetry=plan.symmetry,
            )
            for setting, plan in zip(self.settings, self.plans, strict=True)
        ]


def varied_in(grid: Grid) -> list[str]:
    """The constants that a grid varies."""
    return list(dict.fromkeys(grid if isinstance(grid, Mapping) else itertools.chain(*grid)))


@dataclass(frozen=True)
class SettingsTable:
    """A row per setting, with the columns that :func:`workbench.sweep` describes; None for what is missing."""

    columns: list[str]
    rows: list[dict[str, Any]]
    attrs: dict[str, Any]

    def to_dict(self, orient: Literal["records"]) -> list[dict[str, Any]]:
        """The rows, by the name of the same method in pandas."""
        return self.rows

    def frame(self) -> "pd.DataFrame":
        """The rows as a frame of pandas."""
        needs("tables", "a table of settings", "pandas")
        import pandas as pd  # slow to load, and needed only here

        counts = [f"{name}_states" for name in self.attrs["properties"]] + ["distinct", "depth"]
        frame = pd.DataFrame(self.rows, columns=self.columns)
        frame = frame.astype(dict.fromkeys(counts, "Int64") | {"seconds": float, "complete": bool})
        frame.attrs.update(self.attrs)
        return frame


def settings_table(
    model: ModelClass,
    varied: Sequence[str],
    settings: Sequence[Mapping[str, Any]],
    properties: Sequence[str] | None,
    plans: Sequence[SettingPlan],
    outcomes: Sequence[SettingOutcome],
) -> SettingsTable:
    """The outcomes of the settings' checks."""
    asked_for = {name for plan in plans for name in plan.names}
    ordered = dict.fromkeys([*(properties or model.declared.properties), DEADLOCK.name])
    names = [name for name in ordered if name in asked_for]
    sets, notes = ([*dict.fromkeys(word for plan in plans for word in getattr(plan, part))] for part in _REMARKS)
    family = model.declared
    notes += family.translation_notes
    attrs = {"properties": names, "symmetry": sets, "notes": notes, "words": _words(model, varied)}
    attrs["translation"] = family.translation
    taken = {*_MEASURES, *names}
    rows = []
    for setting, plan, outcome in zip(settings, plans, outcomes, strict=True):
        row = {name + "_" * (name in taken): setting[name] for name in varied}
        for name in names:
            verdict = outcome.verdicts.get(name)
            lacking = ERROR if outcome.error is not None else "unknown" if outcome.stopped is not None else None
            row[name] = verdict.word if verdict else lacking if name in plan.names else None
            row[f"{name}_states"] = verdict.states if verdict else None
        rows.append({**row, **{name: getattr(outcome, name) for name in _MEASURES}})
    notes += _idle(varied, settings, outcomes)
    return SettingsTable([*rows[0]], rows, attrs)


def _idle(
    varied: Sequence[str], settings: Sequence[Mapping[str, Any]], outcomes: Sequence[SettingOutcome]
) -> Iterator[str]:
    """A note on each constant that changes nothing, whatever the values of the others."""
    if not all(outcome.complete and outcome.holds is not None for outcome in outcomes):
        return
    results = [(outcome.verdicts, outcome.distinct, outcome.depth) for outcome in outcomes]
    for name in varied:
        groups: dict[str, list[Any]] = {}
        for setting, result in zip(settings, results, strict=True):
            groups.setdefault(repr([setting[other] for other in varied if other != name]), []).append(result)
        if all(len(group) > 1 and all(member == group[0] for member in group) for group in groups.values()):
            yield f"{name} changes nothing in {counted(len(settings), 'setting')}"


def _words(model: ModelClass, names: Iterable[str]) -> dict[str, dict[Any, str]]:
    """The words for the values of choices."""
    domains = {name: model.declared.constants[name].domain for name in names}
    return {name: {value: of.word(value) for value in of} for name, of in domains.items() if of.kind == "choice"}
