"""Project a Paimon bucket onto a state of the model: the same files, levels, rows and deletion vectors.

The state is limited to a few keys: the files with rows of these, and the commits that made them. A commit of the model
makes one file, and a file that moves to another level becomes one that a compaction makes.
"""

import json
import math
import re
from collections.abc import Container, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from workbench.audits.states import changed, short
from workbench.kernel import InputError, Machine, Map, State, machine_of
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.errors import listed
from workbench.protocols.paimon.audit.bucket import Life, Marks
from workbench.protocols.paimon.audit.bucket_reader import BucketLook, has_vectors
from workbench.protocols.paimon.audit.rows import KINDS, Whole
from workbench.protocols.paimon.extended import PaimonExtended
from workbench.protocols.paimon.rows import COLUMNS, Change

#: How many commits the state shows, the newest ones; files of earlier ones exist from the start, if they are few.
MOST_COMMITS = 12
_MOST_FILES = 16
_MOST_ACTORS, _MOST_VALUES, _MOST_LEVEL, MOST_RUNS = 5, 6, 6, 20
#: About how many states of a bucket's writers agree with a snapshot, so that a search can follow all of them.
_MOST_HIDDEN = 200_000
_NOTHING = "none"
_OLDER = "older values"
_LOST = "lost"


class BucketState(NamedTuple):
    """A state of the model, the table's names for the things in it, and the other things that it stands for."""

    model: Machine
    state: State
    names: dict[str, str]
    legend: tuple[str, ...]


def tell(
    look: BucketLook,
    keys: Sequence[int],
    version: int,
    lost: Iterable[tuple[int, str]] = (),
    *,
    is_whole: bool = False,
) -> BucketState:
    """The bucket at a version as a state of the model.

    Args:
        keys: The numbers of the keys to show.
        lost: Files that were committed as a version, then overwritten.
        is_whole: Show all commits up to the version that change something for the keys, numbered from 1, by as many
            writers as a search can follow; if there were more, these stand for them in turns.

    Raises:
        InputError: If the model has no room for it.
    """
    return _Teller(look, list(keys), version, list(lost), is_whole).state()


def changes(look: BucketLook, keys: Sequence[int]) -> list[int]:
    """The versions that change something for the keys."""
    rows = look.bucket.rows
    mine = np.flatnonzero(np.isin(rows.key, keys))
    files = set(rows.file[mine].tolist())
    ends = [(life.first, life.last) for life in look.bucket.lives if life.file in files]
    ends += [(mark.first, mark.last) for mark in look.bucket.marks if np.isin(mark.rows, mine).any()]
    return sorted({version for both in ends for version in both if version is not None})


class _Teller:
    def __init__(
        self, look: BucketLook, keys: list[int], version: int, lost: list[tuple[int, str]], is_whole: bool
    ) -> None:
        self.look, self.keys, self.version, self.lost, self.is_whole = look, keys, version, lost, is_whole
        self.mine: list[int] = np.flatnonzero(np.isin(look.bucket.rows.key, keys)).tolist()
        self.versions = self._versions()
        if is_whole:
            self._keep({life.file for life in look.bucket.lives if life.first <= version})
        else:
            self.versions = self.versions[-MOST_COMMITS:]
            self._forget_earlier_files()
        self.whole: Whole = look.whole(self.mine)
        self.names: dict[Any, str] = {}  # of the model's files, by (file, level) of the table
        self.runs: dict[str, int] = {}
        self.legend: list[str] = []
        # The table's names, by the model's; the state has one bucket, ends at the version, and counts what it shows.
        self.shown = {"bucket p0b0": look.name, "writes started": "writes shown"}
        self.shown["compactions started"] = "compactions shown"
        if version < look.table.last:
            self.shown["latest"] = f"of {look.table.last}"
        self.actors: dict[tuple[str, str], str] = {}
        own = [self.whole[look.where(self._row_of(key))]["key"] for key in keys]
        self.key_names = _named(own, "k")
        self._show(self.key_names, own)
        self.cells: dict[tuple[str, Any], Any] = {}
        self.columns = self._columns()
        self.most_writers = self._most_writers() if is_whole else _MOST_ACTORS

    def _row_of(self, key: int) -> int:
        return next(row for row in self.mine if self.look.bucket.rows.key[row] == key)

    # Names and values ------------------------------------------------------------------------------------------------

    def _columns(self) -> dict[str, tuple[str, str]]:
        """The model's two columns for each value: the table's first column, and all others; the newest keep names."""
        firsts: dict[str, str] = {}
        others: dict[str, str] = {}
        for row in sorted(self.whole.values(), key=lambda row: -row["sequence"]):
            values = [_plain(value) for value in json.loads(row["value"]).values()]
            firsts.setdefault(row["value"], values[0] if values else _NOTHING)
            others.setdefault(row["value"], "_".join(values[1:]) or _NOTHING)
        first = _few(list(firsts.values()), self.key_names)
        other = _few(list(others.values()), [*self.key_names, *first.values()])
        self._show(first.values(), first)
        self._show(other.values(), other)
        return {value: (first[firsts[value]], other[others[value]]) for value in firsts}

    def _show(self, names: Iterable[str], own: Iterable[str]) -> None:
        for name, text in zip(names, own, strict=True):
            self.shown.setdefault(name, _OLDER if name == _named([_OLDER], "v")[0] else short(text))

    def _most_writers(self) -> int:
        """The largest number of writers that a search can follow.

        Each may be idle, or write any row, and be at any of three steps. If they write more than once, each also knows
        the table as of some snapshot since its own last one, which is half the writers ago on average.
        """
        values = (len(set(column)) for column in zip(*self.columns.values(), strict=True))
        states = 1 + 3 * (math.prod(values) + 1)
        for number in range(_MOST_ACTORS, 2, -1):
            numbers = (number + 1) / 2 if len(self.versions) > number else 1
            if (states * numbers) ** number <= _MOST_HIDDEN:
                return number
        return 2

    def _operation(self, version: int, kind: str, user: str) -> str:
        letter = "c" if kind == "COMPACT" else "w"
        operations = [op for (letter_of, _), op in self.actors.items() if letter_of == letter]
        most = self.most_writers if letter == "w" else _MOST_ACTORS
        default = f"{letter}{len(operations) % most if self.is_whole else min(len(operations), most - 1)}"
        if (letter, user) not in self.actors:
            self.shown[default] = "others" if default in self.shown else short(user)
        return self.actors.setdefault((letter, user), default)

    def _run(self, operation: str, of: Any) -> str:
        """The name of an operation's next file, which stands for `of` in the table."""
        number = self.runs.get(operation, 0)
        self.runs[operation] = number + 1
        name = f"{operation}-{number}"
        self.names[of] = name
        file, level = of
        if isinstance(file, int):
            self.shown[name] = short(self.look.bucket.rows.files[file])
            self.legend.append(f"{name} is {self.look.bucket.rows.files[file]} in level {level}")
        elif file == _LOST:
            self.shown[name] = short(level)
            self.legend.append(f"{name} is {level}, which was to be in that snapshot")
        else:
            self.shown[name] = f"other changes of snapshot {level}"
            self.legend.append(f"{name} stands for what else snapshot {level:,} of the table did")
        return name

    # The state -------------------------------------------------------------------------------------------------------

    def _relevant(self) -> set[int]:
        """The files with rows of the keys."""
        return {int(self.look.bucket.rows.file[row]) for row in self.mine}

    def _versions(self) -> list[int]:
        """The versions to show: those that change something for the keys."""
        versions = {v for v in changes(self.look, self.keys) if v <= self.version}
        return sorted(versions | {self.version} | {v for v, _ in self.lost})

    def _forget_earlier_files(self) -> None:
        """Drop the rows of files that were removed earlier and have no deletion vector."""
        rows, since = self.look.bucket.rows, self.versions[0]
        kept = {life.file for life in self.look.bucket.lives if life.last is None or life.last > since}
        kept |= {mark.file for mark in self.look.bucket.marks if mark.last is None or mark.last > since}
        kept |= {rows.files.index(name) for _, name in self.lost}
        if len(kept & self._relevant()) > _MOST_FILES:
            kept -= self._outdated(since)
        self._keep(kept)

    def _keep(self, files: Container[int]) -> None:
        """Drop the rows of all other files."""
        self.mine = [row for row in self.mine if int(self.look.bucket.rows.file[row]) in files]

    def _outdated(self, version: int) -> set[int]:
        """Files of level 0 that are superseded: by that version, a later file had newer rows of the keys."""
        rows = self.look.bucket.rows
        newest = {int(rows.file[row]) for key in self.keys if (row := self._committed(key, version)) is not None}
        least = min((int(rows.sequence[row]) for row in self.mine if int(rows.file[row]) in newest), default=0)
        late = {int(rows.file[row]) for row in self.mine if rows.sequence[row] >= least}
        above = {life.file for life in self.look.bucket.lives if life.level > 0 or life.first > version}
        return {life.file for life in self.look.bucket.lives} - above - late - newest

    def state(self) -> BucketState:
        bucket, table, versions = self.look.bucket, self.look.table, self.versions
        relevant = self._relevant()
        number = self._numbers(versions)
        log: dict[tuple[str, str, int], list[Change]] = {}
        for version in versions:
            commit = table.commit(version)
            live = [life for life in bucket.live_at(version) if life.file in relevant]
            new = [life for life in live if (life.file, life.level) not in self.names]
            operation = self._operation(version, str(commit["kind"]), str(commit["user"]))
            name = None
            for life in new:
                name = self._run(operation, (life.file, life.level))
                self._file(name, life)
            for v, file in self.lost:
                if v == version:
                    self._lose(v, file, number[v], log)
            if name is None:
                name = self._run(operation, ("commit", version))
                self.cells["level", name] = 0 if operation[0] == "w" else 1
            self._commit(number[version], name, live, [m for m in bucket.marks_at(version) if self._rows_of(m)])
            self._log(version, number[version], version == versions[0], log)
        for entry, some in log.items():
            self.cells["log", entry] = tuple(some)
        self.cells["latest", None] = number[versions[-1]]
        return self._final_state(number[versions[-1]])

    def _numbers(self, versions: list[int]) -> dict[int, int]:
        """The model's numbers for the versions: their own if small and no history is told, otherwise from 1 on."""
        if versions[-1] <= MOST_RUNS and not self.is_whole:  # the model has as many versions as writes
            return {version: version for version in versions}
        numbers = {version: i for i, version in enumerate(versions, 1)}
        self.shown |= {f"snapshot {number}": f"snapshot {version}" for version, number in numbers.items()}
        if self.is_whole:
            self.legend += [
                f"snapshot {number} is snapshot {version:,} of the table" for version, number in numbers.items()
            ]
        return numbers

    def _struck(self, mark: Marks) -> list[str]:
        """The shown keys whose rows a deletion vector deletes."""
        return [self._key(row) for row in self._rows_of(mark)]

    def _rows_of(self, mark: Marks) -> list[int]:
        """The shown rows that a deletion vector deletes."""
        return sorted(set(self.mine) & set(mark.rows.tolist()))

    def _key(self, row: int) -> str:
        return self.key_names[self.keys.index(int(self.look.bucket.rows.key[row]))]

    def _file(self, name: str, life: Life) -> None:
        self.cells["level", name] = min(life.level, _MOST_LEVEL)
        rows = self.look.bucket.rows
        for row in self.mine:
            if rows.file[row] == life.file:
                self._row(name, row)

    def _row(self, name: str, row: int) -> None:
        rows, key = self.look.bucket.rows, self._key(row)
        kind = KINDS[rows.kind[row]].replace("-U", "-D")
        self.cells["sequence", (name, key)] = int(rows.sequence[row])
        self.cells["kind", (name, key)] = kind
        self.cells["columns", (name, key)] = None if kind == "-D" else self._value(row)

    def _value(self, row: int) -> tuple[str, str]:
        return self.columns[self.whole[self.look.where(row)]["value"]]

    def _lose(self, version: int, file: str, number: int, log: dict[tuple[str, str, int], list[Change]]) -> None:
        """Show a commit that was overwritten by the one at `version`."""
        rows = self.look.bucket.rows
        at = rows.files.index(file)
        operation = self._operation(version, "APPEND", f"of {file}")
        self.shown[operation] = "another writer"
        name = self._run(operation, (_LOST, file))
        self.cells["level", name] = 0
        for row in self.mine:
            if rows.file[row] == at:
                self._row(name, row)
                self._change(row, number, log)

    def _change(self, row: int, number: int, log: dict[tuple[str, str, int], list[Change]]) -> None:
        kind = KINDS[self.look.bucket.rows.kind[row]]
        values = (None, None) if kind in ("-D", "-U") else self._value(row)
        for column, value in zip(COLUMNS, values, strict=True):
            log.setdefault((self._key(row), column, number), []).append(Change(number, value))

    def _log(self, version: int, number: int, is_baseline: bool, log: dict[tuple[str, str, int], list[Change]]) -> None:
        """Log the committed rows: first those that are read, then those appended."""
        bucket = self.look.bucket
        if is_baseline:
            rows = [row for key in self.keys if (row := self._committed(key, version)) is not None]
        else:
            new = {life.file for life in bucket.lives if life.appended == version}
            rows = [row for row in self.mine if bucket.rows.file[row] in new]
        for row in sorted(rows, key=lambda row: (bucket.rows.sequence[row], bucket.rows.position[row])):
            self._change(row, number, log)

    def _committed(self, key: int, version: int) -> int | None:
        """A key's last committed row as of a version."""
        rows = self.look.bucket.rows
        appended = {life.file: life.appended for life in self.look.bucket.lives if life.appended is not None}
        mine = [row for row in self.mine if rows.key[row] == key]
        earlier = [row for row in mine if appended.get(int(rows.file[row]), version + 1) <= version]
        if earlier:
            return max(earlier, key=lambda row: (appended[int(rows.file[row])], rows.sequence[row]))
        live = {life.file for life in self.look.bucket.live_at(version)}
        struck = {int(row) for mark in self.look.bucket.marks_at(version) for row in mark.rows}
        valid = [row for row in mine if rows.file[row] in live and row not in struck]
        return max(valid, key=lambda row: rows.sequence[row], default=None)

    def _commit(self, number: int, name: str, live: list[Life], marks: list[Marks]) -> None:
        files = tuple(self.names[life.file, life.level] for life in live)
        vectors: Map = Map()
        for mark in marks:
            file = self._file_of(mark)
            if file is not None:
                vectors = vectors.set(file, frozenset(self._struck(mark)))
        self.cells["snapshots", number] = name
        self.cells["manifest", name] = files
        self.cells["bucket_files", (name, "p0b0")] = files
        self.cells["vectors", (name, "p0b0")] = vectors

    def _file_of(self, mark: Marks) -> str | None:
        """The model's name for a vector's file in the last level where it lived."""
        levels = [
            life for life in self.look.bucket.lives if life.file == mark.file and (life.file, life.level) in self.names
        ]
        levels.sort(key=lambda life: life.first)
        return self.names[mark.file, levels[-1].level] if levels else None

    def _final_state(self, latest: int) -> BucketState:
        writers = {op: count for op, count in self.runs.items() if op[0] == "w"}
        compactors = {op: count for op, count in self.runs.items() if op[0] == "c"}
        writes, compactions = max(writers.values(), default=1), max(compactors.values(), default=0)
        firsts = list(dict.fromkeys(first for first, _ in self.columns.values()))
        others = list(dict.fromkeys(other for _, other in self.columns.values()))
        compacted = sum(compactors.values())
        if max(writes, compacted) > MOST_RUNS:
            raise InputError(f"{listed(self.key_names)} has rows in more files than the {MOST_RUNS} of the model")
        model = PaimonExtended(
            NUM_WRITERS=max(len(writers), 1),
            NUM_COMPACTORS=len(compactors),
            NUM_BUCKETS=1,
            MAX_LEVEL=max(1, *(level for (variable, _), level in self.cells.items() if variable == "level")),
            DV_ENABLED=has_vectors(self.look.table),
            ONE_WRITER_PER_BUCKET=False,
            PUT_IF_ABSENT=not self.lost,
            MAX_WRITE_OPS=min(MOST_RUNS, max(sum(writers.values()), latest - compacted, 1)),
            MAX_WRITE_OPS_PER_WRITER=writes,
            MAX_WRITE_OPS_PER_KEY=writes,
            MAX_COMPACTIONS=compacted,
            MAX_COMPACTIONS_PER_COMPACTOR=compactions,
            PkCol1Values=self.key_names,
            Col2Values=firsts,
            Col3Values=others,
        )
        for operation, count in self.runs.items():
            self.cells["sequence_no" if operation[0] == "w" else "compactions_of", operation] = count
        self.cells["write_ops", None], self.cells["compactions", None] = sum(writers.values()), compacted
        cells = {Cell(variable, index): value for (variable, index), value in self.cells.items()}
        machine = machine_of(model)
        state = changed(machine, machine.initial_states()[0], cells)
        return BucketState(machine, state, self.shown, tuple(self.legend))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _few(texts: Sequence[str], taken: Iterable[str]) -> dict[str, str]:
    """Names for texts, at most as many distinct ones as the model has values."""
    *named, older = _named([*texts, _OLDER], "v", taken)
    names = dict(zip(texts, named, strict=True))
    distinct = list(dict.fromkeys(named))
    kept = set(distinct if len(distinct) <= _MOST_VALUES else distinct[: _MOST_VALUES - 1])
    return {text: name if name in kept else older for text, name in names.items()}


def _named(texts: Sequence[str], prefix: str, others: Iterable[str] = ()) -> list[str]:
    """Names that a model accepts, one for each distinct text, and none of `others`: a model's names are all distinct.

    Examples:
        >>> _named(["jack", "7", "a b", "a-b", "jack"], "k")
        ['jack', 'k7', 'a_b', 'a_b_2', 'jack']
        >>> _named(["jack", "red"], "v", ["jack"])
        ['jack_2', 'red']
    """
    names: dict[str, str] = {}
    for text in texts:
        name = re.sub(r"[^A-Za-z0-9_]+", "_", text)[:24] or _NOTHING
        name = name if name[0].isalpha() else f"{prefix}{name}"
        taken, renamed, number = {*others, *names.values()}, name, 2
        while text not in names and name in taken:
            name, number = f"{renamed}_{number}", number + 1
        names.setdefault(text, name)
    return [names[text] for text in texts]
