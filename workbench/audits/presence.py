"""Checks that the files named by a table's newest version are there, and as large as they should be."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from workbench.audits.source import Source
from workbench.kernel.meaning.values import counted

#: With more folders than this, the folders above them are listed whole.
_MOST_FOLDERS = 64

#: The properties that rest on facts outside all models: sizes, counts and times.
FILES_EXIST, COUNTS_AGREE, TIMES_GROW = "PublishedFilesExist", "CountsAgree", "TimestampsGrow"


class Absent(NamedTuple):
    """A file that is missing or has another size; `actual` is its size, None if there is no such file."""

    name: str
    size: int | None
    actual: int | None

    def __str__(self) -> str:
        if self.actual is None:
            return f"there is no {self.name}"
        return f"{self.name} has {self.actual:,} bytes, and should have {self.size:,}"


class Origin(NamedTuple):
    """The origin of a file in the table: the version that added it, the time of that commit, and the file's rows.

    Anything unknown, such as a version that has expired, is None.
    """

    version: int | None
    time: datetime | None
    rows: int | None

    def __str__(self) -> str:
        when = f" at {self.time:%Y-%m-%d %H:%M:%S} UTC" if self.time else ""
        by = "a version before those that are left" if self.version is None else f"version {self.version}"
        return f"{by} added it{when}" + ("" if self.rows is None else f", with {counted(self.rows, 'row')}")


def absent(source: Source, files: Mapping[str, int | None]) -> tuple[list[Absent], bool]:
    """The files missing among `files`, or of another size if that is known; and whether there is any file at all.

    Raises:
        InputError: If a name leads out of the table.
    """
    for name in files:
        if "/../" in f"/{name}/":
            source.path(name)
    folders = {name.rpartition("/")[0] for name in files}
    is_many = len(folders) > _MOST_FOLDERS and "" not in folders
    tops = {folder.partition("/")[0] for folder in folders} if is_many else folders
    entries = (entry for folder in sorted(tops) for entry in source.entries(folder, recursive=is_many))
    sizes = {entry.name: entry.size for entry in entries if not entry.is_folder}
    missing = [
        Absent(name, size, sizes.get(name))
        for name, size in files.items()
        if name not in sizes or size not in (None, sizes[name])
    ]
    return missing, any(name in sizes or name.rpartition("/")[0] in folders for name in sizes)
