"""One call that checks a model, with any engine."""

import importlib
from collections.abc import Sequence

from workbench.checking.contract import Engine, Reference, engine_of
from workbench.kernel import InputError, Result
from workbench.kernel.meaning.budget import Budget, Limits, Watch
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.interrupts import interruptible
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.plan import Fingerprints, make_plan
from workbench.registry import model_of
from workbench.registry.programs import lacks_compiled


@interruptible()
def check(
    model: AnyModel,
    properties: Sequence[str] | str | None = None,
    *,
    symmetry: bool | Sequence[str] | None = None,
    engine: Engine | str = "auto",
    fail_fast: bool = False,
    budget: Budget = Budget(),
    fingerprints: Fingerprints = Fingerprints(),
    watch: Watch = Watch(),
) -> Result:
    """Visit every reachable state of `model` and check its properties.

    Args:
        model: Its object, or a class or a name for :func:`workbench.get_model`, with its default constants.
        properties: Names of properties, or a single one; None for the model's defaults. Of a TLA+ module also any
            of its definitions, or an expression in TLA+: an invariant or a temporal formula, by what it is.
        symmetry: Which of the model's symmetric sets to reduce by: all, none, or some by name; None for what the
            configuration of a TLA+ module says, and none for other models.
        engine: :class:`workbench.Local` searches in this process and :class:`workbench.Spark` on a cluster;
            :class:`workbench.Auto` starts in this process and moves to Spark when the search outgrows it.
            :class:`workbench.Reference` is the plain search that defines the result. The names ``"auto"``, ``"local"``,
            ``"spark"`` and ``"reference"`` stand for them with their defaults.
        fail_fast: Stop at the first violated invariant instead of checking everything over the whole space.
        budget: Bounds, with one meaning for all engines. A search that uses one up judges what it has visited so far
            and returns an incomplete result.
        fingerprints: The hashes that identify states.
        watch: Its ``on_progress`` is called with a :class:`workbench.kernel.meaning.budget.Progress`.

    Raises:
        InputError: For names and values that are not accepted.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> result = check(Bakery(MaxCrashes=0), ["NoLakekeeperConflict"], symmetry=True)
        >>> result.distinct, result["NoLakekeeperConflict"].word
        (148, 'holds')
        >>> check(Bakery(), budget=Budget(states=100)).stopped
        'the budget of 100 states is used up'
    """
    engine, limits = engine_of(engine), Limits(budget, watch)
    with limits.in_force():
        machine = model_of(model)
    plan = make_plan(machine, properties, symmetry, fail_fast=fail_fast, fingerprints=fingerprints)
    if isinstance(engine, Reference):
        if fingerprints.key is not None:
            key = brief(fingerprints.key)
            raise InputError(f"key = {key} is not accepted with the engine reference, which has no fingerprints")
    elif lacking := lacks_compiled():
        raise InputError(f"the engine {type(engine).__name__.lower()} is not accepted here: {lacking}")
    result: Result = importlib.import_module(engine.module).search(plan, limits, engine)
    return result
