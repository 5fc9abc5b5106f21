"""The manifest of a folder, as numbered versions: each says what it changes, and is put once and for all.

::

    manifest/00000000.json   what the folder is, and its mark
    manifest/00000001.json   what is there from now on
    ...

A version is put only if there is none of its number, so of two writers that go on from version 6 one gets to write
version 7, and the other learns who did. None is ever removed, since a writer that slept would take the number of one
that is gone for its own. Each names the checksum of the one before.

One file that is replaced under a condition would not do: disks, HDFS and object stores all know put-if-absent, a commit
writes only what is new, and the same mechanism commits and keeps other writers out.
"""

import re
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any

from workbench.kernel import InputError
from workbench.kernel.errors import brief
from workbench.storage.lock import Writer
from workbench.storage.places import one_line
from workbench.storage.schema import from_json
from workbench.storage.sealed import sealed, unsealed
from workbench.storage.store import Store
from workbench.storage.sums import BLOCK, FileSum

#: The folder of the versions.
MANIFEST = "manifest"
#: In formats before the third this was the manifest.
_OLD_MANIFEST = "manifest.json"
_NUMBERED = re.compile(rf"{MANIFEST}/(\d{{8}})\.json")
_MARK = re.compile(r"[0-9a-f]{16}")


class Overtaken(InputError):
    """Another writer has gone on."""


@dataclass(frozen=True)
class Kind:
    """What a folder is: `name`, such as "run directory", and the version of its format."""

    name: str
    format: int


@dataclass(frozen=True)
class Change:
    """What a version changes.

    Attributes:
        anew: Whether it takes the place of all that the versions before it say, or adds to that.
        content: JSON.
        files: Those that are there from now on.
    """

    anew: bool
    content: Any
    files: dict[str, FileSum]


@dataclass(frozen=True)
class Version:
    """One version of a manifest.

    Attributes:
        mark: Tells the folder from others that had the same place before.
        previous: The checksum of the version before; "" for the first.
        writer: Who put it.
        change: None where a writer says that it is the one from now on.
    """

    kind: str
    format: int
    mark: str
    number: int
    previous: str
    writer: Writer
    change: Change | None


class Versions:
    """The versions of the manifest in a store.

    Args:
        where: What the folder is called in errors.

    Attributes:
        count (int): How many versions are known; the next one gets this number.
    """

    def __init__(self, store: Store, kind: Kind, where: str) -> None:
        self.store, self.kind, self._where = store, kind, where
        self.count, self._last = 0, ""

    def read(self) -> list[Version]:
        """All versions; none if the folder is not there, or nobody has written to it.

        Raises:
            InputError: If one of them is damaged or missing, or the folder is of another kind or format.
        """
        try:
            found = sorted(name for name in self.store.names(MANIFEST) if _NUMBERED.fullmatch(name))
            for number, name in enumerate(found):
                if name != _name(number):
                    raise InputError(f"{self._where} is damaged: {_name(number)} is missing")
            if not found and self.store.exists(_OLD_MANIFEST):
                self._refuse_old(self.store.read([_OLD_MANIFEST])[0])
            texts = self.store.read(found)
        except (OSError, ValueError) as error:
            raise InputError(f"{self._where} cannot be read: {one_line(error)}") from None
        self.count, self._last = 0, ""
        return [self._next(text) for text in texts]

    def first(self) -> Version:
        """The first version alone, which has the mark.

        Raises:
            InputError: As :meth:`read`, and if there is none.
        """
        try:
            return self._next(self.store.read([_name(0)])[0])
        except FileNotFoundError:
            raise InputError(f"{self._where} has no manifest") from None
        except OSError as error:
            raise InputError(f"{self._where} cannot be read: {one_line(error)}") from None

    def put(self, mark: str, writer: Writer, change: Change | None) -> None:
        """Put the next version.

        Raises:
            Overtaken: If another writer has put one of that number.
            InputError: If it cannot be written.
        """
        version = Version(self.kind.name, self.kind.format, mark, self.count, self._last, writer, change)
        text = sealed(asdict(version)).encode()
        name = _name(self.count)
        try:
            # What is there may be this one all the same: the answer to the request that put it can have been lost.
            if not self.store.put_new(name, text) and (there := self.store.read([name])[0]) != text:
                other = self._parsed(there, self.count).writer
                raise Overtaken(
                    f"{self._where} is in use: {other} has put version {self.count} of its manifest first; "
                    "what it says is not changed"
                )
        except OSError as error:
            raise InputError(f"{self._where} cannot be written: {one_line(error)}") from None
        self._known(text)

    def _next(self, text: bytes) -> Version:
        version = self._parsed(text, self.count)
        if version.previous != self._last:
            raise InputError(f"{self._where} is damaged: {_name(self.count)} does not continue the version before it")
        self._known(text)
        return version

    def _known(self, text: bytes) -> None:
        self.count, self._last = self.count + 1, blake2b(text, digest_size=16).hexdigest()

    def _parsed(self, text: bytes, number: int) -> Version:
        where = f"the manifest of {self._where}, {_name(number)},"
        document = unsealed(text, where)
        self._check_kind(document)
        version = from_json(Version, document, where)
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
        said = {name: document.get(name) for name in ("kind", "format")} if isinstance(document, dict) else {}
        if said and said["kind"] != self.kind.name:
            raise InputError(f"{str(self.store.place)!r} is not a {self.kind.name} but a {brief(said['kind'])[1:-1]}")
        if said and said["format"] != self.kind.format:
            raise InputError(f"{self._where} has format {brief(said['format'])}; format {self.kind.format} is read")


def is_version(name: str) -> bool:
    """Whether a file of that name is a version of a manifest."""
    return _NUMBERED.fullmatch(name) is not None


def _name(number: int) -> str:
    return f"{MANIFEST}/{number:08}.json"
