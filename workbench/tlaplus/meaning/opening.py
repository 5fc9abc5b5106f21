"""Applies a configuration to a specification, so that expressions can be evaluated."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from workbench.kernel.meaning.values import Name
from workbench.tlaplus.meaning.actions import is_composed, is_enabled
from workbench.tlaplus.meaning.environment import Environment, Model, States
from workbench.tlaplus.meaning.expressions import evaluate
from workbench.tlaplus.meaning.standard import MODULES
from workbench.tlaplus.meaning.values import (
    Boolean,
    ModelValue,
    Number,
    String,
    Words,
    function_of,
    sequence_of,
    set_of,
)
from workbench.tlaplus.names.depth import with_depth
from workbench.tlaplus.names.specification import Specification
from workbench.tlaplus.names.symbols import Constant, place_of
from workbench.tlaplus.syntax.cfg_parser import Cfg
from workbench.tlaplus.syntax.tree import Expression, Identifier, Place


@dataclass(frozen=True)
class Opened:
    """A specification whose constants have values.

    Attributes:
        root: The environment of the root module's expressions.
    """

    specification: Specification
    cfg: Cfg
    root: Environment

    def named(self, name: str) -> Expression:
        """The name of a definition of the root module, as an expression.

        Raises:
            InputError: If there is none.
        """
        meaning = self.specification.scope.meaning(name, self.specification.module.at)
        return Identifier(place_of(meaning) or self.specification.module.at, name)

    def value(self, name: str) -> Any:
        """The value of a constant definition of the root module."""
        return evaluate(self.named(name), self.root, States({}))


def opened(specification: Specification, cfg: Cfg, spellings: Iterable[str], named: Iterable[Constant] = ()) -> Opened:
    """Apply a configuration's constants and replacements to a specification.

    Args:
        specification: Loaded with the standard modules of ``standard.py``.
        cfg: The parsed configuration file.
        spellings: The strings and model values in the order in which TLC meets them.
        named: Further constants; the value of each is the model value of the same name.

    Raises:
        InputError: For a replacement that names something unknown, on either side.
    """
    words = Words(spellings)
    for name, entry in cfg.replacements.items():
        specification.replace(name, entry.value)
    for within, entry in cfg.replacements_in.items():
        specification.replace(within.name, entry.value, within.module)
    constants: dict[Constant, Any] = {constant: ModelValue(constant.name, words) for constant in named}
    for name in cfg.model_values:
        _give(specification, name, ModelValue(name, words), constants)
    for name, entry in cfg.constants.items():
        _give(specification, name, _value(entry.value, words), constants)
    for within, entry in cfg.constants_in.items():
        _give(specification, within.name, _value(entry.value, words), constants, within.module)
    for name, rows in cfg.tables.items():
        table = specification.tabulate(name, {len(row.arguments) for row in rows})
        constants[table] = function_of((_argument(row.arguments, words), _value(row.value, words)) for row in rows)
    specification = with_depth(specification, cfg)
    model = Model(specification.variables, constants, words, is_enabled, is_composed, MODULES)
    return Opened(specification, cfg, Environment(model, specification.scope, {}))


def _argument(entries: tuple[Any, ...], words: Words) -> Any:
    """The argument of a function: a value, or a tuple for several arguments."""
    values = [_value(entry, words) for entry in entries]
    return values[0] if len(values) == 1 else sequence_of(values)


def _value(entry: Any, words: Words) -> Any:
    """Convert a value of a configuration, where sets are tuples and model values are Names."""
    if isinstance(entry, tuple):
        return set_of(_value(member, words) for member in entry)
    if isinstance(entry, bool):
        return Boolean(entry)
    if isinstance(entry, int):
        return Number(entry)
    return ModelValue(str(entry), words) if isinstance(entry, Name) else String(entry, words)


def _give(
    specification: Specification, name: str, value: Any, constants: dict[Constant, Any], module: str = ""
) -> None:
    """Give a name a value: a declared constant takes it, a definition is replaced by a new constant."""
    for scope, meaning in specification.meanings(name, module):
        if isinstance(meaning, Constant) and not module:
            constants[meaning] = value
            continue
        constant = Constant(name, 0, Place(scope.module, 1, 1))
        constants[constant] = value
        specification.put(name, constant, scope, meaning, module)
