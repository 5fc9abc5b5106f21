"""A specification with its configuration, ready to be evaluated."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from workbench.kernel.meaning.values import Name
from workbench.tlaplus.meaning.actions import is_enabled
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
    """Carry out what a configuration says of constants and definitions.

    Args:
        specification: Loaded with the standard modules of ``standard.py``.
        cfg: What the configuration's file says.
        spellings: The order in which TLC meets the spellings of strings and model values.
        named: Further constants, each for the model value of its name.

    Raises:
        InputError: For a replacement of a name that is unknown, or by one.
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
    model = Model(specification.variables, constants, words, is_enabled, MODULES)
    return Opened(specification, cfg, Environment(model, specification.scope, {}))


def _argument(entries: tuple[Any, ...], words: Words) -> Any:
    """What a function of one or several arguments is applied to."""
    values = [_value(entry, words) for entry in entries]
    return values[0] if len(values) == 1 else sequence_of(values)


def _value(entry: Any, words: Words) -> Any:
    """The value that a configuration writes: sets are tuples there, and model values are Names."""
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
    """Let a name have a value: a declared constant, or a definition that a new constant stands for."""
    for scope, meaning in specification.meanings(name, module):
        if isinstance(meaning, Constant) and not module:
            constants[meaning] = value
            continue
        constant = Constant(name, 0, Place(scope.module, 1, 1))
        constants[constant] = value
        specification.put(name, constant, scope, meaning, module)
