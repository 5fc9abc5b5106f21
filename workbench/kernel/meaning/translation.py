"""Answers about translations. What holds in a stale translation, such as of PlusCal, is unknown of the present text."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from workbench.kernel.meaning.text import Line, Styled

T = TypeVar("T")

#: The state of a translation that does not belong to the present text; see :attr:`Family.translation`.
STALE = "stale"
#: The line of an answer about a stale translation.
IS_STALE = Styled("STALE", "warning", ": what is checked is not the translation of the algorithm")


def known_in(translation: str | None, holds: bool | None) -> bool | None:
    """`holds`, except that True becomes None, for unknown, in a stale translation."""
    return None if holds and translation == STALE else holds


def in_stale(*translations: str | None) -> str:
    """The end of a sentence on translations; empty unless one of them is stale.

    Examples:
        >>> f"everything holds{in_stale(STALE)}", f"everything holds{in_stale('fresh')}"
        ('everything holds, in a stale translation', 'everything holds')
    """
    return f", in a {STALE} translation" if STALE in translations else ""


def stale_lines(*translations: str | None) -> list[Line]:
    """The line to begin an answer about translations with, if one of them is stale."""
    return [IS_STALE] if STALE in translations else []


def in_translation(answer: T, translation: str | None, notes: Iterable[str], yes: str) -> T:
    """An answer about a translation, weakened if the translation is stale.

    Args:
        answer: A dataclass with ``holds``, ``why``, ``remarks`` and ``translation``.
        notes: Remarks on the translation.
        yes: A sentence that says what holding means.
    """
    verdict: Any = answer
    holds = known_in(translation, verdict.holds)
    reason = verdict.why if holds is verdict.holds else yes + in_stale(translation)
    amended: T = replace(verdict, holds=holds, why=reason, remarks=[*verdict.remarks, *notes], translation=translation)
    return amended
