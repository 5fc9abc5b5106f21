"""Work that runs in a thread, one piece at a time: a newer piece cancels the one before it."""

import threading
from collections.abc import Callable
from typing import Any

from workbench.kernel import InputError, ModelError
from workbench.kernel.meaning.budget import Watch
from workbench.showing.session.events import call_all

#: The most states of a check in the background: some seconds of one core. Limits count states, not seconds, so that a
#: busy machine shows the same.
MOST_STATES = 2_000_000


class Job:
    """One piece of work, as the work itself sees it.

    Attributes:
        cancelled (bool): Nobody wants its outcome any more.
    """

    def __init__(self) -> None:
        self.cancelled = False
        self._stop = threading.Event()

    def should_stop(self) -> bool:
        """Whether the work should end early. Unless it was cancelled, it then returns what it has found so far."""
        return self._stop.is_set()

    def watch(self, on_progress: Callable[..., object] | None = None) -> Watch:
        """The callbacks through which a question of this job reports progress and is stopped."""
        return Watch(on_progress, self.should_stop)

    def stop(self) -> None:
        self._stop.set()

    def cancel(self) -> None:
        self.cancelled = True
        self._stop.set()

    def pause(self, seconds: float) -> None:
        """Sleep, but not longer than until somebody stops the job."""
        self._stop.wait(seconds)


class Runner:
    """Runs jobs in a thread, at most one at a time.

    Widgets may be changed from any thread, but not by two at once: `lock` is held while an outcome is handed over,
    and whoever handles a click must hold it too. Since a job is cancelled under the lock, its outcome can never
    arrive after that of a newer one.
    """

    def __init__(self, lock: Any) -> None:
        self.lock = lock
        self._job: Job | None = None
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        return self._job is not None

    def start(
        self,
        work: Callable[[Job], Any],
        done: Callable[[Any], None],
        failed: Callable[[str | Exception], None],
        delay: float = 0.0,
    ) -> None:
        """Cancel what is running, and run `work` after `delay` seconds.

        Args:
            work: Called with its :class:`Job`; returns the outcome for `done`.
            failed: Called with an error that `work` or `done` raises: the error itself if the input or the model is at
                fault, otherwise its text, and then the thread raises the error too.
        """
        self.cancel()
        job, before = Job(), self._thread

        def run() -> None:
            if before is not None:
                before.join()
            job.pause(delay)
            if job.cancelled:
                return
            try:
                self._finish(job, done, work(job))
            except (InputError, ModelError) as error:
                self._finish(job, failed, error)
            except BaseException as error:  # including those that end the thread
                self._finish(job, failed, f"{type(error).__name__}: {error}")
                raise

        self._job = job
        self._thread = threading.Thread(target=run, name="workbench", daemon=True)
        self._thread.start()

    def _finish(self, job: Job, tell: Callable[[Any], None], outcome: Any) -> None:
        with self.lock:
            if not job.cancelled:
                if self._job is job:
                    self._job = None
                tell(outcome)

    def stop(self) -> None:
        """Ask the running job to end early, with what it has found so far."""
        if self._job is not None:
            self._job.stop()

    def cancel(self) -> None:
        """End the running job and forget its outcome."""
        if self._job is not None:
            self._job.cancel()
            self._job = None

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing is running; returns whether that was reached. Not to be called with the lock held."""
        if self._thread is not None:
            self._thread.join(seconds)
        return not self.busy


class Aside:
    """A background computation for one purpose, such as a tab's contents, with its outcome.

    It runs alongside the check. It continues even if nobody looks, and other computations do not end it.

    Attributes:
        key: The key of the current or last computation; None before the first.
        running: bool
        message (str): The present work, or its progress.
        error (str): The reason why there is no outcome, in one line.
        outcome: None while there is none.
    """

    def __init__(self, lock: Any) -> None:
        self._runner = Runner(lock)
        self._subscribers: list[Callable[[], None]] = []
        self._clear(None)

    def _clear(self, key: Any) -> None:
        self.key: Any = key
        self.running, self.message, self.error = False, "", ""
        self.outcome: Any = None

    def on_change(self, call: Callable[[], None]) -> None:
        """Have `call` called whenever one of the attributes has changed."""
        self._subscribers.append(call)

    def _tell(self) -> None:
        call_all(list(self._subscribers))

    def start(self, key: Any, saying: str, work: Callable[[Job], Any]) -> None:
        """Compute for `key`, unless that is already running or has succeeded."""
        with self._runner.lock:
            if key == self.key and not self.error:
                self._tell()
                return
            self._clear(key)
            self.running, self.message = True, saying
            self._runner.start(work, self._done, self._failed)
            self._tell()

    def say(self, job: Job, text: str) -> None:
        """Report the progress of `job`."""
        with self._runner.lock:
            if not job.should_stop():
                self.message = text
                self._tell()

    def stop(self) -> None:
        """End the computation early, with what it has found so far."""
        self._runner.stop()

    def cancel(self) -> None:
        """End the computation, and forget its key."""
        with self._runner.lock:
            self._runner.cancel()
            if self.key is not None:
                self._clear(None)
                self._tell()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended; returns whether it has. Not to be called with the lock held."""
        return self._runner.wait(seconds)

    def _done(self, outcome: Any) -> None:
        self.running, self.message, self.outcome = False, "", outcome
        self._tell()

    def _failed(self, reason: str | Exception) -> None:
        self._runner.cancel()
        self.running, self.message, self.error = False, "", str(reason)
        self._tell()
