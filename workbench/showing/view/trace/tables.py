"""Results as tables: verdicts, constants, and how two results differ."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workbench.kernel import Machine, Result, Verdict
from workbench.kernel.meaning.machine import ModelClass
from workbench.kernel.meaning.result import defaults_of, differing_constants, in_short
from workbench.kernel.meaning.text import columns
from workbench.kernel.meaning.translation import stale_lines
from workbench.kernel.meaning.values import counted, show
from workbench.showing.pictures.markup import Markup, element, escape, joined
from workbench.showing.view.base.html import MARKS, Drawn, Rendered, badge, table
from workbench.showing.view.trace.compared import TwoRuns
from workbench.showing.view.trace.runs import runs_of


def _code(text: object) -> Markup:
    return element("code", text)


# One result ----------------------------------------------------------------------------------------------------------


def verdict_table(result: Result) -> Rendered:
    """The verdict on each property, the reason in words, and the length of the trace."""
    rows = [(badge(v.word), _code(v.name), _reason(v, result)) for v in result.verdicts]
    lines = [(f"{MARKS[v.word][0]} {v.word}", v.name, _plain_reason(v)) for v in result.verdicts]
    return Rendered(table(("verdict", "property", "reason"), rows), "\n".join(columns(lines)))


def _reason(verdict: Verdict, result: Result) -> Markup:
    doc = result.model.declared.property_named(verdict.name).doc.partition("\n\n")[0]
    reason = _plain_reason(verdict)
    return joined([element("div", reason) if reason else None, element("div", doc, class_="wb-note")])


def _plain_reason(verdict: Verdict) -> str:
    parts = [verdict.why] if verdict.why else []
    if verdict.trace is not None:
        kind = "a shortest witness" if verdict.holds else "a shortest counterexample"
        parts.append(f"{kind} has {counted(len(verdict.trace), 'state')}")
    return "; ".join(parts)


def summary(result: Result) -> str:
    """The counts of a result in one line of text, and the reason if the search is incomplete."""
    return result.counts if result.complete else f"INCOMPLETE ({result.stopped}): {result.counts}"


def said_of(result: Result, name: str) -> str:
    """A property's statement, in a line."""
    return " ".join(result.model.declared.property_named(name).doc.partition("\n\n")[0].split())


# Constants ---------------------------------------------------------------------------------------------------------


def constants_line(model: Machine) -> Markup:
    """The constants that differ from their defaults, in a line, and a warning if the model is a stale translation."""
    differing = differing_constants(model)
    defaults = filter(None, [escape(defaults_of(model, differing))])
    return joined([*defaults, *map(_code, differing), *_warned(model.declared.translation)], " ")


def _warned(*translations: str | None) -> list[Markup]:
    return [badge("unknown", str(line)) for line in stale_lines(*translations)]


def constants_table(model: Machine | ModelClass) -> Rendered:
    """Every constant with its value (the default, for a class), what it accepts and what it means."""
    constants = model.constants if isinstance(model, Machine) else {}
    differing = model.differing() if isinstance(model, Machine) else {}
    rows, lines = [], []
    for name, constant in model.declared.constants.items():
        value = constant.domain.word(constants.get(name, constant.default))
        marked = element("code", value, class_="wb-new" if name in differing else None)
        rows.append((_code(name), marked, constant.domain.describe(), constant.doc))
        lines.append((name, value + (" *" if name in differing else ""), constant.doc))
    return Rendered(table(("constant", "value", "accepts", "meaning"), rows), "\n".join(columns(lines)))


# Two results ---------------------------------------------------------------------------------------------------------


def changes(before: Machine, after: Machine) -> list[tuple[str, Any, Any]]:
    """The constants in which two models differ, with both values; None where a model has no such constant."""
    one, other = before.spelled(), after.spelled()
    return [(n, one.get(n), other.get(n)) for n in dict.fromkeys([*one, *other]) if one.get(n) != other.get(n)]


def what_changed(before: Result, after: Result) -> str:
    """The differences in settings between two results, and their effect on the verdicts, in a line.

    Examples:
        >>> from workbench.kernel import search
        >>> from workbench.protocols.bakery.model import Bakery
        >>> names = ["SomeoneCommits", "TicketOrderPreserved"]
        >>> one, other = (search(Bakery(Writers=2, MaxCrashes=n), names) for n in (0, 1))
        >>> what_changed(one, other)
        'MaxCrashes 1 instead of 0: no verdict changes'
    """
    if before.model.name != after.model.name:
        difference = f"{after.model.name} instead of {before.model.name}"
    else:
        difference = ", ".join(_setting(after.model, *change) for change in changes(before.model, after.model))
        difference = difference or "Same constants"
    old = {verdict.name: verdict for verdict in before.verdicts}
    flips = [_now(old[v.name], v) for v in after.verdicts if v.name in old and old[v.name].word != v.word]
    return f"{difference}: {', '.join(flips) or 'no verdict changes'}"


def _setting(model: Machine, name: str, before: Any, after: Any) -> str:
    if isinstance(after, bool):
        return f"{name} {'on' if after else 'off'}"
    return f"{name} {_word(model, name, after)} instead of {_word(model, name, before)}"


def _word(model: Machine, name: str, value: Any) -> str:
    """The value of a constant as people read it; nothing where the model has no such constant."""
    constant = model.declared.constants.get(name)
    return show(None) if constant is None else constant.domain.word(value)


def _now(before: Verdict, after: Verdict) -> str:
    words = {
        "holds": "now holds",
        "violated": "now fails",
        "reached": "is now reached",
        "not reached": "is no longer reached" if before.holds else "is not reached",
        "unknown": "is now unknown",
    }
    return f"{after.name} {words[after.plain]}{in_short(after.within)}"


@dataclass(frozen=True, repr=False)
class Comparison(Drawn):
    """Two results side by side, and the runs of a property step by step.

    Attributes:
        names: The names of the two.
        named: The property whose runs are shown; for None, one whose verdicts differ, or else one with a trace.
    """

    left: Result
    right: Result
    names: tuple[str, str] = ("left", "right")
    named: str | None = None

    @property
    def constants(self) -> list[tuple[str, Any, Any]]:
        return changes(self.left.model, self.right.model)

    @property
    def verdicts(self) -> list[tuple[str, Verdict | None, Verdict | None]]:
        """The verdicts of both results on each property; None if a result did not check it."""
        one, other = ({v.name: v for v in result.verdicts} for result in (self.left, self.right))
        return [(name, one.get(name), other.get(name)) for name in dict.fromkeys([*one, *other])]

    @property
    def line(self) -> str:
        return what_changed(self.left, self.right)

    @cached_property
    def runs(self) -> TwoRuns | None:
        """The runs of the property that is shown, step by step; None unless both have judged one that has a trace."""
        judged = [
            (name, one, other)
            for name, one, other in self.verdicts
            if one and other and (one.trace or other.trace) and self.named in (None, name)
        ]
        if not judged:
            return None
        name, one, other = next((both for both in judged if both[1].word != both[2].word), judged[0])
        models = self.left.model, self.right.model
        runs = runs_of((one.trace, other.trace), models, self.names, [name])
        return None if runs is None else TwoRuns(runs)

    def html(self) -> Markup:
        drawn = None if self.runs is None else self.runs.html()
        return joined([drawn, self.table()])

    def table(self) -> Markup:
        """What changed, and both results in columns."""
        rows: list[tuple[object, ...]] = [(_code(name), *map(_code, words)) for name, *words in self._constants()]
        rows += [(_code(name), _side(one), _side(other)) for name, one, other in self.verdicts]
        rows += [(element("b", name), one, other) for name, one, other in self._counts()]
        body = element("div", table(("", *self.names), rows), class_="wb-wide")
        head = element("p", element("b", self.line))
        return joined([*_warned(*self._translations), head, body])

    @property
    def _translations(self) -> tuple[str | None, ...]:
        return self.left.translation, self.right.translation

    def _constants(self) -> list[tuple[str, str, str]]:
        left, right = self.left.model, self.right.model
        return [(name, _word(left, name, one), _word(right, name, other)) for name, one, other in self.constants]

    def _counts(self) -> list[tuple[str, str, str]]:
        return [
            (name, f"{getattr(self.left, name):,}", f"{getattr(self.right, name):,}")
            for name in ("distinct", "generated", "depth")
        ]

    def text(self) -> str:
        rows: list[tuple[str, ...]] = [("", *self.names)]
        rows += self._constants()
        rows += [(n, a.word if a else "-", b.word if b else "-") for n, a, b in self.verdicts]
        return "\n".join([*map(str, stale_lines(*self._translations)), self.line, *columns([*rows, *self._counts()])])


def _side(verdict: Verdict | None) -> Markup:
    if verdict is None:
        return escape("not checked")
    states = "" if verdict.trace is None else f" {counted(len(verdict.trace), 'state')}"
    return badge(verdict.word) + states


def told_apart(left: Result, right: Result, words: tuple[str, str] = ("left", "right")) -> tuple[str, str]:
    """The names of two results: the constant by which they differ if there is just one, else `words`."""
    differing = changes(left.model, right.model)
    if len(differing) != 1:
        return words
    ((name, one, other),) = differing
    return f"{name} {_word(left.model, name, one)}", f"{name} {_word(right.model, name, other)}"


def compare(
    left: Result, right: Result, names: tuple[str, str] = ("left", "right"), named: str | None = None
) -> Comparison:
    """Two results side by side, under `names`: the runs of a property step by step, constants, verdicts and counts."""
    return Comparison(left, right, names, named)


def headline(result: Result) -> Markup:
    """The verdicts in a few words."""
    if result.holds:
        within = f" within {result.within}" if result.within else ""
        return badge(f"holds{in_short(result.within)}", f"everything holds{within}")
    if result.violated:
        return badge("violated", f"{len(result.violated)} of {len(result.verdicts)} violated")
    if result.undecided:
        return badge("unknown", f"{len(result.undecided)} of {len(result.verdicts)} not decided")
    if result.verdicts:  # all hold, and it is not the algorithm that they hold for
        return badge("unknown", result.why)
    return badge("unknown", "nothing is checked")
