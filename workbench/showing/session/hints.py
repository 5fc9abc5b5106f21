"""The effects of flipping each visible switch, computed alongside the session's check."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workbench.checking.questions.whatif import Attempt, flips
from workbench.kernel import Result
from workbench.kernel.meaning.budget import Budget
from workbench.showing.session.jobs import MOST_STATES, Aside, Job
from workbench.showing.session.stories import in_sight

if TYPE_CHECKING:
    from workbench.showing.session.session import Session

#: The states of the largest space for which changes are tried unasked.
QUICK_STATES = 500_000


class Hints:
    """The single changes of the switches in sight, tried whenever the session has a new result that is not too large.

    Args:
        draw: Called whenever one of the attributes has changed.

    Attributes:
        decided (list of Attempt): The changes decided so far.
    """

    def __init__(self, session: "Session", draw: Callable[[], None]) -> None:
        self._session, self._draw = session, draw
        self._aside = session.aside("hints")
        self.decided: list[Attempt] = []
        self._aside.on_change(draw)
        session.on("result", self._begin)

    @property
    def trying(self) -> bool:
        """Whether more changes will be decided."""
        return self._aside.running

    @property
    def waiting(self) -> bool:
        """Whether the space is so large that changes are tried only on request."""
        result = self._session.result
        return self._aside.key is None and result is not None and result.complete and result.distinct > QUICK_STATES

    def _begin(self) -> None:
        result = self._session.result
        self.decided = []
        if result is not None and result.complete and result.distinct <= QUICK_STATES:
            self.ask()
        else:
            self._draw()

    def ask(self) -> None:
        """Try the changes, however large the space is."""
        session, aside = self._session, self._aside
        with session.lock:
            result = session.result
            if result is None:
                return

            def decided(attempts: list[Attempt]) -> None:
                self.decided = attempts
                self._draw()

            def work(job: Job) -> list[Attempt]:
                return try_changes(session, aside, job, result, decided, constants=in_sight(type(result.model.author)))

            aside.start(session.number, "Trying the switches", work)


def try_changes(
    session: "Session", aside: Aside, job: Job, result: Result, draw: Callable[[list[Attempt]], None], **which: Any
) -> list[Attempt]:
    """Check the model of `result` once for each single change of a constant; returns the decided changes.

    Args:
        draw: Called whenever a change is decided, with all those decided so far and the session's lock held. It is no
            longer called once `job` should stop.
        **which: Selects the changes; see :func:`workbench.checking.questions.whatif.flips`.
    """
    attempts: list[Attempt] = []

    def decided(attempt: Attempt) -> None:
        with session.lock:
            attempts.append(attempt)
            if not job.should_stop():
                draw(attempts)

    return flips(result.model, on_attempt=decided, **which, **how_checked(result, aside, job, "changes checked"))


def how_checked(result: Result, aside: Aside, job: Job, unit: str) -> dict[str, Any]:
    """The options for checking changes to `result` and for reporting progress."""

    def progress(done: int, of: int) -> None:
        aside.say(job, f"{done} of {of} {unit}")

    return {
        "before": result,
        "watch": job.watch(progress),
        "symmetry": result.symmetry,
        "engine": "local",
        "budget": Budget(states=MOST_STATES),
    }
