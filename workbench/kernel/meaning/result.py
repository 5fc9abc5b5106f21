"""The result of a check, the same from every engine."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from workbench.kernel.meaning.budget import INTERRUPTED
from workbench.kernel.meaning.constants import spell
from workbench.kernel.meaning.errors import ModelError, unknown
from workbench.kernel.meaning.machine import AnyModel, Machine, machine_of
from workbench.kernel.meaning.properties import Property
from workbench.kernel.meaning.shown import Shown, display
from workbench.kernel.meaning.text import Line, Style, Styled, StyledRow
from workbench.kernel.meaning.trace import Trace
from workbench.kernel.meaning.translation import in_stale, known_in, stale_lines
from workbench.kernel.meaning.values import counted

if TYPE_CHECKING:
    import graphviz

#: The last words of verdicts that do not cover states which the search left out: states beyond the model's constraints,
#: states represented by another one with the same view, and later visits to known states.
WITHIN = ("within the constraint", "within the VIEW", "within the first visits")
#: The reason why a property holds vacuously if its parameters have no values.
NOBODY = "it says nothing: its parameters have no values with these constants"
#: Shown instead of the changed constants if all have their defaults.
DEFAULTS = "with its default constants"
#: The marks of answers in text: yes, no, unknown.
MARKS = {True: "\N{CHECK MARK}", False: "\N{BALLOT X}", None: "?"}
#: The styles of the marks.
_STYLES: dict[bool | None, Style] = {True: "yes", False: "no", None: "unknown"}


class Answer(Protocol):
    """The common part of all answers: of checks, walks, recordings, scenarios, audits, drives and what-ifs."""

    @property
    def holds(self) -> bool | None:
        """Whether the answer is yes: everything holds, or the table is sound, or it can happen. None if unknown."""

    @property
    def why(self) -> str | None:
        """The reason, in one line."""

    @property
    def trace(self) -> Trace | None:
        """The behaviour that shows it."""

    def text(self) -> str:
        """The answer as a terminal shows it, without the traces."""

    def as_dict(self) -> Any:
        """The document that ``--json`` prints; scripts rely on its keys."""


class Lined:
    """An answer some of whose lines have a style."""

    def styled(self) -> list[Line]:
        """The lines of :meth:`Answer.text`."""
        raise NotImplementedError

    def text(self) -> str:
        return "\n".join(map(str, self.styled()))


@dataclass(frozen=True)
class Verdict:
    """The verdict on one property.

    Attributes:
        name, kind: `kind` is ``invariant``, ``reachable``, ``liveness``, ``step``, ``refinement``, ``deadlock``,
            ``postcondition``, or ``undecided`` for a property that no engine decides.
        holds: None if unknown; `why` gives the reason.
        trace: A shortest counterexample, which ends with the state or step that is wrong; for a reachable property a
            shortest witness.
        why: What is wrong, or why the verdict is unknown; for a property that holds, why it says nothing, if it does.
            A :class:`~workbench.kernel.meaning.properties.Fault` where the places in the state are known.
        within: The constraints and the view within which alone the verdict is valid, in words; None if it is valid
            without them.
    """

    name: str
    kind: str
    holds: bool | None
    trace: Trace | None = None
    why: str | None = None
    within: str | None = None

    @classmethod
    def on(
        cls,
        declared: Property,
        holds: bool | None,
        why: str | None = None,
        within: str | None = None,
        trace: Trace | None = None,
    ) -> "Verdict":
        """The verdict on a declared property."""
        return cls(declared.name, declared.kind, holds, trace, why, within)

    @property
    def trace_states(self) -> int | None:
        return None if self.trace is None else len(self.trace)

    @property
    def word(self) -> str:
        """As :attr:`plain`, with ``within the constraint`` or the like where nothing is known beyond that."""
        return self.plain + in_short(self.within)

    @property
    def plain(self) -> str:
        """``holds``, ``violated`` or ``unknown``; ``reached`` or ``not reached`` for a reachable property."""
        if self.holds is None:
            return "unknown"
        if self.kind == "reachable":
            return "reached" if self.holds else "not reached"
        return "holds" if self.holds else "violated"

    @property
    def summary(self) -> str:
        """The verdict in a few words: ``violated (22 states)``."""
        return with_states(self.word, self.trace_states)

    @property
    def line(self) -> Styled:
        """The verdict in a line, with its mark and the reason."""
        reason = f": {self.why}" if self.why else ""
        return Styled(MARKS[self.holds], _STYLES[self.holds], f" {self.summary:<24} {self.name}{reason}")

    def __str__(self) -> str:
        return str(self.line)

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "holds": self.holds,
            "trace_states": self.trace_states,
            "why": self.why,
            "within": self.within,
        }


def marked(holds: bool | None, *cells: str) -> StyledRow:
    """A row of a table that begins with a mark."""
    return _STYLES[holds], (MARKS[holds], *cells)


def with_states(word: str, states: int | None) -> str:
    """A verdict's word with the length of its trace, if it has one."""
    return word if states is None else f"{word} ({counted(states, 'state')})"


@dataclass(frozen=True)
class ActionCount:
    """The number of times that an action was enabled (per state and instance), of its successors, and of new ones.

    Attributes:
        assigns: Whether it ever assigned a variable.
    """

    name: str
    enabled: int
    generated: int
    new: int
    assigns: bool = True


class Judged(Lined):
    """Anything with a verdict on each requested property, and the error of the model that has left others unknown."""

    model: Machine
    verdicts: list[Verdict]
    error: ModelError | None

    @property
    def translation(self) -> str | None:
        """Which translation of a module with PlusCal is judged, such as ``stale``; None if none is."""
        return self.model.declared.translation

    @property
    def violated(self) -> list[Verdict]:
        return [v for v in self.verdicts if v.holds is False]

    @property
    def undecided(self) -> list[Verdict]:
        return [v for v in self.verdicts if v.holds is None]

    @property
    def holds(self) -> bool | None:
        """Whether every requested property holds.

        None if a property is unknown or none was requested, after an error, or if all hold in a stale translation.

        If the search left out states, the answer is relative to its bounds: see ``within`` of a verdict.
        """
        if self.violated:
            return False
        decided = self.verdicts and not self.undecided and self.error is None
        return known_in(self.translation, True) if decided else None

    @property
    def why(self) -> str:
        """A text that lists the properties that do not hold, or says that everything holds."""
        open_or_bad = [f"{v.name} {v.summary}" for v in self.verdicts if v.holds is not True]
        open_or_bad += [] if self.error is None else ["an error of the model"]
        if open_or_bad or not self.verdicts:
            reason = "; ".join(open_or_bad) or "nothing is checked"
        else:
            reason = "everything holds" + in_short(next((v.within for v in self.verdicts if v.within), None))
        return reason + in_stale(self.translation)

    @property
    def shown(self) -> Verdict | None:
        """The first violated property that has a trace; or else the only one, if it has a witness."""
        alone = self.verdicts if len(self.verdicts) == 1 else []
        return next((verdict for verdict in [*self.violated, *alone] if verdict.trace is not None), None)

    @property
    def trace(self) -> Trace | None:
        """The trace of the property that is :attr:`shown`."""
        return None if self.shown is None else self.shown.trace

    def __getitem__(self, name: str) -> Verdict:
        for verdict in self.verdicts:
            if verdict.name == name:
                return verdict
        raise unknown("checked property", name, [v.name for v in self.verdicts])


@dataclass(frozen=True, kw_only=True)
class Explored:
    """The part of a space that a search has visited.

    Attributes:
        stopped: Why it did not visit the whole space, or cannot be trusted; None if it did and can.
        error: The error of the model that ended it, or that was met when its verdicts were made.
        generated: Every successor computed from every distinct state, duplicates included, plus the initial states.
        outside: The number of those that the model's constraints pruned: judged, but neither distinct nor explored.
        levels: New states per breadth-first level, the initial states first.
        fingerprint_key: In hexadecimal digits, for :func:`workbench.check` to repeat the search; None without
            fingerprints.
        collision_probability: An upper bound of the chance that two states shared a fingerprint and one was missed.
        figures: Measurements that only some engines have.
        profile: The number of calls of the model's Python, by purpose, with ``remarks`` and ``as_dict``; None if
            unknown.
    """

    engine: str
    stopped: str | None
    generated: int
    levels: list[int]
    actions: list[ActionCount]
    outside: int = 0
    fingerprint_key: str | None = None
    collision_probability: float = 0.0
    figures: dict[str, float] = field(default_factory=dict)
    profile: Any = None
    error: ModelError | None = None

    @property
    def complete(self) -> bool:
        """Whether the whole space was visited."""
        return self.stopped is None


@dataclass(frozen=True, kw_only=True, repr=False)
class Result(Explored, Judged, Shown):
    """The result of one check.

    Attributes:
        symmetry: The sets whose names were interchangeable; empty for none.
        peak_bytes: The largest resident size of the process while it ran; 0 if not measured.
        notes: Remarks on how the check was done.
        interrupted: Whether Ctrl-C stopped the search, or the making of traces after it.
    """

    model: Machine
    symmetry: tuple[str, ...]
    verdicts: list[Verdict]
    seconds: float
    peak_bytes: int
    notes: list[str]
    interrupted: bool

    @property
    def cut_short(self) -> str | None:
        """Why something is missing: why the search stopped, or that Ctrl-C stopped the making of traces."""
        return self.stopped or (INTERRUPTED if self.interrupted else None)

    @property
    def distinct(self) -> int:
        return sum(self.levels)

    @property
    def depth(self) -> int:
        """The number of levels; that of the initial states counts, as in TLC, even if all of them were pruned."""
        return len(self.levels) or int(self.generated > 0)

    @property
    def within(self) -> str | None:
        """The constraints that pruned states, and the view, in words; None if no state was left out."""
        return bounds_of(self.model, self.outside)

    @property
    def counts(self) -> str:
        """The numbers of states, the time and the engine, in one line."""
        outside = f" ({self.outside:,} outside {constraints_of(self.model)})" if self.outside else ""
        sets = f", symmetry over {', '.join(self.symmetry)}" if self.symmetry else ""
        return (
            f"{counted(self.distinct, 'distinct state')}, {self.generated:,} generated{outside}, depth {self.depth}, "
            f"{self.seconds:.2f} s ({self.engine} engine{sets})"
        )

    @property
    def never_taken(self) -> list[str]:
        """Actions that were never enabled."""
        return [a.name for a in self.actions if a.enabled == 0]

    def graph(self, *variables: str) -> "graphviz.Digraph":
        """The graph of states and steps: all of them if they are few, otherwise the trace and the steps not taken.

        Args:
            *variables: The variables or cells, by name, that the nodes show; by default the one that distinguishes most
                states.

        Raises:
            InputError: If there are too many states and no trace, or Graphviz is not installed.
        """
        return display().graph_of(self, variables)

    def styled(self) -> list[Line]:
        """The counts and their limits, and the verdicts."""
        lines: list[Line] = [model_line(self.model), self.counts]
        if not self.complete:
            lines.append(Styled("INCOMPLETE", "warning", f": {self.stopped}; undecided properties are unknown"))
        elif self.interrupted:
            rest = " after all states were visited; anything beyond that is missing"
            lines.append(Styled("INTERRUPTED", "warning", rest))
        lines += [*stale_lines(self.translation), *(f"note: {note}" for note in self.notes)]
        lines += ["", *(verdict.line for verdict in self.verdicts)] if self.verdicts else []
        if self.complete and self.never_taken:
            within = "" if self.within is None else f" within {self.within}"
            lines += ["", f"Never enabled{within}: {', '.join(self.never_taken)}"]
        if self.collision_probability > 1e-6:
            chance = f"{self.collision_probability:.1e}"
            lines += ["", f"The chance that two states shared a fingerprint is at most {chance}."]
        return lines

    def __repr__(self) -> str:
        """The counts and the verdicts, without values that differ from run to run."""
        bounded = "" if self.within is None else f", within {self.within}"
        states = counted(self.distinct, "distinct state")
        lines = [f"{self.model!r}: {states}, depth {self.depth}, {self.engine} engine{bounded}"]
        lines += [] if self.complete else [f"  INCOMPLETE: {self.stopped}"]
        lines += [f"  {line}" for line in (*stale_lines(self.translation), *self.verdicts)]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        return {
            "model": self.model.name,
            "constants": self.model.spelled(),
            "engine": self.engine,
            "symmetry": list(self.symmetry),
            "complete": self.complete,
            "distinct": self.distinct,
            "generated": self.generated,
            "outside": self.outside,
            "depth": self.depth,
            "seconds": round(self.seconds, 4),
            "properties": [v.as_dict() for v in self.verdicts],
            "stopped": self.stopped,
            "notes": self.notes,
            "translation": self.translation,
            "figures": self.figures,
            "fingerprint_key": self.fingerprint_key,
            "error": None if self.error is None else str(self.error),
        }


def model_line(model: AnyModel) -> str:
    """A model's name, the file of its defaults, and the constants that differ from these, as ``--set`` takes them.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> model_line(Bakery(Writers=2)), model_line(Bakery())
        ('bakery_published  Writers=(w1, w2)', 'bakery_published  with its default constants')
    """
    model = machine_of(model)
    differing = differing_constants(model)
    return f"{model.name}  {' '.join(filter(None, [defaults_of(model, differing), *differing]))}"


def defaults_of(model: Machine, differing: list[str]) -> str:
    """The words on a model's defaults, before the constants that are `differing`; "" if these say it all."""
    if model.declared.configuration:
        return f"with {model.declared.configuration}{',' if differing else ''}"
    return "" if differing else DEFAULTS


def differing_constants(model: AnyModel) -> list[str]:
    """The constants that differ from their defaults, such as ``Writers=(w1, w2)``."""
    model = machine_of(model)
    return [spell({name: model.constants[name]}, model.declared.constants) for name in model.differing()]


def in_short(within: str | None) -> str:
    """The words of :data:`WITHIN` that limit a verdict, after a space; "" if it is not limited."""
    if within is None:
        return ""
    return " " + next(words for words in WITHIN if f"within {within}".startswith(words))


def bounds_of(model: Machine, outside: int) -> str | None:
    """The bounds of a search that saw the whole space of `model` but for these, in words; None if it saw all.

    Args:
        outside: How many states the constraints pruned.
    """
    bounds = [*([constraints_of(model)] if outside else ()), *([model.merging] if model.merging else ())]
    return " and ".join(bounds) or None


def constraints_of(model: Machine) -> str:
    """The constraints of `model` in words, such as "the constraint Short"."""
    return f"the constraint{'s' * (len(model.constraints) > 1)} {' and '.join(model.constraints)}"
