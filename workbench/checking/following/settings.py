"""Find settings under which a recording is accepted, by trying every other value of one constant at a time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from workbench.checking.following.report import Report
from workbench.checking.following.validate import validate
from workbench.checking.questions.whatif import other_values
from workbench.formats.recording import Recording
from workbench.kernel import InputError, Machine, machine_of
from workbench.kernel.meaning.budget import Budget, Watch
from workbench.kernel.meaning.constants import spell
from workbench.kernel.meaning.machine import AnyModel


@dataclass(frozen=True)
class Setting:
    """The result with one changed constant.

    Attributes:
        changes: The new value by the constant's name.
        report: None if the constants are not accepted together, or have no cells for the recording.
        error: The reason why there is no report.
    """

    changes: dict[str, Any]
    report: Report | None
    error: str | None = None


@dataclass(frozen=True, repr=False)
class SettingsTried:
    """The result of :func:`accepted_under`.

    Attributes:
        model: The model before any change.
        tried: In the order of the model's constants.
        complete: Whether all were tried.
    """

    model: Machine
    tried: list[Setting]
    complete: bool = True

    @property
    def accepted(self) -> list[dict[str, Any]]:
        """The changes with which the recording is a behaviour of the model."""
        return [attempt.changes for attempt in self.tried if attempt.report is not None and attempt.report.holds]

    def _spelled(self, changes: dict[str, Any]) -> str:
        current = {name: self.model.constants[name] for name in changes}
        declared = self.model.declared.constants
        return f"{spell(changes, declared)} (it is {spell(current, declared).partition('=')[2]})"

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        lines = [f"accepted with {self._spelled(changes)}" for changes in self.accepted]
        undecided = [attempt for attempt in self.tried if attempt.report is not None and attempt.report.holds is None]
        if undecided:
            lines.append(
                f"not decided with {', or with '.join(self._spelled(attempt.changes) for attempt in undecided)}"
            )
        if not self.accepted:
            lines.append(f"accepted with none of {len(self.tried)} other settings that differ in one constant")
        return "\n".join([*lines, *([] if self.complete else ["not all settings were tried"])])


def accepted_under(
    model: AnyModel,
    record: Callable[[Machine], Recording],
    stutter: bool = False,
    *,
    changes: Iterable[tuple[str, Any]] | None = None,
    also: Iterable[tuple[str, Any]] = (),
    budget: Budget = Budget(),
    watch: Watch = Watch(),
) -> SettingsTried:
    """Validate a recording with each single change of a constant.

    Args:
        record: Makes the recording for a model: the cells may depend on the constants.
        stutter: As for :func:`workbench.checking.following.validate.validate`.
        changes: Constants and new values; by default every other value of a switch or a choice, and a number's next
            smaller and next larger values.
        also: Further changes.
        budget: The budget of each validation.
        watch: As for each validation; once it stops this, the results so far are returned.

    Examples:
        >>> from workbench.formats.recording import Observation
        >>> from workbench.protocols.bakery.v2 import BakeryV2
        >>> def conflict(model):
        ...     cells = model.layout.positions["decision"]
        ...     return Recording([Observation({cells["w2"]: word}) for word in (None, "lk_409")])
        >>> print(accepted_under(BakeryV2(Writers=2, RestampPatch=False), conflict, stutter=True))
        accepted with AsyncParquet=on (it is off)
    """
    model = machine_of(model)
    tried: list[Setting] = []
    todo = list(other_values(model, integers=True) if changes is None else changes)
    todo += [change for change in also if change not in todo and model.constants[change[0]] != change[1]]
    for name, value in todo:
        try:
            changed = model.changed(**{name: value})
            report = validate(changed, record(changed), stutter, budget=budget, watch=watch, explain=False)
            tried.append(Setting({name: value}, report))
        except InputError as error:
            tried.append(Setting({name: value}, None, str(error)))
        if watch.stops:
            break
    return SettingsTried(model, tried, len(tried) == len(todo))
