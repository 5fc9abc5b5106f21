"""Opening texts: from a file, or from a notebook's cell, to the class of its machines."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.fizzbee.machine.machine import FizzMachine
from workbench.fizzbee.meaning.steps import Meaning
from workbench.fizzbee.syntax import tree
from workbench.kernel.meaning.constants import Constant
from workbench.kernel.meaning.domains import Domain
from workbench.kernel.meaning.errors import InputError, ModelError
from workbench.kernel.meaning.machine import Family

#: The classes by their texts: whoever opens the same text again gets the same class.
_made: dict[tuple[str, str], type[FizzMachine]] = {}


class Literal(Domain):
    """The values of a constant's type: of numbers, truths or texts.

    Args:
        usual: The text's own value, the only one that the panel offers of numbers and texts.
    """

    kind = "choice"

    def __init__(self, usual: int | str) -> None:
        self.usual = usual

    def __iter__(self) -> Any:
        return iter((self.usual,))

    def describe(self) -> str:
        return "an integer" if isinstance(self.usual, int) else "a text"

    def read(self, given: Any) -> Any:
        if isinstance(self.usual, int) and isinstance(given, str) and re.fullmatch(r"[+-]?[0-9]{1,400}", given):
            return int(given)
        return given

    def accepts(self, value: Any) -> bool:
        return type(value) is type(self.usual)


def open_named(path: Path, configuration: str, folders: Sequence[str]) -> type[FizzMachine]:
    """The machines of the text in a file.

    Raises:
        InputError: If there is no such file, for a configuration or folders, and with the place, for a mistake.
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
    """The machines of a text; the constants are the arguments of the class.

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
        made: type[FizzMachine] = type(name, (FizzMachine,), parts)
        made.declared = made.family
        made.declared = made().declared
        _made[name, text] = made
    return _made[name, text]


def _switches(meaning: Meaning) -> dict[str, Constant]:
    """The constants that a check may set: those that are assigned a number, a truth or a text, once."""
    assigned = [
        statement.target.name
        for statement in meaning.text.constants
        if isinstance(statement, tree.Assign) and isinstance(statement.target, tree.Name)
    ]
    return {
        name: Constant(value, bool if isinstance(value, bool) else Literal(value))
        for name in assigned
        if isinstance(value := meaning.constants[name], bool | int | str) and assigned.count(name) == 1
    }
