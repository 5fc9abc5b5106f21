"""Untrusted metadata objects, from JSON or Avro: every part is checked when it is taken."""

from typing import Any, TypeVar

from workbench.audits.damaged import Damaged
from workbench.kernel.meaning.errors import brief

Kind = TypeVar("Kind")


class Document:
    """An object of a file's metadata.

    Args:
        name: The file's name in errors.
    """

    def __init__(self, document: Any, name: str) -> None:
        if not isinstance(document, dict):
            raise Damaged(name, f"it holds {brief(document)} instead of an object")
        self._fields, self.name = document, name

    def take(self, field: str, kind: type[Kind]) -> Kind:
        """A field that must be there.

        Raises:
            InputError: If it is missing, of another type, or a number of more than 64 bits.
        """
        if field not in self._fields:
            raise Damaged(self.name, f"it has no {field}")
        return self._checked(self._fields[field], kind, field)

    def get(self, field: str, kind: type[Kind], default: Any = None) -> Any:
        """The value of a field; `default` if it is missing or null."""
        return default if self._fields.get(field) is None else self.take(field, kind)

    def all(self, field: str, kind: type[Kind]) -> list[Kind]:
        """The members of a list, or the values of a map; none where the field is missing or null."""
        return self.members(self._fields.get(field) or [], kind, field)

    def members(self, many: Any, kind: type[Kind], field: str = "a list") -> list[Kind]:
        """The members of a list, or the values of a map, found in this object; objects for ``kind=Document``."""
        some = many.values() if isinstance(many, dict) else self._checked(many, list, field)
        if kind is Document:
            return [Document(member, self.name) for member in some]  # type: ignore[misc]
        return [self._checked(member, kind, field) for member in some]

    def _checked(self, value: Any, kind: type[Kind], field: str) -> Kind:
        if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
            raise Damaged(self.name, f"{field} is {brief(value)}")
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise Damaged(self.name, f"{field} is {brief(value)}")
        return value
