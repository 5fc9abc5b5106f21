"""What flipping each switch in sight would do, found out beside the session's check."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workbench.kernel import Result
from workbench.questions.whatif import Attempt, flips
from workbench.session.jobs import Aside, Job
from workbench.session.stories import in_sight

if TYPE_CHECKING:
    from workbench.session.session import Session

#: The longest that one change is checked.
MOST_SECONDS = 20.0
#: The longest that a check takes whose changes are tried without being asked for.
QUICK_SECONDS = 1.0


class Hints:
    """The single changes of the switches in sight, each as soon as it is decided.

    Attributes:
        attempts (list of Attempt): Those of the session's result that are decided so far.
    """

    def __init__(self, session: "Session", draw: Callable[[list[Attempt]], None]) -> None:
        self.attempts: list[Attempt] = []
        self._session, self._draw = session, draw
        self._aside = session.aside("hints")
        session.on("result", self._begin)

    def _begin(self) -> None:
        session, result = self._session, self._session.result
        found: list[Attempt] = []
        self.attempts = found
        self._draw(found)
        if result is None or not result.complete or result.seconds > QUICK_SECONDS:
            return

        def found_one(attempt: Attempt) -> None:
            with session.lock:
                found.append(attempt)
                if found is self.attempts:
                    self._draw(found)

        def work(job: Job) -> list[Attempt]:
            near, options = in_sight(type(result.model)), how_checked(result, self._aside, job, "changes checked")
            return flips(result.model, constants=near, on_attempt=found_one, **options)

        self._aside.start(session.number, "Trying the switches", work)


def how_checked(result: Result, aside: Aside, job: Job, what: str) -> dict[str, Any]:
    """How changes to `result` are checked, and progress told."""

    def progress(done: int, of: int) -> None:
        aside.say(job, f"{done} of {of} {what}")

    return {
        "properties": [verdict.name for verdict in result.verdicts],
        "before": result,
        "on_progress": progress,
        "should_stop": job.should_stop,
        "symmetry": result.symmetry,
        "engine": "local",
        "max_seconds": MOST_SECONDS,
    }
