"""The result of a check, the same from every engine."""

from dataclasses import dataclass, field
from typing import Any

from workbench.kernel.budget import INTERRUPTED
from workbench.kernel.errors import unknown
from workbench.kernel.model import Model
from workbench.kernel.trace import Trace
from workbench.kernel.values import counted

#: The last words of a verdict that says nothing about states beyond the model's constraints.
WITHIN = "within the constraint"
#: Why a property whose parameters have no values says nothing.
NOBODY = "it says nothing: its parameters have no values with these constants"


@dataclass(frozen=True)
class Verdict:
    """The verdict on one property.

    Attributes:
        name, kind: `kind` is ``invariant``, ``reachable``, ``liveness``, ``step``, ``refinement`` or ``deadlock``.
        holds: None if unknown; `why` gives the reason.
        trace: A shortest counterexample, which ends with the state or step that is wrong; for a reachable property a
            shortest witness.
        why: What is wrong, or why the verdict is unknown; for a property that holds, why it says nothing, if it does.
        within: The constraints within which alone the verdict is valid, in words; None if it is valid without them.
    """

    name: str
    kind: str
    holds: bool | None
    trace: Trace | None = None
    why: str | None = None
    within: str | None = None

    @property
    def trace_states(self) -> int | None:
        return None if self.trace is None else len(self.trace)

    @property
    def word(self) -> str:
        """``holds``, ``violated`` or ``unknown``; ``reached`` or ``not reached`` for a reachable property.

        ``holds within the constraint`` and ``not reached within the constraint``: nothing is known beyond it.
        """
        if self.holds is None:
            return "unknown"
        if self.kind == "reachable":
            word = "reached" if self.holds else "not reached"
        else:
            word = "holds" if self.holds else "violated"
        return word if self.within is None else f"{word} {WITHIN}"

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "holds": self.holds,
            "trace_states": self.trace_states,
            "why": self.why,
            "within": self.within,
        }


@dataclass(frozen=True)
class ActionCount:
    """How often an action was enabled (per state and instance), and how many successors it had, and new ones.

    Attributes:
        assigns: Whether it ever assigned a variable.
    """

    name: str
    enabled: int
    generated: int
    new: int
    assigns: bool = True


class Judged:
    """Anything with a verdict on each requested property."""

    verdicts: list[Verdict]

    @property
    def violated(self) -> list[Verdict]:
        return [v for v in self.verdicts if v.holds is False]

    @property
    def undecided(self) -> list[Verdict]:
        return [v for v in self.verdicts if v.holds is None]

    @property
    def holds(self) -> bool | None:
        """Whether every requested property holds; None if one is unknown, or none was requested.

        If a constraint pruned the search, that is within the constraint: a verdict's ``within`` says so.
        """
        if self.violated:
            return False
        return True if self.verdicts and not self.undecided else None

    @property
    def verdict_lines(self) -> list[str]:
        """A line for each verdict, with the reason but without the trace."""
        lines = []
        for verdict in self.verdicts:
            states = "" if verdict.trace is None else f" ({counted(len(verdict.trace), 'state')})"
            lines.append(f"  {verdict.word}{states}  {verdict.name}" + (f": {verdict.why}" if verdict.why else ""))
        return lines

    def __getitem__(self, name: str) -> Verdict:
        for verdict in self.verdicts:
            if verdict.name == name:
                return verdict
        raise unknown("checked property", name, [v.name for v in self.verdicts])


@dataclass(frozen=True, repr=False)
class Result(Judged):
    """The result of one check.

    Attributes:
        symmetry: The sets whose names were interchangeable; empty for none.
        complete: Whether the whole space was visited.
        stopped: Why it was not.
        generated: Every successor computed from every distinct state, duplicates included, plus the initial states.
        outside: The number of those that the model's constraints pruned: judged, but neither distinct nor explored.
        levels: New states per breadth-first level, the initial states first.
        peak_bytes: The largest resident size of the process while it ran; 0 if not measured.
        collision_probability: An upper bound of the chance that two states shared a fingerprint and one was missed.
        notes: Remarks on how the check was done.
        figures: Measurements that only some engines have.
        profile: The number of calls of the model's Python, by purpose, with ``remarks`` and ``as_dict``; None if
            unknown.
        interrupted: Whether Ctrl-C stopped the search, or the making of traces after it.
    """

    model: Model
    engine: str
    symmetry: tuple[str, ...]
    complete: bool
    stopped: str | None
    generated: int
    levels: list[int]
    actions: list[ActionCount]
    verdicts: list[Verdict]
    seconds: float
    peak_bytes: int
    collision_probability: float = 0.0
    outside: int = 0
    notes: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    profile: Any = None
    interrupted: bool = False

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
        """The constraints that pruned states, in words; None if none did."""
        return constraints_of(self.model) if self.outside else None

    @property
    def counts(self) -> str:
        """The numbers of states, the time and the engine, in one line."""
        outside = "" if self.within is None else f" ({self.outside:,} outside {self.within})"
        sets = f", symmetry over {', '.join(self.symmetry)}" if self.symmetry else ""
        return (
            f"{counted(self.distinct, 'distinct state')}, {self.generated:,} generated{outside}, depth {self.depth}, "
            f"{self.seconds:.2f} s ({self.engine} engine{sets})"
        )

    @property
    def never_taken(self) -> list[str]:
        """Actions that were never enabled."""
        return [a.name for a in self.actions if a.enabled == 0]

    def __repr__(self) -> str:
        """The counts and the verdicts, without traces."""
        bounded = "" if self.within is None else f", within {self.within}"
        lines = [
            f"{self.model!r}: {counted(self.distinct, 'distinct state')}, depth {self.depth}, {self.engine} engine"
            + bounded
        ]
        lines += [] if self.complete else [f"  INCOMPLETE: {self.stopped}"]
        return "\n".join([*lines, *self.verdict_lines])

    def as_dict(self) -> dict[str, Any]:
        """The object that ``workbench check --json`` prints; scripts rely on its keys."""
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
            "figures": self.figures,
        }


def constraints_of(model: Model) -> str:
    """The constraints of `model` in words, such as "the constraint Short"."""
    return f"the constraint{'s' * (len(model.constraints) > 1)} {' and '.join(model.constraints)}"
