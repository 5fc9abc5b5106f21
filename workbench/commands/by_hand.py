"""Steps by hand in the terminal: which are possible, why the others are not, and how soon the same can break."""

from collections.abc import Sequence

from workbench.commands.output import standard
from workbench.kernel import Machine, Trace, replay
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.text import columns, printable
from workbench.kernel.meaning.trace import Options, options
from workbench.kernel.meaning.translation import stale_lines
from workbench.showing.view.base.wording import told_break
from workbench.showing.view.trace.trace import TraceView, trace_view

#: How many states are visited to see how soon the same could have broken.
_STATES = 1_000_000
_HELP = "A number takes that step, - goes back, ? says why the other steps are not possible, and an empty line ends."


def walk_by_hand(model: Machine, properties: Sequence[str] | None) -> tuple[Trace, bool]:
    """Ask for one step after the other, on standard input, until it ends or a line is empty.

    Returns:
        The behaviour, and whether it breaks anything.
    """
    starts = len(model.initial_states())
    trace = replay(model, _chosen(starts, "initial state") - 1 if starts > 1 else 0, [])
    reported: set[str] = set()
    for line in (*stale_lines(model.declared.translation), _HELP):
        standard.say(str(line))
    view = _tell(trace, properties, reported)
    while True:
        every = options(model, trace.last)
        steps = [step for option in every for step in option.steps]
        for number, step in enumerate(steps, 1):
            standard.say(f"{number:>5}  {printable(step.label)}")
        if not steps:
            standard.say("       No step is possible.")
        answer = _asked()
        if not answer:
            standard.say(view.permalink)
            return trace, any(step.broken for step in view.steps)
        if answer == "?":
            _explain(model, trace, every)
            continue
        if answer == "-" and len(trace) > 1:
            moves = trace.moves[:-1]
        elif answer.isdecimal() and 0 < int(answer) <= len(steps):
            moves = [*trace.moves, steps[int(answer) - 1].move]  # type: ignore[list-item]
        else:
            taken = f"1 to {len(steps)}, - or ?" if steps else "- or ?"
            standard.say(f"{brief(answer)} is not accepted; it takes {taken}, or an empty line to end")
            continue
        trace = replay(model, trace.start, moves)
        view = _tell(trace, properties, reported)


def _chosen(most: int, noun: str) -> int:
    while True:
        standard.say(f"Which {noun}: 1 to {most}?")
        answer = _asked()
        if answer.isdecimal() and 0 < int(answer) <= most:
            return int(answer)
        if not answer:
            return 1


def _asked() -> str:
    try:
        return input("> ").strip()
    except EOFError:
        return ""


def _tell(trace: Trace, properties: Sequence[str] | None, reported: set[str]) -> TraceView:
    """Tell the effects of the last step, and what it broke; the first time, also how soon that can break."""
    at = len(trace) - 1
    view = trace_view(trace, properties=properties)
    step = view.steps[at]
    standard.say(f"\n{printable(step.sentence)}")
    for part in (part for change in trace.changes(at) for part in change.parts):
        standard.say(f"       {part}")
    for truth in step.broken:
        name = truth.name.partition("(")[0]
        standard.say(f"{truth.fault}")
        if name not in reported:
            reported.add(name)
            standard.say(_compared(trace, name))
    return view


def _compared(trace: Trace, name: str) -> str:
    """The number of steps taken, compared with a shortest behaviour."""
    from workbench.checking.check import check  # numba loads where something is broken

    shortest = check(trace.model, [name], budget=Budget(_STATES))[name].trace
    return told_break(name, len(trace) - 1, len(shortest) - 1 if shortest else None)


def _explain(model: Machine, trace: Trace, every: Sequence[Options]) -> None:
    rows = [
        [option.instance.label, model.why_disabled(option.instance, trace.last) or ""]
        for option in every
        if not option.steps
    ]
    for line in columns(rows) if rows else ["Every step is possible."]:
        standard.say(f"  {line}")
