"""Compares checks of configurations with what these expect, and makes the page of a single check."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.commands.output.profiled import Profiled, profile_lines
from workbench.commands.output.progress import progress_line
from workbench.kernel import ModelError, Result, Trace
from workbench.kernel.meaning.budget import Watch
from workbench.kernel.meaning.result import Lined, marked
from workbench.kernel.meaning.text import Line, StyledRow, printable, styled_columns
from workbench.kernel.meaning.translation import STALE
from workbench.kernel.meaning.values import counted
from workbench.registry.configurations import Configuration, told_path

#: The most states to keep, for the graph and the chart of accesses on a page.
MOST_KEPT = 200_000


@dataclass(frozen=True)
class Checked(Lined):
    """The outcomes of checking configurations.

    Attributes:
        failed: The configurations whose model raised an error before anything was decided.
        left: The configurations not reached before an interrupt.
    """

    outcomes: Sequence[tuple[Configuration, Result]]
    failed: Sequence[tuple[Configuration, ModelError]] = ()
    left: Sequence[Configuration] = ()

    @property
    def holds(self) -> bool | None:
        """Whether everything is as expected; None if nothing differs, but some expectations remain open."""
        if any(configuration.differences(result) for configuration, result in self.outcomes):
            return False
        missing = self.failed or self.left
        all_met = all(configuration.as_expected(result) for configuration, result in self.outcomes)
        return True if all_met and not missing else None

    @property
    def error(self) -> ModelError | None:
        """The first error of a model."""
        beside = [result.error for _, result in self.outcomes if result.error is not None]
        return next(iter([*beside, *(error for _, error in self.failed)]), None)

    @property
    def why(self) -> str:
        right = sum(configuration.as_expected(result) for configuration, result in self.outcomes)
        total = len(self.outcomes) + len(self.failed) + len(self.left)
        seconds = sum(result.seconds for _, result in self.outcomes)
        are = "is" if total == 1 else "are"
        return f"{right} of {counted(total, 'configuration')} {are} as expected ({seconds:.1f} s)"

    @property
    def shown(self) -> Any:
        """The property whose trace is :attr:`trace`."""
        return self.outcomes[0][1].shown if self.outcomes else None

    @property
    def trace(self) -> Trace | None:
        """The trace of the first configuration."""
        return self.outcomes[0][1].trace if self.outcomes else None

    def styled(self) -> list[Line]:
        rows: list[StyledRow] = [(None, ("", "configuration", "verdict", "distinct", "depth", "seconds"))]
        further: list[str] = []
        for configuration, result in self.outcomes:
            differences, path = configuration.differences(result), told_path(configuration.path)
            holds = False if differences else configuration.as_expected(result) or None
            figures = f"{result.distinct:,}", str(result.depth), f"{result.seconds:.2f}"
            rows.append(marked(holds, path, result.why, *figures))
            if differences:
                further += ["", f"{path} is not as expected:", *(f"  {line}" for line in differences)]
            elif result.cut_short is not None:
                further += ["", f"{path} is incomplete: {result.cut_short}"]
            elif result.translation == STALE:
                further += ["", f"{path} is checked in a {STALE} translation, which says nothing of the algorithm"]
            elif not configuration.as_expected(result):
                further += ["", f"{path} expects nothing, and nothing is checked"]
        for configuration, error in self.failed:
            further += ["", f"{told_path(configuration.path)} ended with an error of the model: {error}"]
        profiles = [
            line
            for configuration, result in self.outcomes
            if isinstance(result, Profiled)
            for line in ["", told_path(configuration.path), *profile_lines(result)]
        ]
        return [*styled_columns(rows, right=(3, 4, 5)), *map(printable, further), *profiles, "", self.why]

    def as_dict(self) -> list[dict[str, Any]]:
        return [
            {
                "file": str(configuration.path),
                "title": configuration.title,
                "as_expected": configuration.as_expected(result),
                "differences": configuration.differences(result),
                **result.as_dict(),
            }
            for configuration, result in self.outcomes
        ] + [
            {
                "file": str(configuration.path),
                "title": configuration.title,
                "as_expected": False,
                "differences": [],
                "complete": False,
                "error": str(error),
            }
            for configuration, error in self.failed
        ]


def report_page(result: Result, configuration: Configuration | None = None, repair: str = "") -> str:
    """A self-contained page: verdicts, traces, charts, and the state graph, for which a small space is searched again.

    Args:
        configuration: The configuration that was checked, to compare the result with.
        repair: What would repair the first violation.
    """
    from workbench.checking.spaces.space import again
    from workbench.showing import view  # pictures load here, not with the command line

    space = None
    if result.complete and result.distinct <= MOST_KEPT:
        with progress_line() as on_progress:
            space = again(result, Watch(on_progress))
        space = space if space.result.complete else None
    left_out = "" if space is not None else _left_out(result)
    if configuration is None:
        return view.report(result, space=space, repair=repair, left_out=left_out)
    return view.report(
        result,
        title=configuration.title,
        source=configuration.source,
        differences=configuration.differences(result),
        as_expected=configuration.as_expected(result),
        space=space,
        left_out=left_out,
    )


def _left_out(result: Result) -> str:
    """What a page without the states does not show, and how to see it."""
    absent = "The density of the states, and the chart of what reads and writes what, are not on this page"
    if not result.complete or result.distinct <= MOST_KEPT:
        return f"{absent}, since a search was not completed; view.density(state_space(model)) in Python draws a part."
    return (
        f"{absent}, which keeps up to {MOST_KEPT:,} states. workbench export with the same settings and -o FILE.svg "
        "draws the density of up to 1,000,000, of more with --max-states; in Python, "
        "view.report(result, space=state_space(model)) makes a page with both."
    )
