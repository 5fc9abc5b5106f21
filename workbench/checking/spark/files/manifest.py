"""The manifest of a run directory: the search's identity, and its complete levels."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from workbench.kernel import InputError
from workbench.kernel.meaning.budget import depth_of
from workbench.storage.folder import Folder
from workbench.storage.identity import Identity
from workbench.storage.schema import from_json
from workbench.storage.versions import FolderKind

RUN = FolderKind("run directory", 7)

#: In place of a level: the search in process, before it moved to Spark.
PREFIX = -1
#: In place of a level: a pruned initial state, by its own number.
PRUNED = -2
#: In place of a level: the last completed one, whose number workers need not know.
LAST_LEVEL = -3


@dataclass(frozen=True)
class LevelFile:
    """The states of one bucket that one level added.

    Attributes:
        path: Relative to the run directory.
        values_level: The file itself numbers the values of this level and later ones.
    """

    bucket: int
    path: str
    rows: int
    values_level: int


@dataclass
class Level:
    """A completed level.

    Attributes:
        counts: Enabled, generated and new, per action instance, of the step to this level.
        values: The file of the values that got global numbers after this level, if any.
        shuffled: Bytes that tasks sent each other.
    """

    files: list[LevelFile]
    counts: list[list[int]]
    values: str | None = None
    shuffled: int = 0
    seconds: float = 0.0

    @property
    def states(self) -> int:
        return sum(file.rows for file in self.files)

    def names(self) -> list[str]:
        """Its files."""
        return [*(file.path for file in self.files), *([] if self.values is None else [self.values])]


@dataclass(frozen=True)
class TransitionFile:
    """The transitions from some states of a complete search; see `transitions`.

    Attributes:
        first, states: The number of the first state, and how many there are.
        path: Relative to the run directory.
    """

    first: int
    states: int
    transitions: int
    path: str


@dataclass
class Prefix:
    """The search in process, before it moved to Spark.

    Attributes:
        levels: The sizes of the levels; the last one is the first level of the run.
        counts: The counts of the steps between these levels.
        visited: For each bucket the file of its visited fingerprints.
        links: The file of the states' predecessors and steps, by number.
    """

    levels: list[int]
    counts: list[list[int]]
    visited: list[str]
    links: str


@dataclass
class RunManifest:
    """The completed part of a run.

    Attributes:
        initial: Initial states, repetitions included.
        decided: Where each property was decided: the level's position in `levels`, and the words of the state's
            fingerprint; or :data:`PREFIX` and the state's number. For a step from there, or its pruned target, the
            action instance and ordinal follow. Or :data:`PRUNED` and the number of an initial state.
        assigns: Per action instance, whether it ever assigned to a variable.
        outside: The number of pruned states.
        transitions: In the order of the states, for liveness. States expanded in process have theirs from the start,
            the others once the search is complete.
    """

    initial: int = 0
    prefix: Prefix | None = None
    levels: list[Level] = field(default_factory=list)
    decided: dict[str, list[int]] = field(default_factory=dict)
    assigns: list[bool] = field(default_factory=list)
    outside: int = 0
    seconds: float = 0.0
    complete: bool = False
    transitions: list[TransitionFile] = field(default_factory=list)

    def copy(self) -> "RunManifest":
        """A copy to continue with. It shares the levels before the last one, which never change."""
        return replace(
            self,
            levels=[*self.levels[:-1], *(replace(level) for level in self.levels[-1:])],
            decided=dict(self.decided),
            transitions=list(self.transitions),
        )

    @property
    def sizes(self) -> list[int]:
        """The number of states of each level."""
        before = [] if self.prefix is None else self.prefix.levels[:-1]
        return [*before, *(level.states for level in self.levels)]

    def depth_of(self, place: Sequence[int], bits: int) -> int:
        """The length of a shortest way to a place, given as in `decided` with fingerprints of `bits` bits."""
        level, sizes = place[0], self.sizes
        if level == PRUNED:
            return 0
        if level == PREFIX:
            return depth_of(place[1], sizes) + (len(place) > 2)
        return len(sizes) - len(self.levels) + level + (len(place) > 1 + bits // 64)

    @property
    def values(self) -> list[str | None]:
        """For each level the file of the values numbered after it."""
        return [level.values for level in self.levels]

    def files_of(self, bucket: int) -> list[str]:
        """The files with the visited states of a bucket."""
        before = [] if self.prefix is None else [self.prefix.visited[bucket]]
        return before + [file.path for level in self.levels for file in level.files if file.bucket == bucket]

    def names(self) -> Iterator[str]:
        """All files of the run."""
        yield from self.prefix_files()
        for level in self.levels:
            yield from level.names()
        yield from (file.path for file in self.transitions)

    def prefix_files(self) -> list[str]:
        """The files of the search in process."""
        return [] if self.prefix is None else [*self.prefix.visited, self.prefix.links]

    @property
    def linked(self) -> bool:
        """Whether the transitions of all states are known."""
        return self.complete and sum(file.states for file in self.transitions) == sum(self.sizes)


@dataclass(frozen=True)
class ManifestStep:
    """The additions of one version of the manifest to the version before.

    Attributes:
        levels: The newly completed levels.
        counts: New counts of the last level before them, if its steps led to nothing new.
        state: The other attributes of :class:`RunManifest`, except for the prefix.
    """

    levels: list[Level]
    counts: list[list[int]] | None
    state: dict[str, Any]

    @classmethod
    def between(cls, before: RunManifest | None, after: RunManifest) -> "ManifestStep":
        """The step from `before`, if there was one, to `after`."""
        levels = before.levels if before else []
        counts = after.levels[len(levels) - 1].counts if levels else None
        state = {name: getattr(after, name) for name in _STATE}
        return cls(after.levels[len(levels) :], None if levels and counts == levels[-1].counts else counts, state)


_STATE = [part.name for part in fields(RunManifest) if part.name not in ("prefix", "levels")]


@dataclass(frozen=True)
class _Head:
    """The content of the first version, and of one that goes back to an earlier level; all others are steps."""

    identity: Identity
    fingerprint_key: str
    buckets: int
    notes: tuple[str, ...]
    prefix: Prefix | None
    steps: list[ManifestStep]


@dataclass(frozen=True)
class Run:
    """The content of a run directory's manifest.

    Attributes:
        identity: The model and the check.
        fingerprint_key: In hexadecimal digits.
        buckets: Parts into which fingerprints are divided.
        notes: Notes on the check, for people.
    """

    identity: Identity
    fingerprint_key: str
    buckets: int
    notes: tuple[str, ...]
    done: RunManifest

    def head(self, steps: list[ManifestStep]) -> dict[str, Any]:
        """The content of a version that replaces those before it, and comes to `done` by these steps."""
        return asdict(_Head(self.identity, self.fingerprint_key, self.buckets, self.notes, self.done.prefix, steps))

    @classmethod
    def of(cls, folder: Folder, level: int | None = None) -> "Run":
        """Read the manifest of `folder`.

        Args:
            level: The run is to be as it was when this was its last level; None: as it is.

        Raises:
            InputError: If no search has written it.
        """
        head, steps, where = _read(folder, level)
        levels: list[Level] = []
        for step in steps:
            if step.counts is not None and levels:
                levels[-1] = replace(levels[-1], counts=step.counts)
            levels += step.levels
        everything = {**steps[-1].state, "prefix": None, "levels": []}
        done = from_json(RunManifest, everything, where)
        done.prefix, done.levels = head.prefix, levels
        for name in done.names():
            if name not in folder.files:
                raise InputError(f"{where} counts on {name!r}, which is not among its files")
        return cls(head.identity, head.fingerprint_key, head.buckets, head.notes, done)


def steps_to(folder: Folder, level: int) -> list[ManifestStep]:
    """The steps by which the run in `folder` came to `level`."""
    return _read(folder, level)[1]


def last_whole_level(folder: Folder, end: int | None = None) -> int:
    """The last level of the run in `folder`, up to `end`, such that it and all levels before it are undamaged.

    It is -1 if there is none. All bytes of the levels' files are checked.
    """
    done, whole = Run.of(folder, end).done, -1
    with suppress(InputError):
        for name in done.prefix_files():
            folder.check(name)
        for level in done.levels:
            for name in level.names():
                folder.check(name)
            whole += 1
    return whole


def _read(folder: Folder, level: int | None) -> tuple[_Head, list[ManifestStep], str]:
    """The head, the steps up to the first one that has `level`, and the manifest's name in errors."""
    if folder.content is None:
        raise InputError(f"{folder} holds no search: it was given up before it began")
    where = f"the manifest of {folder}"
    head = from_json(_Head, folder.content, where)
    if not head.steps:
        raise InputError(f"{where} has no steps")
    steps, count = list[ManifestStep](), 0
    for step in (*head.steps, *(from_json(ManifestStep, part, where) for part in folder.parts)):
        steps.append(step)
        count += len(step.levels)
        if level is not None and count > level:
            break
    return head, steps, where
