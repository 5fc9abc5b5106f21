"""What travels between the driver and the tasks, and how arrays are packed for that.

A row per state would cost Spark more than the search itself: each message holds up to 16,384 successors as arrays,
their rows bit by bit (``packing.py``), and goes to the bucket of their fingerprints.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from workbench.engines.profile import Cost
from workbench.engines.spark.manifest import LevelFile
from workbench.engines.spark.packing import PackedRows
from workbench.kernel import Model
from workbench.storage.sums import FileSum


@dataclass(frozen=True)
class Task:
    """What is searched, and how.

    Attributes:
        bits: {64, 128}
        buckets: Parts into which fingerprints are divided.
        notes: What a person should know about how the check is done.
    """

    model: Model
    properties: tuple[str, ...]
    symmetry: tuple[str, ...]
    bits: int
    buckets: int
    notes: tuple[str, ...] = ()


class Work(NamedTuple):
    """What one task expands: a part of a file of states."""

    file: LevelFile
    row_group: int


class NextLevel(NamedTuple):
    """What admitting has to know of the level that is being made.

    Attributes:
        first: The first level that the same job makes: those before it are completed.
        visited: For each bucket the files of the states that have been visited before that.
        decided: Properties that need not be judged any more.
    """

    number: int
    first: int
    visited: dict[int, list[str]]
    decided: frozenset[str]

    @property
    def values_level(self) -> int:
        """The level as of whose end values have global numbers."""
        return max(0, self.first - 1)


class Candidates(NamedTuple):
    """Successors on their way to the bucket that decides whether they are new.

    Attributes:
        instances, ordinals: The step from the parent.
        rows: Values by global number, or as those of `extras`.
        extras: For each cell the values that have no global number yet, as :meth:`.RunDirectory.for_message` has them.
    """

    fingerprints: np.ndarray
    parents: np.ndarray
    instances: np.ndarray
    ordinals: np.ndarray
    rows: PackedRows
    extras: Any

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self[:5])


class Memory(NamedTuple):
    """What a worker process takes, by its own account.

    Attributes:
        process: Tells it from the other ones, also on other machines.
        held: Bytes of what it keeps for the search: visited sets, trees, hashes.
        peak: The largest resident size of the process so far.
        costs: What its trees have cost so far.
    """

    process: str
    held: int
    peak: int
    costs: tuple[Cost, ...]


class StepCounts(NamedTuple):
    """What one task did, beside its successors.

    Attributes:
        enabled, generated: Per action instance: states in which it was enabled, and successors.
        assigns: Per action instance, whether it ever assigned to a variable.
        decided: Properties that a step from one of its states decides, or the lack of one, or a successor that is kept
            out: the words of the state's fingerprint, and the step's action instance and ordinal. Of initial states
            that are kept out the number of one.
        outside: Successors that the model's constraints kept out.
    """

    enabled: np.ndarray
    generated: np.ndarray
    assigns: np.ndarray
    decided: dict[str, list[int]]
    memory: Memory
    outside: int


class Admitted(NamedTuple):
    """What admitting the candidates of a bucket to a level came to.

    Attributes:
        files: The new states, if there are any.
        sums: Those of the files.
        new: Per action instance, the new states.
        steps: Of the tasks that reported to this bucket.
        decided: Properties that a new state decides, with the words of the smallest fingerprint of such a state.
        extras: For each cell the values that have no global number yet, as :meth:`.RunDirectory.for_message` has them.
        received: Bytes of the candidates.
    """

    level: int
    bucket: int
    files: list[LevelFile]
    sums: dict[str, FileSum]
    new: np.ndarray
    steps: list[StepCounts]
    decided: dict[str, list[int]]
    extras: Any
    received: int
    memory: Memory

    @property
    def names(self) -> list[str]:
        """Those of the files."""
        return [file.path for file in self.files]


class Reports(NamedTuple):
    """What a bucket's share of a job has come to so far: one report for each level, in their order."""

    levels: tuple[Admitted, ...]


#: What is sent to a bucket.
Message = Candidates | StepCounts | Reports


def shrink(numbers: np.ndarray) -> np.ndarray:
    """Numbers from 0 on in as few bytes as the largest of them needs."""
    return numbers.astype(np.min_scalar_type(numbers.max(initial=0)))
