"""The panel around a model: controls, verdicts at every change, and tabs that look closer."""

from typing import Any

import ipywidgets

from workbench.kernel import Result, Verdict
from workbench.kernel.budget import Progress
from workbench.kernel.values import counted
from workbench.session import Session, start_from
from workbench.view import result_view, trace_view, what_changed
from workbench.view.html import Drawn, Joined, Rendered, badge, element, escape
from workbench.widgets.charts_tab import ChartsTab
from workbench.widgets.compare_tab import CompareTab
from workbench.widgets.graph_tab import GraphTab
from workbench.widgets.grid_tab import GridTab
from workbench.widgets.head import Head
from workbench.widgets.lifetime import Panel
from workbench.widgets.pane import Pane, Style
from workbench.widgets.player import with_static
from workbench.widgets.tab import Tab, button, complaint
from workbench.widgets.tabs import StepTab, TraceTab, Verdicts
from workbench.widgets.whatif_tab import WhatIfTab

#: How long a panel waits for its first result before it is shown without one.
PATIENCE_SECONDS = 3.0


class Workbench(Panel, ipywidgets.VBox):
    """A panel around a model: flip a switch, and see at once what breaks, and why.

    Parameters
    ----------
    what : str, Model, type of Model, Configuration or path
        A model, its name (also ``path/to/file.py:Class``), or a named configuration to start from: its file, or just
        its name, such as ``v2_race``.
    **constants
        Values for some of the constants.

    Attributes
    ----------
    session : Session
        What the panel shows: settings, results, and what is computed about them.

    Examples
    --------
    >>> panel = Workbench("bakery", Writers=2, LazyReap=False)
    >>> panel.wait()["NonCrashedProgress"].word
    'violated'
    >>> panel.apply({"LazyReap": True})
    >>> panel.run()
    >>> panel.wait()["NonCrashedProgress"].word, panel.change.partition(",")[0]
    ('holds', 'LazyReap on: NonCrashedProgress now holds')
    """

    def __init__(self, what: Any, /, **constants: Any) -> None:
        self.session = self._work = Session(start_from(what).with_constants(constants))
        self._head = Head(self.session)
        self._run = button("Run", "play", "check with these settings", self.run)
        self._stop = button("Stop", "stop", "stop, and keep what was found", self.stop)
        self._progress = Pane()
        self._bar = ipywidgets.HBox([self._run, self._stop, self._progress])
        self._bar.add_class("wb-toolbar").add_class("wb-run").add_class("wb-section")
        self._status = Pane()
        self._verdict = Pane(on_send=self._select)
        self._step_tab = StepTab(self.session)
        self.tabs: list[Tab] = [
            Verdicts(self.session),
            TraceTab(self.session),
            self._step_tab,
            GraphTab(self.session),
            ChartsTab(self.session),
            WhatIfTab(self.session),
            CompareTab(self.session),
            GridTab(self.session),
        ]
        self._tabs = ipywidgets.Tab(self.tabs, titles=[tab.title for tab in self.tabs], selected_index=0)
        self._tabs.add_class("wb-tabs")
        self._tabs.observe(self._opened, "selected_index")
        super().__init__([Style(), self._head, self._bar, self._status, self._verdict, self._tabs])
        self.add_class("wb-panel")
        self.session.on("check", self._draw)
        for event in ("result", "selected"):
            self.session.on(event, self._draw)
            self.session.on(event, self._opened)
        self.session.on("stepping", self._stepping)
        self.run()

    # What was found ------------------------------------------------------------------------------------------------

    @property
    def result(self) -> Result | None:
        """What was found last."""
        return self.session.result

    @property
    def before(self) -> Result | None:
        """What was found before the last change."""
        return self.session.before

    @property
    def selected(self) -> str | None:
        """The property whose trace is shown."""
        return self.session.selected

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the selected property."""
        return self.session.verdict

    @property
    def change(self) -> str:
        """What the last change did to the verdicts, in a line."""
        before, result = self.before, self.result
        return what_changed(before, result) if before is not None and result is not None and result.complete else ""

    # What one may do -----------------------------------------------------------------------------------------------

    def apply(self, constants: dict[str, Any]) -> None:
        """Set some constants, and check if that is quick."""
        self.session.apply(constants)

    def run(self) -> None:
        """Check with the settings as they are."""
        self.session.run()

    def stop(self) -> None:
        """Stop the check; what it found so far is shown."""
        self.session.stop()

    def wait(self, seconds: float | None = None) -> Result | None:
        """Wait until the check has ended; its result, or None if it takes longer.

        Raises
        ------
        InputError
            If there is no result because something is wrong with the settings or the model.
        """
        return self.session.wait(seconds)

    def _select(self, name: str) -> None:
        with self.session.lock:
            self.session.select(name)
            verdict = self.session.verdict
            if verdict is not None and verdict.trace is not None and self._tabs.selected_index == 0:
                self._tabs.selected_index = 1

    def _opened(self, _: Any = None) -> None:
        self.tabs[self._tabs.selected_index or 0].opened()

    def _stepping(self) -> None:
        self._tabs.selected_index = self.tabs.index(self._step_tab)

    # What is shown -------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        session, result = self.session, self.session.result
        self._stop.disabled = not session.running
        self._progress.html = self._where(result)
        if session.error is not None:
            self._status.html = complaint(session.error)
        else:
            self._status.html = "" if result is None or session.stale else self._expectation(result)
        if result is not None:
            self._verdict.html = self._verdicts(result)

    def _where(self, result: Result | None) -> str:
        """Where the check is, or how it has ended."""
        session = self.session
        if session.error is not None:
            return ""
        if session.waiting:
            return element("p", "Something has changed since this result: press Run.")
        if session.progress is not None:
            return element("p", escape(_progress(session.progress)))
        if result is None:
            return element("p", "Checking")
        how = "every change is checked at once" if session.live else "press Run after a change"
        counts = f"{result.distinct:,} states, depth {result.depth}, {result.seconds:.2f} s"
        stopped = "" if result.complete else badge("unknown", f"incomplete: {result.stopped}") + " "
        return element("p", f"{stopped}{counts} \N{MIDDLE DOT} {how}", class_="wb-note")

    def _expectation(self, result: Result) -> str:
        """Whether the result is as the named configuration says."""
        one = self.session.settings.configuration
        if one is None or not one.expect or result.model.constants != one.model.constants:
            return ""
        differences = one.differences(result)
        if not differences:
            note = f"{escape(one.title)}: as expected."
            return element("p", note, class_="wb-note") if one.as_expected(result) else ""
        lines = "".join(element("li", escape(line)) for line in differences)
        return f'<div class="wb-wrong">Not as {escape(one.path.name)} expects:<ul>{lines}</ul></div>'

    def _verdicts(self, result: Result) -> str:
        """The verdicts in a line; greyed where they are of other settings than those that are set."""
        chips = "".join(_chip(verdict, verdict.name == self.selected) for verdict in result.verdicts)
        line = element("span", escape(self.change)) if self.change else ""
        shown = f'<div class="wb-headline">{_headline(result)}{line}</div><div class="wb-chips">{chips}</div>'
        return element("div", shown, class_="wb-stale") if self.session.stale else shown

    def __repr__(self) -> str:
        if self.session.error is not None:
            return f"Workbench, error: {self.session.error}"
        return "Workbench, still checking" if self.result is None else f"Workbench\n{result_view(self.result).text()}"

    # Without a kernel ----------------------------------------------------------------------------------------------

    def _repr_mimebundle_(self, **options: Any) -> Any:
        self.session.ended(PATIENCE_SECONDS)
        return with_static(super()._repr_mimebundle_(**options), self.static())

    def static(self) -> Drawn | None:
        """The result with the trace of the selected property, to be shown where there is no kernel."""
        with self.session.lock:
            if self.session.error is not None:
                return Rendered(complaint(self.session.error), repr(self))
            if self.result is None:
                return None
            shown = result_view(self.result)
            verdict = self.verdict
            return shown if verdict is None or verdict.trace is None else Joined(shown, trace_view(verdict.trace))


def _progress(at: Progress) -> str:
    rate = at.states / at.seconds if at.seconds else 0
    parts = [f"level {at.level}", f"{at.states:,} states", f"{rate:,.0f} states/s", f"frontier {at.frontier:,}"]
    return " \N{MIDDLE DOT} ".join([*parts, f"{at.seconds:.0f} s"])


def _headline(result: Result) -> str:
    if result.holds:
        return badge("holds", "everything holds")
    if result.violated:
        return badge("violated", f"{len(result.violated)} of {len(result.verdicts)} violated")
    if result.undecided:
        return badge("unknown", f"{len(result.undecided)} of {len(result.verdicts)} not decided")
    return badge("unknown", "nothing is checked")


def _chip(verdict: Verdict, selected: bool) -> str:
    states = "" if verdict.trace is None else f" {counted(len(verdict.trace), 'state')}"
    return element(
        "button",
        badge(verdict.word),
        element("span", escape(verdict.name), element("span", states, class_="wb-note")),
        class_="wb-chip",
        data_send=verdict.name,
        aria_pressed=str(selected).lower(),
        title=verdict.why or "show its trace, if it has one",
    )
