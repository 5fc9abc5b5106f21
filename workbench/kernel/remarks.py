"""What is suspicious about a model, and known for certain."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from workbench.kernel.profile import Subject
from workbench.kernel.properties import Property
from workbench.kernel.state import Reads

if TYPE_CHECKING:
    from workbench.kernel.conclusion import Exploration
    from workbench.kernel.plan import Plan

#: Why a property says nothing whose parameters have no values.
NOBODY = "it says nothing: its parameters have no values with these constants"


def remarks(plan: "Plan", explored: "Exploration") -> list[str]:
    """What an author should look at. But for what is slow, it takes a space that is known as a whole."""
    slow = [] if explored.profile is None else explored.profile.remarks
    whole = explored.stopped is None and not explored.outside
    return [*_idle_actions(plan, explored), *slow] if whole else slow


def _idle_actions(plan: "Plan", explored: "Exploration") -> Iterator[str]:
    for count in explored.actions:
        if count.enabled and not count.assigns and not plan.model.declared_actions[count.name].stutters:
            yield (
                f"action {count.name} never changes anything, since it assigns nothing; is == written where = is "
                "meant? (stutters=True says that it is on purpose)"
            )


def says_nothing(model: Any, declared: Property) -> str | None:
    """Why an invariant that holds says nothing of the states; None if it looks at them.

    What looks at no cell answers the same in every state; so one state tells. Where it asks for a constant instead, it
    may well be on purpose, and nothing is said of it.
    """
    instances = model.predicates(declared.name)
    if not instances:
        return NOBODY
    state = next(model.each_initial_state())
    looks: dict[Subject, bool] = {}
    for instance in instances:
        if not looks.get(instance.subject):
            reads = Reads(state.values)
            instance.judge(model.view(reads))
            looks[instance.subject] = bool(reads) or not model.constants.keys().isdisjoint(instance.names)
    blind = [subject.part or "it" for subject, looked in looks.items() if not looked]
    if not blind:
        return None
    return f"{' and '.join(blind)} {'reads' if len(blind) == 1 else 'read'} nothing of the state"
