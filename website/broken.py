"""Every violation that the configurations of ``specs/`` expect, found again, and its repairs."""

import shlex
from dataclasses import dataclass
from json import dumps
from pathlib import Path

from workbench.checking.check import check
from workbench.checking.questions.whatif import Attempt, flips
from workbench.kernel import InputError, Result, Trace, Verdict
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.constants import spell
from workbench.registry import configurations
from workbench.registry.configurations import Configuration, Neighbour, neighbours

#: The limit of states for a check with a changed constant; beyond it the change stays undecided.
MOST_STATES = 100_000
#: The largest number of constants in which a neighbour, where the property holds, may differ.
_NEAR = 2


@dataclass(frozen=True)
class Broken:
    """A violation.

    Attributes:
        attempts: The results of changing a single switch or choice; incomplete where nothing is repaired.
        neighbours: The nearest configurations in which the property holds.
    """

    one: Configuration
    result: Result
    verdict: Verdict
    attempts: list[Attempt]
    neighbours: list[Neighbour]

    @property
    def trace(self) -> Trace:
        assert self.verdict.trace is not None
        return self.verdict.trace

    @property
    def doc(self) -> str:
        """The docstring of the property."""
        return " ".join(self.result.model.declared.property_named(self.verdict.name).doc.partition("\n\n")[0].split())

    @property
    def constants(self) -> list[str]:
        """The constants that differ from the model's defaults."""
        model = self.one.model
        return [spell({name: value}, model.declared.constants) for name, value in model.differing().items()]

    @property
    def repairs(self) -> list[Attempt]:
        """The changes after which the property holds, those first that break nothing else and rule nothing out."""
        repairing = [attempt for attempt in self.attempts if self._holds(attempt) is True]
        return sorted(repairing, key=lambda attempt: attempt.price)

    @property
    def undecided(self) -> list[Attempt]:
        """The changes that :data:`MOST_STATES` states neither confirm nor refute as repairs."""
        return [attempt for attempt in self.attempts if attempt.result is not None and self._holds(attempt) is None]

    def _holds(self, attempt: Attempt) -> bool | None:
        """Whether the property holds after a change; False where the change leaves nothing to judge."""
        verdicts = () if attempt.result is None else attempt.result.verdicts
        return next((verdict.holds for verdict in verdicts if verdict.name == self.verdict.name), False)

    @property
    def command(self) -> str:
        """The command that finds the same violation and writes it as a page."""
        words = ["workbench", "check", self.one.model.name]
        for name, value in self.one.model.differing().items():
            words += ["--set", f"{name}={dumps(value, separators=(',', ':'))}"]
        words += ["--symmetry"] if self.one.symmetry else []
        return shlex.join([*words, "--property", self.verdict.name, "-o", f"{self.one.name}.html"])


def expected(configuration: Configuration) -> list[str]:
    """The properties that a configuration expects to be violated."""
    verdicts = configuration.expect.get("verdicts", {})
    return [name for name, verdict in verdicts.items() if isinstance(verdict, dict) and "violated" in verdict]


def inputs(configuration: Configuration) -> list[Path]:
    """The configurations that the pages of one show: it, and where the violated properties hold."""
    near = (other for name in expected(configuration) for other in neighbours(configuration.model, name, _NEAR))
    return [*configuration.files, *(path for other in near for path in other.one.files)]


def find(path: Path) -> list[Broken]:
    """The violations of one configuration.

    Raises:
        InputError: If the check does not meet the file's expectations: pages show only the figures of ``specs/``.

    Examples:
        >>> found = find(configurations.resolve("classics/peterson_stays"))
        >>> [(one.verdict.name, len(one.trace), [repair.in_line for repair in one.repairs]) for one in found]
        [('WhoWantsEnters', 12, ['LeavesLevels=on'])]
    """
    configuration = configurations.configuration(path)
    names = expected(configuration)
    if not names:
        return []
    result = check(configuration.model, configuration.properties, symmetry=configuration.symmetry)
    if differences := configuration.differences(result):
        raise InputError(f"{configurations.told_path(path)} is not as expected: {'; '.join(differences)}")
    attempts = flips(
        configuration.model,
        configuration.properties,
        before=result,
        until_violated=names,  # a change after which all of them are violated repairs nothing
        symmetry=configuration.symmetry,
        budget=Budget(states=MOST_STATES),
    )
    return [
        Broken(configuration, result, result[name], attempts, neighbours(configuration.model, name, _NEAR))
        for name in names
    ]
