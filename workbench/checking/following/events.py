"""Event logs in JSON lines, parsed strictly and with line numbers."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief, listed
from workbench.kernel.meaning.text import printable
from workbench.storage.strict_json import read_json

#: The longest line, and the most lines.
MOST_BYTES, MOST_LINES = 1 << 20, 1_000_000


class Event(NamedTuple):
    """One line of a log.

    Attributes:
        line: Counted from 1.
        fields: The JSON object.

    Examples:
        >>> event = Event(3, {"op": "INSERT", "row": {"ticket": "702"}})
        >>> event.take("op", str)
        'INSERT'
        >>> event.take("xid", str)
        Traceback (most recent call last):
            ...
        workbench.kernel.meaning.errors.InputError: line 3 lacks 'xid'; it has op, row
    """

    line: int
    fields: dict[str, Any]

    @property
    def where(self) -> str:
        """The place of the event, its line, for messages."""
        return f"line {self.line}"

    def take(self, name: str, kind: type) -> Any:
        """The field called `name`, of type `kind`.

        Raises:
            InputError: If it is missing, or of another type.
        """
        if name not in self.fields:
            raise InputError(f"{self.where} lacks {name!r}; it has {listed(self.fields)}")
        value = self.fields[name]
        if type(value) is not kind:
            raise self.refused(name, f"it takes {_KINDS.get(kind, kind.__name__)}")
        return value

    def refused(self, name: str, takes: str) -> InputError:
        """The error for a field's value; `takes` says what would be accepted."""
        return InputError(f"{self.where}: {name} = {brief(self.fields.get(name))} is not accepted; {takes}")


_KINDS = {str: "a text", int: "an integer", bool: "true or false", dict: "an object", list: "a list"}


def read_events(path: str | Path) -> list[Event]:
    """The events of a file, in order, empty lines skipped.

    Raises:
        InputError: With the file and line, for a line that is too long or not a JSON object.
    """
    try:
        with Path(path).open("rb") as lines:
            return list(_events(lines))
    except OSError as error:
        raise InputError(f"events {str(path)!r} cannot be read: {error.strerror}") from None
    except InputError as error:
        raise InputError(f"{printable(str(path))}: {error}") from None


def parse_events(text: str) -> list[Event]:
    """The events of a text.

    Examples:
        >>> parse_events('''
        ... {"op": "INSERT"}
        ... {"op": "DELETE"}
        ... ''')
        [Event(line=2, fields={'op': 'INSERT'}), Event(line=3, fields={'op': 'DELETE'})]
    """
    return list(_events(io.BytesIO(text.encode("utf-8", "surrogatepass"))))


def _events(file: BinaryIO) -> Iterator[Event]:
    for number, line in enumerate(iter(lambda: file.readline(MOST_BYTES + 1), b""), start=1):
        if number > MOST_LINES:
            raise InputError(f"there are more than {MOST_LINES:,} lines, which is the limit")
        if len(line) > MOST_BYTES:
            raise InputError(f"line {number} is longer than {MOST_BYTES:,} bytes, which is the limit")
        text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if not text.strip():
            continue
        fields = read_json(text, f"line {number}")
        if not isinstance(fields, dict):
            raise InputError(f"line {number} is {brief(fields)}; it takes a JSON object")
        yield Event(number, fields)
