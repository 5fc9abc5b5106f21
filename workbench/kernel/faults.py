"""What an invariant says is wrong: a text that also names places in the state."""

from typing import Any, NamedTuple


class Place(NamedTuple):
    """A part of a state, as a model speaks of it: a variable, one of its cells, or a member of what is in the cell."""

    variable: str
    index: Any = None
    inside: Any = None


class Fault(str):
    """What an invariant says is wrong, and with what: a text that also names places in the state.

    Who shows the text need not know of the places; pictures mark what stands for them.

    Examples:
        >>> wrong = Fault("w2 was answered 409", Place("decision", "w2"))
        >>> wrong, wrong.places
        ('w2 was answered 409', (Place(variable='decision', index='w2', inside=None),))
    """

    places: tuple[Place, ...]

    def __new__(cls, text: str, *places: Place) -> "Fault":
        fault = super().__new__(cls, text)
        fault.places = places
        return fault
