"""The property that every model has without declaring it: behaviours end only where they may."""

from collections.abc import Callable
from typing import Any

from workbench.kernel.actions import parameters_of
from workbench.kernel.errors import ModelError, brief, defined_at, in_its_line
from workbench.kernel.lasso import waiting
from workbench.kernel.properties import Property, call_predicate
from workbench.kernel.state import Reader, State, seen


class Ends:
    """What ``@ends`` attaches to a method."""

    def __init__(self, function: Callable[..., bool]) -> None:
        self.function = function


@in_its_line
def ends(function: Callable[..., bool]) -> Ends:
    """Declare a method ``(self, s)`` that is true in the states in which a behaviour may end.

    The property ``Deadlock`` holds if every other state has a next step. Where a model says nothing, it may end
    nowhere.

    Examples
    --------
    >>> from workbench import Model, Variable, action, check, ends, require
    >>> class Countdown(Model):
    ...     left = Variable(3)
    ...     @action
    ...     def count(self, s):
    ...         require(s.left > 0, "nothing is left")
    ...         s.left -= 1
    ...     @ends
    ...     def over(self, s):
    ...         return s.left == 0
    >>> check(Countdown(), ["Deadlock"])["Deadlock"].word
    'holds'
    """
    parameters_of(function, {}, first=2)
    return Ends(function)


def may_end(model: Any, state: Reader) -> bool:
    """Whether `model` says that behaviours may end in `state`."""
    if model.declared_ends is None:
        return False
    function = model.declared_ends.function
    answer = call_predicate(function.__name__, function, model, seen(state))
    if answer is True or answer is False:
        return answer
    raise ModelError(
        f"ends {function.__name__}{defined_at(function)} returned {brief(answer)}; it must return True or False"
    )


def judge_end(model: Any, state: State) -> bool | str:
    """Every state has a next step, except for those in which the model says that behaviours may end."""
    if may_end(model, state) or any(model.outcomes(instance, state) for instance in model.instances):
        return True
    return "; ".join(waiting(model, state, range(len(model.instances)))) or "nothing can happen any more"


DEADLOCK = Property("deadlock", "Deadlock", judge_end, {}, by_default=False)
