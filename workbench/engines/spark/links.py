"""From a state back to an initial one, along the durable links, and forth again by running the model."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from workbench.engines import kernels
from workbench.engines.cells import Cells
from workbench.engines.spark.messages import unpack_fingerprints
from workbench.engines.spark.rundir import (
    PREFIX,
    PREFIX_LINKS,
    ROW_GROUP,
    DamagedLevel,
    Manifest,
    RunDirectory,
    Task,
)
from workbench.kernel import InputError, Trace, replay
from workbench.kernel.errors import ModelError


class Links:
    """The links of a run; a row group is read at a time.

    Parameters
    ----------
    directory : RunDirectory
    task : Task
    manifest : Manifest
    """

    def __init__(self, directory: RunDirectory, task: Task, manifest: Manifest) -> None:
        self.directory, self.task, self.manifest = directory, task, manifest

    def trace_to(self, place: Sequence[int]) -> Trace:
        """A shortest behaviour to a state, which is given as in the manifest's ``decided``.

        Raises
        ------
        InputError
            If a file that is needed is missing or damaged.
        ModelError
            If the model does not do what it did: then it is not a function of the state.
        """
        try:
            return self._trace_to(*place)
        except DamagedLevel as error:
            raise InputError(str(error)) from None

    def _trace_to(self, level: int, *words: int) -> Trace:
        model = self.task.model
        if level == PREFIX:
            return replay(model, *self._path_in_process(words[0]))
        moves: list[tuple[int, int]] = []
        expected = [np.array(words, np.uint64)]
        while True:
            parent, instance, ordinal = self._link(level, expected[-1])
            if instance < 0:
                break
            moves.append((instance, ordinal))
            level -= 1
            expected.append(parent)
        moves.reverse()
        if self.manifest.prefix:
            start, before = self._path_in_process(int(parent[0]))
            trace = replay(model, start, [*before, *moves])
        else:
            trace = replay(model, ordinal, moves)
        cells = Cells(model, self.task.symmetry, self.task.bits)
        for state, fingerprint in zip(trace.states[::-1], expected, strict=False):
            sums = cells.sums(cells.encode(state))
            if not (kernels.canonical_fingerprints(sums[None, :], cells.words)[0] == fingerprint).all():
                raise ModelError("a trace led to another state when it was run again: the model is not pure")
        return trace

    def _link(self, level: int, fingerprint: np.ndarray) -> tuple[np.ndarray, int, int]:
        """The parent of a state, and the step from there."""
        bucket = int(kernels.bucket(fingerprint[None, :], self.task.buckets)[0])
        for file in self.manifest.levels[level].files:
            if file.bucket == bucket:
                for part in self.directory.row_groups(file.path, ["fingerprint", "parent", "instance", "ordinal"]):
                    at = np.flatnonzero((unpack_fingerprints(part["fingerprint"]) == fingerprint).all(axis=1))
                    if len(at):
                        row: pa.Table = part.slice(int(at[0]), 1)
                        parent = unpack_fingerprints(row["parent"])[0]
                        return parent, row["instance"][0].as_py(), row["ordinal"][0].as_py()
        raise DamagedLevel(f"run directory {str(self.directory.path)!r} lacks a state of level {level + 1}")

    def _path_in_process(self, number: int) -> tuple[int, list[tuple[int, int]]]:
        """The initial state from which the state `number` was found in process, and the moves from there."""
        moves: list[tuple[int, int]] = []
        while True:
            links = self.directory.read_states(PREFIX_LINKS, None, number // ROW_GROUP)
            row = links.slice(number % ROW_GROUP, 1).to_pylist()[0]
            if row["instance"] < 0:
                return row["ordinal"], moves[::-1]
            moves.append((row["instance"], row["ordinal"]))
            number = row["parent"]
