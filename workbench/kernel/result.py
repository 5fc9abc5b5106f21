"""What a check found: the same shape from every engine."""

from dataclasses import dataclass, field
from typing import Any

from workbench.kernel.budget import INTERRUPTED
from workbench.kernel.errors import unknown
from workbench.kernel.model import Model
from workbench.kernel.trace import Trace
from workbench.kernel.values import counted

#: What the word of a verdict ends with that says nothing of what lies beyond the model's constraints.
WITHIN = "within the constraint"
#: Why a property says nothing whose parameters have no values.
NOBODY = "it says nothing: its parameters have no values with these constants"


@dataclass(frozen=True)
class Verdict:
    """The verdict on one property.

    Attributes:
        name, kind: `kind` is ``invariant``, ``reachable``, ``liveness``, ``step``, ``refinement`` or ``deadlock``.
        holds: None: not known; `why` says for what reason.
        trace: A shortest counterexample, which ends with what is wrong: a state or a step; for a reachable property a
            shortest witness.
        why: What is wrong, or why the verdict is not known, in words; of what holds, why it says nothing, if that is
            so.
        within: The constraints that the verdict is bounded by, in words; None for one that is true of the model without
            them.
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

        ``holds within the constraint`` and ``not reached within the constraint`` say that nothing is known beyond.
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
    """How often an action was enabled (state and instance), what it led to, and how much of that was new.

    Attributes:
        assigns: Whether it ever assigned to a variable.
    """

    name: str
    enabled: int
    generated: int
    new: int
    assigns: bool = True


class Judged:
    """What has a verdict on each property that was asked for."""

    verdicts: list[Verdict]

    @property
    def violated(self) -> list[Verdict]:
        return [v for v in self.verdicts if v.holds is False]

    @property
    def undecided(self) -> list[Verdict]:
        return [v for v in self.verdicts if v.holds is None]

    @property
    def holds(self) -> bool | None:
        """Whether everything does that was asked for; None if something is not known, or nothing was asked for.

        What is asked of a search that a constraint has cut is asked within it: a verdict's ``within`` says so.
        """
        if self.violated:
            return False
        return True if self.verdicts and not self.undecided else None

    @property
    def verdict_lines(self) -> list[str]:
        """Each verdict in a line, with the reason; its trace is asked for by name."""
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
        symmetry: The sets whose names were taken as interchangeable; empty for none.
        complete: Whether the whole space was visited.
        stopped: Why it was not.
        generated: Every successor computed from every distinct state, duplicates included, plus the initial states.
        outside: How many of them are outside the model's constraints: judged, but neither distinct nor explored.
        levels: New states per breadth-first level, the initial states first.
        peak_bytes: The largest resident size of the process while it ran; 0 where nobody looked.
        collision_probability: An upper bound of the chance that two states shared a fingerprint, so that one was
            missed.
        notes: What a person should know about how the check was done.
        figures: Measurements that only some engines have.
        profile: How often the model's Python was called for what, with ``remarks`` and ``as_dict``; None where that is
            not known.
        interrupted: Whether somebody stopped it (Ctrl-C): the search, or what comes after it, such as traces.
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
        """Why something is missing: why the search stopped, or that somebody stopped what comes after it."""
        return self.stopped or (INTERRUPTED if self.interrupted else None)

    @property
    def distinct(self) -> int:
        return sum(self.levels)

    @property
    def depth(self) -> int:
        """How many levels there are; that of the initial states counts, as in TLC, even if all of them are outside."""
        return len(self.levels) or int(self.generated > 0)

    @property
    def within(self) -> str | None:
        """The constraints that kept states out of the search, in words; None if none did."""
        return constraints_of(self.model) if self.outside else None

    @property
    def counts(self) -> str:
        """How many states there are, of how many generated, and what that took, in one line."""
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
        """The counts and the verdicts; traces are asked for by name."""
        bounded = "" if self.within is None else f", within {self.within}"
        lines = [
            f"{self.model!r}: {counted(self.distinct, 'distinct state')}, depth {self.depth}, {self.engine} engine"
            + bounded
        ]
        lines += [] if self.complete else [f"  INCOMPLETE: {self.stopped}"]
        return "\n".join([*lines, *self.verdict_lines])

    def as_dict(self) -> dict[str, Any]:
        """The object that ``workbench check --json`` prints. Scripts rely on its keys."""
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
