"""The model's side of each anomaly in a Paimon table: causes, repairs, states."""

from collections.abc import Iterable, Sequence
from typing import Any

from workbench.kernel import InputError
from workbench.protocols.paimon.audit.bucket_reader import BucketLook
from workbench.protocols.paimon.audit.story import tell

Fields = dict[str, Any]

# For each anomaly, the constants with which a check of the model finds it, and those that prevent it.
BY_OVERWRITING: Fields = {"cause": {"PUT_IF_ABSENT": False}, "repair": {"PUT_IF_ABSENT": True}}
_TWO_WRITERS = {
    "NUM_WRITERS": 2,
    "NUM_COMPACTORS": 0,
    "NUM_BUCKETS": 2,
    "ONE_WRITER_PER_BUCKET": False,
    "RestoreSequence": True,
    "MAX_WRITE_OPS": 3,
    "MAX_WRITE_OPS_PER_KEY": 3,
    "MAX_COMPACTIONS": 0,
    "PkCol1Values": ["jack"],
}
BY_TWO_WRITERS: Fields = {"cause": _TWO_WRITERS, "repair": {"ONE_WRITER_PER_BUCKET": True}}
_TWO_COMPACTORS = {
    "NUM_WRITERS": 1,
    "NUM_BUCKETS": 1,
    "MAX_LEVEL": 3,
    "ONE_WRITER_PER_BUCKET": False,
    "ALLOW_DELETES": False,
    "MAX_COMPACTIONS": 3,
    "MAX_COMPACTIONS_PER_COMPACTOR": 2,
    "PkCol1Values": ["jack"],
}
BY_TWO_COMPACTORS: Fields = {"cause": _TWO_COMPACTORS, "repair": {"NUM_COMPACTORS": 1}}


def state_at(
    look: BucketLook, keys: Sequence[int], version: int, invariant: str, lost: Iterable[tuple[int, str]] = ()
) -> Fields:
    """A finding's fields for a state in which the model's invariant fails.

    Raises:
        InputError: If the invariant holds there, or there is no row to show.
    """
    if not keys:
        raise InputError("there is no row to show")
    shown = tell(look, keys, version, lost)
    if all(instance.holds(shown.state) for instance in shown.model.predicates(invariant)):
        raise InputError(f"{invariant} holds in the model's state")
    return shown._asdict()
