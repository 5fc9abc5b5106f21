"""The panel around a model: a story, the switches that change it, verdicts at every change, and tabs that look closer.

Parts draw a session and call its methods (``parts.py``); all of them, and the player of its story, are one widget
(``surface.py``). Running a cell again closes its panel (``lifetime.py``). A notebook keeps what is static of a panel as
a second output, since JupyterLab shows an error for an output whose widget is gone; ``view/style.css`` shows the one or
the other.
"""

from collections.abc import Callable
from typing import Any

import traitlets

from workbench.kernel import Result, Verdict
from workbench.showing.panel.charts_tab import ChartsTab
from workbench.showing.panel.compare_tab import CompareTab
from workbench.showing.panel.graph_tab import GraphTab
from workbench.showing.panel.head import Head, Side
from workbench.showing.panel.observed import Observed, check_selected, refusing
from workbench.showing.panel.parts import Box, Part, Tabs
from workbench.showing.panel.tab import Tab, failure, failure_beside
from workbench.showing.panel.tabs import MapTab, StoryTab
from workbench.showing.panel.verdicts import CheckBar
from workbench.showing.pictures.markup import element, joined
from workbench.showing.session import Session, Settings, opening
from workbench.showing.session.hints import Hints
from workbench.showing.view import result_view
from workbench.showing.view.base.html import Drawn, Joined, Rendered, bullets, noted

#: The time that a cell waits for the first result of the panel that it shows.
PATIENCE_SECONDS = 3.0


class Workbench(Observed):
    """A panel around a model: flip a switch, and see at once what breaks, and why.

    Args:
        what: A model, its name (also ``path/to/file.py:Class``), or a named configuration to start from: its file, or
            just its name, such as ``v2_race``. The name of a model alone opens the first of its stories.
        **constants: Values for some of the constants; all others have the model's defaults.

    Attributes:
        constants (dict): Every constant's value, as the model takes them. Set some or all, and what is quick is checked
            at once; settings of one cell are one check. A check that goes on is cancelled.
        verdicts (dict): By property the word of its verdict (:attr:`workbench.kernel.meaning.result.Verdict.word`);
            ``checking`` while a check goes on, ``not asked`` while one waits for :meth:`run`.
        selected (str): The property whose story is told.
        step (int): The index of the story's state that is shown.
        session (Session): The work that the panel shows: settings, results, and computations about them.

    The first four are traits, to be observed, linked and set; a value that is not accepted is a TraitError. In a
    notebook they follow by themselves; in a script, with :meth:`wait`.

    Examples:
        >>> panel = Workbench("bakery", Writers=2, LazyReap=False)
        >>> panel.wait()["NonCrashedProgress"].word
        'violated'
        >>> panel.apply(LazyReap=True)
        >>> panel.wait()["NonCrashedProgress"].word, panel.change.partition(",")[0]
        ('holds', 'LazyReap on: NonCrashedProgress now holds')
    """

    constants = traitlets.Dict()
    verdicts = traitlets.Dict(read_only=True)
    selected = traitlets.Unicode(None, allow_none=True)
    step = traitlets.Int()

    def __init__(self, what: Any, /, **constants: Any) -> None:
        self.session = self._work = Session(opening(what, constants))
        self._pending: Settings | None = None
        self._hints = Hints(self.session, self._hint)
        self._side = Side(self.session, self._hints)
        self.bar = CheckBar(self.session, self._select)
        self._watching: list[Callable[[], None]] = []
        self.story = StoryTab(self.session)
        self.tabs: list[Tab] = [self.story, *(tab(self.session) for tab in (CompareTab, MapTab, GraphTab, ChartsTab))]
        self._tabs = Tabs({tab.title: tab for tab in self.tabs}, self._opened)
        screen = Box([self._side, self._tabs], "wb-screen")
        head = Head(self.session)
        super().__init__(Box([*self._above(), head, self.bar, screen, self._side.more]), self.session.lock)
        with self.held():
            self.session.on("check", self._checking)
            for event in ("result", "selected"):
                self.session.on(event, self._progressed)
            self.session.on("stepping", self._stepping)
            self.session.on("settings", self.follow)
            self.session.on("check", self.follow)
            self.session.on("selected", self.follow)
            self.story.stepping.player.on("step", self.follow)
            self.session.run()
        self.deliver()

    def _above(self) -> list[Part]:
        """The parts to show above the panel."""
        return []

    # What was found ------------------------------------------------------------------------------------------------

    @property
    def result(self) -> Result | None:
        """The latest result; None before the first one."""
        return self.session.result

    @property
    def before(self) -> Result | None:
        """The result before the last change, if there was one."""
        return self.session.before

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the selected property."""
        return self.session.verdict

    @property
    def change(self) -> str:
        """What the last change did to the verdicts, in a line."""
        return self.bar.change

    # What one may do -----------------------------------------------------------------------------------------------

    def apply(self, **constants: Any) -> None:
        """Set some constants, and check if that is quick.

        Raises:
            TraitError: For a name or a value that is not accepted.
        """
        self.constants = constants

    def run(self) -> None:
        """Check with the present settings."""
        self._change()
        self.session.run()

    def stop(self) -> None:
        """Stop the check; what it found so far is shown."""
        self.session.stop()

    def wait(self, seconds: float | None = None) -> Result | None:
        """Wait until the check has ended; its result, or None if it takes longer.

        Raises:
            InputError: If there is no result because something is wrong with the settings or the model.
        """
        self._change()
        try:
            return self.session.wait(seconds)
        finally:
            self.deliver()

    # Its traits ----------------------------------------------------------------------------------------------------

    def now(self) -> dict[str, Any]:
        session = self.session
        return {
            "constants": dict((self._pending or session.settings).constants),
            "verdicts": self._words(),
            "selected": session.selected,
            "step": self.story.stepping.player.step,
        }

    def _words(self) -> dict[str, str]:
        session = self.session
        if session.error is not None:
            return {}
        if self._pending is None and session.result is not None and not (session.running or session.waiting):
            return {verdict.name: verdict.word for verdict in session.result.verdicts}
        asked = (self._pending or session.settings).applicable()
        return dict.fromkeys(asked, "not asked" if session.waiting else "checking")

    @traitlets.validate("constants")
    def _accepted(self, proposal: Any) -> dict[str, Any]:
        if self.is_followed(proposal):
            return dict(proposal["value"])
        present = self._pending or self.session.settings
        with refusing():
            changed = present.with_constants(proposal["value"])
            changed.model()  # raises an error unless they go together
        if changed.constants != present.constants:
            self._pending = changed
            if self._loop is None:
                self._change()
            else:
                self._loop.call_soon(self._change)
        return dict(changed.constants)

    def _change(self) -> None:
        """Apply the constants that were set."""
        settings, self._pending = self._pending, None
        if settings is not None:
            self.session.change(settings)

    @traitlets.validate("selected")
    def _selectable(self, proposal: Any) -> Any:
        if not self.is_followed(proposal):
            with refusing():
                check_selected(proposal["value"], self.session.result)
            self._select(proposal["value"])
        return proposal["value"]

    @traitlets.validate("step")
    def _there(self, proposal: Any) -> Any:
        if not self.is_followed(proposal):
            with refusing():
                self.story.stepping.player.go(proposal["value"])
        return proposal["value"]

    def _select(self, name: str) -> None:
        """Handle a click on a verdict: show its trace, unless the open tab shows the selected property anyway."""
        self.session.select(name)
        if not self.tabs[self._tabs.at].of_selected:
            self._tabs.open(0)

    def _opened(self) -> None:
        self.tabs[self._tabs.at].opened()

    def _checking(self) -> None:
        """Follow the state of the check; hide the tabs if an error has kept it from ever finding anything."""
        with self.held():
            self.bar.look()
            self._tabs.shown = self.session.error is None or self.result is not None

    def _progressed(self) -> None:
        with self.held():
            self.bar.look()
            self._opened()

    def _stepping(self) -> None:
        self._tabs.open(0)

    def _hint(self) -> None:
        with self.held():
            self._side.hint()
        for look in self._watching:
            look()

    # What is shown -------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        if self.session.error is not None:
            return f"Workbench, error: {self.session.error}"
        return "Workbench, still checking" if self.result is None else f"Workbench\n{result_view(self.result).text()}"

    # Without a kernel ----------------------------------------------------------------------------------------------

    def _wait_a_little(self) -> None:
        self.session.ended(PATIENCE_SECONDS)

    def _when_other(self, changed: Callable[[], None]) -> None:
        def look() -> None:
            if not (self.session.running or self._hints.trying):  # a copy has all of them
                changed()

        with self.session.lock:
            self.session.on("check", look)
            self.session.on("selected", look)
            self.session.stepper().on_move(look)
            self._watching.append(look)

    def static(self) -> Drawn:
        """The result, what each switch would do, and the behaviour that is stepped through."""
        with self.session.lock:
            if self.session.error is not None:
                return failure(self.session.error, self.session.led_to_error)
            if self.result is None:
                return Rendered(
                    noted(f"The check of {self.session.settings.model_class.declared.name} goes on."), repr(self)
                )
            result, tried, stepped = self.result, self._hints.decided, self.story.stepping.static()
        hints = [joined([element("code", ", ".join(attempt.changes)), " ", attempt.hint[0]]) for attempt in tried]
        # As text, a notebook keeps only what is the same in every run; hints come at any time.
        switches = [Rendered(bullets(hints), "")] if hints else []
        return Joined(result_view(result), *failure_beside(result), *switches, stepped)
