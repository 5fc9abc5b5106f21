"""Steps and changes in words, for where a person reads."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.state import Change
from workbench.kernel.meaning.steps import ActionInstance
from workbench.kernel.meaning.values import counted, record_items, show
from workbench.showing.view.base.difference import BECOMES, brief


def told_choices(instance: ActionInstance, choices: Sequence[tuple[str, Any]], of_actor: bool = False) -> str:
    """The choices of a step, without the action's name and, unless `of_actor`, without the actor.

    Examples:
        >>> from workbench import machine_of
        >>> from workbench.protocols.bakery.v2 import BakeryV2
        >>> model = machine_of(BakeryV2)
        >>> told_choices(model.instances[0], [("witness", "w2"), ("claim", ("a=b", 2))])
        'witness w2, claim (a=b, 2)'
    """
    at = 0 if of_actor or instance.actor is None or instance.alone else 1
    named = instance.named(choices)
    bare, show = named[at : instance.together], instance.notation.show
    return ", ".join(
        [*(show(value, " ") for _, value in bare), *(_told(*one, show) for one in named[at + len(bare) :])]
    )


def told_break(name: str, steps: int, shortest: int | None) -> str:
    """A sentence for somebody who broke a property by hand, beside a shortest violation, if one is known.

    Examples:
        >>> told_break("ConsistentRead", 11, 9)
        'You broke ConsistentRead in 11 steps; the shortest takes 9.'
    """
    beside = "" if shortest is None else f"; the shortest takes {shortest}"
    return f"You broke {name} in {counted(steps, 'step')}{beside}."


def _told(name: str, value: Any, show: Callable[[Any, str], str]) -> str:
    """A name beside its value; a record of that name has none of its own."""
    told = show(value, " ")
    kind = type(value).__name__
    if record_items(value) and kind.lower() == name.lower():
        told = told[len(kind) :]
    return f"{name} {told}" if name else told


def told_doc(doc: str, given: Sequence[tuple[str, Any]]) -> str:
    """The author's docstring of an action, with the `given` values in place of its parameters.

    Examples:
        >>> told_doc("Replicate a claim to `dst`.", [("source", "n1"), ("dst", "n2")])
        'Replicate a claim to n2.'
    """
    texts = {name: show(value) for name, value in given if isinstance(value, (str, int))}
    return re.sub(r"`(\w+)`", lambda name: texts.get(str(name[1]), str(name[1])), doc)


def told_change(change: Change) -> str:
    """A change in a few words.

    Examples:
        >>> told_change(Change(Cell("claims", "n1"), frozenset(), frozenset({1})))
        'claims[n1] + 1'
    """
    if change.before is None:
        return brief(f"{change.cell} = {change.notation.show(change.after)}")
    return brief(", ".join(f"{part.where} {part.told(BECOMES)}" for part in change.parts))


def told_again(change: Change, writers: Mapping[Cell, str]) -> str:
    """The remark that a step wrote the value that was there already."""
    writer = f" by {writers[change.cell]}" if change.cell in writers else ""
    return brief(f"{change.cell} = {change.notation.show(change.after)} again, written{writer} before")


def listed(texts: Sequence[str]) -> str:
    """Texts in a sentence.

    Examples:
        >>> listed(["a", "b", "c"]), listed(["a"])
        ('a, b and c', 'a')
    """
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
