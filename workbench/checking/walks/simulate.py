"""One call that makes random walks over a model's states, here or on Spark.

A walk looks up enabled steps in the same trees as a search, draws one, judges it and the state after it, and adds its
fingerprint to a sketch (``kernels.py``). All choices follow from the seed and the walk's number, and tallies add up in
any order; so threads (``team.py``), each with its own trees, and tasks of Spark (``cluster.py``) give the same answer.
The shortest walk that decides a property is repeated, shortened (``shorten.py``), and run by the model.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from workbench.checking.kernels.compiling_beside import load_or_wait
from workbench.checking.kernels.threads import check_workers, usable_cores
from workbench.checking.local.search import load_kernels
from workbench.checking.trees.smallest import Smallest
from workbench.checking.walks import kernels, sketch
from workbench.checking.walks.request import Walked, WalkRequest
from workbench.checking.walks.result import (
    ActionTaken,
    Simulation,
    WalkRule,
    extent,
    undecided_verdict,
    without_liveness,
)
from workbench.checking.walks.shorten import Shortener, Way
from workbench.checking.walks.team import walk_here
from workbench.checking.walks.walker import Tally, Walker, judged
from workbench.kernel import Machine, Verdict, replay
from workbench.kernel.meaning.arguments import check_integer, check_kind
from workbench.kernel.meaning.budget import Limits, Stop, Watch
from workbench.kernel.meaning.conclusion import NO_TRACE, decided_verdict, verdicts_beside
from workbench.kernel.meaning.interrupts import interrupted, interruptible
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.plan import make_plan
from workbench.kernel.meaning.properties import Property
from workbench.kernel.meaning.result import constraints_of
from workbench.kernel.meaning.values import counted
from workbench.registry import model_of

#: The default seconds of walks.
SECONDS = 10.0
#: The default number of states that shortening a trace may visit.
SHORTEN = 1_000_000


@interruptible()
def simulate(
    model: AnyModel,
    properties: Sequence[str] | None = None,
    *,
    rule: WalkRule = WalkRule(),
    fail_fast: bool = False,
    shorten: int = SHORTEN,
    spark: Any = None,
    workers: int | None = None,
    watch: Watch = Watch(),
) -> Simulation:
    """Walk through the states of `model` at random, and judge every state on the way.

    For spaces that no search exhausts. Findings are certain - the model itself runs the trace of a violation, step by
    step -; everything else stays unknown.

    Args:
        properties: Names of properties, or a single one; None for the model's defaults without liveness. Walks cannot
            judge liveness: such a property, if named, stays unknown.
        rule: Which walks to make. With neither `walks` nor `seconds`: until something is violated, for at most 10
            seconds. With `walks` alone, and without `fail_fast`, the result does not depend on the workers.
        fail_fast: Stop at the first violated invariant.
        shorten: The states that may be visited to shorten the trace of a violation or a witness; 0 for no shortening.
        spark: Walk as tasks on Spark instead of threads of this process: a session; a master as
            :func:`workbench.spark_session` takes it; or True for the running session, or else one on this machine.
        workers: The number of threads or tasks; None for one per core.
        watch: Its ``on_progress`` is called with a :class:`workbench.checking.walks.request.WalkProgress`.

    Raises:
        InputError: For names or values that are not accepted.

    Examples:
        >>> from workbench.protocols.bakery.v2 import BakeryV2
        >>> racy = BakeryV2(AsyncParquet=True, RestampPatch=False)
        >>> seen = simulate(racy, ["NoLakekeeperConflict"], rule=WalkRule(walks=500))
        >>> seen["NoLakekeeperConflict"].word, seen.walks
        ('violated', 500)
    """
    model, left_out = model_of(model), list[str]()
    if properties is None:
        properties, left_out = without_liveness(model)
    unbounded = check_kind("rule", rule, WalkRule).seconds is None and rule.walks is None
    plan = make_plan(model, properties, fail_fast=fail_fast or unbounded)
    plan.notes.extend(left_out)
    workers = check_workers(workers)
    shorten = check_integer("shorten", shorten, 0, 2**32 - 1)
    if unbounded:
        rule = replace(rule, seconds=SECONDS)
    limits = Limits(watch=watch)
    load_or_wait(load_walks, rare=True)
    asked = WalkRequest(plan, rule, watch, limits)
    if spark:
        from workbench.checking.walks.cluster import walk_on_spark  # pyspark loads here

        walked = walk_on_spark(asked, workers, spark)
    else:
        walked = walk_here(asked, workers or usable_cores())
    return _conclude(asked, "spark" if spark else "local", walked, shorten)


def load_walks() -> None:
    """Compile the kernels, or load them from Numba's cache, so that no walk waits for them."""
    load_kernels()
    walker = Walker(make_plan(Smallest()), WalkRule(depth=2), Smallest().initial_states())
    walker.walk(0, 2, lambda: None)
    sketch.estimate(walker.tally.counted.registers)


def _conclude(asked: WalkRequest, engine: str, walked: Walked, shorten: int) -> Simulation:
    """Verdicts with their traces, and the counts."""
    plan, tally, seconds = asked.plan, walked.tally, asked.limits.seconds
    looked_at = extent(tally.walks, asked.rule.depth, tally.steps)
    outside = int(tally.counted.sums[kernels.OUTSIDE])
    left = (
        [f"walks end where they leave {constraints_of(plan.model)}: {counted(outside, 'walk')} did"] if outside else []
    )
    tracing = _Tracing(asked, walked, shorten)

    def judge(declared: Property) -> Verdict:
        return tracing.verdict(declared) or undecided_verdict(declared, looked_at)

    verdicts, error = verdicts_beside(walked.error, plan.properties, judge, asked.limits)
    return Simulation(
        model=plan.model,
        engine=engine,
        workers=walked.workers,
        rule=asked.rule,
        walks=tally.walks,
        steps=tally.steps,
        deadlocked=int(tally.counted.sums[kernels.DEADLOCKED]),
        settled=int(tally.counted.sums[kernels.SETTLED]),
        outside=outside,
        longest=int(tally.counted.sums[kernels.LONGEST]),
        actions=_by_action(plan.model, tally),
        distinct=sketch.estimate(tally.counted.registers),
        distinct_error=sketch.ERROR,
        verdicts=verdicts,
        seconds=seconds,
        stopped=walked.stopped if error is None else asked.limits.why(error),
        error=error,
        notes=[*plan.model.declared.translation_notes, *plan.notes, *walked.notes, *left, *tracing.notes],
        calls=tally.calls,
    )


def _by_action(model: Machine, tally: Tally) -> list[ActionTaken]:
    sums = {name: [0, 0] for name in model.actions}
    for instance, enabled, taken in zip(
        model.instances, tally.counted.enabled.tolist(), tally.counted.taken.tolist(), strict=True
    ):
        sums[instance.action.name][0] += enabled
        sums[instance.action.name][1] += taken
    return [ActionTaken(name, enabled, taken) for name, (enabled, taken) in sums.items()]


class _Tracing:
    """Lets the model make the traces of decided properties, until it is stopped."""

    def __init__(self, asked: WalkRequest, walked: Walked, shorten: int) -> None:
        self._asked, self._walked, self._shorten = asked, walked, shorten
        self._places = {declared.name: at for at, declared in enumerate(judged(asked.plan))}
        self.notes: list[str] = []

    @cached_property
    def _walker(self) -> Walker:
        return Walker(self._asked.plan, self._asked.rule, self._walked.starts)

    @cached_property
    def _shortener(self) -> Shortener:
        return Shortener(self._asked.plan, self._walked.starts, self._asked.limits)

    def verdict(self, declared: Property) -> Verdict | None:
        """The verdict on a property, if a walk decided it."""
        at = self._places.get(declared.name)
        if at is None or not self._walked.tally.decided[at]:
            return None
        way: Way | None = None
        try:
            if not interrupted():
                number, depth = int(self._walked.tally.number[at]), int(self._walked.tally.depth[at])
                way = Way(*self._walker.retrace(number, depth))
                for shorter in self._shortener.shorter(declared, way, self._shorten):
                    way = shorter
        except Stop:
            pass
        if way is None:
            return Verdict.on(declared, declared.wanted, NO_TRACE)
        self.notes.append(f"{declared.name}: {_summary(number, depth, way)}")
        model = self._asked.plan.model
        return decided_verdict(model, declared, replay(model, way.start, way.moves))


def _summary(number: int, depth: int, way: Way) -> str:
    met = f"walk {number} met it after {counted(depth, 'step')}"
    fewer = f"; its trace was shortened to {counted(len(way.moves), 'step')}" if len(way.moves) < depth else ""
    return met + fewer + ("; no trace is shorter" if way.shortest else "; a shorter trace may exist")
