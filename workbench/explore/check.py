"""One call that checks a model, whichever engine does it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.kernel import InputError, Model, Result, search
from workbench.kernel.errors import unknown
from workbench.kernel.properties import Property

if TYPE_CHECKING:
    from workbench.explore.local import LocalSearch

ENGINES = ("auto", "local", "reference")


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
    def liveness(self) -> list[Property]:
        return [p for p in self.properties if p.kind == "liveness"]


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
) -> Result:
    """Visit every reachable state of `model` and check its properties.

    Parameters
    ----------
    model : Model
    properties : sequence of str, optional
        Names of properties; all that the model declares for None.
    symmetry : bool or sequence of str
        Whether interchangeable names are taken as such: all of the model's symmetric sets, none, or some by name.
    engine : {"auto", "local", "reference"}
        ``reference`` is the plain search that defines the result.
    fail_fast : bool
        Stop at the first violated invariant instead of checking everything over the whole space.
    max_states, max_seconds, max_bytes : optional
        Budgets. A search that uses one up returns what it found, marked incomplete.
    fingerprint_bits : {64, 128}
        How wide the hashes are by which states are told apart.
    on_progress : callable, optional
        Called with a :class:`workbench.explore.local.Progress` again and again.
    should_stop : callable, optional
        Asked again and again; the search stops once it returns True.

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
        if value is not None and value <= 0:
            raise InputError(f"{name} = {value} is not accepted; it takes a number above 0")
    if fingerprint_bits not in (64, 128):
        raise InputError(f"fingerprint_bits = {fingerprint_bits} is not accepted; it takes 64 or 128")
    todo = plan(model, properties, symmetry)
    if engine == "reference":
        names = [p.name for p in todo.properties]
        return search(model, names, todo.symmetry, fail_fast, max_states, max_seconds)
    return run_local(
        model,
        properties,
        symmetry=symmetry,
        fail_fast=fail_fast,
        max_states=max_states,
        max_seconds=max_seconds,
        max_bytes=max_bytes,
        fingerprint_bits=fingerprint_bits,
        on_progress=on_progress,
        should_stop=should_stop,
    )[1]


def run_local(
    model: Model,
    properties: Sequence[str] | None = None,
    *,
    symmetry: bool | Sequence[str] = False,
    fail_fast: bool = False,
    max_states: int | None = None,
    max_seconds: float | None = None,
    max_bytes: int | None = None,
    fingerprint_bits: int = 64,
    on_progress: Callable[[Any], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    keep_rows: bool = False,
    keep_edges: bool = False,
) -> "tuple[LocalSearch, Result]":
    """Check in this process; returns the finished search too, for what it has kept."""
    from workbench.explore import local  # numba loads here, not with the package

    todo = plan(model, properties, symmetry)
    running = local.LocalSearch(
        model,
        todo.properties,
        todo.symmetry,
        fingerprint_bits,
        keep_rows=keep_rows,
        keep_edges=keep_edges or bool(todo.liveness),
        labels=todo.liveness,
    )
    running.run(local.Budget(max_states, max_seconds, max_bytes), fail_fast, on_progress, should_stop)
    verdicts = {v.name: v for v in running.safety_verdicts()}
    if todo.liveness:
        from workbench.explore import graph  # scipy loads here

        verdicts |= {p.name: graph.liveness_verdict(running, p) for p in todo.liveness}
    return running, running.result([verdicts[p.name] for p in todo.properties], todo.notes)
