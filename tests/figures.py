"""Figures that the authors of protocols have published, and what a check finds to compare with them."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from tests.places import ROOT
from workbench.checking.check import check
from workbench.kernel import Model, machine_of

DATA = ROOT / "data"


class Found(NamedTuple):
    """Distinct states, depth, and for each invariant the states of a shortest counterexample, or None if it holds."""

    distinct: int
    depth: int
    violated: dict[str, int | None]

    @property
    def violations(self) -> dict[str, int]:
        return {name: states for name, states in self.violated.items() if states is not None}


class Figure(NamedTuple):
    """What was found for the constants of a configuration."""

    model: str
    constants: dict[str, Any]
    found: Found
    name: str | None = None


def published(model: str) -> list[Figure]:
    lines = map(json.loads, (DATA / f"{model}_figures.jsonl").read_text().splitlines())
    return [
        Figure(model, line["constants"], Found(*(line[name] for name in Found._fields)), line.get("name"))
        for line in lines
    ]


#: Paimon's figures, by the names of their configurations.
PAIMON = {str(figure.name): figure for figure in published("paimon")}


def constants_of(name: str, **changed: Any) -> dict[str, Any]:
    """The constants of one of Paimon's figures, some of them changed."""
    return {**PAIMON[name].constants, **changed}


def figures_of(model: Model, names: Sequence[str], **options: Any) -> Found:
    """Check those of the invariants `names` that the model has; one that it lacks counts as holding."""
    result = check(model, [name for name in names if name in machine_of(model).properties], **options)
    states = {verdict.name: verdict.trace_states for verdict in result.verdicts}
    return Found(result.distinct, result.depth, {name: states.get(name) for name in names})


def violations(model: Model, names: Sequence[str]) -> dict[str, int]:
    """For each violated property of those `names` that the model has, the states of a shortest trace."""
    return figures_of(model, names, engine="local").violations
