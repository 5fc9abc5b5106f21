"""Traces along the durable predecessor links: back to an initial state, and forth again by running the model."""

from collections.abc import Sequence

import numpy as np

from workbench.checking.kernels import loops
from workbench.checking.spark.files.manifest import PREFIX, PRUNED, RunManifest
from workbench.checking.spark.files.messages import Task
from workbench.checking.spark.files.rundir import RunDirectory
from workbench.checking.spark.files.states import ROW_GROUP
from workbench.checking.trees.cells import Interner
from workbench.kernel import InputError, Trace, replay
from workbench.kernel.meaning.errors import ModelError


class Links:
    """The predecessor links of a run, read one row group at a time."""

    def __init__(self, directory: RunDirectory, task: Task, manifest: RunManifest) -> None:
        self.directory, self.task, self.manifest = directory, task, manifest

    def trace_to(self, place: Sequence[int]) -> Trace:
        """A shortest behaviour to a place, given as in the manifest's ``decided``.

        Raises:
            InputError: If a file is missing or damaged.
            ModelError: If the model behaves differently this time: then it is not a function of the state.
        """
        model, level = self.task.model, place[0]
        if level == PRUNED:
            return replay(model, place[1], [])
        of_state = 1 if level == PREFIX else self.task.bits // 64
        words, step = place[1 : 1 + of_state], place[1 + of_state :]
        last = [(step[0], step[1])] if step else []
        if level == PREFIX:
            start, moves = self._path_in_process(words[0])
            return replay(model, start, [*moves, *last])
        moves = []
        expected = [np.array(words, np.uint64)]
        while True:
            parent, instance, ordinal = self._link(level, expected[-1])
            if instance < 0:
                break
            moves.append((instance, ordinal))
            level -= 1
            expected.append(parent)
        moves.reverse()
        if self.manifest.prefix is not None:
            start, before = self._path_in_process(int(parent[0]))
            trace = replay(model, start, [*before, *moves, *last])
        else:
            trace = replay(model, ordinal, [*moves, *last])
        cells = Interner(model, self.task.symmetry, self.task.bits, key=self.task.key)
        states = trace.states[: len(trace) - len(last)]
        for state, fingerprint in zip(states[::-1], expected, strict=False):
            sums = cells.sums(cells.encode(state))
            if not (loops.canonical_fingerprints(sums[None, :], cells.words)[0] == fingerprint).all():
                raise ModelError("a trace led to another state when it was run again: the model is not pure")
        return trace

    def _link(self, level: int, fingerprint: np.ndarray) -> tuple[np.ndarray, int, int]:
        """The parent of a state, and the step from there."""
        bucket = int(loops.bucket(fingerprint[None, :], self.task.buckets)[0])
        for file in self.manifest.levels[level].files:
            if file.bucket == bucket:
                for part in self.directory.each_part(file.path, ["fingerprints", "parents", "instances", "ordinals"]):
                    at = np.flatnonzero((part.fingerprints == fingerprint).all(axis=1))
                    if len(at):
                        return part.parents[at[0]], int(part.instances[at[0]]), int(part.ordinals[at[0]])
        raise InputError(f"{self.directory.folder} lacks a state of level {level + 1}")

    def _path_in_process(self, number: int) -> tuple[int, list[tuple[int, int]]]:
        """The initial state that led to state `number` in process, and the moves from there."""
        prefix = self.manifest.prefix
        assert prefix is not None, "the manifest tells of a place in it"
        moves: list[tuple[int, int]] = []
        while True:
            links = self.directory.states(prefix.links, ["parents", "instances", "ordinals"], number // ROW_GROUP)
            at = number % ROW_GROUP
            if links.instances[at] < 0:
                return int(links.ordinals[at]), moves[::-1]
            moves.append((int(links.instances[at]), int(links.ordinals[at])))
            number = int(links.parents[at, 0])
