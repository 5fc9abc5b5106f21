"""Do the engines agree with the reference search? Tries them on random models of the whole language.

::

    python scripts/campaign.py                            # 200 models
    python scripts/campaign.py --models 2000 --seed 7000  # those with the seeds 7000, 7001, ...
    python scripts/campaign.py --models 20 --spark        # on Spark too, seconds per model
    python scripts/campaign.py --models 1 --seed 7123     # repeat one that differed

Each model (``scripts/random_models.py``) is checked with and without symmetry, by one thread and, in tiny chunks, by
more, with fingerprints of 64 and 128 bits, interpreted if it is small, and with a random budget. Counts, depth,
verdicts and the lengths of traces must equal those of the reference; every trace is replayed, and every lasso verified.
Models too large for the reference are passed over. Exit status: 0 if nothing differs; 1 otherwise, and each difference
is printed with the seed of its model.
"""

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any
from unittest.mock import patch

from random_models import random_model

from workbench.checking.check import check
from workbench.checking.contract import Local, Spark
from workbench.checking.kernels.compiled import interpreting
from workbench.checking.kernels.in_numpy import FORMS
from workbench.kernel import Machine, ModelError, Result, machine_of, replay
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.conclusion import wrong_at_end
from workbench.kernel.meaning.interrupts import interrupted, interruptible
from workbench.kernel.meaning.lasso import verify_lasso
from workbench.kernel.meaning.plan import Fingerprints

#: Larger models are skipped; small ones are interpreted, too.
MOST, FEW = 300, 300


class Difference(Exception):
    """An engine's result differs from that of the reference, or is inconsistent."""


def expect(truth: object, message: object) -> None:
    if not truth:
        raise Difference(message)


def in_pieces(chunks: int = 6, states: int = 5, room: int = 16) -> AbstractContextManager[Any]:
    """Make chunks so small that small spaces take several passes, each on all threads.

    Args:
        chunks, states, room: Chunks per pass, states per chunk, and the initial room for successors.
    """
    return patch.multiple("workbench.checking.local.expander", CHUNKS=chunks, CHUNK=states, _ROOM=room, ALONE=0)


@contextmanager
def interpreted() -> Iterator[None]:
    """Within, Python interprets the kernels, as often as that takes."""
    with patch.multiple("workbench.checking.kernels.compiled", _calls=0, MOST_CALLS=10**9), interpreting(FORMS):
        yield


def figures(result: Result) -> dict[str, Any]:
    """The part of a result on which all engines must agree; lassos may differ in length."""
    return {
        "levels": result.levels,
        "generated": result.generated,
        "outside": result.outside,
        "complete": result.complete,
        "verdicts": [(v.name, v.word, v.kind == "liveness" or v.trace_states) for v in result.verdicts],
        "actions": [(a.name, a.enabled, a.generated, a.assigns) for a in result.actions],
        "notes": [note for note in result.notes if "moved from this process" not in note],
    }


def expect_sound(result: Result, names: Sequence[str]) -> None:
    """Check any result: a verdict for each property, reasons for unknown ones, traces that replay."""
    expect([v.name for v in result.verdicts] == list(names), f"verdicts on {[v.name for v in result.verdicts]}")
    for verdict in result.verdicts:
        name, trace, model = verdict.name, verdict.trace, result.model
        if verdict.holds is None:
            expect(verdict.why and trace is None, f"{name}: unknown without a reason, or with a trace")
        elif trace is None:  # that nothing violates it, or nothing satisfies it, is known at the end alone
            expect(result.complete, f"{name}: {verdict.word}, but the search is not complete")
        else:
            again = replay(model, trace.start, trace.moves, trace.loop)
            expect(again.states == trace.states, f"{name}: the trace is replayed differently:\n{trace}")
            (declared,) = model.select([name])
            if declared.of_steps:
                expect(verdict.why in wrong_at_end(model, declared, trace), f"{name}: not at the end of\n{trace}")
            if declared.of_states:
                held = all(p.holds(trace.last) for p in model.predicates(name))
                expect(held is (verdict.kind == "reachable"), f"{name}: not at the end of\n{trace}")
            if verdict.kind == "liveness":
                expect(any(_violates(trace, formula) for _, formula in model.formulas(name)), f"{name}:\n{trace}")


def _violates(trace: Any, formula: Any) -> bool:
    try:
        verify_lasso(trace, formula, trace.model.fairness)
    except ModelError:
        return False
    return True


def expect_same(result: Result, reference: Result) -> None:
    """Raise :class:`Difference` unless both have found the same."""
    expect_sound(result, [v.name for v in reference.verdicts])
    one, other = figures(result), figures(reference)
    expect(one == other, "\n".join(f"{key}: {one[key]}, not {other[key]}" for key in one if one[key] != other[key]))


def expect_partial(result: Result, reference: Result) -> None:
    """Check the result of a search that was cut short: it may claim only what it has seen."""
    expect_sound(result, [v.name for v in reference.verdicts])
    expect(not result.complete, "it is complete")
    for verdict, whole in zip(result.verdicts, reference.verdicts, strict=True):
        if verdict.holds is None:
            expect(str(result.stopped) in str(verdict.why), f"{verdict.name}: unknown, since {verdict.why}")
        else:
            one, other = ((v.holds, v.kind == "liveness" or v.trace_states) for v in (verdict, whole))
            expect(one == other, f"{verdict.name}: {one}, not {other}")


def judged(model: Machine, liveness: bool = False) -> list[str]:
    """The properties to check on a model: all, or those that symmetry and a budget allow."""
    return [p.name for p in model.properties.values() if liveness or p.kind != "liveness"] + ["Deadlock"]


@contextmanager
def told(how: str) -> Iterator[None]:
    """Within, a difference says how it was found."""
    try:
        yield
    except Exception as error:
        kind = "" if isinstance(error, Difference) else f"{type(error).__name__}: "
        raise Difference(f"{how}: {kind}{error}") from error


def compare(seed: int, most: int = MOST, spark: Any = None, **chosen: Any) -> Result | None:
    """The reference result for a random model, which all others must match; None beyond `most` states.

    Raises:
        Difference: If anything else is found, anyhow.
    """
    model, chance = machine_of(random_model(seed, **chosen)), random.Random(seed)
    for symmetry in (False, True):
        names = judged(model, liveness=not symmetry)
        asked: dict[str, Any] = {"properties": names, "symmetry": symmetry}
        reference = check(model, engine="reference", budget=Budget(states=most), **asked)
        if not reference.complete:
            return None
        sizes = chance.choice([(6, 5, 16), (3, 2, 4), (7, 3, 64)])
        ways: list[tuple[str, AbstractContextManager[Any], Local | Spark]] = [
            ("one thread", nullcontext(), Local()),
            (f"in pieces of {sizes}", in_pieces(*sizes), Local(workers=chance.choice((2, 3)))),
        ]
        if reference.distinct <= FEW:
            ways.append(("interpreted", interpreted(), Local()))
        if spark is not None:
            ways.append(("on Spark", nullcontext(), Spark(spark)))
        for how, context, engine in ways:
            bits = chance.choice((64, 128))
            with told(f"{how}, {bits} bits, symmetry {symmetry}, {engine}"), context:
                expect_same(check(model, engine=engine, fingerprints=Fingerprints(bits=bits), **asked), reference)
        budget = chance.randint(1, max(1, reference.distinct))
        with told(f"a budget of {budget} states, symmetry {symmetry}"), in_pieces(*sizes):
            result = check(model, engine=Local(workers=2), budget=Budget(states=budget), **asked)
            if result.complete:
                expect_same(result, reference)
            else:
                expect(result.distinct == budget, f"{result.distinct} states")
                expect_partial(result, reference)
    return reference


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", type=int, default=200, help="how many are compared")
    parser.add_argument("--seed", type=int, default=1, help="that of the first")
    parser.add_argument("--spark", action="store_true", help="on Spark too")
    asked = parser.parse_args()
    spark = None
    if asked.spark:
        from workbench.checking.spark.cluster.session import spark_session

        spark = spark_session("local[2]")
    counts: Counter[str] = Counter()
    began, seed = time.monotonic(), asked.seed
    with interruptible():
        while counts["models"] < asked.models:
            disagreement = None
            try:
                result = compare(seed, spark=spark)
            except Difference as difference:
                disagreement = difference
            if interrupted():  # enough: the check under way was cut short, and differs for that alone
                break
            if disagreement is not None:
                print(f"seed {seed}: {disagreement}", flush=True)
                counts.update(models=1, differences=1)
            elif result is None:
                counts["too large"] += 1
            else:
                counts.update(models=1, states=result.distinct, verdicts=len(result.verdicts))
            seed += 1
    print(
        f"{counts['models']} models (seeds {asked.seed} to {seed - 1}; {counts['too large']} were too large), "
        f"{counts['states']} states, {counts['verdicts']} verdicts: {counts['differences']} models differ "
        f"({time.monotonic() - began:.0f} s)"
    )
    return 1 if counts["differences"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
