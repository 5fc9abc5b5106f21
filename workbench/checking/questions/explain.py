"""Explain verdicts: the smallest rule that separates the settings in which a property holds from the others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from workbench.checking.questions.formula import Formula, JoinedFormula, Literal, smallest
from workbench.checking.questions.records import BAD, GOOD, bounds_in
from workbench.kernel import InputError
from workbench.kernel.meaning.arguments import names_in
from workbench.kernel.meaning.errors import brief, unknown
from workbench.kernel.meaning.result import WITHIN
from workbench.kernel.meaning.translation import in_stale, known_in, stale_lines
from workbench.kernel.meaning.values import counted, show

if TYPE_CHECKING:
    import pandas as pd

    from workbench.checking.questions.settings import SettingsTable

#: The most settings of a kind that a text lists.
_MOST_LINES = 24
_WORDS = frozenset({*GOOD, *BAD, "unknown", "error"})


@dataclass(frozen=True)
class ConstantAxis:
    """A constant of the table: its values there, in order, and the words for them."""

    name: str
    values: tuple[Any, ...]
    words: tuple[str, ...]

    def position(self, value: Any) -> int:
        """The position of a value, given by itself or by its word.

        Raises:
            InputError: If the table does not have it.
        """
        for spellings in (self.values, self.words):
            if value in spellings:
                return spellings.index(value)
        raise InputError(f"{self.name} = {brief(value)} is not accepted; the rule knows {', '.join(self.words)}")

    @property
    def ordered(self) -> bool:
        """Whether the values are integers, so that a rule may compare them."""
        return all(type(value) is int for value in self.values)

    def condition(self, allowed: int) -> str:
        """The condition that the constant has one of the allowed positions, given as bits."""
        inside = [at for at in range(len(self.values)) if allowed >> at & 1]
        outside = [at for at in range(len(self.values)) if not allowed >> at & 1]
        if set(map(type, self.values)) == {bool}:
            return self.name if self.values[inside[0]] else f"not {self.name}"
        if len(inside) == 1:
            return f"{self.name} == {self.words[inside[0]]}"
        if self.ordered and outside == list(range(len(outside))):
            return f"{self.name} > {self.words[outside[-1]]}"
        if self.ordered and inside == list(range(len(inside))):
            return f"{self.name} < {self.words[outside[0]]}"
        if len(outside) == 1:
            return f"{self.name} != {self.words[outside[0]]}"
        return f"{self.name} in {{{', '.join(self.words[at] for at in inside)}}}"


@dataclass(frozen=True)
class SettingRule:
    """A formula over constants."""

    axes: tuple[ConstantAxis, ...]
    formula: Formula

    def holds(self, setting: Mapping[str, Any]) -> bool:
        """Whether the rule is true in a setting, which has the table's values, or their words, for its constants.

        Raises:
            InputError: If a constant is missing, or has another value.
        """
        case = []
        for axis in self.axes:
            if axis.name not in setting:
                raise unknown("constant of the setting", axis.name, setting)
            case.append(axis.position(setting[axis.name]))
        return self.formula.holds(tuple(case))

    def __str__(self) -> str:
        return self._in_words(self.formula)

    def _in_words(self, formula: Formula) -> str:
        if isinstance(formula, Literal):
            return self.axes[formula.constant].condition(formula.allowed)
        if not formula.parts:
            return "always" if formula.every else "never"
        parts = [f"({self._in_words(p)})" if isinstance(p, JoinedFormula) else self._in_words(p) for p in formula.parts]
        return (" and " if formula.every else " or ").join(parts)


@dataclass(frozen=True)
class Failing:
    """A setting in which the property does not hold.

    Attributes:
        row: Its place in the table.
        states: The length of the shortest counterexample.
    """

    row: int
    setting: dict[str, Any]
    states: int | None


@dataclass(frozen=True, repr=False)
class Explanation:
    """A single rule for the settings in which a property holds.

    Attributes:
        name: The property.
        rule: True in each setting in which the property holds, false in each in which it does not; None if no setting
            is decided.
        minimal: Whether no "or" of "and"s, and no "and" of "or"s, does the same with fewer conditions.
        decided: The number of decided settings.
        undecided: The settings on which the rule claims nothing, each with the reason.
        axes: The constants that the rule may use.
        bounded: In how many settings a constraint or a view bounded the search, so that the verdict holds within it
            only.
        within: These bounds in words.
        translation: What the settings were checked of, as for a result of a check; None if the table does not say.
    """

    name: str
    rule: SettingRule | None
    minimal: bool
    decided: int
    failing: list[Failing]
    undecided: list[tuple[dict[str, Any], str]]
    axes: tuple[ConstantAxis, ...]
    bounded: int = 0
    within: str = ""
    translation: str | None = None
    trace: ClassVar[None] = None  # a table has none; the cells of a grid (`constant_grid.py`) have them

    @property
    def holds(self) -> bool | None:
        """Whether the property holds in every setting; None if one is undecided, or if there are no settings.

        None as well if it does so in a stale translation.
        """
        if self.failing:
            return False
        return known_in(self.translation, True) if self.decided and not self.undecided else None

    @property
    def why(self) -> str:
        return f"{self.name}: {self.rule or 'nothing is known'}{in_stale(self.translation)}"

    def words(self, setting: Mapping[str, Any]) -> dict[str, str]:
        """A setting's values in words."""
        return {axis.name: axis.words[axis.position(setting[axis.name])] for axis in self.axes}

    def in_line(self, setting: Mapping[str, Any]) -> str:
        """A setting in one line."""
        return " ".join(f"{name}={word}" for name, word in self.words(setting).items())

    def exact(self) -> str:
        """The extent to which the rule is exact, in words."""
        smallest = "" if self.minimal else ", maybe not the smallest rule"
        within = f", in {self.bounded:,} of them {self.within} alone" if self.bounded else ""
        return f"exact on {counted(self.decided, 'setting')}{within}{smallest}"

    def __repr__(self) -> str:
        return self.text()

    def text(self) -> str:
        lines = [*map(str, stale_lines(self.translation)), self.why, f"  {self.exact()}"]
        for failing in self.failing[:_MOST_LINES]:
            states = "" if failing.states is None else f", {counted(failing.states, 'state')}"
            lines.append(f"  fails: {self.in_line(failing.setting)}{states}")
        lines += [
            f"  not decided ({reason}): {self.in_line(setting)}" for setting, reason in self.undecided[:_MOST_LINES]
        ]
        left = sum(max(0, len(settings) - _MOST_LINES) for settings in (self.failing, self.undecided))
        return "\n".join([*lines, *([f"  and {counted(left, 'more setting')}"] if left else [])])

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "holds": self.holds,
            "why": self.why,
            "rule": None if self.rule is None else str(self.rule),
            "minimal": self.minimal,
            "decided": self.decided,
            "bounded": self.bounded,
            "translation": self.translation,
            "failing": [{"setting": self.words(failing.setting), "states": failing.states} for failing in self.failing],
            "undecided": [{"setting": self.words(setting), "why": reason} for setting, reason in self.undecided],
        }


def explain(
    table: "pd.DataFrame | SettingsTable", property: str, constants: Sequence[str] | None = None
) -> Explanation:
    """The smallest rule over some constants for when `property` holds, exact on the settings of a table.

    Undecided settings (a budget ended the check, it failed, or the property does not apply) are listed; the rule does
    not guess at them. It says nothing about constants or values that the table lacks.

    Args:
        table: A row per setting, from :func:`workbench.sweep` or
            :func:`workbench.checking.questions.constant_grid.fill`.
        constants: The columns that the rule may use; by default those before the first verdicts.

    Raises:
        InputError: If a column is missing, or settings that agree on all of `constants` differ in the verdict.

    Examples:
        >>> import pandas as pd
        >>> control, salt = [0, 0, 1, 1, 2, 2], [False, True] * 3
        >>> words = ["violated", "violated", "violated", "holds", "violated", "holds"]
        >>> table = pd.DataFrame({"Control": control, "Salt": salt, "Safe": words})
        >>> table.attrs["words"] = {"Control": {0: "none", 1: "optimistic", 2: "pessimistic"}}
        >>> str(explain(table, "Safe").rule)
        'Control > none and Salt'
    """
    rows: list[dict[str, Any]] = table.to_dict("records")  # type: ignore[assignment]
    columns = [str(column) for column in table.columns]
    if constants is not None:
        constants = names_in("constants", constants)
    for name in (property, *(constants or ())):
        if name not in columns:
            raise unknown("column of the table", name, columns)
    if constants is None:
        judged = [name for name in columns if any(isinstance(r[name], str) and r[name] in _WORDS for r in rows)]
        constants = columns[: columns.index(judged[0])] if judged else []
    axes = tuple(
        _axis(name, (row[name] for row in rows), table.attrs.get("words", {}).get(name, {})) for name in constants
    )
    true: dict[tuple[int, ...], None] = {}
    false: dict[tuple[int, ...], None] = {}
    failing, undecided = [], []
    words = [row[property] for row in rows if isinstance(row[property], str)]
    for number, row in enumerate(rows):
        setting = {axis.name: row[axis.name] for axis in axes}
        case = tuple(axis.values.index(row[axis.name]) for axis in axes)
        word = row[property]
        if word in GOOD:
            true[case] = None
        elif word in BAD:
            false[case] = None
            failing.append(Failing(number, setting, _states(row.get(f"{property}_states"))))
        else:
            undecided.append((setting, word if isinstance(word, str) else "does not apply"))
    both = next((case for case in true if case in false), None)
    if both is not None:
        place = ", ".join(f"{axis.name} = {axis.words[at]}" for axis, at in zip(axes, both, strict=True))
        raise InputError(
            f"constants = {list(constants)} is not accepted: with {place or 'none of them'}, {property} holds in one "
            "setting and not in another; name all constants that differ"
        )
    if not true and not false:
        return Explanation(property, None, True, 0, failing, undecided, axes)
    rule = smallest(true, false, [len(axis.values) for axis in axes])
    decided = len(rows) - len(undecided)
    return Explanation(
        property,
        SettingRule(axes, rule.formula),
        rule.minimal,
        decided,
        failing,
        undecided,
        axes,
        sum(word.endswith(WITHIN) for word in words),
        bounds_in(words),
        table.attrs.get("translation"),
    )


def _axis(name: str, column: Iterable[Any], words: Mapping[Any, str]) -> ConstantAxis:
    values: list[Any] = []
    for value in column:
        if value not in values:
            values.append(value)
    if all(type(value) is int for value in values):
        values.sort()
    word: Callable[[Any], str] = (lambda value: words.get(value, show(value))) if words else show
    return ConstantAxis(name, tuple(values), tuple(map(word, values)))


def _states(cell: Any) -> int | None:
    """The number in a table cell; None if it is missing because there is no trace."""
    return cell if isinstance(cell, int) else None
