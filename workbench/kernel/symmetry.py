"""Symmetry: one representative for all states that differ only in interchangeable names."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.kernel.errors import InputError
from workbench.kernel.state import Cell
from workbench.kernel.values import Map, Name, encode, permute

if TYPE_CHECKING:
    from workbench.kernel.model import Model


class Words:
    """Tells the names of symmetric sets from words of the model that read the same: a renaming would exchange both.

    Parameters
    ----------
    model : Model
    sets : sequence of str
        The symmetric sets; empty for no symmetry.

    Raises
    ------
    InputError
        If a cell has such a word in its index.
    """

    def __init__(self, model: "Model", sets: Sequence[str]) -> None:
        self._cells = model.layout.cells
        self._set_of = {name: which for which in sets for name in model.constants[which]}
        for number, cell in enumerate(self._cells):
            self.check(number, cell.index)

    def check(self, cell: int, value: Any) -> None:
        """Raise :class:`InputError` if `value`, in the cell of that number, holds a word that is also a name."""
        if self._set_of and (word := self._word_in(value)) is not None:
            raise _ambiguous(self._set_of[word], word, self._cells[cell])

    def _word_in(self, value: Any) -> str | None:
        if isinstance(value, str):
            return value if value in self._set_of and not isinstance(value, Name) else None
        if isinstance(value, Map):
            return self._word_in((*value.keys(), *value.values()))
        if isinstance(value, (tuple, frozenset)):
            return next((word for item in value if (word := self._word_in(item)) is not None), None)
        return None


def _ambiguous(of: str, word: str, cell: Cell) -> InputError:
    return InputError(
        f"{of}: the name {word!r} is also a text of the model's own, in {cell}, and with symmetry names are exchanged "
        f"wherever they occur; take another name (a text that is put together is no name: take it from {of})"
    )


class Canonical:
    """Maps the values of a state to what identifies its class: the values themselves without symmetry.

    Parameters
    ----------
    model : Model
    sets : sequence of str
        The symmetric sets; empty for no symmetry.
    """

    def __init__(self, model: "Model", sets: Sequence[str]) -> None:
        self._words = Words(model, sets)
        self.renamings = model.renamings(sets) if sets else []
        self.images = [model.permuted_cells(renaming) for renaming in self.renamings]
        self._kept = [n for n, cell in enumerate(model.layout.cells) if cell.variable not in model.ignores]

    def orbit(self, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """The values of every state that the renamings make of the one with `values`, with repetitions."""
        orbit = []
        for renaming, images in zip(self.renamings, self.images, strict=True):
            permuted: list[Any] = [None] * len(values)
            for cell, value in zip(images, values, strict=True):
                permuted[cell] = permute(value, renaming)
            orbit.append(tuple(permuted))
        return orbit or [values]

    def __call__(self, values: tuple[Any, ...]) -> Any:
        if not self.renamings:
            return self._told_apart(values)
        for cell, value in enumerate(values):
            self._words.check(cell, value)
        return min(map(encode, map(self._told_apart, self.orbit(values))))

    def _told_apart(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Those of the values by which states are told apart."""
        return values if len(self._kept) == len(values) else tuple(values[cell] for cell in self._kept)
