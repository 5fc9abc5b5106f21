"""The settings of a check: constants, properties, symmetric sets, and the named configuration that they match."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from workbench.kernel import InputError, Machine, machine_of
from workbench.kernel.meaning.arguments import names_in
from workbench.kernel.meaning.errors import unknown
from workbench.kernel.meaning.machine import ModelClass
from workbench.kernel.meaning.properties import DEADLOCK
from workbench.registry.configurations import Configuration


@dataclass(frozen=True)
class Settings:
    """Settings of a model, immutable: a change makes new ones.

    Attributes:
        constants: All constants as they are set. They need not go together; :meth:`model` says so.
        ticked: The properties that somebody has chosen; None for those that the model checks by default with these
            constants.
        symmetry: The sets whose names are taken as interchangeable.
        configuration: The named configuration that it is.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> settings = Settings(Bakery, Bakery(Writers=2).constants).with_constants({"LazyReap": False})
        >>> settings.model()
        Bakery(Writers=('w1', 'w2'), LazyReap=False)
        >>> settings.is_default, Settings(Bakery, Bakery().constants).is_default
        (False, True)
    """

    model_class: ModelClass
    constants: Mapping[str, Any]
    ticked: frozenset[str] | None = None
    symmetry: tuple[str, ...] = ()
    configuration: Configuration | None = None

    def model(self) -> Machine:
        """A model with these constants.

        Raises:
            InputError: If they are not accepted, or not together.
        """
        return machine_of(self.model_class(**self.constants))

    def differing(self) -> dict[str, Any]:
        """The constants that differ from the model's defaults. Raises as :meth:`model` does."""
        return self.model().differing()

    @property
    def is_default(self) -> bool:
        """Whether everything is at the model's defaults."""
        return self.ticked is None and not self.symmetry and not self.differing()

    def applicable(self) -> list[str]:
        """The properties that are checked. Raises as :meth:`model` does.

        What somebody has chosen stays chosen where the constants switch it off, for when they switch it on again.
        """
        model = self.model()
        if self.ticked is None:
            return [declared.name for declared in model.select()]
        names = dict.fromkeys([*model.declared.properties, DEADLOCK.name])
        return model.applicable(name for name in names if name in self.ticked)

    def asks_as(self, other: "Settings") -> bool:
        """Whether these ask for the same check, wherever they come from. Raises as :meth:`model` does."""
        same = (self.constants, self.symmetry) == (other.constants, other.symmetry)
        return same and set(self.applicable()) == set(other.applicable())

    def with_constants(self, constants: Mapping[str, Any]) -> "Settings":
        """These settings with other values of some constants.

        Raises:
            InputError: For a name or a value that is not accepted. Only :meth:`model` checks them in combination.
        """
        if not constants:
            return self
        declared = self.model_class.declared.constants
        for name in constants:
            if name not in declared:
                raise unknown(f"constant of {self.model_class.declared.name}", name, declared)
        return self._with({name: declared[name].parse(name, value) for name, value in constants.items()})

    def with_typed(self, constants: Mapping[str, Any]) -> "Settings":
        """These settings with typed values. Values that are not accepted stay, so that :meth:`model` reports them."""
        declared = self.model_class.declared.constants

        def parsed(name: str, value: Any) -> Any:
            try:
                return declared[name].parse(name, value)
            except InputError:
                return value

        return self._with({name: parsed(name, value) for name, value in constants.items()})

    def _with(self, constants: Mapping[str, Any]) -> "Settings":
        """These settings with other values. If all properties are selected, so are any that the new values add."""
        changed = replace(self, constants={**self.constants, **constants}, configuration=None)
        if self.ticked is None:
            return changed
        try:
            return replace(changed, ticked=self.ticked.union(changed.model().chosen_as(self.ticked, self.model())))
        except InputError:
            return changed

    def with_ticked(self, names: Iterable[str] | None) -> "Settings":
        """These settings with these properties; None means those checked by default."""
        return replace(
            self, ticked=None if names is None else frozenset(names_in("properties", names)), configuration=None
        )

    def with_symmetry(self, sets: Iterable[str]) -> "Settings":
        """These settings with the names in these sets interchangeable, in the model's order."""
        declared = self.model_class.declared
        chosen = declared.symmetric_sets("symmetry", sets)
        ordered = tuple(name for name in declared.symmetry if name in chosen)
        return replace(self, symmetry=ordered, configuration=None)
