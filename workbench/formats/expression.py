"""Expressions on the state: watches, and conditions to search for.

An expression is in the model's own language, such as TLA+ for a module, and else Python with the rights of the process.
It runs only if a person typed it or explicitly passed it on; expressions read from elsewhere, such as a permalink, stay
text until then.
"""

import ast
import re
import sys
from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any, NamedTuple

from workbench.kernel import Machine, machine_of
from workbench.kernel.meaning.errors import InputError, ModelError, brief, text_of, unknown
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.members import Members
from workbench.kernel.meaning.state import Indexed, Reader, State, cells_of, seen
from workbench.kernel.meaning.values import Map, Name, is_member, is_object

#: The prefix of a state variable in Python; TLA+ text has it only if the module has a variable ``s``.
_OF_STATE = re.compile(r"(?<![\w.!\"'])s\.(?=\w)")
_IN_TLA = {"==": "=", "!=": "#", " and ": r" /\ ", " or ": r" \/ ", "not ": "~"}
_TAKES = "it takes a Python expression over s, self and the constants"


class Reading(NamedTuple):
    """An expression's value in one state.

    Attributes:
        text: The value as shown; starts with ``error:`` if the expression fails.
        true: Whether it is true as a condition.
    """

    text: str
    true: bool


class Expression:
    """An expression of a state, in the language of the model.

    In Python it is over the state ``s``, the model ``self``, its constants, and the names of its module; in TLA+, over
    the names of the module.

    Attributes:
        remark (str or None): A warning about its use as a condition: it is constant, or not a truth value; or that it
            is Python in place of the model's own language.
        is_own (bool): Whether it is in a language of the model's own, with truth values.
        left (str or None): The left side of a single comparison; None for anything else.

    Raises:
        InputError: If it is not an expression, or cannot be evaluated in the initial state.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> model = Bakery(Writers=2)
        >>> Expression(model, "{w: s.pc[w] for w in self.Writers}").read(model.initial_states()[0]).text
        '{w1: NodeStartup, w2: NodeStartup}'
        >>> Expression(model, "s.pc").remark
        's.pc has a value for each index: as a condition it is always true'
        >>> Expression(model, "len(s.icebreg)")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        workbench.kernel.meaning.errors.InputError: expression 'len(s.icebreg)' is not accepted: unknown variable ...
    """

    def __init__(self, model: AnyModel, text: str) -> None:
        model = machine_of(model)
        self.text = " ".join(line.strip() for line in text.splitlines()).strip()
        if not self.text.isprintable():
            raise self._refused(_TAKES)
        self._show = model.layout.notation.show
        tree, own, last = None, None, ""
        try:
            own = model.expression(self.text)
        except InputError as error:
            if not _OF_STATE.search(self.text):
                raise InputError(f"expression {error}") from None
            if "#" in self.text:  # which begins a comment in Python
                raise InputError(f"expression {error}; {_instead(model, self.text)}") from None
            last = f"{self.text} is Python, which a module takes for the last time; {_instead(model, self.text)}"
        self.is_own = own is not None
        self.left = own.left if own is not None else None
        if own is None:
            tree, self._function = self._compile(_names(model))
            self.left = _left(tree)
        else:
            self._function = own
        try:
            value = self(next(model.each_initial_state()))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise self._refused(_why(model, error)) from None
        self.remark = last or (self._remark_of_own(own, value) if tree is None else self._remark(tree, value))

    def _compile(self, names: dict[str, Any]) -> tuple[ast.expr, Callable[[Any], Any]]:
        """The function of ``s``; a lambda, so that nested scopes see ``s`` and all names too."""
        try:
            compile(self.text, "<expression>", "eval")  # refuses what only a function's body may hold, such as yield
            tree = ast.parse(self.text, mode="eval")
            body, only_s = tree.body, ast.arguments([], [ast.arg("s")], None, [], [], None, [])
            whole = ast.fix_missing_locations(ast.Expression(ast.Lambda(only_s, body)))
            return body, eval(compile(whole, "<expression>", "eval"), names)
        except SyntaxError as error:
            raise self._refused(f"{error.msg}; {_TAKES}") from None
        except (ValueError, RecursionError, MemoryError):  # a NUL in it, nested too deep
            raise self._refused(_TAKES) from None

    def _refused(self, reason: str) -> InputError:
        return InputError(f"expression {brief(self.text)} is not accepted: {reason}")

    def __call__(self, state: Reader) -> Any:
        """The expression's value in `state`; raises whatever the expression raises."""
        return self._function(seen(state))

    def holds(self, state: Reader) -> bool:
        """Whether it is true as a condition.

        Raises:
            InputError: In a language with truth values, for another value.
        """
        value = self(state)
        if self.is_own and not isinstance(value, bool):
            raise InputError(f"it is {self._show(value)} there, which is neither TRUE nor FALSE")
        return bool(value)

    def read(self, state: State) -> Reading:
        """The expression's value in `state`, or its error, as text."""
        try:
            value = self(state)
            return Reading(self._show(_plain(value)), value is True if self.is_own else bool(value))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return Reading(f"error: {_message(error)}", False)

    def _remark_of_own(self, own: Any, value: Any) -> str | None:
        if not isinstance(value, bool):
            return f"{self.text} is neither TRUE nor FALSE: it is no condition"
        if own.is_constant:
            return f"{self.text} does not depend on the state: as a condition it is always {self._show(value)}"
        return None

    def _remark(self, tree: ast.expr, value: Any) -> str | None:
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        always = f"as a condition it is always {'true' if value else 'false'}"
        if "s" not in names:
            return f"{self.text} does not depend on the state s: {always}"
        if isinstance(value, bool):
            return None
        if isinstance(value, Indexed):
            return f"{self.text} has a value for each index: {always}"
        if callable(value):
            return f"{self.text} is a function, which is not called: {always}"
        if isinstance(tree, ast.GeneratorExp):
            return f"{self.text} is a generator: {always}; any(...) or all(...) says more"
        if isinstance(tree, (ast.Dict, ast.Tuple, ast.List, ast.Set)) or hasattr(value, "_fields"):
            return f"{self.text} has a fixed number of members: {always}"
        if isinstance(value, Reader):
            return f"{self.text} is a state: {always}"
        kind, unless = _KINDS.get(type(value), ("something else", "empty"))
        return f"{self.text} is not true or false but {kind}: as a condition it is true unless it is {unless}"

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"


#: What values of a type are called, and when they count as false.
_KINDS: dict[type, tuple[str, str]] = {
    **dict.fromkeys((Map, dict), ("a mapping", "empty")),
    **dict.fromkeys((set, frozenset, Members), ("a set", "empty")),
    **dict.fromkeys((tuple, list), ("a sequence", "empty")),
    **dict.fromkeys((str, Name), ("a text", "empty")),
    **dict.fromkeys((int, float), ("a number", "0")),
    type(None): ("nothing here", "nothing, 0 or empty"),
}


def _left(tree: ast.expr) -> str | None:
    """The left side of a single comparison."""
    return ast.unparse(tree.left) if isinstance(tree, ast.Compare) and len(tree.ops) == 1 else None


def _instead(model: Machine, text: str) -> str:
    """What to write in TLA+ in place of Python."""
    written = _OF_STATE.sub("", text)
    for python, tla in _IN_TLA.items():
        written = written.replace(python, tla)
    try:
        model.expression(written)
    except InputError:
        return "write TLA+, without the s."
    return f"write {written}"


def _names(model: Machine) -> dict[str, Any]:
    """The names for an expression: those of the model's modules, its constants, and the model as ``self``."""
    names: dict[str, Any] = {}
    for base in reversed(type(model.author).__mro__[:-2]):
        names.update(vars(sys.modules[base.__module__]) if base.__module__ in sys.modules else {})
    return {**names, **model.constants, "self": model.author}


def _why(model: Machine, error: BaseException) -> str:
    """The reason why an expression failed in the initial state, with suggestions for misspelt names."""
    if isinstance(error, NameError):
        return str(unknown("name", error.name, ["s", "self", *model.constants]))
    text = _message(error)
    name = text.removeprefix("undeclared variable ").partition(";")[0].strip("'")
    if isinstance(error, ModelError) and text.startswith("undeclared variable"):
        return str(unknown("variable", name, model.declared.variables))
    return f"in the initial state, {text}"


def _message(error: BaseException) -> str:
    text = text_of(error)
    return text if isinstance(error, (InputError, ModelError)) else f"{type(error).__name__}: {text}".removesuffix(": ")


def _plain(value: Any) -> Any:
    """`value` converted to one that a state may hold, which can be shown."""
    if isinstance(value, Reader):
        return "a state"
    if isinstance(value, Mapping) and not isinstance(value, Map):
        return Map((_plain(key), _plain(item)) for key, item in value.items())
    if isinstance(value, (set, Members)):
        return frozenset(map(_plain, value))
    if type(value) is tuple or isinstance(value, (list, range, KeysView, ValuesView, ItemsView)):
        return tuple(map(_plain, value))
    if callable(value) or isinstance(value, Iterator):
        return f"a {type(value).__name__}"  # its own text differs from state to state
    return value


def example_of(model: AnyModel) -> str:
    """An example of an expression for this model: a condition that is true in the initial state.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> example_of(Bakery())
        's.next_ticket == 1'
    """
    model = machine_of(model)
    start = next(model.each_initial_state())
    if model.language == "TLA+":
        variable = next(iter(model.layout.variables))
        return f"{variable} = {model.layout.notation.show(getattr(start, variable))}"
    texts = (_example(str(cell.variable), cell.index, value) for cell, value in cells_of(start))
    return next((text for text in texts if text is not None), "True")


def placeholder_of(model: AnyModel) -> str:
    """The placeholder of an empty field for an expression: the language, and an example."""
    return f"{machine_of(model).language}, such as  {example_of(model)}"


def _example(variable: str, index: Any, value: Any) -> str | None:
    place = "" if index is None else f"[{_literal(index)}]"
    if index is not None and _literal(index) is None:
        return None
    if is_member(value) or is_object(value):
        return None
    if _literal(value) is None or value == ():
        return f"len(s.{variable}{place}) == {len(value)}"
    return f"s.{variable}{place} {'is' if value is None else '=='} {_literal(value)}"


def _literal(value: Any) -> str | None:
    """`value` as a Python literal, if it has one."""
    if isinstance(value, str):
        return f'"{value}"' if value.isprintable() and not set(value) & set('"\\') else repr(str(value))
    if value is None or isinstance(value, int):
        return repr(value)
    if isinstance(value, tuple):
        parts = [_literal(part) for part in value]
        return None if None in parts else f"({', '.join(map(str, parts))}{',' * (len(parts) == 1)})"
    return None
