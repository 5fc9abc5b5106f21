"""The order of strings and model values belongs to the process, and each specification has its own."""

from collections.abc import Sequence

from workbench.tlaplus.values import announce

_announced: Sequence[str] | None = None


def order_by(spellings: Sequence[str]) -> None:
    """Order strings and model values by these spellings, unless that is the order already.

    Args:
        spellings: The same object for the same specification.
    """
    global _announced
    if _announced is not spellings:
        _announced = spellings
        announce(spellings)
