"""A state as tables: what a step changed, which properties hold, and the whole state folded away."""

from collections.abc import Iterable, Sequence

from workbench.kernel import State
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.state import Change, cells_of, notation_of
from workbench.kernel.meaning.values import counted
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.view.base.difference import brief
from workbench.showing.view.base.html import Rendered, folded, table
from workbench.showing.view.base.truth import Truth


def state_table(state: State, changes: Sequence[Change] = (), truths: Iterable[Truth] = ()) -> Rendered:
    """A state, one row per variable. The changed parts come first, highlighted; the whole state is then folded.

    Args:
        changes: The changes made by the step to this state.
        truths: The properties' truth in this state, see :func:`workbench.showing.view.truths`.
    """
    return Rendered(joined([_judged(tuple(truths)), _changed(changes), _rest(state, changes)]), repr(state))


def _judged(truths: Sequence[Truth]) -> Markup | None:
    """The violated properties, and the number of others, which are shown on request."""
    broken, others = [t for t in truths if t.broken], [t for t in truths if not t.broken]
    shown = _line(broken) if broken else None
    if not others:
        return shown
    return joined([shown, folded(_others(others, bool(broken)), _line(others))])


def _line(truths: Sequence[Truth]) -> Markup:
    return element("p", joined(map(_truth, truths), " "), class_="wb-truths")


def _others(truths: Sequence[Truth], besides: bool) -> str:
    """The number of invariants that hold, and the other questions asked of the state."""
    invariants = [truth for truth in truths if truth.kind == "invariant"]
    clauses = []
    if invariants:
        count = len(invariants)
        subject = (
            f"{count} others" if besides and count > 1 else f"{count} other" if besides else counted(count, "invariant")
        )
        clauses.append(f"{subject} hold{'s' if count == 1 else ''}")
    steps = sum(truth.kind in ("step", "refinement", "deadlock") for truth in truths)
    if steps:
        clauses.append(f"{counted(steps, 'property of steps', 'properties of steps')} hold{'s' if steps == 1 else ''}")
    reachable = [truth for truth in truths if truth.kind == "reachable"]
    if reachable:
        clauses.append(f"{sum(t.holds for t in reachable)} of {counted(len(reachable), 'wanted state')} reached here")
    goals = [truth for truth in truths if truth.kind == "liveness"]
    if goals:
        clauses.append(f"{sum(t.holds for t in goals)} of {counted(len(goals), 'goal')} met")
    return "; ".join(clauses)


def _changed(changes: Sequence[Change]) -> Markup | None:
    """The parts that have changed, one per line; for collections, the members that came and went."""
    if not changes:
        return None
    rows = []
    for part in (part for change in changes for part in change.parts):
        now = element("code", brief(part.after), class_="wb-new")
        rows.append((element("code", part.where), element("code", brief(part.before or "")), now))
    return table(("changed", "before", "after"), rows, "wb-changes")


def _truth(truth: Truth) -> Markup:
    kind, mark = ("good", "\N{CHECK MARK}") if truth.holds else ("idle", "\N{MIDDLE DOT}")
    if truth.broken:
        kind, mark = "bad", "\N{BALLOT X}"
    reason = f": {truth.why}" if truth.why else ""
    return element("span", element("b", mark), f" {truth.name} {truth.word}{reason}", class_=f"wb-truth wb-{kind}")


def _rest(state: State, changes: Sequence[Change]) -> Markup:
    rows: dict[str, list[Markup]] = {}
    for cell, value in cells_of(state):
        rows.setdefault(cell.variable, []).append(_value(cell, brief(notation_of(state).show(value))))
    lines = [(element("code", name), element("code", joined(values, " "))) for name, values in rows.items()]
    whole = table((), lines, "wb-rest")
    return folded("the whole state", whole) if changes else whole


def _value(cell: Cell, value: str) -> Markup:
    name = element("span", cell.inside, class_="wb-index") + Markup("\N{NO-BREAK SPACE}") if cell.inside else None
    return element("span", name, value, class_="wb-value")
