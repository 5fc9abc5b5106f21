"""Opens a text, from a file or a notebook's cell, as the class of its machines."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.fizzbee.machine.machine import FizzMachine
from workbench.fizzbee.meaning.steps import Meaning, Setting
from workbench.fizzbee.meaning.values import Record, Value
from workbench.fizzbee.syntax import tree
from workbench.kernel.meaning.constants import Constant
from workbench.kernel.meaning.domains import Domain
from workbench.kernel.meaning.errors import InputError, ModelError
from workbench.kernel.meaning.machine import Family

#: The classes by name and text: opening the same text again returns the same class.
_made: dict[tuple[str, str], type[FizzMachine]] = {}


#: A constant may be any integer up to this size, of either sign.
_LARGEST = 2**31 - 1


class Unbounded(Domain):
    """A domain of more values than can be listed.

    Args:
        usual: The value in the specification, the only one that the panel offers.
    """

    kind = "choice"

    def __init__(self, usual: Setting) -> None:
        self.usual = usual

    def __iter__(self) -> Any:
        return iter((self.usual,))


class Text(Unbounded):
    """Any string."""

    def describe(self) -> str:
        return "a text"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str)


class Scalars(Unbounded):
    """Any list of strings, integers and booleans."""

    def describe(self) -> str:
        return f"a list of texts, integers, true and false, such as {self.word(self.usual)}"

    def word(self, value: Any) -> str:
        return json.dumps(list(value))

    def read(self, raw: Any) -> Any:
        return tuple(raw) if isinstance(raw, list) else raw

    def accepts(self, value: Any) -> bool:
        return isinstance(value, tuple) and all(type(item) in (bool, int, str) for item in value)

    def spelled(self, value: Any) -> Any:
        return list(value)


def open_named(path: Path, configuration: str, folders: Sequence[str]) -> type[FizzMachine]:
    """The class of machines of the text in a file.

    Raises:
        InputError: If the file cannot be read, if a configuration or folders are given, and for a mistake in the text.
    """
    if configuration or folders:
        raise InputError(f"{path.name} takes neither a configuration nor folders; its constants are set by --set")
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text in UTF-8") from None
    return machines_of(text, path.stem)


def machines_of(text: str, name: str = "Cell") -> type[FizzMachine]:
    """The class of machines of a text. Its arguments are the constants.

    Raises:
        InputError: With the place of a mistake.
    """
    if (name, text) not in _made:
        file = f"{name}.fizz"
        try:
            meaning = Meaning(text, file)
        except ModelError as error:
            raise InputError(str(error)) from None
        parts = {
            "text": text,
            "file": file,
            "family": Family(name=name, title=name, constants=_switches(meaning)),
            "opened_by": (machines_of, (text, name)),
            "__module__": file,  # so that a hash of the class covers its source
        }
        machine_class: type[FizzMachine] = type(name, (FizzMachine,), parts)
        machine_class.declared = machine_class.family
        machine_class.declared = machine_class().declared
        _made[name, text] = machine_class
    return _made[name, text]


def _switches(meaning: Meaning) -> dict[str, Constant]:
    """The constants that a check may set: scalars, lists of scalars and members of enums that are assigned once."""
    written: dict[str, list[tree.Expression]] = {}
    for statement in meaning.text.constants:
        if isinstance(statement, tree.Assign) and isinstance(statement.target, tree.Name):
            written.setdefault(statement.target.name, []).append(statement.value)
    return {
        name: Constant(meaning.constants[name], domain)
        for name, values in written.items()
        if len(values) == 1 and (domain := _domain(values[0], meaning.constants[name], meaning.constants)) is not None
    }


def _domain(written: tree.Expression, value: Value, constants: Mapping[str, Value]) -> Any:
    """What a constant may be whose value is `written` in the text; None if it is fixed."""
    match written, value:
        case tree.Attribute(owner=tree.Name(name=name)), str() if isinstance(enum := constants.get(name), Record):
            return [member for member in enum.fields.values() if isinstance(member, str)]
        case _, bool():
            return bool
        case _, int():
            return range(-max(_LARGEST, -value), max(_LARGEST, value) + 1)
        case _, str():
            return Text(value)
        case tree.Listing(kind="list"), list() if (scalars := Scalars(tuple(value))).accepts(scalars.usual):
            return scalars
    return None
