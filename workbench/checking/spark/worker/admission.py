"""Admits the new states of one bucket to a level as their messages arrive, holding no more than a row group."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from workbench.checking.spark.files.manifest import LAST_LEVEL, LevelFile
from workbench.checking.spark.files.messages import Candidates, Message, NextLevel, StepCounts
from workbench.checking.spark.files.numbering import BucketSet, Numbering, OwnValues
from workbench.checking.spark.files.rundir import RunDirectory
from workbench.checking.spark.files.states import States, narrow
from workbench.checking.trees.state_predicates import Watched
from workbench.kernel import ModelError

#: Takes new states: fingerprints, and rows in local numbers.
New = Callable[[np.ndarray, np.ndarray], object]


class Admission:
    """One bucket's part of a new level.

    Args:
        watched: Judges the new states.
        visited: The bucket's visited states; the new ones are added.

    Attributes:
        new (int64 array): New states per action instance.
        decided: As in :class:`Admitted`.
        own: OwnValues
        received (int): Bytes of the candidates.
    """

    def __init__(
        self,
        directory: RunDirectory,
        watched: Watched,
        numbering: Numbering,
        bucket: int,
        visited: BucketSet,
        level: NextLevel,
        new_states: New,
    ) -> None:
        self._directory, self._watched, self._numbering = directory, watched, numbering
        self._bucket, self._visited, self._level, self._decided = bucket, visited, level.number, level.decided
        self._values_level, self._tell = level.values_level, new_states
        self.new = np.zeros(len(watched.trees.model.instances), np.int64)
        self.steps: list[StepCounts] = []
        self.decided: dict[str, list[int]] = {}
        self.own = OwnValues(numbering.counts(self._values_level))
        self.received = 0

    def write(self, messages: Iterator[Message]) -> list[LevelFile]:
        """Write the new candidates: to one file, or to several if numbers come to need more bytes."""
        states, files = self._new_states(messages), []
        part = next(states, None)
        while part is not None:
            kind = part.rows.dtype

            def of_one_file(kind: np.dtype[Any] = kind) -> Iterator[States]:
                nonlocal part
                while part is not None and part.rows.itemsize <= kind.itemsize:
                    yield replace(part, rows=part.rows.astype(kind, copy=False))
                    part = next(states, None)

            files.append(
                self._directory.write_level(
                    self._level, self._bucket, of_one_file(), self._values_level, self.own.values
                )
            )
        return files

    def _new_states(self, messages: Iterator[Message]) -> Iterator[States]:
        """The new states, already judged, with rows as narrow as their message allows."""
        to_local, translated = self._numbering.local(self._values_level, self.own.values), 0
        for message in messages:
            if isinstance(message, StepCounts):
                self.steps.append(message)
                continue
            assert isinstance(message, Candidates), "reports come before all else"
            self.received += message.nbytes
            new = self._visited.add(message.fingerprints)
            if not new.any():
                continue
            numbers = self.own.settle(message.rows, new, self._directory.from_message(message.extras))
            own = sum(map(len, self.own.values))
            if own > translated:
                to_local, translated = self._numbering.local(self._values_level, self.own.values), own
            rows, local = message.rows.unpack_as(new, narrow(numbers), to_local.of_codes(message.rows.sizes, numbers))
            fingerprints, parents, instances, ordinals = (part[new] for part in message[:4])
            self.new += np.bincount(instances, minlength=len(self.new))
            try:
                for name, met in self._watched.hits(local, self._decided):
                    if met.any():
                        smallest = min(fingerprints[met].tolist())
                        self.decided[name] = min(smallest, self.decided.get(name, smallest))
            except ModelError as error:
                at = np.flatnonzero((local == np.array(error.met[0])).all(axis=1))[0]
                error.met = [LAST_LEVEL, *parents[at].tolist(), int(instances[at]), int(ordinals[at])]
                raise
            self._tell(fingerprints, local)
            yield States(fingerprints, parents, instances, ordinals, rows)
