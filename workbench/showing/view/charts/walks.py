"""The view of random walks: their extent, the verdicts, and the contribution of each action."""

from workbench.checking.walks.result import Simulation
from workbench.kernel import Verdict
from workbench.kernel.meaning.values import counted
from workbench.showing.pictures.markup import element, joined
from workbench.showing.view.base.html import Drawn, Joined, Rendered, badge, headed, noted, table
from workbench.showing.view.charts.bars import Bars
from workbench.showing.view.trace.tables import constants_line


def walks_chart(seen: Simulation) -> Bars:
    """A bar chart of how often the walks found each action enabled, and how often they took it."""
    never = seen.never_enabled
    return Bars(
        title=f"{seen.model.name}: what {counted(seen.walks, 'walk')} took",
        categories=tuple(action.name for action in seen.actions),
        series={
            "enabled": tuple(action.enabled for action in seen.actions),
            "taken": tuple(action.taken for action in seen.actions),
        },
        axes=("action", "times"),
        standing_out=frozenset(never),
        notes=(f"Never enabled in these walks: {', '.join(never)}",) if never else (),
        horizontal=True,
    )


def simulation_view(seen: Simulation) -> Drawn:
    """A simulation: the verdicts, how far the walks went, and how often each action was enabled and taken."""
    rows = [(badge(v.word), element("code", v.name), _reason(v)) for v in seen.verdicts]
    head = headed(seen.model.name, constants_line(seen.model))
    parts = [head, table(("verdict", "property", "reason"), rows), *map(noted, seen.lines)]
    return Joined(Rendered(joined(parts), repr(seen)), walks_chart(seen))


def _reason(verdict: Verdict) -> str:
    parts = [verdict.why] if verdict.why else []
    if verdict.trace is not None:
        kind = "witness" if verdict.holds else "counterexample"
        parts.append(f"the {kind} has {counted(len(verdict.trace), 'state')}")
    return "; ".join(parts)
