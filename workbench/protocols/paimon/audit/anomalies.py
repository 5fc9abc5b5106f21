"""The model's side of each anomaly in a Paimon table: causes, repairs, states."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from workbench.audits.findings import AuditDraft, Finding, with_state
from workbench.kernel import InputError
from workbench.protocols.paimon.audit.look import BucketLook
from workbench.protocols.paimon.audit.story import tell

#: How many findings on one property are shown as states of the model.
MOST_TOLD = 25

# For each anomaly, the constants with which a check of the model finds it, and those that prevent it.
OVERWRITTEN = {"PUT_IF_ABSENT": False}
NOT_OVERWRITTEN = {"PUT_IF_ABSENT": True}
TWO_WRITERS = {
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
ONE_WRITER = {"ONE_WRITER_PER_BUCKET": True}
TWO_COMPACTORS = {
    "NUM_WRITERS": 1,
    "NUM_BUCKETS": 1,
    "MAX_LEVEL": 3,
    "ONE_WRITER_PER_BUCKET": False,
    "ALLOW_DELETES": False,
    "MAX_COMPACTIONS": 3,
    "MAX_COMPACTIONS_PER_COMPACTOR": 2,
    "PkCol1Values": ["jack"],
}
ONE_COMPACTOR = {"NUM_COMPACTORS": 1}


def add_with_state(draft: AuditDraft, finding: Finding, tell: Callable[[], dict[str, Any]]) -> None:
    """Add a finding, with its state if few findings on the same property have one yet."""
    draft.add(with_state(finding, tell) if draft.count(finding.property) < MOST_TOLD else finding)


def as_state(
    look: BucketLook, keys: Sequence[int], version: int, invariant: str, lost: Iterable[tuple[int, str]] = ()
) -> dict[str, Any]:
    """A finding's fields for a state in which the model's invariant fails.

    Raises:
        InputError: If the invariant holds there, or there is no row to show.
    """
    if not keys:
        raise InputError("there is no row to show")
    model, state, legend = tell(look, keys, version, lost)
    if all(instance.holds(state) for instance in model.predicates(invariant)):
        raise InputError(f"{invariant} holds in the model's state")
    return {"model": model, "state": state, "invariant": invariant, "legend": legend}
