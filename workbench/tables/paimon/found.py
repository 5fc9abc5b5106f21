"""Findings in a Paimon table, as they are collected, and what each anomaly is in the model."""

from collections.abc import Iterable, Sequence
from typing import Any

from workbench.kernel import InputError
from workbench.tables.findings import Finding
from workbench.tables.paimon.look import Look
from workbench.tables.paimon.story import tell

#: How many findings on one property are listed, and how many of these are told as states of the model.
MOST_FINDINGS, MOST_TOLD = 100, 25

# For each anomaly the constants with which a check of the model finds it, and those that prevent it.
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


class Found:
    """What was found, and what had to be left out.

    Attributes:
        left_out: What was not looked at although it should have been.
        remarks: What else is to be said.
    """

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.left_out: list[str] = []
        self.remarks: list[str] = []

    def add(self, finding: Finding) -> None:
        """Add a finding; beyond a number of them on the same property only that there are more."""
        if self.lists(finding.property):
            self.findings.append(finding)

    def lists(self, property: str) -> bool:
        """Whether one more finding on a property is listed; if not, it is said that there are more."""
        if self._on(property) < MOST_FINDINGS:
            return True
        more = f"more findings on {property} than the {MOST_FINDINGS} that are listed"
        if more not in self.remarks:
            self.remarks.append(more)
        return False

    def is_told(self, property: str) -> bool:
        """Whether one more finding on a property is to be told as a state."""
        return self._on(property) < MOST_TOLD

    def _on(self, property: str) -> int:
        return sum(one.property == property for one in self.findings)


def as_state(
    look: Look, keys: Sequence[int], version: int, invariant: str, lost: Iterable[tuple[int, str]] = ()
) -> dict[str, Any]:
    """What a finding has of its state, in which the model says that the invariant is violated."""
    if not keys:
        raise InputError("there is no row to show")
    model, state, legend = tell(look, keys, version, lost)
    if all(instance.holds(state) for instance in model.predicates(invariant)):
        raise InputError(f"{invariant} holds in the model's state")
    return {"model": model, "state": state, "invariant": invariant, "legend": legend}
