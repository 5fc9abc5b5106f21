"""The reference search: plain breadth-first, every action run in every state. Slow, and easy to believe.

It is the meaning of a check. The engines of ``workbench.engines`` must give the same counts and verdicts.
"""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from workbench.kernel.errors import ModelError
from workbench.kernel.memory import peak_bytes
from workbench.kernel.properties import Property
from workbench.kernel.result import ActionCount, Result, Verdict
from workbench.kernel.symmetry import Canonical
from workbench.kernel.temporal import check_liveness
from workbench.kernel.trace import Move, Trace, replay

if TYPE_CHECKING:
    from workbench.kernel.model import Model

_PURITY_CHECKS = 20


class Watch:
    """The safety properties of a check: where each was first violated, or first reached."""

    def __init__(self, model: "Model", properties: Sequence[Property]) -> None:
        self.properties = [p for p in properties if p.kind != "liveness"]
        self.instances = {p.name: model.predicates(p.name) for p in self.properties}
        self.found: dict[str, int] = {}

    def look(self, state: Any, number: int) -> bool:
        """Judge state `number`; True if an invariant is violated for the first time."""
        bad = False
        for p in self.properties:
            if p.name not in self.found:
                wanted = p.kind == "reachable"
                if any(instance.holds(state) is wanted for instance in self.instances[p.name]):
                    self.found[p.name] = number
                    bad |= not wanted
        return bad

    def verdicts(self, trace_to: Callable[[int], Trace], complete: bool) -> list[Verdict]:
        """The verdicts, with traces made by `trace_to` from a state's number."""
        return [
            safety_verdict(p, trace_to(self.found[p.name]) if p.name in self.found else None, complete)
            for p in self.properties
        ]


def safety_verdict(declared: Property, trace: Trace | None, complete: bool) -> Verdict:
    """The verdict on an invariant or reachable property, given a shortest trace to where it was decided.

    Raises
    ------
    ModelError
        If the property does not have the value at the end of the trace for which the trace was made.
    """
    invariant = declared.kind == "invariant"
    if trace is None:
        why = None if invariant or not complete else "no reachable state satisfies it"
        return Verdict(declared.name, declared.kind, invariant if complete else None, None, why)
    answers = [instance.judge(trace.last) for instance in trace.model.predicates(declared.name)]
    bad = [answer for answer in answers if answer is not True]
    if bool(bad) is not invariant:
        raise ModelError(f"{declared.name} was decided otherwise when its trace was run again: the model is not pure")
    why = (bad[0] or "it is false") if invariant else None
    return Verdict(declared.name, declared.kind, not invariant, trace, why)


def search(
    model: "Model",
    properties: Sequence[str] | None = None,
    symmetry: Sequence[str] = (),
    fail_fast: bool = False,
    max_states: int | None = None,
    max_seconds: float | None = None,
) -> Result:
    """Visit every reachable state of `model`, level by level.

    Parameters
    ----------
    properties : sequence of str, optional
        What to check; everything for None.
    symmetry : sequence of str
        The sets whose names are interchangeable; not made use of if a liveness property is checked.
    fail_fast : bool
        Stop at the first violated invariant.
    max_states, max_seconds : optional
        Budgets; the result is then incomplete.
    """
    began = time.perf_counter()
    chosen = model.select(properties)
    watch = Watch(model, chosen)
    live = [p for p in chosen if p.kind == "liveness"]
    notes: list[str] = []
    if live and symmetry:
        notes.append("explored without symmetry, since with it the check of a liveness property would be unsound")
        symmetry = ()
    canonical = Canonical(model, symmetry)
    seen: dict[Any, int] = {}  # canonical values -> the state's number, in order of discovery
    states: list[Any] = []
    links: list[tuple[int, Move]] = []  # the predecessor's number (-1: initial) and the move from it
    graph: list[list[tuple[Move, int]]] = []  # for liveness: each state's moves, and the numbers they lead to
    counts = {name: [0, 0, 0] for name in model.declared_actions}
    levels = [0]
    generated = 0
    stopped: str | None = None

    def visit(state: Any, link: tuple[int, Move]) -> int:
        """The number of `state`, which may be new."""
        nonlocal stopped, generated
        generated += 1
        key = canonical(state.values)
        if key in seen:
            return seen[key]
        seen[key] = len(states)
        states.append(state)
        links.append(link)
        levels[-1] += 1
        if watch.look(state, len(states) - 1) and fail_fast:
            stopped = "stopped at the first violation"
        elif max_states is not None and len(states) >= max_states:
            stopped = f"the budget of {max_states:,} states is used up"
        return seen[key]

    for i, state in enumerate(model.initial_states()):
        if stopped is None:
            visit(state, (-1, Move(i, 0)))

    draft, done = model.draft(), 0
    try:
        while done < len(states) and stopped is None:
            end, levels = len(states), [*levels, 0]
            for number in range(done, end):
                if max_seconds is not None and time.perf_counter() - began > max_seconds:
                    stopped = f"the budget of {max_seconds:g} seconds is used up"
                moves: list[tuple[Move, int]] = []
                for instance in model.instances if stopped is None else ():
                    outcomes = model.outcomes(instance, states[number])
                    if number < _PURITY_CHECKS:
                        instance.check_pure(draft, states[number].values, [o for o, _ in outcomes])
                    count = counts[instance.action.name]
                    count[0] += bool(outcomes)
                    for ordinal, (_, successor) in enumerate(outcomes):
                        known, move = len(states), Move(instance.number, ordinal)
                        moves.append((move, visit(successor, (number, move))))
                        count[1] += 1
                        count[2] += len(states) > known
                if live:
                    graph.append(moves)
            done = end
    except KeyboardInterrupt:
        stopped = "interrupted"

    def trace_to(number: int) -> Trace:
        path: list[Move] = []
        while links[number][0] >= 0:
            number, move = links[number]
            path.append(move)
        return replay(model, links[number][1].instance, path[::-1])

    verdicts = {v.name: v for v in watch.verdicts(trace_to, stopped is None)}
    for p in live:  # only the whole space can decide it
        unknown = Verdict(p.name, p.kind, None)
        verdicts[p.name] = unknown if stopped else check_liveness(model, p, states, levels[0], graph)
    return Result(
        model=model,
        engine="reference",
        symmetry=tuple(symmetry),
        complete=stopped is None,
        stopped=stopped,
        generated=generated,
        levels=[n for n in levels if n],
        actions=[ActionCount(name, *count) for name, count in counts.items()],
        verdicts=[verdicts[p.name] for p in chosen],
        seconds=time.perf_counter() - began,
        peak_bytes=peak_bytes(),
        notes=notes,
    )
