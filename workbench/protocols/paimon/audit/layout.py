"""The places of a Paimon table's files: folders of partitions and buckets, by the options and types of its schema.

Paimon stores names without folders. Java and Python spell some partition values differently, and so do versions of
Java: of several spellings, the one that exists counts. If a folder cannot be determined, its files are not checked.
"""

import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from workbench.audits.source import Source
from workbench.protocols.paimon.audit import binary_row
from workbench.protocols.paimon.audit.binary_row import Timestamp, kind_of, precision_of
from workbench.protocols.paimon.audit.files import Schema

#: Options that determine where files are: those that are supported, and those with which metadata has full paths.
FOLLOWED = frozenset(
    ("data-file.path-directory", "index-file-in-data-file-dir", "partition.legacy-name", "partition.default-name")
)
EXTERNAL = re.compile(r"data-file\.external-paths(\..*)?|global-index\.external-path")
#: The table's own place, and options of catalogs, of sinks or of temporary files.
_OTHER = frozenset(("path", "metastore.partitioned-table", "write-buffer-spill.directory"))
_OF_PATHS = re.compile(r".*(\b|-)(path|paths|dir|directory|location|legacy-name)(\b|-).*")
_POSTPONED = -2
_ESCAPED = "\"#%'*/:=?\\{[]^\x7f"
#: The types that Java spells by its version, or by its time zone.
_UNSURE = ("FLOAT", "REAL", "DOUBLE")


class Layout:
    """Where a table's files are.

    Attributes:
        unknown: The unsupported options of paths. With any of them, the folders of files are unknown.
        unsure: The partitions whose folder names cannot be determined, each with the reason.
    """

    def __init__(self, source: Source, schema: Schema) -> None:
        self._source, self._schema = source, schema
        options = schema.options
        directory = options.get("data-file.path-directory", "").strip("/")
        self._top = f"{directory}/" if directory else ""
        self._index_is_beside = options.get("index-file-in-data-file-dir", "false").lower() == "true"
        self._is_legacy = options.get("partition.legacy-name", "true").lower() == "true"
        self.unknown = sorted(
            name
            for name, value in options.items()
            if _OF_PATHS.fullmatch(name) and name not in FOLLOWED | _OTHER and not EXTERNAL.fullmatch(name) and value
        )
        if "://" in directory or options.get("data-file.path-directory", "").startswith("/"):
            self.unknown.append("data-file.path-directory")
        self.has_external = any(map(EXTERNAL.fullmatch, options))
        self.unsure: dict[str, str] = {}
        self._partitions: dict[bytes, str] = {}
        self._folders: dict[str, set[str]] = {}

    def partition(self, row: bytes) -> str:
        """A partition's folder; an unreadable partition is spelled in hexadecimal digits."""
        if row not in self._partitions:
            self._partitions[row] = self._name(row)
        return self._partitions[row]

    def bucket(self, partition: str, bucket: int) -> str:
        """A bucket's folder. Rows stay in the folder of bucket -2 until they are assigned to another bucket."""
        name = "bucket-postpone" if bucket == _POSTPONED else f"bucket-{bucket}"
        return self._top + "/".join(filter(None, (partition, name)))

    def index(self, folder: str, name: str) -> str:
        """A file of deletion vectors of the bucket in `folder`; `name` may also be a location outside of the table."""
        if is_location(name):
            return name
        return f"{folder}/{name}" if self._index_is_beside else f"index/{name}"

    def _name(self, row: bytes) -> str:
        schema = self._schema
        types = schema.types_of(schema.partition_keys)
        try:
            values = binary_row.decode_row(row, types)
        except binary_row.UnreadableRowError as error:
            name = f"partition={row.hex()}"
            self.unsure[name] = str(error)
            return name
        default = schema.options.get("partition.default-name", "__DEFAULT_PARTITION__")
        path = ""
        doubt = ""
        for key, value, kind in zip(schema.partition_keys, values, types, strict=True):
            texts = [default] if value is None or str(value).isspace() or value == "" else [*self._spelled(value, kind)]
            names = [f"{_escaped(key)}={_escaped(text)}" for text in texts] + [f"{key}={text}" for text in texts]
            names = list(dict.fromkeys(names))
            there = self._in(path) if len(names) > 1 or kind_of(kind) in _UNSURE else set(names)
            column = next((name for name in names if name in there), None)
            is_local = "LOCAL" in str(kind) and not self._is_legacy
            if column is None and (is_local or kind_of(kind) in _UNSURE):
                doubt = f"Java spells a {kind_of(kind)} by its version or time zone"
            path = "/".join(filter(None, (path, column or names[0])))
        if doubt:
            self.unsure[path] = doubt
        return path

    def _in(self, path: str) -> set[str]:
        """The folders below a partition's."""
        if path not in self._folders:
            folder = (self._top + path).rstrip("/")
            self._folders[path] = {entry.base for entry in self._source.entries(folder) if entry.is_folder}
        return self._folders[path]

    def _spelled(self, value: Any, kind: Any) -> Iterator[str]:
        """A value's spellings: Java's first, then Python's."""
        match kind_of(kind):
            case "BOOLEAN":
                yield from (str(value).lower(), str(value))
            case "DATE":
                if self._is_legacy:
                    yield str(value)
                yield (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=value)).date().isoformat()
            case "TIME":
                time = (datetime.min + timedelta(milliseconds=value)).time()
                if self._is_legacy:
                    yield str(value)
                else:
                    yield f"{time:%H:%M:%S}" + _fraction(f"{value % 1000:03}"[: precision_of(kind, 0)], 0)
                yield str(time)
            case "TIMESTAMP":
                yield from self._of_timestamp(value, precision_of(kind, 6))
            case "DECIMAL" | "NUMERIC":
                yield f"{value:f}"
            case "FLOAT" | "REAL" | "DOUBLE" as name:
                yield _java_float(value, is_single=name != "DOUBLE")
                yield str(value)
            case _:
                yield str(value)

    def _of_timestamp(self, value: Timestamp, precision: int) -> Iterator[str]:
        time = datetime(1970, 1, 1) + timedelta(milliseconds=value.millis)
        nanos = value.millis % 1000 * 1_000_000 + value.nanos
        if self._is_legacy:
            digits = next((f"{nanos:09}"[:some] for some in (3, 6, 9) if not int(f"{nanos:09}"[some:] or 0)), "")
            seconds = f"{time:%H:%M:%S}" + (f".{digits}" if nanos else "") if time.second or nanos else f"{time:%H:%M}"
            yield f"{time:%Y-%m-%d}T{seconds}"
        else:
            yield f"{time:%Y-%m-%d %H:%M:%S}" + _fraction(f"{nanos:09}", precision)
        yield str(time.replace(microsecond=nanos // 1000))


def is_location(name: str) -> bool:
    """Whether a file's name is a location, of a file that may be anywhere."""
    return "://" in name or name.startswith(("/", "file:"))


def _fraction(digits: str, least: int) -> str:
    """Digits of a fraction of a second without zeros at the end, but at least so many."""
    while len(digits) > least and digits.endswith("0"):
        digits = digits[:-1]
    return f".{digits}" if digits else ""


def _java_float(value: float, *, is_single: bool) -> str:
    """The shortest digits that give the same number, as newer versions of Java write them.

    Examples:
        >>> [_java_float(one, is_single=False) for one in (2.0, 0.1, 1e7, -1.5e-5, float("inf"))]
        ['2.0', '0.1', '1.0E7', '-1.5E-5', 'Infinity']
    """
    if value != value or value in (float("inf"), float("-inf")):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    form = "<f" if is_single else "<d"
    texts = (f"{value:.{digits}g}" for digits in range(2, 18))
    number = Decimal(next(text for text in texts if struct.pack(form, float(text)) == struct.pack(form, value)))
    if number == 0 or Decimal("0.001") <= abs(number) < 10_000_000:
        text = f"{number:f}"
        return text if "." in text else f"{text}.0"
    mantissa, exponent = f"{number.normalize():E}".split("E")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{int(exponent)}"


def _escaped(text: str) -> str:
    """A part of a path with special characters as in URLs."""
    return "".join(f"%{ord(c):02X}" if c in _ESCAPED or c < " " else c for c in text)
