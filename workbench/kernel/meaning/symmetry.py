"""One representative for all states that differ only in interchangeable names, or in cells that are hidden."""

from collections.abc import Sequence
from typing import Any

from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.errors import InputError
from workbench.kernel.meaning.machine import Machine
from workbench.kernel.meaning.state import row_of
from workbench.kernel.meaning.values import PLAIN, Name, ObjectClasses, flatten, permute, sort_key


class AmbiguousNames:
    """Finds words of the model that read like names of symmetric sets: a renaming would exchange both.

    Args:
        sets: The symmetric sets; empty for no symmetry.

    Raises:
        InputError: If a cell's index, or a member of a declared universe, contains such a word.
    """

    def __init__(self, model: Machine, sets: Sequence[str]) -> None:
        self._set_of = {name: which for which in sets for name in model.exchanged(which)}
        for cell in model.layout.cells:
            self.check(cell, cell.index)

    def check(self, cell: Cell, value: Any) -> None:
        """Raise :class:`InputError` if the `value` of `cell` contains a word that is also a name."""
        if self._set_of and type(value) not in PLAIN and (word := self._word_in(value)) is not None:
            of = self._set_of[word]
            raise InputError(
                f"{of}: the name {word!r} is also a text of the model's own, in {cell}, and with symmetry names are "
                "exchanged wherever they occur; take another name (a text that the model builds is not a name: take "
                f"names from {of})"
            )

    def _word_in(self, value: Any) -> str | None:
        if isinstance(value, str):
            return value if value in self._set_of and not isinstance(value, Name) else None
        for part in flatten(value)[0]:
            if type(part) not in PLAIN and (word := self._word_in(part)) is not None:
                return word
        return None


class Canonical:
    """Maps a state to the first of its class under symmetry, without what is in hidden cells.

    Args:
        sets: The symmetric sets; empty for no symmetry.
    """

    def __init__(self, model: Machine, sets: Sequence[str]) -> None:
        self._model, self._words, self._kinds = model, AmbiguousNames(model, sets), ObjectClasses()
        self.renamings = model.renamings(sets) if sets else []
        self.images = [model.permuted_cells(renaming) for renaming in self.renamings]

    def orbit(self, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """The values of all images of the state with `values` under the renamings, with repetitions."""
        orbit = []
        for renaming, images in zip(self.renamings, self.images, strict=True):
            permuted: list[Any] = [None] * len(values)
            for cell, value in zip(images, values, strict=True):
                permuted[cell] = permute(value, renaming)
            orbit.append(tuple(permuted))
        return orbit or [values]

    def __call__(self, state: Any) -> Any:
        if self._model.hidden:
            state = self._model.written(state, dict.fromkeys(self._model.hidden))
        if not self.renamings:
            return state
        for cell, value in zip(self._model.layout.cells, row_of(state), strict=True):
            self._words.check(cell, value)
            self._kinds.check(value)
        return self._model.state(min(self.orbit(row_of(state)), key=sort_key))
