"""The possible steps in a state as buttons, and the reasons why the others are not possible."""

from workbench.kernel import Machine, State
from workbench.kernel.meaning.state import changes_of, foreground
from workbench.kernel.meaning.trace import Move, Step, is_bookkeeping, options
from workbench.kernel.meaning.values import counted
from workbench.showing.pictures.markup import Markup, element
from workbench.showing.view.base.html import folded, noted
from workbench.showing.view.base.wording import NOBODY, clause, told_change


def possible_steps(model: Machine, state: State, taken: Move | None = None, more: Markup | None = None) -> Markup:
    """Buttons for the steps from `state`, per lane; the others are folded away, each with the reason.

    A button's ``data-take`` holds its step: the move as ``INSTANCE.OUTCOME``, a space, and the label. Its title is the
    step in words, and below that what it would change.

    Args:
        taken: The move that the behaviour on show takes here, whose button is marked.
        more: The contents below the buttons.

    Raises:
        ModelError: If an action fails in `state`.
    """
    rows, disabled, offered = [], [], options(model, state)
    possible = [step for option in offered for step in option.steps]
    events = {step.move for step in possible if not is_bookkeeping(state, step)}
    moves = events or {step.move for step in possible}
    in_lanes = dict[str, list[Step]]()
    for step in possible:
        if step.move in moves:
            in_lanes.setdefault(step.lane or NOBODY, []).append(step)
    for lane, steps in in_lanes.items():
        rows.append(element("b", lane) + element("div", *(_step_button(state, step, taken) for step in steps)))
    for instance, steps in offered:
        if not steps:
            disabled.append(_greyed(instance.label, model.why_disabled(instance, state) or ""))
    here = "what can happen here" if events else "only bookkeeping is left"
    heading = here if taken is None else "instead of the next step"
    title = element("span", f"{heading}:" if rows else "No step is possible: the end.", class_="wb-note")
    lanes = (element("div", row, class_="wb-lane") for row in rows)
    enabled = element("div", title, *lanes, more, class_="wb-enabled")
    grid = element("div", *disabled, class_="wb-greyed wb-scroll")
    summary = f"{counted(len(disabled), 'step is', 'steps are')} not possible here, and why"
    return enabled + folded(summary, grid, data_name="greyed") if disabled else enabled


def _step_button(state: State, step: Step, taken: Move | None) -> Markup:
    """A button for a step, in words in the tooltip; the step that the behaviour takes here is marked."""
    assert step.move is not None  # it is no initial state
    changes = [*map(told_change, foreground(changes_of(state, step.state)))] or ["changes nothing"]
    return element(
        "button", element("code", step.label), class_="wb-button", title="\n".join([clause(step), *changes]),
        data_take=f"{step.move.instance}.{step.move.outcome} {step.label}",
        aria_current="step" if step.move == taken else None,
    )  # fmt: skip


def _greyed(label: str, reason: str) -> Markup:
    button = element("button", element("code", label), class_="wb-button", disabled="disabled")
    return element("div", button, noted(reason))
