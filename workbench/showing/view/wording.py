"""Steps and changes in words, for where a person reads."""

import re
from collections.abc import Mapping, Sequence

from workbench.kernel.state import Cell, Change
from workbench.kernel.values import show
from workbench.showing.view.difference import BECOMES, brief


def choices_of(label: str, lane: str) -> str:
    """What was chosen in a step, without the action's name and the actor.

    Examples:
        >>> choices_of("begin_claim(w1, witness=w2)", "w1")
        'witness w2'
        >>> choices_of("apply_decide(source=n1, claim=Claim(ticket=1, writer=w1))", "applier")
        'source n1, claim (ticket 1, writer w1)'
    """
    arguments = label.partition("(")[2].removesuffix(")")
    if arguments.split(", ")[0] == lane:
        arguments = arguments.removeprefix(lane).removeprefix(", ")
    return re.sub(r"\b(\w+) \1\(", r"\1 (", spaced(arguments), flags=re.IGNORECASE)


def spaced(text: str) -> str:
    """Names beside their values, without equals signs.

    Examples:
        >>> spaced("Stamp(ts=1, salt=-)")
        'Stamp(ts 1, salt -)'
    """
    return re.sub(r"\b(\w+)=", r"\1 ", text)


def told_doc(doc: str, label: str) -> str:
    """What the author says of an action, with the values of the parameters that it names.

    Examples:
        >>> told_doc("Replicate a claim to `dst`.", "apply_decide(source=n1, dst=n2)")
        'Replicate a claim to n2.'
    """
    given: dict[str, str] = dict(re.findall(r"\b(\w+)=(\w+)(?=[,)])", label))
    return re.sub(r"`(\w+)`", lambda name: given.get(str(name[1]), str(name[1])), doc)


def told_change(change: Change) -> str:
    """A change in a few words.

    Examples:
        >>> told_change(Change(Cell("claims", "n1"), frozenset(), frozenset({1})))
        'claims[n1] + 1'
    """
    if change.before is None:
        return brief(f"{change.cell} = {show(change.after)}")
    return brief(", ".join(f"{part.where} {part.told(BECOMES)}" for part in change.parts))


def told_again(cell: Cell, value: object, writers: Mapping[Cell, str]) -> str:
    """That a step wrote what was there already."""
    writer = f" by {writers[cell]}" if cell in writers else ""
    return brief(f"{cell} = {show(value)} again, written{writer} before")


def listed(texts: Sequence[str]) -> str:
    """Texts in a sentence.

    Examples:
        >>> listed(["a", "b", "c"]), listed(["a"])
        ('a, b and c', 'a')
    """
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
