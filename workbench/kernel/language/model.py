"""The base class of models: binds constants to the declarations of a class, and gives them their meaning."""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from workbench.kernel.language.declare import DECLARED, ClassOfModels, Declarations, collect
from workbench.kernel.language.of_class import ClassMachine
from workbench.kernel.meaning.constants import as_arguments
from workbench.kernel.meaning.errors import (
    InputError,
    ModelError,
    blame,
    brief,
    note_class,
    of_its_class,
    placing,
)
from workbench.kernel.meaning.parameters import check_finished
from workbench.kernel.meaning.steps import Fairness

#: Attributes of a model that its class lacks; those of the class are reserved as well.
_RESERVED = frozenset({"constants"})


class Model(metaclass=ClassOfModels):
    """A protocol: constants, variables, actions and properties.

    Args:
        **constants: Values for declared constants; the others have their defaults.

    Attributes:
        constants: Every constant's value. Each is also an attribute of that name.
    """

    #: Names of the constants whose members are interchangeable.
    symmetry: ClassVar[tuple[str, ...]] = ()
    _family: ClassVar[Declarations] = Declarations()
    _machine: ClassMachine = None  # type: ignore[assignment]  # until there is an object with constants

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        note_class(cls)
        with placing(cls):
            declared = collect(cls, cls.__mro__[:-1], _RESERVED | vars(Model).keys())
            for base in (cls, *(base for base in cls.__mro__[:-1] if not issubclass(base, Model))):
                for name in vars(base).keys() & _OWN:
                    raise ModelError(
                        f"{cls.__name__}: {name} belongs to Model"
                        + ("; what has to be checked or made once goes into validate" if name == "__init__" else "")
                    )
            called: Any = vars(cls).get("_called", vars(cls).get("name"))
            if called is None or isinstance(called, DECLARED):
                called = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
            if not (isinstance(called, str) and called.isprintable()):
                raise ModelError(f"{cls.__name__}: name = {brief(called)} is not accepted; it takes a line of text")
            declared.check(cls.__name__, cls.symmetry)
            cls._family = replace(declared, name=called, title=cls.__name__, symmetry=tuple(cls.symmetry))

    @of_its_class
    def __init__(self, /, **constants: Any) -> None:
        declared = type(self).declared
        if not declared.variables or not declared.actions:
            raise ModelError(f"{declared.title} declares no {'variable' if declared.actions else 'action'}")
        self.constants: dict[str, Any] = declared.parsed(constants)
        self._check_sets()
        for name, constant in declared.constants.items():
            self.constants[name] = constant.domain.bind(name, self.constants[name], self.constants)
            setattr(self, name, self.constants[name])
        self._check_attributes()
        begins = None if type(self).initial_states is Model.initial_states else self.initial_states
        self._machine = ClassMachine(self, begins)
        self._frozen = True

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, "_frozen", False):
            raise ModelError(f"self.{name} may not be assigned: what changes belongs in the state (s.{name})")
        object.__setattr__(self, name, value)

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), self.constants)

    def validate(self) -> None:
        """Raise :class:`InputError` if the constants do not fit together; for models to override."""

    def _check_attributes(self) -> None:
        """Validate, and check the attributes of the class and those that `validate` made."""
        try:
            validate: Callable[[], Any] = self.validate
            check_finished(validate())
        except (InputError, MemoryError):  # bad input and a full memory are not the model's mistakes
            raise
        except BaseException as error:
            raise blame(f"validate of {type(self).__name__}", error) from error
        attributes = {**{n: v for base in type(self).__mro__[:-2] for n, v in vars(base).items()}, **vars(self)}
        for name, value in attributes.items():
            if isinstance(value, Iterator):
                raise ModelError(
                    f"{type(self).__name__}: {name} is an iterator, which its first user uses up; make it a tuple"
                )

    def _check_sets(self) -> None:
        """Different sets hold different names."""
        sets = type(self).declared.names(self.constants)
        for one, other in itertools.combinations(sets, 2):
            both = sorted(set(sets[one]) & set(sets[other]))
            if both:
                raise InputError(f"{one} and {other} both hold {both[0]!r}; names must differ")

    def initial_states(self) -> Sequence[Any]:
        """The states in which a behaviour may begin; for models to override."""
        return list(self._machine._initial_states())

    def fairness(self) -> list[Fairness]:
        """The fairness conditions; for models to override."""
        return self._machine.declared_fairness()

    def renamings(self, sets: Sequence[str] | None = None) -> list[dict[str, str]]:
        """The permutations of names under which the model does not change, the identity first; for models to override.

        Renamings that change a constant which holds such names, such as a graph, are left out.

        Args:
            sets: The symmetric sets to permute; all declared ones for None.
        """
        return self._machine.declared_renamings(sets)

    def __repr__(self) -> str:
        arguments = as_arguments(self._machine.differing(), type(self).declared.constants)
        return f"{type(self).__name__}({', '.join(arguments)})"


#: The attributes that a model's class may not override.
_OWN = _RESERVED | {"__init__", "__setattr__", "__reduce__"}


def reserved_names() -> list[str]:
    """The names that no declaration may have. Names that begin with ``_`` are reserved too, but not listed."""
    return sorted(name for name in _RESERVED | vars(Model).keys() if not name.startswith("_"))


def _rebuild(model: type[Model], constants: dict[str, Any]) -> Model:
    return model(**constants)
