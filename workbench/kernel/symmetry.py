"""Symmetry: one representative for all states that differ only in interchangeable names."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.kernel.values import encode, permute

if TYPE_CHECKING:
    from workbench.kernel.model import Model


class Canonical:
    """Maps the values of a state to what identifies its class: the values themselves without symmetry.

    Parameters
    ----------
    model : Model
    sets : sequence of str
        The symmetric sets; empty for no symmetry.
    """

    def __init__(self, model: "Model", sets: Sequence[str]) -> None:
        self.renamings = model.renamings(sets) if sets else []
        self.images = [model.permuted_cells(renaming) for renaming in self.renamings]

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
        return min(map(encode, self.orbit(values))) if self.renamings else values
