"""The definitions that may replace a constant that a configuration replaces, as in ``C <- Definition``."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from workbench.tlaplus.names.levels import Level, Levels
from workbench.tlaplus.names.questions import kind_of
from workbench.tlaplus.names.specification import Specification
from workbench.tlaplus.names.symbols import Constant, Defined, Meaning, meanings_in
from workbench.tlaplus.syntax.cfg_parser import Cfg, CfgEntry
from workbench.tlaplus.syntax.tree import Identifier

#: The definitions that stand for constants, by the names of both.
Choices = tuple[tuple[str, str], ...]


def with_choices(cfg: Cfg, choices: Choices) -> Cfg:
    """The configuration, with different definitions for some of the constants that it replaces."""
    chosen = {name: cfg.replacements[name]._replace(value=definition) for name, definition in choices}
    return replace(cfg, replacements={**cfg.replacements, **chosen})


def definitions_for(specification: Specification, cfg: Cfg) -> dict[Constant, Sequence[str]]:
    """The definitions that fit each constant that a configuration replaces. The one that it names comes first.

    A fitting definition takes the same number of arguments, is constant, and does not use the constant; a value is of
    the same kind, as far as the text shows. Definitions that the behaviour, the properties, an ASSUME or another
    replacement use are excluded: they were not written as alternatives.

    Args:
        specification: The specification before replacements, which would hide the uses of the constant.
    """
    replaced = [constant for constant in specification.constants if constant.name in cfg.replacements]
    if not replaced:
        return {}
    checked = *cfg.single.values(), *cfg.asked, *cfg.postconditions, *cfg.replacements_in.values()
    used = {meaning for entry in checked for meaning in _meanings(specification, entry)}
    used |= {
        meaning for assumption, scope in specification.assumptions for meaning in meanings_in(assumption.body, scope)
    }
    by = {name: _meanings(specification, entry) for name, entry in cfg.replacements.items()}
    offered = dict[Constant, Sequence[str]]()
    for constant in replaced:
        elsewhere = used.union(*(meanings for name, meanings in by.items() if name != constant.name))
        usual = cfg.replacements[constant.name].value
        offered[constant] = (usual, *_others(specification, usual, constant, elsewhere))
    return offered


def _meanings(specification: Specification, entry: CfgEntry) -> Collection[Meaning]:
    """The meanings that a definition uses, and its own; none of a name that is unknown, which is refused later."""
    is_known = specification.scope.find(entry.value) is not None
    node = Identifier(specification.module.at, entry.value)
    return meanings_in(node, specification.scope) if is_known else ()


def _others(specification: Specification, name: str, constant: Constant, used: Collection[Meaning]) -> Iterator[str]:
    """The definitions that may stand for a constant in place of the one with this name."""
    usual, levels = specification.scope.find(name), Levels()
    assumed = [assumption.body for assumption, _ in specification.assumptions]
    for other, meaning in specification.scope.names.items():
        if (
            isinstance(usual, Defined)
            and isinstance(meaning, Defined)
            and meaning is not usual
            and meaning not in used
            and meaning.scope in specification.scopes  # an expression that a person asks about is not part of the text
            and meaning.body not in assumed
            and _is_alike(usual, meaning)
            and levels.level(meaning.body, meaning.inner) is Level.CONSTANT
            and constant not in meanings_in(meaning.body, meaning.inner)
        ):
            yield other


def _is_alike(usual: Defined, other: Defined) -> bool:
    """Whether two definitions may replace the same constant. An operator's text often hides the kind of its values."""
    kinds = {kind_of(usual), kind_of(other)}
    return usual.arity == other.arity and len(kinds - {""} if usual.arity else kinds) <= 1
