"""A configuration's constants: declared as a model's, and as the values that a module computes with."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from workbench.kernel.meaning.constants import Constant
from workbench.kernel.meaning.domains import Domain, Names, OneOf
from workbench.kernel.meaning.errors import InputError
from workbench.kernel.meaning.values import Name
from workbench.pluscal.comments import STRING
from workbench.tlaplus.library.arithmetic import interval, negative
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.cfg_parser import Cfg, CfgEntry, Row, fail_at
from workbench.tlaplus.syntax.literals import LARGEST
from workbench.tlaplus.syntax.parser import parse_module
from workbench.tlaplus.values.equality import set_of
from workbench.tlaplus.values.lazy import listed
from workbench.tlaplus.values.operators import merge, pair
from workbench.tlaplus.values.values import CONCRETE, EvaluationError, function_of, shown, text

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
#: A set of names may be given by a size up to this one, or up to the size that the configuration gives it.
_MOST_NAMES = 16


class Expressed(Domain):
    """Any value, written in TLA+. The panel offers only the configuration's value.

    Args:
        usual: The configuration's value.
    """

    kind = "choice"

    def __init__(self, usual: Any) -> None:
        self.usual = usual

    def __iter__(self) -> Iterator[Any]:
        return iter((self.usual,))

    def describe(self) -> str:
        return 'a value as TLA+ writes it, such as 3, TRUE, "a", {w1, w2} or <<1, 2>>'

    def read(self, given: Any) -> Any:
        return read_value(given) if type(given) is str else given

    def accepts(self, value: Any) -> bool:
        return type(value) in CONCRETE

    def word(self, value: Any) -> str:
        return shown(value)

    def spelled(self, value: Any) -> Any:
        return shown(value)

    def unordered(self, value: Any) -> Any:
        """Empty: only the configuration's SYMMETRY decides which names are interchangeable."""
        return None


#: A string, a comment up to the end of its line, or a separator of a value's parts, behind which a line ends: the
#: parser counts a line's columns anew for each of its words.
_PART = re.compile(rf"{STRING}|\\\*.*|,|@@")


def read_value(written: str) -> Any:
    """The value that a text stands for; names in it are model values.

    Raises:
        ValueError: If the text is not a value.

    Examples:
        >>> read_value('<<1, "a", None>>')
        (1, '"a"', 'None')
    """
    lines = _PART.sub(_ending_line, written)
    try:
        units = parse_module(f"---- MODULE Value ----\nValue ==\n{lines}\n====", "Value").units
        (definition,) = units
        assert isinstance(definition, tree.OperatorDefinition)
        return _value(definition.body)
    except (AssertionError, EvaluationError, InputError) as error:
        raise ValueError(str(error)) from None


def _ending_line(part: re.Match[str]) -> str:
    return part[0] + "\n" if part[0] in (",", "@@") else part[0]


def _value(node: tree.Expression) -> Any:
    """The value of an expression whose only names are model values."""
    if isinstance(node, (tree.Number, tree.Boolean)):
        return node.value
    if isinstance(node, tree.String):
        return text(node.value)
    if isinstance(node, tree.Identifier):
        return Name(node.name)
    if isinstance(node, tree.SetOf):
        return set_of(map(_value, node.items))
    if isinstance(node, tree.TupleOf):
        return tuple(map(_value, node.items))
    if isinstance(node, tree.RecordOf):
        return function_of({text(field.name): _value(field.value) for field in node.fields})
    if isinstance(node, tree.Operation) and node.symbol in _OPERATIONS:
        return listed(_OPERATIONS[node.symbol](*map(_value, node.operands)))
    raise ValueError("it is not a value")


_OPERATIONS: dict[str, Callable[..., Any]] = {"-.": negative, "..": interval, ":>": pair, "@@": merge}


def value_in(entry: Any) -> Any:
    """The value for a configuration's entry, in which sets are tuples and strings are texts."""
    if isinstance(entry, tuple):
        return set_of(map(value_in, entry))
    return text(entry) if type(entry) is str else entry


def value_of(name: str, entry: CfgEntry) -> Any:
    """The value that a configuration gives a constant.

    Raises:
        InputError: With the line, for a set whose members cannot be compared.
    """
    try:
        return value_in(entry.value)
    except EvaluationError as error:
        fail_at(entry.line, f"{name}: {error}")


def table_of(name: str, rows: Sequence[Row]) -> Any:
    """The function that a configuration's values of an operator are, over its arguments or tuples of them.

    Raises:
        InputError: With a line, for values or arguments that cannot be compared.
    """
    results = [value_of(name, CfgEntry(row.value, row.line)) for row in rows]
    try:
        arguments = [tuple(map(value_in, row.arguments)) for row in rows]
        over = [passed if len(passed) > 1 else passed[0] for passed in arguments]
        set_of(over)
    except EvaluationError as error:
        fail_at(rows[0].line, f"{name}: {error}")
    return function_of(dict(zip(over, results, strict=True)))


def constants_in(cfg: Cfg) -> dict[str, Constant]:
    """The declarations of the constants to which a configuration gives values, in its order.

    Raises:
        InputError: As for :func:`value_of`.
    """
    values = {name: Name(name) for name in cfg.model_values} | {
        name: value_of(name, entry) for name, entry in cfg.constants.items()
    }
    return {
        name: _constant(name, value, cfg.constants[name].value if name in cfg.constants else None)
        for name, value in values.items()
    }


def _constant(name: str, value: Any, written: Any) -> Constant:
    doc = f"{shown(value)} in the configuration"
    if isinstance(value, bool):
        return Constant(value, bool, doc)
    if type(value) is int and 0 <= value <= LARGEST:
        return Constant(value, range(LARGEST + 1), doc)
    if isinstance(written, tuple) and written and all(type(word) is Name and _WORD.fullmatch(word) for word in written):
        sizes = range(1, max(len(written), _MOST_NAMES) + 1)
        return Constant(written, Names(_prefix(name, written), sizes), doc)
    return Constant(value, Expressed(value), doc)


def chosen_from(definitions: Sequence[str]) -> Constant:
    """The declaration of a constant that definitions may stand for, of which the configuration names the first."""
    return Constant(definitions[0], definitions, f"{definitions[0]} in the configuration")


def _prefix(name: str, names: tuple[str, ...]) -> str:
    """The common prefix of names that are numbered alike; a set given by its size has such names."""
    beginnings = {word.rstrip("0123456789") for word in names}
    if len(beginnings) == 1 and all(word[-1].isdigit() for word in names):
        return beginnings.pop()
    return name[0].lower() if _WORD.fullmatch(name) else "m"


def as_values(constants: Mapping[str, Any], declared: Mapping[str, Constant]) -> dict[str, Any]:
    """A machine's constants as a module computes with them: a set of names is a set; a chosen definition has none."""
    return {
        name: frozenset(value) if isinstance(declared[name].domain, Names) else value
        for name, value in constants.items()
        if not isinstance(declared[name].domain, OneOf)
    }
