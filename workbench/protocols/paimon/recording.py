"""A real table's history as recordings of the model: each snapshot is an observation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.checking.following.mapping import Mapped
from workbench.checking.following.report import Report
from workbench.checking.following.settings import accepted_under
from workbench.checking.following.validate import validate
from workbench.formats.recording import Observation, Recording
from workbench.kernel import InputError, Machine, machine_of
from workbench.kernel.meaning.budget import Budget, Limits, Stop, Watch
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.constants import spell
from workbench.kernel.meaning.interrupts import interruptible
from workbench.kernel.meaning.machine import ModelClass
from workbench.kernel.meaning.values import counted
from workbench.registry import get_model
from workbench.registry.programs import needs

if TYPE_CHECKING:
    from workbench.protocols.paimon.audit.history import BucketHistory


def recorded(path: str, keys: Sequence[str] | None = None, bucket: str | None = None) -> Mapped:
    """Map the snapshots of a Paimon table that change some keys of a bucket, by default all of its keys.

    Between two snapshots the model takes any number of hidden steps and one visible one, the commit. Only the first 20
    of these snapshots are mapped.

    Raises:
        InputError: If there is no such table, bucket or key, or the model does not describe the history.
    """
    needs("tables", "a table's history")
    from workbench.protocols.paimon.audit.history import TableHistory

    table = TableHistory(path)
    return _mapped(table.of(table.bucket(bucket), keys))


@interruptible()
def follow(
    path: str,
    keys: Sequence[str] | None = None,
    bucket: str | None = None,
    *,
    model: ModelClass | None = None,
    given: Mapping[str, Any] | None = None,
    settings: bool = False,
    budget: Budget = Budget(),
    watch: Watch = Watch(),
) -> Report:
    """Decide whether a Paimon table's history is a behaviour of the model, bucket by bucket.

    The keys of a bucket are followed together if they are at most three and each commit writes one of them, else each
    by itself. What the published model refuses is tried again with what real writers do: they restore sequence numbers,
    and compact to any level.

    Args:
        keys, bucket: Follow only these keys, together, or only this bucket.
        model: A class of Paimon's; by default the shipped one.
        given: Constants that stay as they are.
        settings: If the history is not a behaviour, look for settings that make it one.
        budget: Its seconds are for the whole table, the rest for each search.
        watch: Its ``on_progress`` is called with the number of keys followed as the level, and those to come in the
            bucket as the frontier.

    Returns:
        The report on the first keys whose history is not a behaviour, or else on those with the longest one; undecided
        if the model does not describe all of them.

    Raises:
        InputError: If there is no such table, bucket or key.
    """
    limits, chosen = Limits(budget, watch), model or get_model("paimon")
    longest, behaviours, undecided = Report(None, 0), 0, list[str]()
    try:
        for history, alike, todo in _histories(path, keys, bucket, undecided):
            if not issubclass(chosen, get_model("paimon")):
                raise InputError(f"{path} is a table of paimon, not of {chosen.declared.name}")
            limits.check(behaviours, 0, todo, lambda: 0)
            left = None if budget.seconds is None else max(budget.seconds - limits.seconds, 0.001)
            bounds = {"budget": replace(budget, seconds=left), "watch": Watch(should_stop=watch.should_stop)}
            report = _follow(history, chosen, given or {}, settings, bounds)
            if report.holds is False:
                return report
            longest = max(longest, report, key=lambda judged: judged.states)
            if report.holds is None:
                limits.enforce(lambda: 0)
                undecided.append(str(report.why))
            behaviours += alike if report.holds else 0
    except Stop as stop:
        undecided.insert(0, str(stop))
    if behaviours > 1:
        others = counted(behaviours - 1, "other key has", "other keys have")
        longest = replace(
            longest, remarks=[*longest.remarks, f"{others} histories that are behaviours too, each by itself"]
        )
    if not undecided:
        return longest
    more = f" (and {len(undecided) - 1:,} more)" if len(undecided) > 1 else ""
    return replace(longest, holds=None, why=f"{undecided[0]}{more}")


def _histories(
    path: str, keys: Sequence[str] | None, bucket: str | None, undecided: list[str]
) -> Iterator[tuple[BucketHistory, int, int]]:
    """The histories to follow, each with the number of keys that share it, and of keys still to come in the bucket.

    Histories that the model does not describe are added to `undecided`.
    """
    needs("tables", "a table's history")
    from workbench.protocols.paimon.audit.history import OutsideModelError, TableHistory

    try:
        table = TableHistory(path)
        for name in table.buckets if keys is None and bucket is None else [table.bucket(bucket)]:
            groups = table.groups(name) if keys is None else [(keys, 1)]
            for number, (some, alike) in enumerate(groups, start=1):
                try:
                    yield table.of(name, some), alike, len(groups) - number
                except OutsideModelError as error:
                    undecided.append(f"outside the model: {error}")
    except OutsideModelError as error:
        undecided.append(f"outside the model: {error}")


def _follow(
    history: BucketHistory, model: ModelClass, constants: Mapping[str, Any], settings: bool, bounds: Mapping[str, Any]
) -> Report:
    """The report on one history."""
    report, changes = _as_real(history, model, constants, bounds)
    remarks = [history.name, *report.remarks]
    if report.holds and changes:
        remarks.append(f"with {spell(changes, model.declared.constants)}, as real writers have it")
    if report.holds and history.left:
        return replace(report, holds=None, why=f"outside the model: {history.left}", remarks=remarks)
    if report.holds is not False:
        return replace(report, remarks=remarks)
    if reason := _why_outside(history, model, constants, bounds):
        return replace(report, holds=None, why=f"outside the model: {reason}", remarks=remarks)
    mapped, lines = _mapped(history), list[str]()
    if settings:
        machine = machine_of(model(**{**mapped.constants, **constants}))
        lines = str(accepted_under(machine, mapped.record, stutter=True, **bounds)).splitlines()
    return replace(report, remarks=remarks, settings=lines)


def _as_real(
    history: BucketHistory, model: ModelClass, constants: Mapping[str, Any], bounds: Mapping[str, Any]
) -> tuple[Report, dict[str, bool]]:
    """The report on a history, and the habits of real writers that explain it, or explain most of it."""
    matters = {"RestoreSequence": history.has_numbers, "CompactToAnyLevel": history.constants["NUM_COMPACTORS"] > 0}
    names = [name for name, does in matters.items() if does and name not in constants]
    ways: list[dict[str, bool]] = [{}, *({name: True} for name in names)]
    ways += [dict.fromkeys(names, True)] if len(names) > 1 else []
    mapped = _mapped(history)
    for changes in ways:
        machine = machine_of(model(**{**mapped.constants, **changes, **constants}))
        report = validate(machine, mapped.record(machine), stutter=True, explain=changes is ways[-1], **bounds)
        if report.holds is not False:
            break
    return report, changes


def _why_outside(
    history: BucketHistory, model: ModelClass, constants: Mapping[str, Any], bounds: Mapping[str, Any]
) -> str | None:
    """The reason why the model's refusal of a history says nothing about the table; None if it does say something."""
    here = {**history.constants, **constants}["NUM_WRITERS"]
    if history.writers > here:
        return f"{history.writers} writers take part, of whom {here} at a time were followed"
    if history.constants["NUM_COMPACTORS"] and not history.is_whole:
        return "which files a compaction takes may depend on rows of other keys"
    if history.has_numbers and "RestoreSequence" not in constants:
        versions = [{c: value for c, value in cells.items() if c.variable != "sequence"} for cells in history.versions]
        report, _ = _as_real(history._replace(versions=versions, has_numbers=False), model, constants, bounds)
        if report.holds:
            return "its writers number rows neither each from 0 nor from the largest number in the bucket"
    return None


def _mapped(history: BucketHistory) -> Mapped:
    def record(model: Machine) -> Recording:
        observations = [Observation(_cells(model, {Cell("latest", None): 0}), source="the empty table")]
        for snapshot, cells in zip(history.snapshots, history.versions, strict=True):
            observations.append(Observation(_cells(model, cells), source=f"snapshot {snapshot:,}"))
        return Recording(observations)

    return Mapped("paimon", history.constants, record)


def _cells(model: Machine, values: Mapping[Cell, Any]) -> dict[int, Any]:
    shown = set(model.layout.shown_of)
    for cell in values:
        if cell not in shown:
            raise InputError(f"the table has {cell}, which {model.name} lacks with these constants")
    return model.layout.seek(values)
