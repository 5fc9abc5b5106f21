"""The files of Delta's log, by version: entries, checkpoints and checksums."""

import re
from typing import NamedTuple

from workbench.audits.source import Source
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief

FOLDER = "_delta_log"
SIDECARS = f"{FOLDER}/_sidecars"
STAGED = f"{FOLDER}/_staged_commits"

_NAME = re.compile(
    r"(?P<version>\d{20})\.(?:(?P<entry>json)|(?P<checksum>crc)|(?P<compacted>\d{20})\.compacted\.json"
    r"|checkpoint(?:\.(?P<part>\d{10})\.(?P<of>\d{10})\.parquet|(?:\.[0-9A-Za-z-]{36}\.json|(?:\.[0-9A-Za-z-]{36})?\.parquet)))"
)
_STAGED = re.compile(r"\d{20}\.[0-9A-Za-z-]{36}\.json")


class Compaction(NamedTuple):
    """A file with the sum of the entries from version `first` to `last`; readers may use it in their place."""

    first: int
    last: int
    name: str


class Log(NamedTuple):
    """A listing of the log.

    Attributes:
        entries, checksums: Their names, by version.
        checkpoints: By version, the files of each complete checkpoint.
        incomplete: Checkpoints of several parts that lack some, which readers ignore.
        compacted: Log compactions, by the last version that each has.
        staged: Commits of later versions; the catalog alone knows which of them succeeded.
        sizes: Of all these files.
    """

    entries: dict[int, str]
    checksums: dict[int, str]
    checkpoints: dict[int, list[tuple[str, ...]]]
    incomplete: tuple[str, ...]
    compacted: dict[int, list[Compaction]]
    staged: tuple[str, ...]
    sizes: dict[str, int]

    @property
    def last(self) -> int:
        """The newest version."""
        return max([*self.entries, *self.checkpoints])

    def newest_checkpoints(self, most_bytes: int) -> set[tuple[str, ...]]:
        """The files of the newest checkpoints, up to that many bytes."""
        newest: set[tuple[str, ...]] = set()
        room = most_bytes
        for _, some in sorted(self.checkpoints.items(), reverse=True):
            for names in some:
                if not newest or room > 0:
                    newest.add(names)
                    room -= sum(self.sizes[name] for name in names)
        return newest


def list_log(source: Source) -> Log | None:
    """The log of a table; None if the folder has neither an entry nor a complete checkpoint.

    Raises:
        InputError: If a version has more than 63 bits.
    """
    log = Log({}, {}, {}, (), {}, (), {})
    parts: dict[tuple[int, int], dict[int, str]] = {}
    staged = []
    for entry in source.entries(FOLDER):
        if entry.name == STAGED and entry.is_folder:
            staged = [commit for commit in source.entries(STAGED) if _STAGED.fullmatch(commit.base)]
        named = _NAME.fullmatch(entry.base)
        if named is None or entry.is_folder:
            continue
        version = int(named["version"])
        if version >= 2**63:
            raise InputError(f"{brief(entry.name)} is not accepted: a version has at most 63 bits")
        log.sizes[entry.name] = entry.size
        if named["entry"]:
            log.entries[version] = entry.name
        elif named["checksum"]:
            log.checksums[version] = entry.name
        elif named["compacted"]:
            compaction = Compaction(version, int(named["compacted"]), entry.name)
            log.compacted.setdefault(compaction.last, []).append(compaction)
        elif named["part"]:
            parts.setdefault((version, int(named["of"])), {})[int(named["part"])] = entry.name
        else:
            log.checkpoints.setdefault(version, []).append((entry.name,))
    incomplete = []
    for (version, count), names in parts.items():
        if len(names) == count == max(names):
            log.checkpoints.setdefault(version, []).append(tuple(names[part] for part in sorted(names)))
        else:
            incomplete.append(f"the checkpoint of version {version}, of which {len(names)} of {count} parts exist")
    if not log.entries and not log.checkpoints:
        return None
    later = tuple(entry.name for entry in staged if int(entry.base[:20]) > log.last)
    return log._replace(incomplete=tuple(incomplete), staged=later)
