"""The verdicts of a session, once: where the check is, what it found, and a list to select from."""

from collections.abc import Callable

from workbench.checking.outlook import outlook
from workbench.kernel import Result, Verdict
from workbench.kernel.meaning.budget import Progress
from workbench.kernel.meaning.values import counted
from workbench.showing.panel.fields import Button
from workbench.showing.panel.parts import Box, Pane, tab_stop
from workbench.showing.panel.tab import failure, failure_beside
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.session import Session
from workbench.showing.view import what_changed
from workbench.showing.view.base.html import MARKS, badge, bullets, noted
from workbench.showing.view.trace.tables import headline, said_of, summary


class CheckBar(Box):
    """The check in a line with its buttons, an error if there is one, and the list of verdicts.

    Args:
        on_select: Called with the name of the property whose verdict was clicked.

    Attributes:
        headline, progress, status (Pane): The findings and the effect of the last change; the progress of the check;
            and an error, or whether all is as expected.
        list: Pane
    """

    def __init__(self, session: Session, on_select: Callable[[str], None]) -> None:
        self.session = session
        self.run = Button("Run", "check with these settings", session.run)
        self.stop = Button("Stop", "stop, and keep what was found", session.stop)
        self.headline = Pane(class_="wb-read-out", role="status")
        self.progress, self.status, self.list = Pane(class_="wb-progress"), Pane(), Pane(on_send=on_select)
        bar = Box([self.headline, self.progress, self.run, self.stop], "wb-toolbar wb-run wb-section")
        super().__init__([bar, self.status, self.list])
        self.look()  # a page hears no more than this before the cell has ended

    @property
    def change(self) -> str:
        """The effect of the last change on the verdicts, in a line."""
        before, result = self.session.before, self.session.result
        return what_changed(before, result) if before is not None and result is not None and result.complete else ""

    def look(self) -> None:
        """Draw the progress of the check and its findings."""
        session, result = self.session, self.session.result
        asking = session.error is not None or session.waiting or not session.live
        self.run.primary = session.waiting
        self.run.shown = asking and not session.running
        self.stop.shown = session.running and (session.progress is not None or session.loading)
        self.progress.html = self._where(result)
        if session.error is not None:
            self.status.html = failure(session.error, session.led_to_error).html()
        else:
            self.status.html = "" if result is None or session.stale else _notes(result) + self._differences(result)
        self.headline.html = self._headline(result)
        if result is not None:
            self.list.html = verdict_list(result, session.selected, session.stale)

    def _where(self, result: Result | None) -> str:
        """The progress of the check, or the way it has ended."""
        session = self.session
        if session.error is not None:
            return ""
        if session.waiting:
            return element("p", "Something has changed since this result: press Run.")
        if session.loading:
            return element("p", "Loading the engine")
        if session.progress is not None:
            return element("p", _progress(session.progress))
        if result is None or session.running:
            return element("p", "Checking", class_="wb-checking")
        how = "" if session.live else " \N{MIDDLE DOT} press Run after a change"
        bounded = f" within {result.within}" if result.within else ""
        counts = f"{counted(result.distinct, 'state')}{bounded}, {result.seconds:.2f} s{how}"
        stopped = None if result.complete else badge("unknown", f"incomplete: {result.stopped}") + " "
        return element("p", stopped, counts, class_="wb-note", title=summary(result))

    def _headline(self, result: Result | None) -> str:
        """The findings; during a check, its findings so far."""
        session = self.session
        if session.progress is not None:
            badges = [badge(decided.word, str(decided)) for decided in session.progress.decided]
            return element("div", badge("unknown", "checking"), *badges, class_="wb-headline")
        if result is None:
            return ""
        stale = " wb-stale" if session.stale else ""
        story = self._story(result)
        line = element("span", story, class_="wb-told", title=story)
        return element("div", headline(result), line, class_=f"wb-headline{stale}")

    def _story(self, result: Result) -> str:
        """The title of the named configuration; or else the effect of the last change, or the selected property."""
        configuration, verdict = self.session.settings.configuration, self.session.verdict
        if configuration is not None or self.change:
            return self.change if configuration is None else configuration.title
        if verdict is None:
            return ""
        return f"{verdict.name}: {said_of(result, verdict.name) or verdict.why or verdict.word}"

    def _differences(self, result: Result) -> str:
        """The differences between the result and what the named configuration expects."""
        configuration = self.session.settings.configuration
        if configuration is None or not configuration.expect or result.model.constants != configuration.model.constants:
            return ""
        differences = configuration.differences(result)
        if not differences:
            return ""
        return element("div", f"Not as {configuration.path.name} expects:", bullets(differences), class_="wb-wrong")


def _notes(result: Result) -> Markup:
    return joined([*(failed.html() for failed in failure_beside(result)), *map(noted, result.notes)])


def _progress(at: Progress) -> str:
    rate = at.states / at.seconds if at.seconds else 0
    parts = [f"level {at.level}", counted(at.states, "state"), f"{rate:,.0f} states/s", f"{at.seconds:.0f} s"]
    return " \N{MIDDLE DOT} ".join(filter(None, [*parts, outlook(at)]))


def verdict_list(result: Result, selected: str | None, stale: bool) -> Markup:
    """A button for each verdict.

    Args:
        stale: Whether the settings have changed since the check.
    """
    reached = tab_stop(selected, [verdict.name for verdict in result.verdicts])
    rows = (_row(verdict, result, verdict.name == selected, verdict.name == reached) for verdict in result.verdicts)
    class_ = f"wb-verdicts wb-scroll{' wb-stale' if stale else ''}"
    return element("div", *rows, class_=class_, role="toolbar", aria_label="verdicts")


def _row(verdict: Verdict, result: Result, selected: bool, reached: bool) -> Markup:
    """A verdict; pointing at it shows the property's statement and the reason. Tab reaches one, arrows the others."""
    states = f" ({counted(len(verdict.trace), 'state')})" if verdict.trace is not None else ""
    mark, kind = MARKS[verdict.word]
    return element(
        "button",
        element("b", mark, class_=f"wb-mark wb-{kind}"),
        " ",
        element("span", _sentence(verdict), class_="wb-name"),
        class_="wb-verdict",
        tabindex=0 if reached else -1,
        data_send=verdict.name,
        aria_pressed=str(selected).lower(),
        aria_label=f"{verdict.name} {verdict.word}",
        title=": ".join(filter(None, [f"{verdict.word}{states}", verdict.why, said_of(result, verdict.name)])),
    )


def _sentence(verdict: Verdict) -> str:
    """The property's name, with a word where the mark alone would mislead: "no Deadlock", or "reached"."""
    if verdict.kind == "deadlock" and verdict.holds:
        return f"no {verdict.name}"
    return f"{verdict.name} reached" if verdict.kind == "reachable" and verdict.holds else verdict.name
