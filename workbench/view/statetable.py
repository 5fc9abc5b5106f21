"""A state as tables: what a step changed, which properties hold, and everything else folded away."""

from collections.abc import Iterable, Sequence

from workbench.kernel import State
from workbench.kernel.state import Cell, Change
from workbench.kernel.values import counted, show
from workbench.view.difference import BECOMES, difference
from workbench.view.html import Rendered, element, escape, table
from workbench.view.truth import Truth


def state_table(state: State, changes: Sequence[Change] = (), truths: Iterable[Truth] = ()) -> Rendered:
    """A state, a row per variable. What `changes` names comes first and is highlighted; the rest is then folded.

    Parameters
    ----------
    state : State
    changes : sequence of Change
        What the step to this state did.
    truths : iterable of Truth
        The properties' truth in this state, see :func:`workbench.view.truths`.
    """
    return Rendered(_judged(tuple(truths)) + _changed(changes) + _rest(state, changes), repr(state))


def _judged(truths: Sequence[Truth]) -> str:
    """What is violated, and how many others are not: those are shown on request."""
    broken, others = [t for t in truths if t.broken], [t for t in truths if not t.broken]
    shown = element("p", " ".join(map(_truth, broken)), class_="wb-truths") if broken else ""
    if not others:
        return shown
    listed = element("p", " ".join(map(_truth, others)), class_="wb-truths")
    return shown + f"<details><summary>{_others(others, bool(broken))}</summary>{listed}</details>"


def _others(truths: Sequence[Truth], besides: bool) -> str:
    """How many invariants hold, and what else is asked of the state."""
    invariants = [truth for truth in truths if truth.kind == "invariant"]
    said = []
    if invariants:
        count = len(invariants)
        what = (
            f"{count} others" if besides and count > 1 else f"{count} other" if besides else counted(count, "invariant")
        )
        said.append(f"{what} hold{'s' if count == 1 else ''}")
    steps = sum(truth.kind in ("step", "refinement", "deadlock") for truth in truths)
    if steps:
        said.append(f"{counted(steps, 'property of steps', 'properties of steps')} hold{'s' if steps == 1 else ''}")
    reachable = [truth for truth in truths if truth.kind == "reachable"]
    if reachable:
        said.append(f"{sum(t.holds for t in reachable)} of {counted(len(reachable), 'wanted state')} reached here")
    goals = [truth for truth in truths if truth.kind == "liveness"]
    if goals:
        said.append(f"{sum(t.holds for t in goals)} of {counted(len(goals), 'goal')} met")
    return "; ".join(said)


def _changed(changes: Sequence[Change]) -> str:
    if not changes:
        return ""
    rows = []
    for change in changes:
        inside = difference(change.before, change.after)
        rows.append(
            (
                element("code", escape(change.cell)),
                element("code", escape(show(change.before))),
                element("code", escape(show(change.after)), class_="wb-new"),
                "" if BECOMES in inside else element("code", escape(inside)),
            )
        )
    return table(("changed", "before", "after", ""), rows, "wb-changes")


def _truth(truth: Truth) -> str:
    kind, mark = ("good", "\N{CHECK MARK}") if truth.holds else ("idle", "\N{MIDDLE DOT}")
    if truth.broken:
        kind, mark = "bad", "\N{BALLOT X}"
    why = f": {escape(truth.why)}" if truth.why else ""
    return f'<span class="wb-truth wb-{kind}"><b>{mark}</b> {escape(truth.name)} {truth.word}{why}</span>'


def _rest(state: State, changes: Sequence[Change]) -> str:
    changed = {change.cell for change in changes}
    rows: dict[str, list[str]] = {}
    kept = [(cell, value) for cell, value in state.items() if cell not in changed]
    for cell, value in kept:
        rows.setdefault(cell.variable, []).append(_value(cell, show(value)))
    lines = [(element("code", escape(name)), element("code", " ".join(values))) for name, values in rows.items()]
    whole = table((), lines, "wb-rest")
    return f"<details><summary>unchanged ({len(kept)})</summary>{whole}</details>" if changed else whole


def _value(cell: Cell, value: str) -> str:
    index = "" if cell.index is None else str(cell).removeprefix(cell.variable).strip("[]")
    name = f'<span class="wb-index">{escape(index)}</span>\N{NO-BREAK SPACE}' if index else ""
    return f'<span class="wb-value">{name}{escape(value)}</span>'
