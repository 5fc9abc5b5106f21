"""A check with the profile of the model's Python."""

from typing import Any

from workbench.checking.trees.profile import FIGURES
from workbench.kernel import Result
from workbench.kernel.meaning.text import Line, columns


class Profiled(Result):
    """A result that also shows its profile."""

    def styled(self) -> list[Line]:
        return [*super().styled(), "", *profile_lines(self)]

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), "profile": None if self.profile is None else self.profile.as_dict()}


def profiled(result: Result) -> Profiled:
    """`result`, made to tell its profile too."""
    return Profiled(**vars(result))


def profile_lines(result: Result) -> list[str]:
    """The calls of Python by subject, the most frequent first."""
    profile = result.profile
    if profile is None:
        reason = "runs everything in every state" if result.engine == "reference" else "has resumed a search"
        return [f"note: no profile: the {result.engine} engine {reason}"]
    rows = [("", *FIGURES), *((str(cost.subject), *profile.row(cost)) for cost in profile.by_calls)]
    last = f"cells: the most that one instance has read, of {len(profile.cells)}"
    return [f"Profile: {profile.head}", *columns(rows, right=range(1, 5)), last]
