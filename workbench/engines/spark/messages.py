"""What travels between the driver and the tasks, and how arrays are packed for that."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from workbench.engines.spark.manifest import LevelFile
from workbench.kernel import Model
from workbench.kernel.profile import Cost
from workbench.storage.folder import FileSum


@dataclass(frozen=True)
class Task:
    """What is searched, and how.

    Attributes
    ----------
    model : Model
    properties : tuple of str
    symmetry : tuple of str
    bits : {64, 128}
    buckets : int
        Parts into which fingerprints are divided.
    notes : tuple of str
        What a person should know about how the check is done.
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


class Candidates(NamedTuple):
    """Successors on their way to the bucket that decides whether they are new.

    Attributes
    ----------
    fingerprints, parents : uint64 arrays (states, words)
    instances, ordinals : integer arrays
        The step from the parent.
    rows : PackedRows
        Values by global number; from the number of global values on they are numbered by `extras`.
    extras : list of list, or bytes
        For each cell the values that have no global number yet, as :meth:`.RunDirectory.for_message` has them.
    """

    fingerprints: np.ndarray
    parents: np.ndarray
    instances: np.ndarray
    ordinals: np.ndarray
    rows: "PackedRows"
    extras: Any

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in (*self[:4], *self.rows))


class PackedRows(NamedTuple):
    """Rows of value numbers for the shuffle, whose bytes decide its speed: most cells vary little within a message.

    Attributes
    ----------
    least : int32 array (cells)
        The least number in each cell; the others hold what is above it.
    narrow, wide : integer arrays (states, some cells)
        Cells that need one byte, and cells that need more. A cell with one value only is in neither.
    narrow_cells, wide_cells : integer arrays
    """

    least: np.ndarray
    narrow: np.ndarray
    wide: np.ndarray
    narrow_cells: np.ndarray
    wide_cells: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray) -> "PackedRows":
        """Pack int32 rows (states, cells), at least one."""
        least = rows.min(axis=0)
        spread = rows.max(axis=0) - least
        narrow = np.flatnonzero((spread > 0) & (spread < 1 << 8))
        wide = np.flatnonzero(spread >= 1 << 8)
        return cls(
            least, (rows[:, narrow] - least[narrow]).astype(np.uint8), shrink(rows[:, wide] - least[wide]), narrow, wide
        )

    def unpack(self) -> np.ndarray:
        rows = np.tile(self.least, (len(self.narrow), 1))
        rows[:, self.narrow_cells] += self.narrow
        rows[:, self.wide_cells] += self.wide.astype(np.int32)
        return rows


class Memory(NamedTuple):
    """What a worker process takes, by its own account.

    Attributes
    ----------
    process : str
        Tells it from the other ones, also on other machines.
    held : int
        Bytes of what it keeps for the search: visited sets, trees, hashes.
    peak : int
        The largest resident size of the process so far.
    costs : tuple of Cost
        What its trees have cost so far.
    """

    process: str
    held: int
    peak: int
    costs: tuple[Cost, ...]


class StepCounts(NamedTuple):
    """What one task did, beside its successors.

    Attributes
    ----------
    enabled, generated : int64 arrays
        Per action instance: states in which it was enabled, and successors.
    assigns : bool array
        Per action instance, whether it ever assigned to a variable.
    decided : dict of str to list of int
        Properties that a step from one of its states decides, or the lack of one, or a successor that is kept out: the
        words of the state's fingerprint, and the step's action instance and ordinal. Of initial states that are kept
        out the number of one.
    outside : int
        Successors that the model's constraints kept out.
    """

    enabled: np.ndarray
    generated: np.ndarray
    assigns: np.ndarray
    decided: dict[str, list[int]]
    memory: Memory
    outside: int


class Admitted(NamedTuple):
    """What admitting the candidates of a bucket came to.

    Attributes
    ----------
    file : LevelFile or None
        The new states; None if there are none.
    sums : dict of str to FileSum
        That of the file, if there is one.
    new : int64 array
        Per action instance, the new states.
    steps : list of StepCounts
        Of the tasks that reported to this bucket.
    decided : dict of str to list of int
        Properties that a new state decides, with the words of the smallest fingerprint of such a state.
    extras : list of list, or bytes
        For each cell the values that have no global number yet, as :meth:`.RunDirectory.for_message` has them.
    received : int
        Bytes of the candidates.
    """

    file: LevelFile | None
    sums: dict[str, FileSum]
    new: np.ndarray
    steps: list[StepCounts]
    decided: dict[str, list[int]]
    extras: Any
    received: int
    memory: Memory


def shrink(numbers: np.ndarray) -> np.ndarray:
    """Numbers from 0 on in as few bytes as the largest of them needs."""
    return numbers.astype(np.min_scalar_type(numbers.max(initial=0)))
