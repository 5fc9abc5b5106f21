"""One call that checks a model, with any engine."""

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from workbench.checking.contract import Engine, Resources, Room
from workbench.checking.kernels.threads import MOST_WORKERS
from workbench.kernel import InputError, Result
from workbench.kernel.meaning.budget import Budget, Limits
from workbench.kernel.meaning.errors import brief, unknown
from workbench.kernel.meaning.given import check_integer
from workbench.kernel.meaning.interrupts import interruptible
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.plan import make_plan
from workbench.registry import model_of
from workbench.registry.programs import lacks_compiled
from workbench.storage.places import Place

#: The engines' modules by name. Each is loaded when first used: numba and pyspark take their time.
ENGINES = {
    "auto": "workbench.checking.auto",
    "local": "workbench.checking.local.search",
    "spark": "workbench.checking.spark.entry",
    "reference": "workbench.checking.reference",
}

#: The engines that use an option; others refuse it.
_USED_BY = {
    "hand_over_states": ("auto",),
    "hand_over_bytes": ("auto",),
    "fingerprint_key": ("auto", "local", "spark"),
    "run_dir": ("auto", "spark"),
    "workers": ("auto", "local"),
}


@interruptible()
def check(
    model: AnyModel,
    properties: Sequence[str] | str | None = None,
    *,
    symmetry: bool | Sequence[str] = False,
    engine: str = "auto",
    fail_fast: bool = False,
    max_states: int | None = None,
    max_seconds: float | None = None,
    max_bytes: int | None = None,
    fingerprint_bits: int = 64,
    fingerprint_key: str | None = None,
    on_progress: Callable[[Any], object] | None = None,
    should_stop: Callable[[], bool] | None = None,
    hand_over_states: int | None = None,
    hand_over_bytes: int | None = None,
    spark: Any = None,
    run_dir: Place | None = None,
    workers: int | None = 1,
) -> Result:
    """Visit every reachable state of `model` and check its properties.

    Args:
        model: Its object, or a class or a name for :func:`workbench.get_model`, with its default constants.
        properties: Names of properties, or a single one; None for the model's defaults.
        symmetry: Which of the model's symmetric sets to reduce by: all, none, or some by name.
        engine ({"auto", "local", "spark", "reference"}): ``local`` searches in this process and ``spark`` on a cluster;
            ``auto`` starts in this process and moves to Spark when the search outgrows it. ``reference`` is the plain
            search that defines the result.
        fail_fast: Stop at the first violated invariant instead of checking everything over the whole space.
        max_states, max_seconds, max_bytes: Budgets, with one meaning for all engines
            (:class:`workbench.kernel.meaning.budget.Budget`). A search that uses one up judges what it has visited so
            far and returns an incomplete result.
        fingerprint_bits ({64, 128}): The width of the hashes that identify states.
        fingerprint_key: The ``fingerprint_key`` of an earlier result, to repeat that search; by default a new one is
            drawn, so that a second check is a second opinion.
        on_progress: Called repeatedly with a :class:`workbench.kernel.meaning.budget.Progress`.
        should_stop: Called repeatedly; the search stops once it returns True.
        hand_over_states, hand_over_bytes: When ``auto`` moves to Spark; by default when the search's arrays take most
            of the memory.
        spark: A session for the engine ``spark``; None starts a local one.
        run_dir: Where a search on Spark keeps its levels so that it can be resumed; None for a temporary folder.
        workers: Threads that search in this process; None for one per core. The result does not depend on it. More than
            one pays in spaces of millions of states: see ``docs/speed.md``.

    Raises:
        InputError: For names and values that are not accepted, and for options that the engine does not use.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> result = check(Bakery(MaxCrashes=0), ["NoLakekeeperConflict"], symmetry=True)
        >>> result.distinct, result["NoLakekeeperConflict"].word
        (148, 'holds')
    """
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    if hand_over_states is not None:
        hand_over_states = check_integer("hand_over_states", hand_over_states, 0)
    if hand_over_bytes is not None:
        hand_over_bytes = check_integer("hand_over_bytes", hand_over_bytes, 0)
    plan = make_plan(model_of(model), properties, symmetry, fingerprint_bits, fail_fast, fingerprint_key)
    limits = Limits(Budget(max_states, max_seconds, max_bytes), on_progress, should_stop)
    room = Room(hand_over_states, hand_over_bytes)
    if workers is not None:
        workers = check_integer("workers", workers, 1, MOST_WORKERS)
    asked = {
        "hand_over_states": hand_over_states,
        "hand_over_bytes": hand_over_bytes,
        "fingerprint_key": fingerprint_key,
        "run_dir": run_dir,
        "workers": None if workers == 1 else workers or "auto",
    }
    for name, given in asked.items():
        if given is not None and engine not in _USED_BY[name]:
            goes = f"it goes with {' and '.join(_USED_BY[name])}"
            raise InputError(f"{name} = {brief(given)} is not accepted with the engine {engine}; {goes}")
    if engine != "reference" and (lacking := lacks_compiled()):
        raise InputError(f"the engine {engine} is not accepted here: {lacking}")
    resources = Resources(spark, run_dir, room, workers)
    search: Engine = importlib.import_module(ENGINES[engine]).search
    return search(plan, limits, resources)
