"""A session: the settings of a model, their check, its result, and everything computed from the result.

`Settings` are replaced, never changed, and checked in a thread. The `Stepper` has a `History`, a tree, for each initial
state that somebody has started from. A session emits events (``settings``, ``check``, ``result``, ``selected``,
``stepping``, ``watches``) and knows nothing of its views. Whatever a view needs besides the check is computed by an
`Aside`, one for each purpose: it continues while nobody looks, and a new check ends it. A grid of settings
(``grid_job.py``) belongs to no single result and outlasts checks. Values computed from a result are cached with it
(``result_cache.py``), so that the graph and the charts share one search. A single lock is held while an event is
emitted and while a click is handled.
"""

import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

from workbench.checking.check import check
from workbench.formats.permalink import follow_permalink
from workbench.kernel import InputError, Machine, ModelError, Result, Trace, Verdict
from workbench.kernel.meaning.arguments import names_in
from workbench.kernel.meaning.budget import Budget, Progress
from workbench.kernel.meaning.replay_after_change import Retold, retold
from workbench.showing.session.events import Events
from workbench.showing.session.grid_job import Filling
from workbench.showing.session.jobs import Aside, Job, Runner
from workbench.showing.session.result_cache import Kept
from workbench.showing.session.settings import Settings
from workbench.showing.session.stepper import Stepper

if TYPE_CHECKING:
    from workbench.checking.questions.constant_grid import GridCell

#: While a check visits no more states than this, every change is checked at once.
LIVE_STATES = 5_000_000
#: The time that a change waits for another one if it follows the previous one this quickly; a single change does not
#: wait.
DEBOUNCE_SECONDS = 0.05
#: The interval at which progress is reported.
PROGRESS_SECONDS = 0.2
#: The memory that a check may take before it stops with its findings so far.
MOST_BYTES = 2 * 2**30

#: ``settings``: they have changed. ``check``: it began, went on, ended with a result or an error, or waits for `run`.
#: ``result``: there is a new one, with a new selection. ``selected``: another property was selected. ``stepping``: the
#: stepper was sent to a state. ``watches``: they have changed.
Event = Literal["settings", "check", "result", "selected", "stepping", "watches"]


class Session:
    """A person's work on one model.

    It emits events from any thread, holding :attr:`lock`. Code that handles a click must hold the lock too.

    Attributes:
        result, before: The latest result, and the one before the last change.
        number (int): The number of results so far.
        kept: Further values computed about `result`.
        selected: The property whose trace is shown.
        live (bool): Whether checks are quick enough to check every change at once.
        loading (bool): Whether the check is waiting for the engine to load, which happens once.
        progress: The progress of a longer check, with its findings so far.
        waiting (bool): Whether there are changes since the result that wait for somebody to call :meth:`run`.
        error: The error in the settings, or in the model, in one line.
        led_to_error: The behaviour that leads to the error, if a state causes it.
        story: The behaviour that the selected verdict shows. If it no longer has one, its last one, as far as that is
            still possible.
        retold: How much of such a last behaviour is possible, and why; None if the verdict has a behaviour.
        watches: Expressions to evaluate in states and show next to them.
        grid (Filling): The grid of settings. Checks of the session do not interrupt it.

    Examples:
        >>> from workbench.showing.session.start import start_from
        >>> session = Session(start_from("bakery").with_constants({"Writers": 2, "LazyReap": False}))
        >>> session.run()
        >>> session.wait()["NonCrashedProgress"].word, session.selected
        ('violated', 'NonCrashedProgress')
        >>> session.begin(session.settings.with_constants({"LazyReap": True}))
        >>> session.wait().holds, session.before.holds
        (True, False)
    """

    def __init__(self, settings: Settings) -> None:
        self.lock = threading.RLock()
        self.settings = settings
        self.result: Result | None = None
        self.before: Result | None = None
        self.number = 0
        self.kept: Kept | None = None
        self.selected: str | None = None
        self.live, self.waiting, self.loading = True, False, False
        self.progress: Progress | None = None
        self.error: str | None = None
        self.led_to_error: Trace | None = None
        self.watches: tuple[str, ...] = ()
        self.grid = Filling(self.lock)
        self._events = Events[Event]()
        self._runner = Runner(self.lock)
        self._asides: dict[str, Aside] = {}
        self._stepper: Stepper | None = None
        self.story: Trace | None = None
        self.retold: Retold | None = None
        self._shown: dict[str, Trace] = {}  # the behaviour that each property's verdict showed last
        self._last_story: Trace | None = None  # the last story that the stepper was sent to
        self._others: list[Trace] = []  # other behaviours for the same verdict, requested later
        self._sent = False  # whether the stepper was sent to a behaviour during the present check
        self._changed = 0.0
        self._preselected: str | None = None

    def on(self, event: Event, call: Callable[[], None]) -> Callable[[], None]:
        """Have `call` called at every such event; returns a function that ends this."""
        return self._events.on(event, call)

    # Settings ------------------------------------------------------------------------------------------------------

    def begin(self, settings: Settings, select: str | None = None) -> None:
        """Take these settings, check them, and then select this property instead of the most telling one."""
        with self.lock:
            self._set(settings)
            self._preselected = select
            self.run()

    def load(self, cell: "GridCell") -> None:
        """Take the settings of a cell of the grid, check them, and select the grid's property.

        Raises:
            InputError: If there are no such settings, or they could not be checked: why.
        """
        with self.lock:
            asked = self.grid.asked
            if asked is None or cell.outcome.error is not None:
                raise InputError(cell.outcome.error or "the grid no longer exists")
            settings = self.settings.with_constants(cell.constants)
            if asked.name not in settings.applicable():
                settings = settings.with_ticked([*settings.applicable(), asked.name])
            self.begin(settings, asked.name)

    def open(self, line: str) -> tuple[str, ...]:
        """Take the settings of a permalink, check them, and send the stepper to the state to show.

        Returns:
            The watches of the permalink. They are not run: a person must pass them to :meth:`watch`.

        Raises:
            InputError: If the line is not a permalink of this model.
        """
        with self.lock:
            trace, link = follow_permalink(line, self.settings.model_class)
            if trace.model.constants != self.settings.constants:
                self.begin(self.settings.with_constants(trace.model.constants))
            self.step_from(trace, len(trace) - 1 if link.step is None else link.step)
            return link.watches

    def change(self, settings: Settings) -> None:
        """Take these settings, and check them if that is quick."""
        with self.lock:
            now, before = time.perf_counter(), self._changed
            visited = 0 if self.progress is None else self.progress.states
            live = self.live and visited <= LIVE_STATES
            self._runner.cancel()
            self._set(settings)
            self._changed = time.perf_counter()
            if live:
                self._start(DEBOUNCE_SECONDS if now - before < DEBOUNCE_SECONDS else 0)
            elif self._model() is not None:
                self._rest(waiting=True)

    def apply(self, constants: dict[str, Any]) -> None:
        """Set some constants, and check them if that is quick.

        Raises:
            InputError: For a name or a value that is not accepted. Where the values do not go together, :attr:`error`
                says so.
        """
        with self.lock:
            self.change(self.settings.with_constants(constants))

    def refuse(self, reason: str) -> None:
        """Report why settings were refused."""
        with self.lock:
            self._failed(reason)

    def _set(self, settings: Settings) -> None:
        self.settings, self._preselected = settings, None
        self._events.tell("settings")

    # Checking ------------------------------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        return self._runner.busy

    @property
    def stale(self) -> bool:
        """Whether the result is known to be for settings other than the current ones."""
        return self.progress is not None or self.waiting or self.error is not None

    def run(self) -> None:
        """Check with the present settings."""
        with self.lock:
            self._start(0)

    def stop(self) -> None:
        """Stop the check; what it found so far becomes the result."""
        self._runner.stop()

    def wait(self, seconds: float | None = None) -> Result | None:
        """Wait until the check has ended; its result, or None if it takes longer.

        Raises:
            InputError: If there is no result because something is wrong with the settings or the model.
        """
        ended = self.ended(seconds)
        with self.lock:
            if ended and self.error is not None:
                raise InputError(self.error)
            return self.result

    def ended(self, seconds: float | None = None) -> bool:
        """Wait until the check has ended, successfully or not; returns whether it has."""
        return self._runner.wait(seconds)

    def _model(self) -> Machine | None:
        """A model with the present constants; if they are not accepted, None, and the reason becomes the error."""
        try:
            return self.settings.model()
        except (InputError, ModelError) as error:
            self._failed(error)
            return None

    def _start(self, delay: float) -> None:
        model = self._model()
        if model is None:
            return
        settings, names = self.settings, self.settings.applicable()
        reported = time.perf_counter()
        self._forget_asides()

        def work(job: Job) -> Result:
            self._load(job)

            def progress(at: Progress) -> None:
                nonlocal reported
                if time.perf_counter() - reported > PROGRESS_SECONDS:
                    reported = time.perf_counter()
                    with self.lock:
                        if not job.should_stop():
                            self._rest(progress=at)

            return check(
                model, names, symmetry=settings.symmetry, engine="local", budget=Budget(bytes=MOST_BYTES),
                watch=job.watch(progress),
            )  # fmt: skip

        self._runner.start(work, self._arrived, self._failed, delay)
        self._events.tell("check")

    def _load(self, job: Job) -> None:
        """Load the engine, which does not count as part of any search."""
        from workbench.checking.local import search  # numba loads here

        if search.kernels_loaded():
            return
        for loading in (True, False):
            with self.lock:
                self.loading = loading
                if not job.should_stop():
                    self._events.tell("check")
            if loading:
                search.load_cached_kernels()

    def _rest(self, progress: Progress | None = None, waiting: bool = False, error: str | None = None) -> None:
        """Record the state of the check, and announce it."""
        self.progress, self.waiting, self.error = progress, waiting, error
        self._events.tell("check")

    def _failed(self, reason: str | Exception) -> None:
        self._runner.cancel()
        self.led_to_error = getattr(reason, "trace", None)
        self._rest(error=str(reason))

    def _arrived(self, result: Result) -> None:
        self.live = (result.complete or result.error is not None) and result.distinct <= LIVE_STATES
        self.before, self.result, self.kept = self.result, result, Kept(result)
        self.number += 1
        self.selected = self._most_telling(result)
        self._find_story()
        self._rest()
        self._events.tell("result")

    def _most_telling(self, result: Result) -> str | None:
        """The requested property; otherwise a newly violated one, the one selected before, or one with a trace."""
        names = [verdict.name for verdict in result.verdicts]
        if self._preselected in names:
            return self._preselected
        broken = [verdict.name for verdict in result.violated]
        earlier = [] if self.before is None else [verdict.name for verdict in self.before.violated]
        new = [name for name in broken if name not in earlier]
        if new and self.before is not None:
            return new[0]
        if self.selected in names and (result[self.selected].trace is not None or self.selected in self._shown):
            return self.selected
        return next(iter([*broken, *(v.name for v in result.verdicts if v.trace is not None), *names]), None)

    # What is looked at ---------------------------------------------------------------------------------------------

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the selected property."""
        chosen = [] if self.result is None else [v for v in self.result.verdicts if v.name == self.selected]
        return chosen[0] if chosen else None

    def select(self, name: str) -> None:
        """Select a property."""
        with self.lock:
            if name != self.selected:
                self.another.cancel()  # its findings concern the previous property
            self.selected = name
            self._find_story()
            self._events.tell("selected")

    def _find_story(self) -> None:
        verdict, result = self.verdict, self.result
        self.story, self.retold = None if verdict is None else verdict.trace, None
        if verdict is None or result is None:
            return
        if self.story is not None:
            self._shown[verdict.name] = self.story
        elif verdict.name in self._shown:
            self.retold = retold(self._shown[verdict.name], result.model)
            self.story = self.retold.trace

    def watch(self, expressions: Iterable[str]) -> None:
        """Take these expressions as the watches, each once."""
        with self.lock:
            self.watches = tuple(dict.fromkeys(names_in("watches", expressions)))
            self._events.tell("watches")

    def stepper(self) -> Stepper:
        """Steps by hand, through the result's model. It begins anew when the constants are others.

        While those that are set are being checked, steps with these are right as well.
        """
        with self.lock:
            model = self.settings.model() if self.result is None else self.result.model
            if self._stepper is None:
                self._stepper = Stepper(model, lock=self.lock)
            elif self._stepper.model.constants not in (model.constants, self.settings.constants):
                self._stepper.start(model)
            return self._stepper

    def tell(self) -> None:
        """Send the stepper to the story: to its end, or where its loop begins.

        A behaviour that was found again leaves the stepper where it is, and one that somebody was sent to meanwhile
        wins. Where nothing is to be shown, one may step from the beginning.
        """
        with self.lock:
            stepper, trace, before = self._stepper or self.stepper(), self.story, self._last_story
            self._last_story = trace
            if before is not trace:
                self._others = []
            if self._sent:
                self._sent = False
            elif trace is None:
                if before is None:
                    self.stepper()
                elif self.result is not None:
                    stepper.start(self.result.model)
            elif before is None or not _same(before, trace):
                stepper.show(trace, telling_step(trace))

    @property
    def left(self) -> int | None:
        """The index of the state at which the stepper has left the story, -1 if it begins elsewhere; else None."""
        with self.lock:
            story, stepper = self.story, self._stepper
            if story is None or stepper is None or story.model.constants != stepper.model.constants:
                return None
            taken = stepper.trace.steps[: stepper.at + 1]
            pairs = enumerate(zip(taken, story.steps, strict=False))
            parted = next((at for at, (one, other) in pairs if one != other), min(len(taken), len(story)))
            return None if parted == len(taken) else parted - 1

    def back(self) -> None:
        """Go back to where the stepper has left the story; what was stepped by hand stays as a branch."""
        with self.lock:
            left = self.left
            if left is not None and self.story is not None:
                self.stepper().branch(self.story, max(left, 0))

    @property
    def another(self) -> Aside:
        """The search for another behaviour that shows the same as the story."""
        return self.aside("another")

    def tell_another(self) -> None:
        """Look for a behaviour that shows the same and ends otherwise, and make it a branch of the stepper."""
        with self.lock:
            verdict, kept = self.verdict, self.kept
            if verdict is None or verdict.trace is None or kept is None:
                return
            # Nobody may have told the story of the new result yet: moves of another model mean nothing in this one.
            others = tuple(other for other in self._others if other.model is verdict.trace.model)

            def work(job: Job) -> Trace:
                from workbench.showing.session.more_counterexamples import another  # numpy loads here

                behaviour = another(kept.space(job), verdict, others, job.watch())
                if behaviour is None:
                    alike = " again" if others else ""
                    raise InputError(f"there is no other behaviour with another end that shows {verdict.name}{alike}")
                with self.lock:
                    if not job.should_stop():
                        self._others.append(behaviour)
                        self.stepper().branch(behaviour, telling_step(behaviour))
                return behaviour

            self.another.cancel()
            self.another.start(object(), "Looking for another one", work)

    def step_from(self, trace: Trace, step: int) -> None:
        """Send the stepper to a step of a trace, to continue from there."""
        with self.lock:
            self._sent = self.running
            self.stepper().start(trace, step)
            self._events.tell("stepping")

    # What is computed beside ---------------------------------------------------------------------------------------

    def aside(self, purpose: str) -> Aside:
        """The computation for one purpose. A new check ends it, since it is about the old result."""
        with self.lock:
            return self._asides.setdefault(purpose, Aside(self.lock))

    def _forget_asides(self) -> None:
        for aside in self._asides.values():
            aside.cancel()

    def settle(self, seconds: float | None = None) -> bool:
        """Wait for the check and everything computed beside it; returns whether all of it has ended."""
        ended = self.ended(seconds)  # which may start more work
        beside = all(aside.wait(seconds) for aside in list(self._asides.values()))
        return ended and self.ended(seconds) and beside and self.grid.wait(seconds)

    def close(self) -> None:
        """End all work."""
        with self.lock:
            self._runner.cancel()
            self._forget_asides()
            self.grid.cancel()
            if self._stepper is not None:
                self._stepper.close()


def telling_step(trace: Trace) -> int:
    """The step of a behaviour to show first: the beginning of its loop, or else its end."""
    return trace.end if trace.loop is None or trace.back is None else trace.loop


def _same(one: Trace, other: Trace) -> bool:
    """Whether two behaviours are the same."""
    return one.steps == other.steps and one.model.constants == other.model.constants
