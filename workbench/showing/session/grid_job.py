"""Fills a grid of settings in the background. It runs alongside the session's check, and outlasts it."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.kernel import InputError
from workbench.kernel.meaning.budget import Budget
from workbench.showing.session.jobs import MOST_STATES, Aside, Job
from workbench.showing.session.settings import Settings

if TYPE_CHECKING:
    from workbench.checking.questions.constant_grid import Filled, GridCell
    from workbench.checking.questions.explain import Explanation

#: The fewest and the most constants that a grid varies, and the most settings that it may have.
FEWEST, MOST, MOST_SETTINGS = 2, 4, 1024
#: The memory that the check of one setting may take.
MOST_BYTES = 2 * 2**30
#: The interval at which progress is reported.
_TELL_SECONDS = 0.1


@dataclass(frozen=True)
class Asked:
    """The question that a grid answers: a property, under the settings that it varies.

    Args:
        settings: The values of the other constants, and the symmetric sets.
        values: The values of each constant that the grid varies.
        name: The property.

    Raises:
        InputError: If these are too few constants, too many of them, or too many settings.
    """

    settings: Settings
    values: Mapping[str, tuple[Any, ...]]
    name: str

    def __post_init__(self) -> None:
        model = self.settings.model_class
        if not FEWEST <= len(self.values) <= MOST:
            raise InputError(f"{len(self.values)} constants are not accepted; a grid takes {FEWEST} to {MOST}")
        if self.size > MOST_SETTINGS:
            raise InputError(
                f"{self.size:,} settings are too many; a grid takes up to {MOST_SETTINGS:,}: narrow the values of a "
                "constant, or vary fewer"
            )
        model.declared.property_named(self.name)

    @property
    def size(self) -> int:
        """The number of settings in the grid."""
        return math.prod(map(len, self.values.values()))

    @property
    def fixed(self) -> dict[str, Any]:
        """The constants that the grid does not vary."""
        return {name: value for name, value in self.settings.constants.items() if name not in self.values}

    @property
    def options(self) -> dict[str, Any]:
        """The options for the check of each setting."""
        return {
            "symmetry": list(self.settings.symmetry) or None,
            "budget": Budget(states=MOST_STATES, bytes=MOST_BYTES),
        }


class Filling:
    """Fills a grid in the background, one grid at a time, and explains it. A new check by the session does not stop it.

    Args:
        lock: The session's lock.

    Attributes:
        filling, explaining (Aside): The two computations. Their outcomes are a
            :class:`workbench.checking.questions.constant_grid.Filled`, and the
            :class:`workbench.checking.questions.explain.Explanation` of its property.
        asked: The question that the current grid answers; None if there is no grid.
        cells: The finished cells of the grid, by number.
    """

    def __init__(self, lock: Any) -> None:
        self.lock = lock
        self.filling, self.explaining = Aside(lock), Aside(lock)
        self.asked: Asked | None = None
        self.cells: dict[int, GridCell] = {}

    @property
    def filled(self) -> "Filled | None":
        """The filled grid, or as much of it as a stopped job has filled; None before that."""
        return self.filling.outcome

    def begin(self, asked: Asked) -> None:
        """Start to fill the grid of `asked`; end the work on the grid before it, and forget that grid."""
        with self.lock:
            self.cancel()
            self.asked, self.cells = asked, {}
            self.filling.start(asked, f"0 of {asked.size:,} settings checked", self._fill)

    def _fill(self, job: Job) -> "Filled":
        from workbench.checking.questions.constant_grid import fill  # numpy loads here

        asked, reported = self.asked, 0.0
        assert asked is not None

        def done(cell: "GridCell") -> None:
            with self.lock:
                if not job.cancelled:
                    self.cells[cell.number] = cell

        def progress(number: int, of: int) -> None:
            nonlocal reported
            if time.perf_counter() - reported > _TELL_SECONDS:
                reported = time.perf_counter()
                self.filling.say(job, f"{number:,} of {of:,} settings checked")

        options = {**asked.options, "symmetry": asked.options["symmetry"] or False}
        return fill(
            asked.settings.model_class, asked.values, [asked.name], constants=asked.fixed, **options,
            on_cell=done, watch=job.watch(progress),
        )  # fmt: skip

    def explain(self) -> None:
        """Look for the smallest rule that says where the property holds."""
        with self.lock:
            filled, asked = self.filled, self.asked
            if filled is None or asked is None:
                return
            name = asked.name

            def work(job: Job) -> "Explanation":
                return filled.explain(name)

            self.explaining.start(filled, f"Looking for the smallest rule for {name}", work)

    def word(self, cell: "GridCell") -> str | None:
        """The outcome of a cell in a word; None if the property does not apply, or the cell was not reached."""
        assert self.asked is not None
        verdict = cell.outcome.verdicts.get(self.asked.name)
        if verdict is not None:
            return verdict.word
        return "error" if cell.outcome.error is not None else None

    def cancel(self) -> None:
        """End all work, and forget the grid."""
        with self.lock:
            self.asked, self.cells = None, {}
            self.filling.cancel()
            self.explaining.cancel()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until no work is left; returns whether that was reached in time."""
        return self.filling.wait(seconds) and self.explaining.wait(seconds)
