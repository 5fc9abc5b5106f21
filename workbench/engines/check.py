"""One call that checks a model, whichever engine does it."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.kernel import InputError, Model, Result, search
from workbench.kernel.errors import unknown
from workbench.kernel.properties import Property

if TYPE_CHECKING:
    from workbench.engines.local import LocalSearch

ENGINES = ("auto", "local", "spark", "reference")


@dataclass(frozen=True)
class Plan:
    """What a check will do, decided before it starts.

    Attributes
    ----------
    properties : list of Property
    symmetry : tuple of str
    notes : list of str
        What was decided differently from what was asked, and why.
    """

    properties: list[Property]
    symmetry: tuple[str, ...]
    notes: list[str]

    @property
    def names(self) -> list[str]:
        return [p.name for p in self.properties]

    @property
    def liveness(self) -> list[Property]:
        return [p for p in self.properties if p.kind == "liveness"]

    def safety(self) -> "Plan":
        """The plan without its liveness properties, and a note if there were any."""
        left_out = ", ".join(p.name for p in self.liveness)
        notes = [f"liveness is checked in process only; left out: {left_out}"] if left_out else []
        return Plan([p for p in self.properties if p.kind != "liveness"], self.symmetry, [*self.notes, *notes])


def plan(model: Model, properties: Sequence[str] | None = None, symmetry: bool | Sequence[str] = False) -> Plan:
    """Resolve the properties and the symmetric sets of a check.

    Raises
    ------
    InputError
        For a property or a set that the model does not declare.
    """
    chosen = model.select(properties)
    if symmetry is True and not model.symmetry:
        raise InputError(f"symmetry: {model.name} declares no set of interchangeable names; leave it out")
    sets = model.symmetry if symmetry is True else tuple(symmetry or ())
    for name in sets:
        if name not in model.symmetry:
            raise unknown(f"symmetric set of {model.name}", name, model.symmetry)
    notes = []
    if sets and any(p.kind == "liveness" for p in chosen):
        notes.append("explored without symmetry, since with it the check of a liveness property would be unsound")
        sets = ()
    return Plan(chosen, sets, notes)


def check(
    model: Model,
    properties: Sequence[str] | None = None,
    *,
    symmetry: bool | Sequence[str] = False,
    engine: str = "auto",
    fail_fast: bool = False,
    max_states: int | None = None,
    max_seconds: float | None = None,
    max_bytes: int | None = None,
    fingerprint_bits: int = 64,
    on_progress: Callable[[Any], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    hand_over_states: int | None = None,
    hand_over_bytes: int | None = None,
    spark: Any = None,
    run_dir: str | Path | None = None,
) -> Result:
    """Visit every reachable state of `model` and check its properties.

    Parameters
    ----------
    model : Model
    properties : sequence of str, optional
        Names of properties; all that the model declares for None.
    symmetry : bool or sequence of str
        Whether interchangeable names are taken as such: all of the model's symmetric sets, none, or some by name.
    engine : {"auto", "local", "spark", "reference"}
        ``local`` searches in this process and ``spark`` on a cluster; ``auto`` begins in this process and moves to
        Spark when it gets too large. ``reference`` is the plain search that defines the result. Liveness is checked
        in process only.
    fail_fast : bool
        Stop at the first violated invariant instead of checking everything over the whole space.
    max_states, max_seconds, max_bytes : optional
        Budgets. A search that uses one up returns what it found, marked incomplete.
    fingerprint_bits : {64, 128}
        How wide the hashes are by which states are told apart.
    on_progress : callable, optional
        Called with a :class:`workbench.engines.local.Progress` again and again.
    should_stop : callable, optional
        Asked again and again; the search stops once it returns True.
    hand_over_states, hand_over_bytes : int, optional
        When ``auto`` moves to Spark; by default when the search's arrays take most of the machine's memory.
    spark : SparkSession, optional
        For the engine ``spark``; a local session is made for None.
    run_dir : path, optional
        Where a search on Spark keeps its levels, so that it can be resumed; a temporary folder for None.

    Returns
    -------
    Result

    Raises
    ------
    InputError
        For names or values that are not accepted.

    Examples
    --------
    >>> from workbench.models.bakery import Bakery
    >>> result = check(Bakery(MaxCrashes=0), ["NoLakekeeperConflict"], symmetry=True)
    >>> result.distinct, result["NoLakekeeperConflict"].word
    (148, 'holds')
    """
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    for name, value in (("max_states", max_states), ("max_seconds", max_seconds), ("max_bytes", max_bytes)):
        if value is not None and not value > 0:  # NaN is not above 0 either
            raise InputError(f"{name} = {value} is not accepted; it takes a number above 0")
    if fingerprint_bits not in (64, 128):
        raise InputError(f"fingerprint_bits = {fingerprint_bits} is not accepted; it takes 64 or 128")
    todo = plan(model, properties, symmetry)
    if engine == "reference":
        return search(model, todo.names, todo.symmetry, fail_fast, max_states, max_seconds)

    from workbench.engines.local import Budget  # numba loads here, not with the package

    common: dict[str, Any] = {
        "budget": Budget(max_states, max_seconds, max_bytes),
        "fail_fast": fail_fast,
        "on_progress": on_progress,
        "should_stop": should_stop,
    }
    if engine == "spark":
        if properties is not None and todo.liveness:
            raise InputError(f"{todo.liveness[0].name} is a liveness property; engine spark checks safety only")
        return _on_spark(model, todo.safety(), fingerprint_bits, spark=spark, run_dir=run_dir, **common)
    room = Budget(hand_over_states, None, hand_over_bytes or _most_memory()) if engine == "auto" else None
    running = run_local(model, todo, fingerprint_bits, room=room, **common)
    if not running.full:
        return local_result(running, todo)
    todo = todo.safety()
    todo.notes.append(f"moved from this process to Spark: {running.stopped}")
    return _on_spark(model, todo, fingerprint_bits, search=running, spark=spark, run_dir=run_dir, **common)


def _most_memory() -> int:
    """How much a search may take before it moves to Spark: most of the machine's memory."""
    return int(0.6 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def _on_spark(model: Model, todo: Plan, bits: int, **options: Any) -> Result:
    from workbench.engines.spark.entry import check_on_spark  # pyspark loads here

    return check_on_spark(model, todo.names, todo.symmetry, bits, notes=todo.notes, **options)


def run_local(
    model: Model,
    todo: Plan,
    bits: int = 64,
    *,
    keep_rows: bool = False,
    keep_edges: bool = False,
    **options: Any,
) -> "LocalSearch":
    """Search in this process, as `todo` says; `options` are those of :meth:`LocalSearch.run`."""
    from workbench.engines.local import LocalSearch

    running = LocalSearch(
        model,
        todo.properties,
        todo.symmetry,
        bits,
        keep_rows=keep_rows,
        keep_edges=keep_edges or bool(todo.liveness),
        labels=todo.liveness,
    )
    running.run(**options)
    return running


def local_result(running: "LocalSearch", todo: Plan) -> Result:
    """The verdicts of a search in this process; the time that they take is added to that of the search."""
    began = time.perf_counter()
    verdicts = {v.name: v for v in running.safety_verdicts()}
    if todo.liveness:
        from workbench.engines.graph import liveness_verdicts  # scipy loads here

        verdicts |= {v.name: v for v in liveness_verdicts(running, todo.liveness)}
    running.seconds += time.perf_counter() - began
    return running.result([verdicts[name] for name in todo.names], todo.notes)
