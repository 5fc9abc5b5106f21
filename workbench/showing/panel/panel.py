"""The panel around a model: a story, the switches that change it, verdicts at every change, and tabs that look closer.

Parts draw a session and call its methods (``parts.py``); all of them, and the player of its story, are one widget
(``surface.py``). Running a cell again closes its panel (``lifetime.py``). A notebook keeps what is static of a panel as
a second output, since JupyterLab shows an error for an output whose widget is gone; ``view/style.css`` shows the one or
the other.
"""

from collections.abc import Callable
from typing import Any

from workbench.kernel import Result, Verdict
from workbench.showing.panel.charts_tab import ChartsTab
from workbench.showing.panel.graph_tab import GraphTab
from workbench.showing.panel.head import Head, Side
from workbench.showing.panel.parts import Box, Part, Tabs
from workbench.showing.panel.surface import Surface
from workbench.showing.panel.tab import Tab, failure, failure_beside
from workbench.showing.panel.tabs import MapTab, StoryTab
from workbench.showing.panel.verdicts import Verdicts
from workbench.showing.pictures.markup import element, joined
from workbench.showing.session import Session, opening
from workbench.showing.session.hints import Hints
from workbench.showing.view import result_view
from workbench.showing.view.html import Drawn, Joined, Rendered, bullets, noted

#: How long a cell waits for the first result of the panel that it shows.
PATIENCE_SECONDS = 3.0


class Workbench(Surface):
    """A panel around a model: flip a switch, and see at once what breaks, and why.

    Args:
        what: A model, its name (also ``path/to/file.py:Class``), or a named configuration to start from: its file, or
            just its name, such as ``v2_race``. The name of a model alone opens the first of its stories.
        **constants: Values for some of the constants; all others have the model's defaults.

    Attributes:
        session (Session): What the panel shows: settings, results, and what is computed about them.

    Examples:
        >>> panel = Workbench("bakery", Writers=2, LazyReap=False)
        >>> panel.wait()["NonCrashedProgress"].word
        'violated'
        >>> panel.apply({"LazyReap": True})
        >>> panel.run()
        >>> panel.wait()["NonCrashedProgress"].word, panel.change.partition(",")[0]
        ('holds', 'LazyReap on: NonCrashedProgress now holds')
    """

    def __init__(self, what: Any, /, **constants: Any) -> None:
        self.session = self._work = Session(opening(what, constants))
        self._hints = Hints(self.session, self._hint)
        self._side = Side(self.session, self._hints)
        self.verdicts = Verdicts(self.session, self._select)
        self._watching: list[Callable[[], None]] = []
        self.story = StoryTab(self.session)
        self.tabs: list[Tab] = [self.story, *(tab(self.session) for tab in (MapTab, GraphTab, ChartsTab))]
        self._tabs = Tabs({tab.title: tab for tab in self.tabs}, self._opened)
        screen = Box([self._side, self._tabs], "wb-screen")
        head = Head(self.session)
        super().__init__(Box([*self._above(), head, self.verdicts, screen, self._side.more]), self.session.lock)
        with self.held():
            self.story.begin(self)
            self.session.on("check", self._checking)
            for event in ("result", "selected"):
                self.session.on(event, self._found)
            self.session.on("stepping", self._stepping)
            self.run()

    def _above(self) -> list[Part]:
        """What stands above it."""
        return []

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
        return self.verdicts.change

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

        Raises:
            InputError: If there is no result because something is wrong with the settings or the model.
        """
        return self.session.wait(seconds)

    def _select(self, name: str) -> None:
        """A verdict was clicked: its trace is shown, unless what is open shows the selected property already."""
        self.session.select(name)
        if not self.tabs[self._tabs.at].of_selected:
            self._tabs.open(0)

    def _opened(self) -> None:
        self.tabs[self._tabs.at].opened()

    def _checking(self) -> None:
        """Where nothing was ever found, because something is wrong, the tabs have nothing to show."""
        with self.held():
            self.verdicts.look()
            self._tabs.shown = self.session.error is None or self.result is not None

    def _found(self) -> None:
        with self.held():
            self.verdicts.look()
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
            if not self.session.running:
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
        hints = [joined([element("code", ", ".join(one.changes)), " ", one.hint[0]]) for one in tried]
        # As text a notebook keeps what is the same in every run; hints come when they come.
        switches = [Rendered(bullets(hints), "")] if hints else []
        return Joined(result_view(result), *failure_beside(result), *switches, stepped)
