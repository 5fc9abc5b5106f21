"""Profiles: how often the model's Python was called for what, as a table and as bars."""

from workbench.checking.trees.profile import FIGURES, Profile
from workbench.kernel.meaning.text import columns
from workbench.showing.pictures.markup import element
from workbench.showing.view.base.html import Joined, Rendered, noted, table
from workbench.showing.view.charts.bars import Bars

_HEADS = ("", "kind", *FIGURES)


def profile_view(profile: Profile) -> Joined:
    """A profile: the chart, and the table."""
    return Joined(profile_chart(profile), profile_table(profile))


def profile_table(profile: Profile) -> Rendered:
    """The calls, trees and reads of each action, property and clause; those with most calls come first."""
    rows = [(cost.subject.label, cost.subject.kind, *profile.row(cost)) for cost in profile.by_calls]
    marked = [(element("code", label), *others) for label, *others in rows]
    note = noted(f"Cells: the most that one instance has read, of {len(profile.cells)}.")
    lines = [profile.head, *columns([_HEADS, *rows])]
    return Rendered(table(_HEADS, marked, numbers=range(2, 6)) + note, "\n".join(lines))


def profile_chart(profile: Profile) -> Bars:
    """The number of calls of Python for each action, property and clause."""
    costs = profile.by_calls
    return Bars(
        title=profile.head,
        categories=tuple(cost.subject.label for cost in costs),
        series={"calls": tuple(cost.calls for cost in costs)},
        axes=("action, property or clause", "calls of Python"),
        horizontal=True,
    )
