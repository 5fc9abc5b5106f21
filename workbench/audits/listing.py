"""Which tables to audit: those at paths, below folders, and in catalogs. What cannot be opened is listed as refused."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from workbench.audits.audit import looks_like
from workbench.audits.findings import reason
from workbench.audits.locating import LOCATING, Located, of_storage
from workbench.audits.source import Source
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief, text_of
from workbench.registry.programs import needs
from workbench.storage.places import local, without_credentials


@dataclass(frozen=True)
class Table:
    """A table to audit.

    Attributes:
        path: Its path, as given.
        metadata: The metadata file that a catalog names; "" without a catalog.
        name: Its name in a catalog, or the name that distinguishes it from another table in the same folder.
        format: Its protocol's name; "auto" if the folder does not look like a table.
        storage: The catalog's settings of the file system, with credentials.
        refused: Why it cannot be opened; "" if it can.
    """

    path: str
    metadata: str = ""
    name: str = ""
    format: str = "auto"
    storage: Mapping[str, str] | None = field(default=None, repr=False)
    refused: str = ""

    @property
    def shown(self) -> str:
        """The path without credentials."""
        return without_credentials(self.path)

    @property
    def title(self) -> str:
        """The name if it has one, else the path."""
        return self.name or self.shown


def tables_at(path: str) -> Iterator[Table]:
    """The table in a folder; in a UniForm table's folder there are two."""
    try:
        source = Source(path)
        looks = looks_like(source)
    except InputError:
        looks = []  # the audit says why
    yield from _in_folder(path, looks) if looks else [Table(path)]


def tables_below(folder: str) -> Iterator[Table]:
    """The tables in a folder and those below it; a table's own folders are not looked into.

    Raises:
        InputError: If there is no such folder.
    """
    Source(folder)
    waiting, seen = [folder], set()
    while waiting:
        place = waiting.pop()
        here = local(place)
        real = place if here is None else os.path.realpath(here)
        if real in seen:  # a link leads back to it
            continue
        seen.add(real)
        try:
            source = Source(place)
            looks = looks_like(source)
            below = [] if looks else [source.place(entry.name) for entry in source.entries() if entry.is_folder]
        except Exception as error:  # a folder that cannot be listed must not hide the others
            yield Table(place, refused=reason(error))
            continue
        yield from _in_folder(place, looks)
        waiting += reversed(below)


def _in_folder(path: str, looks: list[str]) -> Iterator[Table]:
    for format in looks:
        yield Table(path, name=f"{without_credentials(path)} as {format}" if looks[1:] else "", format=format)


def tables_in(catalog: str) -> Iterator[Table]:
    """The Iceberg tables of a catalog that pyiceberg is configured for. Their metadata is not read.

    Raises:
        InputError: If pyiceberg is not installed, or does not reach the catalog.
    """
    needs("catalog", "--catalog")
    from pyiceberg.catalog import load_catalog

    try:
        loaded = load_catalog(catalog, **{"py-io-impl": LOCATING})
        waiting = list(loaded.list_namespaces())
    except Exception as error:  # those of pyiceberg, and of its means to reach the catalog
        raise InputError(f"catalog {brief(catalog)} cannot be read: {type(error).__name__}: {text_of(error)}") from None
    while waiting:
        namespace = waiting.pop(0)
        try:
            names = sorted(loaded.list_tables(namespace))
            waiting += [inner for inner in loaded.list_namespaces(namespace) if inner != namespace]
        except Exception as error:
            name = ".".join(namespace)
            yield Table(f"{catalog}: {name}", name=name, refused=f"{type(error).__name__}: {text_of(error)}")
            continue
        for name in names:
            yield _located(loaded, catalog, name)


def _located(loaded: object, catalog: str, name: tuple[str, ...]) -> Table:
    """A table of a catalog, which names its metadata file; most catalogs would read this file to load the table."""
    title = ".".join(name)
    try:
        table = loaded.load_table(name)  # type: ignore[attr-defined]  # pyiceberg has types of its own
        metadata, properties = table.metadata_location, table.io.properties
    except Located as located:
        metadata, properties = located.location, located.properties
    except Exception as error:
        return Table(f"{catalog}: {title}", name=title, refused=f"{type(error).__name__}: {text_of(error)}")
    folder, separator, _ = metadata.rpartition("/metadata/")
    if not separator:
        refusal = f"{brief(metadata)} is not accepted: a metadata file is in a folder metadata"
        return Table(metadata, name=title, refused=refusal)
    storage: Mapping[str, str] | None = of_storage(properties)
    if urlsplit(folder).scheme in ("", "file"):  # as pyiceberg reads it, with no escapes
        folder, metadata = (location.removeprefix("file://").removeprefix("file:") for location in (folder, metadata))
        storage = None
    return Table(folder, metadata, title, "iceberg", storage)


def once_each(tables: Iterable[Table]) -> Iterator[Table]:
    """Each table once, even if it is reached in several ways."""
    met = set()
    for table in tables:
        here = local(table.path)
        place = table.shown.rstrip("/") if here is None else os.path.realpath(here)
        if (place, table.format) not in met:
            met.add((place, table.format))
            yield table
