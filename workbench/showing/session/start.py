"""The start of a session: a model, or one of its named configurations."""

import tomllib
from pathlib import Path
from typing import Any

from workbench.kernel import InputError, Machine, Model, machine_of
from workbench.kernel.meaning.machine import ModelClass, is_model_class
from workbench.registry import configurations, get_model, names_model
from workbench.registry.configurations import Configuration
from workbench.showing.session.settings import Settings


def start_from(what: Any) -> Settings:
    """The settings meant by a name, a file, a model's class, a model or a configuration.

    Raises:
        InputError: If it is none of these.

    Examples:
        >>> start_from("bakery").model()
        BakeryExtended()
    """
    if is_model_class(what) or isinstance(what, (Machine, Model)):
        machine = machine_of(what)
        reduced = tuple(machine.symmetry) if machine.declared.reduced else ()
        return Settings(type(machine.author), machine.constants, symmetry=reduced)
    if isinstance(what, Configuration):
        ticked = None if what.properties is None else frozenset(what.properties)
        return Settings(type(what.model.author), what.model.constants, ticked, what.symmetry, what)
    if not isinstance(what, (str, Path)):
        raise InputError(f"{what!r} is not accepted; give a model, the name of one, or a configuration")
    if isinstance(what, str) and names_model(what):
        return start_from(get_model(what))
    return start_from(configurations.configuration(what))


def presets(model: ModelClass) -> dict[str, Path]:
    """The files of the configurations of `model` that come with the package, by a line that says what each shows."""
    files = {}
    for path in configurations.shipped().values():
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):  # a broken or half-written file cannot be started from
            continue
        if table.get("model") == model.declared.name:
            files[f"{path.stem} \N{EN DASH} {table.get('title', '')}"] = path
    return files
