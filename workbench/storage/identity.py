"""The origin of stored results: the model and how it was checked."""

import hashlib
import json
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from workbench.kernel import InputError, Machine, ModelError, machine_of
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.machine import AnyModel, ModelClass
from workbench.kernel.meaning.text import printable
from workbench.storage.digest import model_digest
from workbench.storage.schema import from_json

_WHAT_IT_IS = {
    "model": "the model",
    "workbench": "the version of the workbench",
    "python": "the version of Python",
    "digest": "the model's code",
    "properties": "the properties",
    "symmetry": "the symmetric sets",
    "bits": "the bits of a fingerprint",
}


@dataclass(frozen=True)
class Identity:
    """Everything that determines a result. Made by :meth:`of` or :meth:`from_json`.

    Attributes:
        model: Its name.
        source: The place of its class, for people: nothing is loaded from there.
        digest: The digest of its code.
        constants: All constants, as JSON.
        bits ({64, 128}): The width of fingerprints.
        workbench, python: Versions; two numbers for Python, since the digest is of compiled code.
    """

    model: str
    source: str
    digest: str
    constants: dict[str, Any]
    properties: tuple[str, ...]
    symmetry: tuple[str, ...]
    bits: int
    workbench: str
    python: str

    @classmethod
    def of(cls, model: AnyModel, properties: Sequence[str], symmetry: Sequence[str] = (), bits: int = 64) -> "Identity":
        """The identity of a check of `model`.

        Raises:
            ModelError: If the model's code uses an object that a digest cannot describe.
        """
        model = machine_of(model)
        return cls.of_class(type(model.author), model.constants, properties, symmetry, bits)

    @classmethod
    def of_class(
        cls,
        model: ModelClass,
        constants: Mapping[str, Any],
        properties: Sequence[str],
        symmetry: Sequence[str] = (),
        bits: int = 64,
    ) -> "Identity":
        """The identity without a model object, for example for constants that do not go together."""
        return cls(
            model=model.declared.name,
            source=_source(model),
            digest=model_digest(model),
            constants=_plain(model, constants),
            properties=tuple(properties),
            symmetry=tuple(symmetry),
            bits=bits,
            workbench=version("lakehouse-workbench"),
            python=".".join(platform.python_version_tuple()[:2]),
        )

    @classmethod
    def from_json(cls, document: Any, where: str) -> "Identity":
        """Undo :meth:`as_json`."""
        return from_json(cls, document, where)

    def as_json(self) -> dict[str, Any]:
        return json.loads(json.dumps(asdict(self)))

    @property
    def key(self) -> str:
        """A word to file results under; equal identities have equal keys."""
        same = {**self.as_json(), "source": ""}
        return hashlib.blake2b(json.dumps(same, sort_keys=True).encode(), digest_size=16).hexdigest()

    def check_same(self, other: "Identity", subject: str) -> None:
        """Compare this identity, stored with `subject`, with `other`, that of a check now; `source` may differ.

        Raises:
            InputError: If they differ in anything else; it names the first difference.
        """
        for name, words in _WHAT_IT_IS.items():
            then, now = getattr(self, name), getattr(other, name)
            if then != now:
                was = "" if name == "digest" else f" ({_shown(then)} there, {_shown(now)} here)"
                raise InputError(f"{subject} is not of this check: {words} has changed since{was}")
        _check_constants(self.constants, other.constants, subject)

    def rebuild(self, model: ModelClass, subject: str) -> Machine:
        """The machine of `model` with the stored constants.

        Raises:
            InputError: If `subject` was stored for another model, or for another version of this one.
        """
        if model.declared.name != self.model:
            raise InputError(
                f"{subject} is of the model {brief(self.model)} ({printable(self.source)}), "
                f"and not of {model.declared.name!r}"
            )
        try:
            machine = machine_of(model(**{name: _tuples(value) for name, value in self.constants.items()}))
            rebuilt, _ = machine.asking(self.properties)
        except InputError as error:
            raise InputError(f"{subject} is not of this check: the model has changed since: {error}") from None
        self.check_same(Identity.of(rebuilt, self.properties, self.symmetry, self.bits), subject)
        return rebuilt


def _check_constants(then: Mapping[str, Any], now: Mapping[str, Any], subject: str) -> None:
    for name in dict.fromkeys([*then, *now]):
        one, other = ("missing" if name not in side else _shown(side[name]) for side in (then, now))
        if one != other:
            raise InputError(f"{subject} is not of this check: {brief(name)} is {one} there, {other} here")


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return brief(", ".join(value))[1:-1] or "none"
    return brief(value)


def _source(kind: ModelClass) -> str:
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return f"{file or kind.__module__}:{kind.__qualname__}"


def _plain(model: ModelClass, constants: Mapping[str, Any]) -> dict[str, Any]:
    domains = {name: constant.domain for name, constant in model.declared.constants.items()}
    spelled = {name: domains[name].spelled(value) if name in domains else value for name, value in constants.items()}
    try:
        return json.loads(json.dumps(spelled, allow_nan=False))
    except (TypeError, ValueError):
        raise ModelError(
            f"model {model.declared.name}: constants {brief(constants)} cannot be stored as JSON"
        ) from None


def _tuples(value: Any) -> Any:
    """A constant with tuples in place of JSON's lists, as in the model."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
