"""The plan of a check, made before it starts; every engine takes one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from secrets import token_bytes
from typing import Any

from workbench.kernel.meaning.arguments import check_kind, plain
from workbench.kernel.meaning.constants import telling_apart
from workbench.kernel.meaning.errors import InputError, brief
from workbench.kernel.meaning.machine import Machine, machine_of
from workbench.kernel.meaning.properties import Liveness, Property

#: The bytes of a key.
_KEY = 16


@dataclass(frozen=True)
class Fingerprints:
    """The fingerprints by which a search tells states apart.

    Attributes:
        bits ({64, 128}): Their width.
        key: The ``fingerprint_key`` of an earlier result, to repeat that search; by default a new one is drawn, so that
            a second check is a second opinion.

    Raises:
        InputError: For another width, or what cannot be a key.
    """

    bits: int = 64
    key: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", plain(self.bits))
        if self.bits not in (64, 128):
            raise InputError(f"bits = {brief(self.bits)} is not accepted; it takes 64 or 128")
        if self.key is not None:
            key_in(self.key, "key")


@dataclass(frozen=True)
class Plan:
    """A check that has been planned: the properties, and how to decide them.

    Attributes:
        properties: In the order of the verdicts.
        symmetry: The sets whose names are interchangeable.
        bits ({64, 128}): The width of fingerprints, for engines that have them.
        fail_fast: Stop at the first violated property that states or steps decide.
        notes: The differences between the plan and the request, with reasons.
        key: The key of fingerprints. Nobody can know it when they write a model, so none can be made to collide.
    """

    model: Machine
    properties: list[Property]
    symmetry: tuple[str, ...] = ()
    bits: int = 64
    fail_fast: bool = False
    notes: list[str] = field(default_factory=list)
    key: bytes = field(kw_only=True)

    @property
    def safety(self) -> list[Property]:
        """The properties that single states decide."""
        return [p for p in self.properties if p.of_states]

    @property
    def steps(self) -> list[Property]:
        """The properties that a state decides together with the steps from there."""
        return [p for p in self.properties if p.of_steps]

    @property
    def liveness(self) -> list[Property]:
        return [p for p in self.properties if isinstance(p, Liveness)]


def make_plan(
    model: Any,
    properties: Sequence[str] | None = None,
    symmetry: bool | Sequence[str] | None = None,
    *,
    fail_fast: bool = False,
    fingerprints: Fingerprints = Fingerprints(),
) -> Plan:
    """Resolve a request for a check.

    Args:
        properties: The names of properties; None means those that the model checks by default.
        symmetry: All of the model's symmetric sets, none, or some by name. None means those in its configuration; a
            Python class has none.

    Raises:
        InputError: If `model` is not a model, or for an unknown property or set.
    """
    settings = check_kind("fingerprints", fingerprints, Fingerprints)
    key = token_bytes(_KEY) if settings.key is None else key_in(settings.key, "key")
    model = machine_of(model)
    if properties is not None:
        model, properties = model.asking(properties)
    chosen = model.select(properties)
    if symmetry is None:
        symmetry = model.declared.reduced
    if symmetry is True and not model.symmetry:
        raise InputError(f"symmetry: {model.name} declares no set of interchangeable names; leave it out")
    sets = model.symmetry if symmetry is True else model.declared.symmetric_sets("symmetry", symmetry or ())
    notes = []
    if not chosen:
        notes.append("nothing is checked: no property was asked for, and the states are only counted")
    if sets and (lively := [p.name for p in chosen if isinstance(p, Liveness)]):
        without = "explored without symmetry, since with it the check of a liveness property would be unsound"
        notes.append(f"{without}: {', '.join(lively)}; to use it, name other properties")
        sets = ()
    if held := telling_apart(model.constants, model.declared.constants, [*map(model.exchanged, sets)]):
        notes.append(f"symmetry: names are exchanged only where that changes nothing in {', '.join(held)}")
    return Plan(model, chosen, sets, settings.bits, fail_fast, notes, key=key)


def key_in(digits: str, name: str) -> bytes:
    """Parse a fingerprint key from hexadecimal digits.

    Raises:
        InputError: If they are not, or the wrong number; the error calls them `name`.
    """
    if not (isinstance(digits, str) and re.fullmatch(rf"[0-9a-fA-F]{{{2 * _KEY}}}", digits)):
        raise InputError(f"{name} = {brief(digits)} is not accepted; it takes {2 * _KEY} hexadecimal digits")
    return bytes.fromhex(digits)
