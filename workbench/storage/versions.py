"""The manifest of a folder as numbered versions: each states a change, and is itself never changed.

::

    manifest/00000000.json   the folder's kind and mark
    manifest/00000001.json   its first content
    ...

A version is put only if its number is free, so of two writers that continue version 6 one writes version 7, and the
other learns who did. No version is ever removed: a writer that slept could reuse its number. Each version names the
checksum of the one before.

A single file with conditional replacement would not do: disks, HDFS and object stores all have put-if-absent, a commit
writes only the difference, and the same mechanism commits and keeps other writers out.
"""

import re
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any

from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief
from workbench.storage.lock import Writer
from workbench.storage.places import one_line
from workbench.storage.schema import from_json
from workbench.storage.sealed import sealed, unsealed
from workbench.storage.store import FileStore
from workbench.storage.sums import BLOCK, FileSum

#: The folder of the versions.
MANIFEST = "manifest"
#: The manifest of formats before the third.
_OLD_MANIFEST = "manifest.json"
_NUMBERED = re.compile(rf"{MANIFEST}/(\d{{8}})\.json")
_MARK = re.compile(r"[0-9a-f]{16}")


class Overtaken(InputError):
    """Another writer has taken over."""


@dataclass(frozen=True)
class FolderKind:
    """A kind of folder: its `name`, such as "run directory", and the version of its format."""

    name: str
    format: int


@dataclass(frozen=True)
class ManifestChange:
    """The change of a version.

    Attributes:
        anew: Whether it replaces the content of the versions before, or adds to it.
        content: JSON.
        files: The new files.
    """

    anew: bool
    content: Any
    files: dict[str, FileSum]


@dataclass(frozen=True)
class ManifestVersion:
    """One version of a manifest.

    Attributes:
        mark: Distinguishes the folder from earlier ones at the same place.
        previous: The checksum of the version before; "" for the first.
        writer: The writer that put it.
        change: None if the version only announces its writer.
    """

    kind: str
    format: int
    mark: str
    number: int
    previous: str
    writer: Writer
    change: ManifestChange | None


class Versions:
    """The versions of the manifest in a store.

    Args:
        where: The folder's name in errors.

    Attributes:
        count (int): The number of known versions, and the number of the next one.
    """

    def __init__(self, store: FileStore, kind: FolderKind, where: str) -> None:
        self.store, self.kind, self._where = store, kind, where
        self.count, self._last = 0, ""

    def read(self) -> list[ManifestVersion]:
        """All versions; none if the folder does not exist, or is empty.

        Raises:
            InputError: If a version is damaged or missing, or the folder is of another kind or format.
        """
        try:
            names = sorted(name for name in self.store.names(MANIFEST) if _NUMBERED.fullmatch(name))
            for number, name in enumerate(names):
                if name != _name(number):
                    raise InputError(f"{self._where} is damaged: {_name(number)} is missing")
            if not names and self.store.exists(_OLD_MANIFEST):
                self._refuse_old(self.store.read([_OLD_MANIFEST])[0])
            texts = self.store.read(names)
        except (OSError, ValueError) as error:
            raise InputError(f"{self._where} cannot be read: {one_line(error)}") from None
        self.count, self._last = 0, ""
        return [self._next(text) for text in texts]

    def first(self) -> ManifestVersion:
        """The first version alone, which has the mark; raises as :meth:`read` does, and if there is none."""
        try:
            return self._next(self.store.read([_name(0)])[0])
        except FileNotFoundError:
            raise InputError(f"{self._where} has no manifest") from None
        except OSError as error:
            raise InputError(f"{self._where} cannot be read: {one_line(error)}") from None

    def put(self, mark: str, writer: Writer, change: ManifestChange | None) -> None:
        """Put the next version.

        Raises:
            Overtaken: If another writer has put it first.
            InputError: If it cannot be written.
        """
        version = ManifestVersion(self.kind.name, self.kind.format, mark, self.count, self._last, writer, change)
        text = sealed(asdict(version)).encode()
        name = _name(self.count)
        try:
            # The version there may be this one: the answer to the request that put it may have been lost.
            if not self.store.put_new(name, text) and (there := self.store.read([name])[0]) != text:
                other = self._parsed(there, self.count).writer
                raise Overtaken(
                    f"{self._where} is in use: {other} has put version {self.count} of its manifest first; "
                    "what it says is not changed"
                )
        except OSError as error:
            raise InputError(f"{self._where} cannot be written: {one_line(error)}") from None
        self._advance(text)

    def _next(self, text: bytes) -> ManifestVersion:
        version = self._parsed(text, self.count)
        if version.previous != self._last:
            raise InputError(f"{self._where} is damaged: {_name(self.count)} does not continue the version before it")
        self._advance(text)
        return version

    def _advance(self, text: bytes) -> None:
        self.count, self._last = self.count + 1, blake2b(text, digest_size=16).hexdigest()

    def _parsed(self, text: bytes, number: int) -> ManifestVersion:
        where = f"the manifest of {self._where}, {_name(number)},"
        document = unsealed(text, where)
        self._check_kind(document)
        version = from_json(ManifestVersion, document, where)
        if version.number != number:
            raise InputError(f"{where} is damaged: it is that of version {version.number}")
        if not _MARK.fullmatch(version.mark):
            raise InputError(f"{where} has the mark {brief(version.mark)}, which none can have")
        for name, summed in version.change.files.items() if version.change else ():
            if len(summed.blocks) != -(-summed.size // BLOCK):
                raise InputError(f"{where} has a checksum of {brief(name)} that no file can have")
        return version

    def _refuse_old(self, text: bytes) -> None:
        self._check_kind(unsealed(text, f"the manifest of {self._where}"))

    def _check_kind(self, document: Any) -> None:
        header = {name: document.get(name) for name in ("kind", "format")} if isinstance(document, dict) else {}
        if header and header["kind"] != self.kind.name:
            raise InputError(f"{str(self.store.place)!r} is not a {self.kind.name} but a {brief(header['kind'])[1:-1]}")
        if header and header["format"] != self.kind.format:
            raise InputError(f"{self._where} has format {brief(header['format'])}; format {self.kind.format} is read")


def is_version(name: str) -> bool:
    """Whether a file name belongs to a version of a manifest."""
    return _NUMBERED.fullmatch(name) is not None


def _name(number: int) -> str:
    return f"{MANIFEST}/{number:08}.json"
