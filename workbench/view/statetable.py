"""A state as tables: what a step changed, which properties hold, and everything else folded away."""

from collections.abc import Iterable, Sequence

from workbench.kernel import State
from workbench.kernel.state import Cell, Change
from workbench.kernel.values import show
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
    badges = " ".join(map(_truth, truths))
    markup = _changed(changes) + (element("p", badges, class_="wb-truths") if badges else "") + _rest(state, changes)
    return Rendered(markup, repr(state))


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
