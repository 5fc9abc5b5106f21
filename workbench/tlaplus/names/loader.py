"""Modules and the meanings of their names: EXTENDS, INSTANCE, and inner modules."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from workbench.kernel.meaning.errors import InputError
from workbench.pluscal.module import Source, find
from workbench.tlaplus.names.level_checks import check_levels
from workbench.tlaplus.names.name_check import check_names
from workbench.tlaplus.names.shipped import shipped
from workbench.tlaplus.names.specification import Assumed, Specification
from workbench.tlaplus.names.symbols import (
    Apart,
    Constant,
    InstanceParameter,
    Instantiated,
    Meaning,
    MissingName,
    Scope,
    Standard,
    Variable,
    announced_in,
    fail_at,
    is_same,
    origin,
    replaced,
)
from workbench.tlaplus.syntax.parser import parse_module
from workbench.tlaplus.syntax.source import Origin
from workbench.tlaplus.syntax.tree import (
    Declaration,
    Definition,
    Expression,
    Identifier,
    Node,
    OperatorDefinition,
    Place,
)
from workbench.tlaplus.syntax.units import (
    Assumption,
    Constants,
    Instance,
    InstanceDefinition,
    Module,
    Theorem,
    Variables,
)

#: Larger files are refused.
MOST_BYTES = 2_000_000
_MOST_NESTED = 100
#: The modules that are extended most, the smaller one first.
_USUAL = ("Naturals", "Integers", "Sequences", "FiniteSets", "TLC", "Bags")
#: TLC has these in Java, and takes no file for them; a file of another name is read before a standard module is used.
_TLC_OWN = frozenset({"Naturals", "Integers", "Reals", "Sequences", "FiniteSets", "Bags", "TLC"})


class Library:
    """The search path for modules: given texts, files of the given folders, others in these, and standard modules.

    A standard module is a table of operators, a text that comes with the workbench, or such a text with a table that
    overrides some of its operators.

    Args:
        folders: The only folders searched for a user's modules. If a name occurs twice, the first folder counts.
        standard: The operators of the standard modules, by module: the number of their arguments, and what they are.
        extended: The standard modules that a standard module without a text extends.
        texts: The texts of modules that are not files.
        translated: The names of modules whose PlusCal algorithm is replaced by a fresh translation.

    Attributes:
        read: The original texts of all modules that were requested, by name.
        sources: The algorithms in these texts, by module.
    """

    def __init__(
        self,
        folders: Sequence[Path] = (),
        standard: Mapping[str, Mapping[str, tuple[int, Any]]] | None = None,
        extended: Mapping[str, Sequence[str]] | None = None,
        texts: Mapping[str, str | bytes] | None = None,
        translated: frozenset[str] = frozenset(),
    ) -> None:
        self._folders = folders
        self._standard = standard or {}
        self._extended = extended or {}
        self._texts = texts or {}
        self.translated = translated
        self.read: dict[str, str | bytes] = {}
        self.sources: dict[str, Source] = {}
        self._parsed: dict[str, Module] = {}
        self._meanings: dict[tuple[str, Any], Standard] = {}

    def module(self, name: str) -> Module | None:
        """The module of that name; None if there is no such module, or if it is a standard one.

        Raises:
            InputError: If its file is too large, cannot be read or parsed, or holds another module.
        """
        if name not in self._parsed:
            if name in _TLC_OWN and name in self._standard:
                return None
            text = self._text(name)
            if text is None:
                return None
            source = find(as_text(text), name)
            module = parse_module(*self._translated(name, text, source))
            if module.name != name and text in self.read.values():
                return None  # it is an inner module there
            if module.name != name:
                fail_at(module.at, f"the file {name}.tla has the module {module.name}; their names must be the same")
            self._parsed[name], self.read[name] = module, text
            if source is not None:
                self.sources[name] = source
        return self._parsed[name]

    def is_standard(self, name: str) -> bool:
        """Whether there is a standard module of that name."""
        return name in self._standard or shipped(name) is not None

    def standard(self, name: str) -> dict[str, Standard]:
        """The table of a standard module's operators, which go before those that its text defines."""
        return {
            operator: self._meanings.setdefault((operator, implementation), Standard(operator, implementation[0], name))
            for operator, implementation in self._standard.get(name, {}).items()
        }

    def extended(self, name: str) -> Sequence[str]:
        """The modules that a standard module without a text extends."""
        return self._extended.get(name, ())

    def advice_on(self, name: str) -> str:
        """Which modules have a name that is unknown, as the end of a sentence."""
        having = [module for module in _USUAL if name in self._standard.get(module, {})]
        return f"; EXTENDS {' or '.join(having)} brings it" if having else ""

    def anew(self, *translated: str) -> "Library":
        """A library of the same texts, with nothing read so far, that also translates these modules' algorithms."""
        texts = {**self._texts, **self.read}
        return Library(self._folders, self._standard, self._extended, texts, self.translated.union(translated))

    def _translated(
        self, name: str, text: str | bytes, source: Source | None
    ) -> tuple[str | bytes, str, Origin | None]:
        """The text to be parsed, its name, and where the algorithm says what its translation does."""
        if name in self.translated:
            if source is None:
                raise InputError(f"{name}.tla: there is no algorithm to translate")
            translation = source.translate()
            return translation.module, name, translation.place
        if source is not None and source.is_translated:
            with suppress(InputError):  # what stands there may be that of another algorithm
                translation = source.translate()
                if translation.module == as_text(text):
                    return text, name, translation.place
        return text, name, None

    def _text(self, name: str) -> str | bytes | None:
        if name in self._texts:
            return self._texts[name]
        for folder in self._folders:
            if (text := read_file(folder / f"{name}.tla", "a module")) is not None:
                return text
        header = re.compile(rf"^-{{4,}}[ \t]*MODULE[ \t]+{name}[ \t]*-{{4,}}", re.MULTILINE)
        return next((text for text in self.read.values() if header.search(as_text(text))), None)


def read_file(path: Path, kind: str) -> bytes | None:
    """The contents of a file; None if there is no such file.

    Args:
        kind: The kind of file, for messages.

    Raises:
        InputError: If it is too large, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    if len(text) > MOST_BYTES:
        raise InputError(f"{path} is too large; {kind} takes at most {MOST_BYTES:,} bytes")
    return text


def as_text(contents: str | bytes) -> str:
    """The contents of a file as text, for people."""
    return contents if isinstance(contents, str) else contents.decode(errors="replace")


def load(name: str, library: Library) -> Specification:
    """Load a module, and all that it extends and instantiates, and check their names.

    Raises:
        InputError: With the place, for a text that cannot be parsed, a module or name that is missing or defined twice,
            or a wrong number of arguments.

    Examples:
        >>> text = "---- MODULE Clock ---- VARIABLE hour  Next == hour' = 1 ===="
        >>> specification = load("Clock", Library(texts={"Clock": text}))
        >>> [variable.name for variable in specification.variables], specification.scope.find("Next").arity
        (['hour'], 0)
    """
    module = library.module(name)
    if module is None:
        raise InputError(f"there is no module {name}: no {name}.tla in the folders that are searched")
    loader = _Loader(library)
    root = _Root()
    try:
        scope = _Modules(loader, root.declare).scope_of(module, None)
    except MissingName as error:
        raise MissingName(f"{error}{library.advice_on(error.name)}", error.name) from error
    assumptions = [
        Assumed(assumption, assumed) for loaded, assumed in loader.own for assumption in loaded.each(Assumption)
    ]
    constants = tuple(meaning for meaning in root.declared.values() if isinstance(meaning, Constant))
    variables = tuple(meaning for meaning in root.declared.values() if isinstance(meaning, Variable))
    return Specification(
        module, scope, variables, constants, tuple(assumptions), tuple(loader.scopes), (*loader.notes,)
    )


class _Root:
    """The declarations of the root module and of those that it extends: one meaning for each name."""

    def __init__(self) -> None:
        self.declared: dict[str, Variable | Constant] = {}

    def declare(self, declaration: Declaration, kind: type[Variable] | type[Constant]) -> Meaning:
        name = declaration.name
        before = self.declared.get(name)
        if before is None:
            before = self.declared[name] = kind(name, declaration.arity, declaration.at)
        elif (type(before), before.arity) != (kind, declaration.arity):
            fail_at(declaration.at, f"{name} is already {origin(before)}, and is something else there")
        return before


@dataclass
class _With:
    """The declarations of an instantiated module: they mean what WITH says, or else what the name means outside."""

    instance: Instance
    scope: Scope

    def __post_init__(self) -> None:
        self.values = {substitution.name: substitution for substitution in self.instance.substitutions}
        self.declared: dict[str, InstanceParameter] = {}

    def declare(self, declaration: Declaration, kind: type[Variable] | type[Constant]) -> Meaning:
        name = declaration.name
        if name in self.declared:
            return self.declared[name]
        substitution = self.values.get(name)
        if substitution is not None:
            value: Expression = substitution.value
        elif self.scope.find(name) is None:
            fail_at(
                self.instance.at, f"INSTANCE {self.instance.module} says nothing of {name}; it takes WITH {name} <- ..."
            )
        else:
            value = Identifier(self.instance.at, name)
        is_constant, at = kind is Constant, declaration.at
        self.declared[name] = InstanceParameter(name, declaration.arity, value, self.scope, is_constant, at)
        return self.declared[name]

    def check(self) -> None:
        """Refuse a substitution for a name that the module does not declare."""
        for name, substitution in self.values.items():
            if name not in self.declared:
                fail_at(substitution.at, f"{self.instance.module} declares no constant or variable {name}")


Declare = Callable[[Declaration, "type[Variable] | type[Constant]"], Meaning]


class _Loader:
    """The state shared by the parts of a specification while it is loaded."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.scopes: list[Scope] = []
        self.own: list[tuple[Module, Scope]] = []
        self.inner: dict[Scope, dict[str, tuple[Module, Scope]]] = {}
        self.open: list[Module] = []
        self.checked: set[Module] = set()
        self.notes = dict[str, None]()
        self.shipped = _Shipped(self, _Root().declare)

    def offered(self, name: str) -> tuple[dict[str, Meaning], dict[str, Meaning]]:
        """The names of a standard module, and those of the modules that it extends."""
        module = shipped(name)
        if module is not None:
            scope = self.shipped.scope_of(module, None)
            return dict(scope.exported()), scope.brought
        further = dict[str, Meaning]()
        for base in self.library.extended(name):
            own, more = self.offered(base)
            further |= more | own
        return dict(self.library.standard(name)), further

    def find_inner(self, name: str, scope: Scope | None) -> tuple[Module, Scope] | None:
        """An inner module of the modules around a scope, and the scope around it."""
        while scope is not None:
            if name in self.inner.get(scope, {}):
                return self.inner[scope][name]
            scope = scope.outer
        return None


def _check_declared_once(module: Module) -> None:
    seen = dict[str, Declaration]()
    for declaration in (*module.constants, *module.variables):
        before = seen.setdefault(declaration.name, declaration)
        if before is not declaration:
            fail_at(declaration.at, f"{declaration.name} is already {origin(before)}")


class _Modules:
    """The scopes of modules that share their constants and variables: the root's, or those of one instance.

    Attributes:
        own: Whether they are the root's, so that their ASSUMEs apply to the specification.
    """

    def __init__(self, loader: _Loader, declare: Declare, within: Scope | None = None) -> None:
        self.loader = loader
        self.declare = declare
        self.own = within is None
        self.parameters = within.parameters if within else frozenset[Declaration]()
        self.scopes: dict[Module, Scope] = {}
        self.unnamed: dict[Instance, Scope] = {}

    def scope_of(self, module: Module, outer: Scope | None) -> Scope:
        loader = self.loader
        if module in loader.open or len(loader.open) == _MOST_NESTED:
            circle = " -> ".join(opened.name for opened in (*loader.open, module))
            fail_at(module.at, f"modules use each other in a circle: {circle}")
        if module in self.scopes:
            return self.scopes[module]
        loader.open.append(module)
        scope = self.scopes[module] = Scope(module.name, outer, self.instantiate, self.parameters)
        loader.inner[scope] = {}
        for base in module.extends:
            self.extend(scope, base)
        _check_declared_once(module)
        announced = announced_in(module.units)
        for unit in module.units:
            self.unit(scope, unit, announced)
        self.finish(module, scope)
        loader.open.pop()
        return scope

    def finish(self, module: Module, scope: Scope) -> None:
        """Check a module whose names are all known, and make it a part of the specification."""
        if module not in self.loader.checked:
            self.loader.checked.add(module)
            check_names(module, scope)
            check_levels(module, scope, self.unnamed)
        self.loader.scopes.append(scope)
        if self.own:
            self.loader.own.append((module, scope))

    def extend(self, scope: Scope, base: Declaration) -> None:
        module, outer = self.find(base.name, base.at, scope)
        if module is None:
            self.take(scope, base.name, base.at)
        else:
            extended = self.scope_of(module, outer)
            self.note(scope.include(dict(extended.exported()), base.at))
            self.note(scope.bring(extended.brought, base.at))
            self.loader.inner[scope].update(self.loader.inner[extended])

    def take(self, scope: Scope, name: str, at: Place) -> None:
        """Add the names of a standard module to a scope."""
        own, further = self.loader.offered(name)
        self.note(scope.bring(further, at))
        self.note((scope.include if name in _TLC_OWN else scope.bring)(own, at))

    def note(self, notes: Iterable[str]) -> None:
        self.loader.notes.update(dict.fromkeys(notes))

    def find(self, name: str, at: Place, scope: Scope) -> tuple[Module | None, Scope | None]:
        """A module and the scope around it; neither for a standard module."""
        inner = self.loader.find_inner(name, scope)
        if inner is not None:
            return inner
        module = self.loader.library.module(name)
        if module is None and not self.loader.library.is_standard(name):
            fail_at(at, f"there is no module {name}: no {name}.tla in the folders that are searched")
        return module, None

    def unit(self, scope: Scope, unit: Node, announced: Mapping[str, Declaration]) -> None:
        if isinstance(unit, (Constants, Variables)):
            kind = Constant if isinstance(unit, Constants) else Variable
            for name in unit.names:
                scope.add(name.name, self.declare(name, kind), name.at)
        elif isinstance(unit, Definition):
            scope.define(unit, announced)
        elif isinstance(unit, (Assumption, Theorem)) and unit.name:
            scope.define(OperatorDefinition(unit.at, unit.name, False, (), unit.body), {})
        elif isinstance(unit, Instance):
            instance = self.unnamed[unit] = self.instance(unit, scope)
            names = {
                name: meaning
                for name, meaning in instance.exported()
                if not isinstance(meaning, (InstanceParameter, Variable, Constant))
            }
            if unit.local:
                scope.local.update(names.keys() - scope.names.keys())
            self.note(scope.include(names, unit.at))
            self.note(scope.bring(instance.brought, unit.at, unit.local))
        elif isinstance(unit, Module):
            self.loader.inner[scope][unit.name] = (unit, scope)
            if unit not in self.loader.checked:
                _Modules(self.loader, _Root().declare, scope).scope_of(unit, scope)  # it may be instantiated nowhere

    def instantiate(self, definition: InstanceDefinition, scope: Scope) -> Instantiated:
        arity = len(definition.parameters)
        inner = self.instance(definition.instance, scope.inside(definition))
        return Instantiated(definition.name, arity, definition, inner)

    def instance(self, instance: Instance, scope: Scope) -> Scope:
        """The scope of an instance's module, whose constants and variables mean what its WITH says in `scope`."""
        module, outer = self.find(instance.module, instance.at, scope)
        declarations = _With(instance, scope)
        if module is None:
            inner = Scope(instance.module, None, self.instantiate)
            self.take(inner, instance.module, instance.at)
        else:
            modules = _Modules(self.loader, declarations.declare, scope)
            inner = modules.scope_of(module, outer)
            apart = cache(lambda: _apart(modules, declarations, module, outer))
            for nested in modules.scopes.values():
                nested.apart = apart
        declarations.check()
        return inner


class _Shipped(_Modules):
    """The scopes of the modules that come as texts, shared by all modules of a specification.

    An operator in Python goes before the text's definition of its name, as one in Java does for TLC. These modules use
    each other and TLC's own, never a user's file, which may be another version. A test checks the texts.
    """

    def find(self, name: str, at: Place, scope: Scope) -> tuple[Module | None, Scope | None]:
        return None, None

    def unit(self, scope: Scope, unit: Node, announced: Mapping[str, Declaration]) -> None:
        overrides = self.loader.library.standard(scope.module)
        if isinstance(unit, OperatorDefinition) and unit.name in overrides:
            scope.add(unit.name, overrides[unit.name], unit.at)
            scope.local.update([unit.name] if unit.local else ())
        else:
            super().unit(scope, unit, announced)

    def finish(self, module: Module, scope: Scope) -> None:
        pass


def _apart(modules: _Modules, declarations: _With, module: Module, outer: Scope | None) -> Apart:
    """The modules of an instance, after a configuration's replacements, with variables of their own."""
    variables = dict[str, Variable]()

    def declare(declaration: Declaration, kind: type[Variable] | type[Constant]) -> Meaning:
        name = declaration.name
        if kind is Constant:
            return declarations.declared[name]
        return variables.setdefault(name, Variable(name, 0, declaration.at))

    copies = _Modules(modules.loader, declare, declarations.scope)
    copies.scope_of(module, outer)
    for original, scope in modules.scopes.items():
        names = copies.scopes[original].names
        for name, meaning in scope.names.items():
            if replaced(meaning) is not meaning or not (
                isinstance(names[name], Variable) or is_same(meaning, names[name])
            ):
                names[name] = replaced(meaning)
    scopes = {scope: copies.scopes[original] for original, scope in modules.scopes.items()}
    return Apart(scopes, {variable: declarations.declared[name] for name, variable in variables.items()})
