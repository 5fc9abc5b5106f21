"""Markdown with a Mermaid sequence diagram of a trace: a lane per process, a note per step with its changes."""

from workbench.kernel import Trace
from workbench.kernel.meaning.state import Change, lines_of
from workbench.kernel.meaning.text import printable

_LONGEST = 60
_NOBODY = "model"  # the lane of steps that no process takes


def to_mermaid(trace: Trace) -> str:
    """The trace as Markdown: a sequence diagram, then the initial state."""
    lanes = list(dict.fromkeys(step.lane for step in trace.steps[1:]))
    ids = {lane: f"p{i}" for i, lane in enumerate(sorted(lanes, key=_order(trace).__getitem__))} or {"": "p0"}
    everyone = ",".join(dict.fromkeys([next(iter(ids.values())), list(ids.values())[-1]]))
    lines = ["```mermaid", "sequenceDiagram"]
    lines += [f"    participant {i} as {_escape(lane or _NOBODY)}" for lane, i in ids.items()]
    for index, step in enumerate(trace.steps[1:], start=1):
        if trace.loop == index - 1:
            lines.append("    loop for ever")
        changes = [_brief(change) for change in trace.changes(index)] or ["nothing changes"]
        text = "<br/>".join(_escape(line) for line in [f"{index + 1}. {step.label}", *changes])
        lines.append(f"    Note over {ids[step.lane]}: {text}")
    lines += [f"    {line}" for line in _ending(trace, everyone)]
    lines += ["```", "", "It begins in:", "", "```text", *lines_of(trace.steps[0].state), "```"]
    return "\n".join(lines) + "\n"


def _order(trace: Trace) -> dict[str, int]:
    """The lanes' order, as the model declares its processes."""
    lanes = dict.fromkeys(
        [*(instance.lane for instance in trace.model.instances), *(step.lane for step in trace.steps[1:])]
    )
    return {lane: place for place, lane in enumerate(lanes)}


def _ending(trace: Trace, everyone: str) -> list[str]:
    if trace.loop is None:
        return []
    if trace.back is None:
        return [f"Note over {everyone}: and stops for ever"]
    return [f"Note over {everyone}: {_escape(trace.back.label)} leads back to state {trace.loop + 1}", "end"]


def _brief(change: Change) -> str:
    """A change in brief, with its parts on one line."""
    return ", ".join(f"{part.where}: {part.in_words('→', _cut)}" for part in change.parts)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _escape(text: str) -> str:
    """Text for a diagram, in one line; # and ; are its syntax, < and > would become HTML."""
    return "".join({"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;"}.get(c, c) for c in printable(text))
