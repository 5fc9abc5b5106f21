"""Questions on other constants: the single changes that flip a verdict, the smallest sets that repair a violation."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from workbench.checking.check import check
from workbench.kernel import InputError, Machine, ModelError, Result, Verdict, machine_of
from workbench.kernel.meaning.arguments import names_in
from workbench.kernel.meaning.budget import Progress, Watch
from workbench.kernel.meaning.constants import spell
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.translation import in_stale, known_in, stale_lines
from workbench.kernel.meaning.values import is_same
from workbench.registry import model_of


@dataclass(frozen=True)
class Attempt:
    """The result of changing some constants.

    Attributes:
        before: The result without the changes.
        changes: The new values by constant.
        result: None if the constants are not accepted together, or if the model breaks a rule with them.
        error: The error in these cases.
    """

    before: Result
    changes: dict[str, Any]
    result: Result | None
    error: InputError | ModelError | None = None

    @property
    def flipped(self) -> list[tuple[Verdict | None, Verdict]]:
        """Pairs of differing verdicts, before and after; unknown ones do not count, nor properties switched off.

        A property that applies only with the changes has None as its verdict before; it counts if it does not hold.
        """
        before = {verdict.name: verdict for verdict in self.before.verdicts}
        after = [] if self.result is None else self.result.verdicts
        pairs = [(before.get(verdict.name), verdict) for verdict in after]
        return [(one, two) for one, two in pairs if {one is None or one.holds, two.holds} == {True, False}]

    @property
    def mends(self) -> list[str]:
        """The properties that hold only after the change."""
        return [after.name for _, after in self.flipped if after.holds]

    @property
    def breaks(self) -> list[str]:
        """The properties that fail, or are not reached, only after the change."""
        return [after.name for _, after in self.flipped if not after.holds]

    @property
    def never(self) -> list[str]:
        """The actions that happened before the changes and no longer do; empty without a complete result.

        A property may hold only because its violation needs one of these actions. Then the changes avoid the violation
        instead of repairing the model.
        """
        if self.result is None or not self.result.complete:
            return []
        happening = {action.name for action in self.result.actions if action.generated}
        return [action.name for action in self.before.actions if action.generated and action.name not in happening]

    @property
    def price(self) -> tuple[int, int]:
        """A sort key: how many properties break, then how many actions no longer happen."""
        return len(self.breaks), len(self.never)

    @property
    def in_line(self) -> str:
        """The changes in one line, choices by their words."""
        return spell(self.changes, self.before.model.declared.constants)

    @property
    def hint(self) -> tuple[str, str]:
        """The effect of a single change in a few words, and whether the change is good, bad or idle."""
        name, value = next(iter(self.changes.items()))
        turned = f"{self.before.model.declared.constants[name].domain.word(value)} \N{RIGHTWARDS ARROW} "
        if self.result is None:
            return f"{turned}{'an error of the model' if self._is_faulty else 'not accepted here'}", "idle"
        if self.result.holds:
            return (f"{turned}everything holds", "good") if self.mends else (f"{turned}changes nothing", "idle")
        if self.breaks:
            return f"{turned}breaks {_few(self.breaks)}", "bad"
        if self.mends:
            return f"{turned}repairs {_few(self.mends)}", "good"
        return f"{turned}{'changes nothing' if self.decides else 'too large to say'}", "idle"

    @property
    def _is_faulty(self) -> bool:
        return isinstance(self.error, ModelError)

    @property
    def decides(self) -> bool:
        """Whether every checked property is decided. Constants that are not accepted count as decided."""
        if self.result is None:
            return not self._is_faulty
        return all(verdict.holds is not None for verdict in self.result.verdicts)

    def __repr__(self) -> str:
        if self.result is None:
            return f"{self.in_line}: {self.error}"
        unknown = [f"{v.name} unknown" for v in self.result.verdicts if v.holds is None]
        clauses = [
            f"{after.name} {after.word}, {'which comes with it' if before is None else f'before {before.word}'}"
            for before, after in self.flipped
        ]
        clauses += unknown
        if self.mends and self.never:
            clauses.append(f"but then {never_happen(self.never)}")
        return f"{self.in_line}: {'; '.join(clauses) or 'no verdict changes'}{in_stale(self.before.translation)}"


def _few(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} promises"


def never_happen(actions: Sequence[str]) -> str:
    """:attr:`Attempt.never` in words; the names may carry markup.

    Examples:
        >>> never_happen(["crash"]), never_happen(["crash", "restart"])
        ('crash never happens', 'crash, restart never happen')
    """
    return f"{', '.join(actions)} never happen{'s' if len(actions) == 1 else ''}"


@dataclass(frozen=True, repr=False)
class Repairs:
    """The smallest sets of changes after which a property holds.

    Attributes:
        name: The property.
        found: All of the same size, each with verdicts on all that was checked before; the cheapest first.
        tried: The number of sets checked.
        complete: Whether every smaller set and every set of this size was decided.
        translation: What was checked of a module with PlusCal, as for a result of a check; None for all others.
    """

    name: str
    found: list[Attempt]
    tried: int
    complete: bool
    translation: str | None = None
    trace: ClassVar[None] = None  # no single behaviour shows that a property holds

    @property
    def holds(self) -> bool | None:
        """Whether there is a repair; None if none was found, and not every set was decided.

        None as well if it is one of a stale translation.
        """
        return known_in(self.translation, True) if self.found else False if self.complete else None

    @property
    def why(self) -> str:
        if not self.found:
            return f"no repair of {self.name} was found{in_stale(self.translation)}"
        sets = ", or with ".join(attempt.in_line for attempt in self.found)
        return f"{self.name} holds with {sets}{in_stale(self.translation)}"

    def __repr__(self) -> str:
        return self.text()

    def text(self) -> str:
        lines = [repr(attempt) for attempt in self.found] or [self.why]
        lines = [*map(str, stale_lines(self.translation)), *lines]
        return "\n".join([*lines, f"{self.tried} sets tried{'' if self.complete else ', not all decided'}"])

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "holds": self.holds,
            "why": self.why,
            "found": [
                {"changes": repair.changes, "breaks": repair.breaks, "never": repair.never} for repair in self.found
            ],
            "tried": self.tried,
            "complete": self.complete,
            "translation": self.translation,
        }


def other_values(model: AnyModel, integers: bool = False) -> list[tuple[str, Any]]:
    """All other values of switches and choices; with `integers`, also each number's neighbours and default.

    Examples:
        >>> from workbench.protocols.bakery.v2 import BakeryV2
        >>> other_values(BakeryV2())[:3], ("MaxCrashes", 1) in other_values(BakeryV2(), integers=True)
        ([('SameNodeLock', False), ('AsyncParquet', True), ('RestampPatch', False)], True)
    """
    model = machine_of(model)
    changes: list[tuple[str, Any]] = []
    for name, constant in model.declared.constants.items():
        value = model.constants[name]
        if constant.domain.kind == "switch":
            changes.append((name, not value))
        elif constant.domain.kind == "choice":
            changes += [(name, other) for other in constant.domain if not is_same(other, value)]
        elif constant.domain.kind == "integer" and integers:
            numbers = constant.domain.numbers
            near = dict.fromkeys((value - numbers.step, value + numbers.step, constant.default))
            changes += [(name, other) for other in near if other in numbers and other != value]
    return changes


def flips(
    model: AnyModel,
    properties: Sequence[str] | None = None,
    *,
    integers: bool = False,
    constants: Sequence[str] | None = None,
    before: Result | None = None,
    until_violated: Sequence[str] = (),
    on_attempt: Callable[[Attempt], None] | None = None,
    watch: Watch = Watch(),
    **options: Any,
) -> list[Attempt]:
    """Check the model once for each single change of a constant; changes back to a default come first.

    Args:
        properties: By default those that `model` checks by default, or those of `before`. If these are
            all, those that a change brings along are checked, too.
        integers: Also try numbers one step down, one up, and at their defaults.
        constants: Only these; None for all.
        before: The result for `model` itself, if already known.
        until_violated: End a check once these properties are all violated, for a caller who asks for their repairs
            alone; by default none ends early.
        on_attempt: Called with each attempt when it is decided.
        watch: Its ``on_progress`` is called with the number of changes checked, and of all; once it stops this, the
            attempts so far are returned.
        **options: For each check, such as ``budget`` and ``symmetry``; see :func:`workbench.checking.check.check`.

    Examples:
        >>> from workbench.protocols.bakery.v2 import BakeryV2
        >>> stale = BakeryV2(Writers=2, RestampPatch=False)
        >>> [attempt for attempt in flips(stale, ["NoLakekeeperConflict"]) if attempt.flipped]
        [AsyncParquet=on: NoLakekeeperConflict violated, before holds]
    """
    options["watch"] = Watch(should_stop=watch.should_stop)
    model = model_of(model)
    before = before or check(model, properties, **options)
    names = None if properties is None else names_in("properties", properties)
    ends = {declared.name for declared in model.select(names_in("until_violated", until_violated))}
    todo = [change for change in other_values(model, integers) if constants is None or change[0] in constants]
    todo.sort(key=lambda change: change[1] != model.declared.constants[change[0]].default)
    attempts = []
    for done, (name, value) in enumerate(todo):
        watch.tell(done, len(todo))
        if ends:
            options["watch"] = _until_violated(ends, watch)
        attempt = _attempt(before, model, {name: value}, names, options)
        if watch.stops:
            break
        attempts.append(attempt)
        if on_attempt is not None:
            on_attempt(attempt)
    return attempts


def _until_violated(names: set[str], watch: Watch) -> Watch:
    """Stops a check once all of `names` are violated, besides where `watch` stops it."""
    violated: set[str] = set()

    def note(progress: Progress) -> None:
        violated.update(decision.name for decision in progress.decided if not decision.declared.wanted)

    return Watch(note, lambda: watch.stops or names <= violated)


def repairs(
    model: AnyModel,
    property: str,
    properties: Sequence[str] | None = None,
    *,
    most: int = 3,
    integers: bool = False,
    before: Result | None = None,
    watch: Watch = Watch(),
    **options: Any,
) -> Repairs:
    """The smallest sets of switches and choices that, changed together, make `property` hold.

    Args:
        property: A property that is violated, or not reached.
        properties: What else to check of a repair, to see what it breaks; by default as for :func:`flips`.
        most: The size of the largest sets to try.
        integers, before, watch: As for :func:`flips`; progress counts the sets of one size.
        **options: As for :func:`flips`.

    Examples:
        >>> from workbench.protocols.bakery.v2 import BakeryV2
        >>> broken = BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False)
        >>> [attempt.changes for attempt in repairs(broken, "NoLakekeeperConflict").found]
        [{'AsyncParquet': False}, {'RestampPatch': True}]
    """
    options["watch"] = Watch(should_stop=watch.should_stop)
    model = model_of(model)
    before = before or check(model, properties, **options)
    names = None if properties is None else names_in("properties", properties)
    tried, complete = 0, True
    for size in range(1, most + 1):
        todo = list(_sets(other_values(model, integers), size))
        repaired: list[Attempt] = []
        for done, changes in enumerate(todo):
            watch.tell(done, len(todo))
            quick = _attempt(before, model, changes, [property], {**options, "fail_fast": True})
            if watch.stops:
                return Repairs(property, repaired, tried, False, before.translation)
            tried += 1
            complete &= quick.decides
            if quick.result is not None and quick.result.verdicts and quick.result[property].holds:
                repaired.append(_attempt(before, model, changes, names, options))
        if repaired:
            repaired.sort(key=lambda attempt: attempt.price)
            return Repairs(property, repaired, tried, complete, before.translation)
    return Repairs(property, [], tried, complete, before.translation)


def _sets(changes: Iterable[tuple[str, Any]], size: int) -> Iterable[dict[str, Any]]:
    """Every way to change `size` constants."""
    for chosen in itertools.combinations(changes, size):
        if len({name for name, _ in chosen}) == size:
            yield dict(chosen)


def _attempt(
    before: Result, model: Machine, changes: dict[str, Any], names: Sequence[str] | None, options: dict[str, Any]
) -> Attempt:
    try:
        changed = model.changed(**changes)
    except InputError as error:
        return Attempt(before, changes, None, error)
    before_it = [verdict.name for verdict in before.verdicts]
    names = changed.chosen_as(before_it, model) if names is None else changed.applicable(names)
    try:
        return Attempt(before, changes, check(changed, names, **options))
    except ModelError as error:
        return Attempt(before, changes, None, error)
