"""Print the profile of a check."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from workbench.kernel import Result
from workbench.kernel.values import counted


def print_profile(out: Console, result: Result) -> None:
    """Print the calls of Python by subject, the most frequent first."""
    profile = result.profile
    if profile is None:
        why = "runs everything in every state" if result.engine == "reference" else "has resumed a search"
        out.print(f"\nnote: no profile: the {result.engine} engine {why}", markup=False)
        return
    calls, states = counted(profile.calls, "call"), counted(profile.states, "state")
    out.print(f"\n[bold]Profile[/]: {calls} of Python for {states}, {profile.summary}")
    table = Table("", "calls", "per 1,000 states", "bytes", "cells", "reads", box=None, pad_edge=False)
    for column in table.columns[1:5]:
        column.justify = "right"
    for cost in profile.by_calls:
        table.add_row(
            escape(str(cost.subject)),
            f"{cost.calls:,}",
            f"{profile.per_thousand(cost):,.1f}",
            f"{cost.bytes:,}",
            str(cost.widest),
            escape(profile.variables(cost)) or "nothing",
        )
    out.print(table)
    out.print(f"cells: the most that one instance has read, of {len(profile.cells)}")
