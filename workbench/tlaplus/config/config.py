"""A specification with its configuration: replacements, values of constants, and what to check."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

from workbench.kernel.meaning import constants as kernel
from workbench.kernel.meaning.domains import OneOf
from workbench.kernel.meaning.errors import InputError, listed, unknown
from workbench.kernel.meaning.machine import Family
from workbench.kernel.meaning.values import Name, counted
from workbench.pluscal.parser import DEFAULT
from workbench.tlaplus.config.algorithms import Translations, translations_in
from workbench.tlaplus.config.choices import Choices, definitions_for
from workbench.tlaplus.config.closures import Closure
from workbench.tlaplus.config.constants import as_values, chosen_from, constants_in, table_of, value_of
from workbench.tlaplus.config.notation import TlaNotation
from workbench.tlaplus.names.levels import Level, Levels
from workbench.tlaplus.names.loader import Library, as_text
from workbench.tlaplus.names.questions import FORMULA, kind_of, refused
from workbench.tlaplus.names.specification import Specification
from workbench.tlaplus.names.string_order import words_in
from workbench.tlaplus.names.symbols import (
    Constant,
    Defined,
    Meaning,
    MissingName,
    Scope,
    meanings_in,
    place_of,
)
from workbench.tlaplus.syntax.cfg_parser import Cfg, CfgEntry, fail_at
from workbench.tlaplus.syntax.remarks import Remarks
from workbench.tlaplus.syntax.tree import Declaration, Identifier, Place
from workbench.tlaplus.values.values import Order


@dataclass(frozen=True)
class Configured:
    """A specification after its configuration's replacements.

    Attributes:
        file: The configuration's name, for messages; "" if there is none.
        constants: The constants that a model declares, with the values of the configuration as defaults.
        notes: Notes for a result, on the configuration and on translations of PlusCal.
        translations: The texts that are checked of modules with PlusCal.
        opened_by: A function and its arguments, the texts, with which the same class of machines can be opened again.
        reopened: Opens the specification with other definitions for constants that the configuration replaces.
        choices: Those other definitions; empty for the configuration's own.
    """

    specification: Specification
    cfg: Cfg
    file: str
    constants: Mapping[str, kernel.Constant]
    notes: tuple[str, ...]
    translations: Translations
    _library: Library
    _bound: Mapping[str, Constant]
    _fixed: Mapping[Constant, Any]
    opened_by: tuple[Callable[..., Any], tuple[Any, ...]] | None = None
    reopened: Callable[[Choices], "Configured"] | None = None
    choices: Choices = ()

    def __reduce__(self) -> Any:
        return _configured_by, (self.opened_by, self.choices)

    def values(self, constants: Mapping[str, Any]) -> dict[Constant, Any]:
        """The value of each constant of the modules that has one, given those of a machine."""
        values = as_values(constants, self.constants)
        return {**self._fixed, **{self._bound[name]: value for name, value in values.items()}}

    def choosing(self, constants: Mapping[str, Any]) -> "Configured":
        """The same, with the definitions that some constants of a machine name.

        Raises:
            InputError: With the configuration's line, for one that does not fit.
        """
        choices = tuple(
            (name, value)
            for name, value in constants.items()
            if isinstance(self.constants[name].domain, OneOf) and value != self.constants[name].default
        )
        if not choices:
            return self
        assert self.reopened is not None
        return self.reopened(choices)

    @property
    def scope(self) -> Scope:
        return self.specification.scope

    @property
    def definitions(self) -> list[str]:
        """The names of the root module other than constants."""
        names = self.scope.names.items()
        return [name for name, meaning in names if not isinstance(meaning, (Constant, Declaration))]

    @property
    def sources(self) -> dict[str, str]:
        """The texts of the modules, by file."""
        return {f"{name}.tla": as_text(text) for name, text in self._library.read.items()}

    @property
    def family(self) -> Family:
        """The part of the model that is known without constants."""
        name = self.specification.module.name
        return Family(
            name,
            name,
            constants={name: self._remarked(name, constant) for name, constant in self.constants.items()},
            translation=self.translations.state,
            translation_notes=self.translations.notes,
            configuration="" if self.file in ("", f"{name}.cfg", f"{name}.tla") else self.file,
        )

    def _remarked(self, name: str, constant: kernel.Constant) -> kernel.Constant:
        """A constant whose description has the module's comment in front of the configuration's."""
        remark = self.remark(self._bound[name]).partition("\n\n")[0].rstrip(".")
        return replace(constant, doc=f"{remark}; {constant.doc}") if remark else constant

    def remark(self, meaning: Meaning | None) -> str:
        """What a comment says of a name with this meaning, as :mod:`workbench.tlaplus.syntax.remarks` finds it."""
        at = None if meaning is None else place_of(meaning)
        if meaning is None or at is None:
            return ""
        if remark := self.translations.remarks.get((at.module, meaning.name)):
            return remark
        if (remarks := self._remarks(at.module)) is None:
            return ""
        line, column = at.shown
        return remarks.of_definition(line) if isinstance(meaning, Defined) else remarks.of_declaration(line, column)

    def _remarks(self, module: str) -> Remarks | None:
        """The comments of a module; None if it comes with the library."""
        if module not in self._read_remarks:
            text = self._library.read.get(module)
            self._read_remarks[module] = None if text is None else Remarks(as_text(text))
        return self._read_remarks[module]

    @cached_property
    def _read_remarks(self) -> dict[str, Remarks | None]:
        return {}

    @property
    def only_assumes(self) -> bool:
        """Whether there is no behaviour, so that only ASSUMEs are checked."""
        return bool(self.why_no_states)

    @property
    def why_no_states(self) -> str:
        """The reason why there is no behaviour; "" if there is one."""
        named = *self.cfg.asked, *(self.cfg.single.keys() & {"SPECIFICATION", "INIT", "NEXT"})
        if named and not self.specification.variables:
            return f"{self.specification.module.name} has no variables"
        return f"{self.file} names no behaviour" if self.file and not named else ""

    @property
    def judges_deadlock(self) -> bool:
        entry = self.cfg.single.get("CHECK_DEADLOCK")
        return not self.only_assumes and (entry is None or entry.value == "TRUE")

    def closure(self, entry: CfgEntry) -> Closure:
        """The definition of the root module that a statement names.

        Raises:
            InputError: With the configuration's line, if there is none, or if it takes arguments.
        """
        meaning = self.scope.find(entry.value)
        if meaning is None:
            try:
                self.fail(entry.line, unknown("definition", entry.value, self.definitions))
            except InputError as error:
                raise MissingName(str(error), entry.value) from None
        if meaning.arity:
            self.fail(entry.line, f"{entry.value} takes {meaning.arity} arguments; what a .cfg names takes none")
        at = place_of(meaning) or self.specification.module.at
        return Closure(Identifier(at, entry.value), self.scope, {})

    def asking(self, texts: Iterable[str], named: Iterable[Constant]) -> "Configured":
        """The same specification, which also checks each of the `texts` as an INVARIANT or a PROPERTY, by its level.

        Args:
            named: The constants in these that stand for model values.

        Raises:
            InputError: For an action, an operator that takes arguments, or where there are no states.
        """
        cfg = self.cfg
        for text in texts:
            if self.only_assumes:
                raise InputError(refused(text, f"{self.why_no_states}, and so there are no states"))
            meaning = self.scope.meaning(text, self.specification.module.at)
            if meaning.arity:
                takes = f"{text} takes {counted(meaning.arity, 'argument')}"
                raise InputError(refused(text, f"{takes}; it takes an expression, such as {text}(...)"))
            level = Levels().level(Identifier(self.specification.module.at, text), self.scope)
            if (kind := kind_of(meaning)) not in ("", FORMULA):
                example = f"{text} = ..." if kind != "a set" else f"... \\in {text}"
                raise InputError(refused(text, f"it is {kind}; a property is TRUE or FALSE, as in {example}"))
            if level is Level.ACTION:
                raise InputError(refused(text, "it is an action; behaviours are asked with [][A]_v and <>P"))
            entry = CfgEntry(text, 1)
            if level is Level.TEMPORAL:
                cfg = replace(cfg, properties=[*cfg.properties, entry])
            else:
                cfg = replace(cfg, invariants=[*cfg.invariants, entry])
        return replace(self, cfg=cfg, _fixed={**self._fixed, **{constant: Name(constant.name) for constant in named}})

    def single(self, keyword: str) -> Closure | None:
        """The definition that a statement such as SPECIFICATION names; None if the configuration lacks it."""
        entry = self.cfg.single.get(keyword)
        return None if entry is None else self.closure(entry)

    def note(self, line: int, text: str) -> str:
        """A note on a line of the configuration."""
        return f"{self.file}: line {line}: {text}"

    def fail(self, line: int, error: InputError | str) -> NoReturn:
        """Raise an InputError that names the configuration and the line.

        Raises:
            InputError: Always.
        """
        with naming(self.file):
            fail_at(line, error)

    @cached_property
    def order(self) -> Order:
        """Strings and model values in the order in which TLC meets their spellings: CHOOSE depends on it."""
        return Order([*self.cfg.words, *words_in(self.specification.module, self._library)])

    @cached_property
    def notation(self) -> TlaNotation:
        """The notation for its values."""
        return TlaNotation(self.order)


def _configured_by(opened_by: tuple[Callable[..., Any], tuple[Any, ...]], choices: Choices) -> Configured:
    open_again, texts = opened_by
    configured: Configured = open_again(*texts).configured
    return configured.choosing(dict(choices))


@contextmanager
def naming(file: str) -> Iterator[None]:
    """Put the name of a configuration before the messages of errors about it."""
    try:
        yield
    except MissingName as error:
        raise MissingName(f"{file}: {error}", error.name) from None
    except InputError as error:
        raise InputError(f"{file}: {error}") from None


@contextmanager
def _at(line: int) -> Iterator[None]:
    """Put a line of a configuration before the messages of errors about it."""
    try:
        yield
    except InputError as error:
        fail_at(line, error)


def configure(specification: Specification, library: Library, cfg: Cfg, file: str) -> Configured:
    """Apply a configuration to the names of a specification.

    Raises:
        InputError: With the line, for a name that the modules do not know or a statement that is not supported; or
            for a constant without a value.
    """
    if _lacks_default(specification, cfg):
        cfg = replace(cfg, model_values={**cfg.model_values, DEFAULT: 0})
    offered = definitions_for(specification, cfg)
    with naming(file):
        for name, entry in cfg.replacements.items():
            with _at(entry.line):
                specification.replace(name, entry.value)
        for within, entry in cfg.replacements_in.items():
            with _at(entry.line):
                specification.replace(within.name, entry.value, within.module)
        bound = {
            name: declared
            for name in (*cfg.model_values, *cfg.constants)
            if (declared := _bind(specification, name, _line(cfg, name))) is not None
        }
        fixed = {
            declared: value_of(within.name, entry)
            for within, entry in cfg.constants_in.items()
            if (declared := _bind(specification, within.name, entry.line, within.module)) is not None
        }
        for name, rows in cfg.tables.items():
            with _at(rows[0].line):
                table = specification.tabulate(name, {len(row.arguments) for row in rows})
            fixed[table] = table_of(name, rows)
        for name, entry in (*cfg.replacements.items(), *((key.name, by) for key, by in cfg.replacements_in.items())):
            _check_replacement(specification, name, entry)
        constants = {name: value for name, value in constants_in(cfg).items() if name in bound}
        constants |= {constant.name: chosen_from(definitions) for constant, definitions in offered.items()}
        bound |= {constant.name: constant for constant in offered}
        if not specification.variables:
            for entry in cfg.asked:
                if specification.scope.find(entry.value) is None:  # an algorithm may define it
                    raise MissingName(f"line {entry.line}: unknown definition '{entry.value}'", entry.value)
                none = f"{specification.module.name} has no variables, and so no states"
                fail_at(entry.line, f"{entry.value} is asked of states, but {none}; ASSUME takes what is constant")
    with_value = {*bound.values(), *fixed}
    without = [
        constant.name
        for constant in specification.constants
        if constant.replacement is None and constant not in with_value
    ]
    strange = [name for name in cfg.constants if name not in bound]
    if without:
        none = f", and {listed(strange)} is no constant of a module" if strange else ""
        message = f"{file or 'without a .cfg'}: no value for {listed(without)}; a .cfg gives constants values{none}"
        raise InputError(message)
    notes = [] if file else ["there is no .cfg: nothing is checked but deadlock"]
    if "VIEW" in cfg.single:
        notes.append("of states with the same VIEW one is explored: counts depend on which one is found first")
    if strange:  # a model value just has to be there
        root = specification.module.name
        notes.append(f"{file} gives a value to {listed(strange)}, which {root} itself does not have")
    translations = translations_in(library)
    notes += specification.notes + translations.notes
    return Configured(specification, cfg, file, constants, tuple(notes), translations, library, bound, fixed)


def _lacks_default(specification: Specification, cfg: Cfg) -> bool:
    """Whether variables of an algorithm begin with the constant that pcal's own .cfg makes a model value."""
    is_declared = any(constant.name == DEFAULT for constant in specification.constants)
    return is_declared and not any(DEFAULT in names for names in (cfg.constants, cfg.model_values, cfg.replacements))


def _line(cfg: Cfg, name: str) -> int:
    return cfg.constants[name].line if name in cfg.constants else cfg.model_values[name]


def _check_replacement(specification: Specification, name: str, entry: CfgEntry) -> None:
    """Refuse a replacement that uses the name it replaces, or that is not constant if it replaces a constant.

    All replacements must have been made before.
    """
    by = specification.scope.find(entry.value)
    if isinstance(by, Defined) and not by.recursive and by in meanings_in(by.body, by.scope.inside(by.definition)):
        fail_at(entry.line, f"{name} <- {entry.value} is a circle: {entry.value} at {place_of(by)} uses {name}")
    is_constant = any(isinstance(meaning, Constant) for _, meaning in specification.meanings(name))
    if is_constant and by is not None and not by.arity:
        read = Identifier(specification.module.at, entry.value)
        if Levels().level(read, specification.scope) > Level.CONSTANT:
            fail_at(
                entry.line, f"{name} <- {entry.value}: {entry.value} depends on the state, and {name} is a constant"
            )


def _bind(specification: Specification, name: str, line: int, module: str = "") -> Constant | None:
    """The constant to which a configuration assigns a value: a declared one, or a new one that replaces a definition.

    None if the root module, or the given `module`, does not define the name itself; TLC ignores such an assignment.
    """
    meanings = specification.meanings(name, module)
    if not meanings:
        return None
    declared = next((meaning for _, meaning in meanings if isinstance(meaning, Constant)), None)
    if arity := meanings[0][1].arity:
        fail_at(line, f"{name} takes {arity} arguments; a value cannot stand for it, but {name} <- Definition can")
    if declared is not None and not module:
        return declared
    constant = Constant(name, 0, Place(meanings[0][0].module, 1, 1))
    for scope, meaning in meanings:
        specification.put(name, constant, scope, meaning, module)
    return constant
