"""Find the model's own way to a finding."""

from workbench.audits.findings import Finding
from workbench.checking.check import check
from workbench.kernel import Trace
from workbench.kernel.meaning.budget import Budget

#: The budget of the search.
MOST_STATES, MOST_SECONDS = 2_000_000, 60.0


def story(finding: Finding) -> Trace | None:
    """The model's shortest behaviour that ends in the same anomaly; None if the search finds none.

    Examples:
        >>> from workbench.registry import model_of
        >>> model = model_of("paimon")
        >>> unprotected = {"PUT_IF_ABSENT": False}
        >>> lost = Finding("ConsistentRead", "proved", 2, "a commit is lost", model=model, cause=unprotected)
        >>> len(story(lost))
        9
    """
    if finding.model is None:
        return None
    model = finding.model if finding.cause is None else finding.model.with_constants(finding.cause)
    result = check(model, [finding.violates()], fail_fast=True, budget=Budget(states=MOST_STATES, seconds=MOST_SECONDS))
    verdict = result[finding.violates()]
    return verdict.trace if verdict.holds is False else None
