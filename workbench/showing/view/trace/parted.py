"""Two behaviours side by side: their common beginning, the place where they part, and the differences after it."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.kernel import Trace
from workbench.kernel.meaning.values import counted
from workbench.showing.pictures import Shown, faults, pair
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.view.base.html import Drawn, folded, table


def parting(one: Trace, other: Trace) -> int | None:
    """The index of the first step in which two traces differ; None if one is the beginning of the other.

    Examples:
        >>> from workbench.kernel import replay
        >>> from workbench.protocols.bakery.model import Bakery
        >>> parting(replay(Bakery(), 0, [(0, 0), (1, 0)]), replay(Bakery(), 0, [(0, 0), (2, 0)]))
        2
    """
    pairs = zip(one.steps, other.steps, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a.identity != b.identity), None)


@dataclass(frozen=True, repr=False)
class Parted(Drawn):
    """Two traces, with pictures that mark the differences: where they part, and at their ends.

    Attributes:
        names: The names of the two.
        properties: The properties whose violations are marked in the pictures; None for all.
        key: A key that distinguishes its pictures from others on a page.
    """

    one: Trace
    other: Trace
    names: tuple[str, str]
    properties: Sequence[str] | None = None
    key: str = "parted"

    @property
    def common(self) -> int:
        """The number of states that the two have in common."""
        at = parting(self.one, self.other)
        return min(len(self.one), len(self.other)) if at is None else at

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """The number of each state after the parting, and the steps that lead to it."""
        longest = max(len(self.one), len(self.other))
        return [(str(at + 1), *self._labels(at)) for at in range(self.common, longest)]

    def _labels(self, at: int) -> tuple[str, str]:
        one, other = (t.steps[at].label if at < len(t) else "" for t in (self.one, self.other))
        return one, other

    @property
    def told(self) -> str:
        """The place where they part, in words."""
        return f"after {counted(self.common, 'state')} in common" if self.rows else "nowhere"

    def html(self) -> Markup:
        at = parting(self.one, self.other)
        pictures = [] if at is None else [self._pair("Where they part", at + 1)]
        longest = max(len(self.one), len(self.other))
        if at is None or longest > at + 1:
            pictures.append(self._pair("At their ends", longest))
        same = (element("li", element("code", step.label)) for step in self.one.steps[: self.common])
        rows = [(number, *(element("code", label) if label else "" for label in both))
                for number, *both in self.rows]  # fmt: skip
        steps = table(("", *self.names), rows) if rows else None
        return joined([*pictures, folded(f"in common ({self.common})", element("ol", *same)), steps])

    def _pair(self, heading: str, most: int) -> Markup:
        """The last of at most that many states of both, side by side."""
        sides = []
        for side, trace in zip(self.names, (self.one, self.other), strict=True):
            states = trace.states[:most]
            title = f"{side}: {len(states)}  {trace.steps[len(states) - 1].label}"
            sides.append(Shown(trace.model, states, faults(trace.model, states[-1], self.properties), title))
        drawn = (
            element("div", drawn.svg_with(f"{self.key}-{most}-{place}-"), class_="wb-picture")
            for place, drawn in enumerate(pair(*sides))
        )
        return element("p", element("b", heading)) + element("div", *drawn, class_="wb-pair")

    def text(self) -> str:
        head = f"They part {self.told}"
        return "\n".join([head, *(f"{number:>4}  {one or '-'}  |  {other or '-'}" for number, one, other in self.rows)])
