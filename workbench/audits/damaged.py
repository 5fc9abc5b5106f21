"""Damaged files: the errors of readers about a file, and their treatment.

A reader raises :class:`Damaged` for a file that should be there and whole. A format's reader goes on without what needs
the file, and notes the error in :class:`Damages`, which the audit reports.
"""

from collections.abc import Iterable, Iterator

from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief

FILES_WHOLE = "FilesAreWhole"


class Damaged(InputError):
    """A file of the table is not as writers leave it.

    Attributes:
        others: The errors about other files that were met at once.
    """

    others: tuple["Damaged", ...] = ()

    def __init__(self, name: str, why: str) -> None:
        super().__init__(name, why)  # as they are, so that workers can send it
        self.name, self.why = name, why

    def __str__(self) -> str:
        return f"{brief(self.name)} is damaged: {self.why}"


class Missing(Damaged):
    """A file does not exist: other metadata names it in vain, or it was deleted while the table was read."""

    def __init__(self, name: str, why: str = "there is no such file") -> None:
        super().__init__(name, why)

    def __str__(self) -> str:
        return f"{brief(self.name)} does not exist"


class Damages:
    """The damaged files of a table, with the versions that need them."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[Damaged, set[int]]] = {}
        self._current: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[tuple[str, Damaged, set[int]]]:
        return ((name, error, versions) for name, (error, versions) in self._entries.items())

    def note(self, error: Damaged, versions: Iterable[int | None] = ()) -> None:
        """Note a damaged file; no versions if it is not known which ones need it."""
        for damage in (error, *error.others):
            _, needed_by = self._entries.setdefault(damage.name, (damage, set()))
            needed_by.update(version for version in versions if version is not None)

    def used(self, name: str, version: int) -> None:
        """Note that a version needs a file, if it is damaged."""
        if name in self._entries:
            self._entries[name][1].add(version)

    def current(self, name: str) -> None:
        """Note that current data needs a file, even if an old version added it: audits of later versions report it."""
        self._current.add(name)

    def is_current(self, name: str) -> bool:
        """Whether current data needs a file."""
        return name in self._current

    def around(self, *versions: int | None) -> "_Around":
        """Leave the block, and go on after it, if a file that it reads for these versions is damaged."""
        return _Around(self, versions)

    def settle(self, is_unchanged: bool) -> None:
        """Raise the first error about a missing file if the table may have changed while it was read."""
        for error, _ in self._entries.values():
            if isinstance(error, Missing) and not is_unchanged:
                raise error

    def forget_missing(self) -> None:
        """Leave out missing files: they may have been deleted while the table was read."""
        self._entries = {name: entry for name, entry in self._entries.items() if not isinstance(entry[0], Missing)}


class _Around:
    """The type of :meth:`Damages.around`; it tells type checkers that the block may end early."""

    def __init__(self, damages: Damages, versions: tuple[int | None, ...]) -> None:
        self._damages, self._versions = damages, versions

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if isinstance(error, Damaged):
            self._damages.note(error, self._versions)
        return isinstance(error, Damaged)
