"""The messages between the driver and the tasks.

A row per state would cost Spark more than the search itself. So a message to a bucket holds up to 16,384 successors as
arrays, with bit-packed rows (``kernels/packing.py``).
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from workbench.checking.kernels.packing import PackedRows
from workbench.checking.spark.files.manifest import LevelFile
from workbench.checking.trees.profile import Cost
from workbench.kernel import Machine
from workbench.storage.sums import FileSum


@dataclass(frozen=True)
class Task:
    """The search that a worker takes part in.

    Attributes:
        bits ({64, 128}): The width of fingerprints.
        key: The key of fingerprints.
        buckets: Parts into which fingerprints are divided.
        notes: Notes on the check, for people.
    """

    model: Machine
    properties: tuple[str, ...]
    symmetry: tuple[str, ...]
    bits: int
    key: bytes
    buckets: int
    notes: tuple[str, ...] = ()


class Work(NamedTuple):
    """A part of a file of states, for a task to expand."""

    file: LevelFile
    row_group: int


class NextLevel(NamedTuple):
    """The level to be made.

    Attributes:
        first: The first level of the same job: those before it are completed.
        visited: For each bucket the files of the states visited before the job.
        decided: Properties decided already.
    """

    number: int
    first: int
    visited: dict[int, list[str]]
    decided: frozenset[str]

    @property
    def values_level(self) -> int:
        """Values numbered up to the end of this level have global numbers."""
        return max(0, self.first - 1)


class Candidates(NamedTuple):
    """Successors on their way to the bucket that decides whether they are new.

    Attributes:
        fingerprints, parents: The fingerprints of the successors and of their parents.
        instances, ordinals: The steps from the parents: numbers of action instances, and of outcomes of these.
        rows: The successors. A value is its global number, or its place in `extras`.
        extras: For each cell the values that have no global number yet, as :meth:`.RunDirectory.for_message` returns
            them.
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
    """A worker process's memory, by its own account.

    Attributes:
        process: Identifies the process, across machines.
        held: Bytes of visited sets, trees and hashes.
        peak: The largest resident size so far.
        costs: The costs of its trees so far.
    """

    process: str
    held: int
    peak: int
    costs: tuple[Cost, ...]


class StepCounts(NamedTuple):
    """The counts and findings of one task, besides its successors.

    Attributes:
        enabled, generated: Per action instance: the states that enable it, and its successors.
        assigns: Per action instance, whether it ever assigned to a variable.
        decided: Properties decided by a step from one of its states, a dead end, or a pruned successor: the words of
            the state's fingerprint, and the step's action instance and ordinal. For a pruned initial state its number.
        outside: The number of pruned successors.
    """

    enabled: np.ndarray
    generated: np.ndarray
    assigns: np.ndarray
    decided: dict[str, list[int]]
    memory: Memory
    outside: int


class Admitted(NamedTuple):
    """The report on a bucket's part of a new level.

    Attributes:
        files: The files of the new states, if any.
        sums: The files' checksums.
        new: New states per action instance.
        steps: The reports of tasks to this bucket.
        decided: Properties that new states decide, each with the words of the smallest fingerprint of such a state.
        extras: For each cell the values that have no global number yet, as :meth:`.RunDirectory.for_message` returns
            them.
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


class Reports(NamedTuple):
    """The reports of a bucket in a job so far, one for each level in order."""

    levels: tuple[Admitted, ...]


#: A message to a bucket.
Message = Candidates | StepCounts | Reports


def shrink(numbers: np.ndarray) -> np.ndarray:
    """Cast non-negative integers to the smallest type that holds the largest."""
    return numbers.astype(np.min_scalar_type(numbers.max(initial=0)))
