"""ENABLED in an instance whose variables stand for expressions, or two of them for one variable.

The next values of those variables are free there: an action is enabled where the instantiated module has a step from
the values of the expressions. So the action is compiled in the same module with variables of its own.
"""

from collections.abc import Mapping
from dataclasses import replace

from workbench.tlaplus.compiler.environment import Binding, ByName, Environment
from workbench.tlaplus.names.symbols import Apart, InstanceParameter, Meaning, Scope, Variable
from workbench.tlaplus.syntax.tree import Identifier


def apart_of(scope: Scope) -> tuple[Scope, Apart] | None:
    """The place of a scope in the instance around it with variables of its own; None if it needs none."""
    instance: Scope | None = scope
    while instance is not None and instance.apart is None:
        instance = instance.outer
    if instance is None or instance.apart is None:
        return None
    apart = instance.apart()
    inside = scope.matching(apart.scopes)
    variables = [_variable(meaning) for meaning in apart.variables.values()]
    is_renaming = None not in variables and len(set(variables)) == len(variables)
    return None if inside is None or is_renaming else (inside, apart)


def _variable(meaning: Meaning | None) -> Variable | None:
    """The variable of the specification that a name denotes, directly or through other names."""
    while isinstance(meaning, InstanceParameter) and isinstance(meaning.expression, Identifier):
        meaning = meaning.scope.find(meaning.expression.name)
    return meaning if isinstance(meaning, Variable) else None


def moved(environment: Environment, scopes: Mapping[Scope, Scope]) -> Environment:
    """Bindings with the meanings that names have in another instance, given the scopes of its modules."""
    return Environment({key: _moved(binding, scopes) for key, binding in environment.items()})


def _moved(binding: Binding, scopes: Mapping[Scope, Scope]) -> Binding:
    if not isinstance(binding, ByName):
        return binding
    scope = binding.scope.matching(scopes) or binding.scope
    return replace(binding, scope=scope, environment=moved(binding.environment, scopes))
