"""Steps and changes in words, for people to read."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.state import Change
from workbench.kernel.meaning.steps import ActionInstance, DeclaredAction
from workbench.kernel.meaning.trace import Step
from workbench.kernel.meaning.values import counted, record_items, show
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.view.base.difference import BECOMES, brief

#: The lane of actions that no process takes.
NOBODY = "environment"


@dataclass(frozen=True)
class Wording:
    """A difference in words, and the variables in which it shows; "" for none.

    Examples:
        >>> print(Wording("w1: Create the snapshot file", "it leaves snapshots[1] alone"))
        w1: Create the snapshot file (it leaves snapshots[1] alone)
    """

    words: str
    variables: str = ""

    def __str__(self) -> str:
        return f"{self.words} ({self.variables})" if self.variables else self.words

    def html(self) -> Markup:
        """The words, with the variables muted behind them."""
        muted = element("span", f"({self.variables})", class_="wb-note") if self.variables else None
        return joined([self.words, muted], " ")


def told_action(action: DeclaredAction) -> str:
    """The first clause of an action's docstring; without a docstring, the action's name.

    Examples:
        >>> from workbench import machine_of
        >>> from workbench.protocols.bakery.v2 import BakeryV2
        >>> told_action(machine_of(BakeryV2).instances[0].action)
        'Wake up'
    """
    return " ".join(action.doc.split()).partition(". ")[0].partition("; ")[0].rstrip(".") or action.name


def told_step(instance: ActionInstance, choices: Sequence[tuple[str, Any]], lane: str, doc: str) -> str:
    """A step as a sentence without its full stop: who does what, in the words of `doc`, with which choices."""
    did = told_doc(doc, instance.named(choices)).rstrip(".") or instance.action.name
    rest = told_choices(instance, choices)
    return f"{lane}: {did}{f' ({rest})' if rest else ''}"


def clause(step: Step) -> str:
    """A step in the fewest words: who does what, with which choices, without a full stop."""
    if step.instance is None:
        return step.label
    return told_step(step.instance, step.choices, step.lane or NOBODY, told_action(step.instance.action))


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
        [*(show(value, " ") for _, value in bare), *(_named_value(*pair, show) for pair in named[at + len(bare) :])]
    )


def told_break(name: str, steps: int, shortest: int | None) -> str:
    """A sentence for somebody who broke a property by hand. It compares with the shortest violation, if known.

    Examples:
        >>> told_break("ConsistentRead", 11, 9)
        'You broke ConsistentRead in 11 steps; the shortest takes 9.'
    """
    beside = "" if shortest is None else f"; the shortest takes {shortest}"
    return f"You broke {name} in {counted(steps, 'step')}{beside}."


def _named_value(name: str, value: Any, show: Callable[[Any, str], str]) -> str:
    """A name followed by its value. A record whose type has that name is shown without the type."""
    text = show(value, " ")
    kind = type(value).__name__
    if record_items(value) and kind.lower() == name.lower():
        text = text[len(kind) :]
    return f"{name} {text}" if name else text


def told_doc(doc: str, values: Sequence[tuple[str, Any]]) -> str:
    """The author's docstring of an action, with `values` in place of its parameters.

    Examples:
        >>> told_doc("Replicate a claim to `dst`.", [("source", "n1"), ("dst", "n2")])
        'Replicate a claim to n2.'
    """
    texts = {name: show(value) for name, value in values if isinstance(value, (str, int))}
    return re.sub(r"`(\w+)`", lambda name: texts.get(str(name[1]), str(name[1])), doc)


def told_change(change: Change) -> str:
    """A change in a few words.

    Examples:
        >>> told_change(Change(Cell("claims", "n1"), frozenset(), frozenset({1})))
        'claims[n1] + 1'
    """
    if change.before is None:
        return brief(f"{change.cell} = {change.notation.show(change.after)}")
    return brief(", ".join(f"{part.where} {part.in_words(BECOMES)}" for part in change.parts))


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
