"""Finds oversights in a model's code without a search: names that nothing reads, and steps that lead nowhere.

A model's code is everything that the class declares, its other methods, and the functions that these call by name. A
name that occurs anywhere in it, even in a string, counts as read. So every report is certain, but some unread names may
be missed.
"""

from collections.abc import Callable, Iterator
from dis import get_instructions
from functools import lru_cache, partial
from inspect import getclosurevars
from types import CodeType, FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from workbench.kernel.language.declare import Boundary, Process, Variable
from workbench.kernel.meaning.parameters import Declared
from workbench.kernel.meaning.state import row_of
from workbench.kernel.meaning.values import show

#: The functions through which code reads attributes that it does not name.
_READS_ALL = frozenset({"constants", "getattr", "vars", "__dict__", "attrgetter", "spelled", "differing"})
_OPTIONS = ("when", "by_default", "fair_when", "at", "to")


def oversights(model: Any) -> Iterator[str]:
    """Remarks for the author of a class, whose machine is `model`."""
    kind = type(model.author)
    code = _code_of.get(kind) or _code_of.setdefault(kind, _Code(kind))
    if code.names.isdisjoint(_READS_ALL):
        for name, constant in model.declared.constants.items():
            if name not in code.names and not constant.ghost:
                yield f"nothing reads the constant {name}: no step and no property depends on it"
        steps = {process.pc for process in model.declared.processes.values()}
        for name in model.declared.variables:
            if name not in code.names and name not in steps:
                yield f"nothing reads the variable {name}: no step and no property depends on it"
    yield from _steps(model, code)
    for name, chosen in {(i.action.name, twice): None for i in model.instances for twice in i.chosen_twice}:
        yield f"action {name} chooses twice under the name {chosen}: a trace and fair_when do not tell them apart"


def _steps(model: Any, code: "_Code") -> Iterator[str]:
    """Steps of processes that no action leads to, and that no action starts from, and no code mentions."""
    for process in model.declared.processes.values():
        own = [i for i in model.instances if i.action.process is process and process.pc in model.declared.variables]
        begun = row_of(next(model.each_initial_state())) if own else ()
        mentioned = code.values | {begun[cell] for cell in (model.layout.cells_of(process.pc) if own else ())}
        mentioned |= {
            value for name in code.names & vars(model.author).keys() for value in _texts(getattr(model.author, name))
        }
        ends = {declared.at for declared in model.declared.actions.values() if not callable(declared.at)}
        ends |= {i.at for i in own}
        led = {declared.to for declared in model.declared.actions.values() if not callable(declared.to)}
        led |= {i.to for i in own}
        for name, to in dict.fromkeys((i.action.name, i.to) for i in own):
            if to is not None and to not in ends | mentioned:
                yield f"action {name} leads to {show(to)}, where no action starts, and which nothing else mentions"
        for name, at in dict.fromkeys((i.action.name, i.at) for i in own):
            if at is not None and at not in led | mentioned:
                yield f"action {name} starts at {show(at)}, to which nothing leads, and which nothing else mentions"


_code_of: "WeakKeyDictionary[type, _Code]" = WeakKeyDictionary()


class _Code:
    """The names and the values that occur in the code of the class `model`."""

    def __init__(self, model: Any) -> None:
        self.names: set[str] = set(model.symmetry)
        self.values: set[Any] = set()
        self._seen: set[int] = set()
        for base in model.__mro__[:-2]:
            for name, member in vars(base).items():
                if name != "declared":
                    self._declaration(member)
        for constant in model.declared.constants.values():
            self.names.update(constant.domain.sets)
        for name in list(self.names):
            self._value(getattr(model, name, None))

    def _value(self, value: Any) -> None:
        texts = list(_texts(value))
        self.values.update(texts)
        self.names.update(texts)

    def _declaration(self, member: Any) -> None:
        if isinstance(member, Declared):
            self.names.update(member.parameters.values())
            for option in _OPTIONS:
                setting = getattr(member, option, None)
                if callable(setting):
                    self._function(setting)
                elif isinstance(setting, str) and option in ("when", "by_default"):
                    self.names.add(setting)
            self.names.update(getattr(member, "constants", {}).values())
            self._function(member.function)
        elif isinstance(member, Boundary):
            self._function(member.function)
        elif isinstance(member, Process):
            self.names.update(filter(None, [member.per]))
            self._declaration(member.steps)
            self._function(member.guard)
        elif isinstance(member, Variable):
            self.names.update(filter(None, [member.per, getattr(member, "universe", None)]))
            self._function(member.initial)
        else:
            self._function(member)

    def _function(self, function: Any) -> None:
        """Add the names that a function, or an object that holds one, mentions, and the functions that it calls."""
        if isinstance(function, (staticmethod, classmethod)) or hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        if isinstance(function, property):
            function = function.fget
        if isinstance(function, partial):
            function = function.func
        if not isinstance(function, FunctionType) or id(function) in self._seen or _is_the_languages(function):
            return
        self._seen.add(id(function))
        self._code(function.__code__, function.__globals__)
        for value in (*getclosurevars(function).nonlocals.values(), *(function.__defaults__ or ())):
            self._function(value)
            self._value(value)

    def _code(self, code: CodeType, around: dict[str, Any]) -> None:
        self.names.update(_loaded(code))
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._code(constant, around)
            else:
                self._value(constant)
        for name in code.co_names:
            value = around.get(name)
            self._function(value)
            self._value(value)
            if isinstance(value, ModuleType):
                for other in code.co_names:
                    self._function(getattr(value, other, None))


def _texts(value: Any) -> Iterator[str]:
    """The texts in a value, which may be steps."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (tuple, frozenset, set, list)):
        for part in value:
            yield from _texts(part)


@lru_cache(4096)
def _loaded(code: CodeType) -> frozenset[str]:
    """The names that `code` reads rather than only assigns."""
    return frozenset(
        i.argval for i in get_instructions(code) if i.opname.startswith("LOAD") and isinstance(i.argval, str)
    )


def _is_the_languages(function: Callable[..., Any]) -> bool:
    return function.__module__.startswith("workbench.kernel.")
