"""What a session may start from: a model, or a named configuration of one."""

import tomllib
from pathlib import Path
from typing import Any

import workbench
from workbench import configurations
from workbench.configurations import Configuration
from workbench.kernel import InputError, Model
from workbench.kernel.errors import unknown
from workbench.models import MODELS, get_model
from workbench.session.settings import Settings


def start_from(what: Any) -> Settings:
    """The settings that a person means by a name, a file, a model's class, a model or a configuration.

    Raises
    ------
    InputError
        If it is none of these.

    Examples
    --------
    >>> start_from("bakery").model()
    BakeryExtended()
    """
    if isinstance(what, Model):
        return Settings(type(what), what.constants)
    if isinstance(what, type) and issubclass(what, Model):
        return start_from(what())
    if isinstance(what, Configuration):
        ticked = None if what.properties is None else frozenset(what.properties)
        return Settings(type(what.model), what.model.constants, ticked, what.symmetry, what)
    if isinstance(what, Path) or (isinstance(what, str) and what.endswith(".toml")):
        return start_from(configurations.load(Path(what)))
    if not isinstance(what, str):
        raise InputError(f"{what!r} is not accepted; give a model, the name of one, or a configuration")
    if what in MODELS or what.endswith(".py") or ".py:" in what:
        return start_from(get_model(what))
    files = {path.stem: path for path in _files()}
    if what not in files:
        raise unknown("model or configuration", what, [*MODELS, *files])
    return start_from(configurations.load(files[what]))


def presets(model: type[Model]) -> dict[str, Path]:
    """The files of the named configurations of `model`, by a line that says what each shows."""
    files = {}
    for path in _files():
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):  # a file that is broken, or being written, is none to start from
            continue
        if table.get("model") == model.name:
            files[f"{path.stem} \N{EN DASH} {table.get('title', '')}"] = path
    return files


def _files() -> list[Path]:
    """Every configuration in the ``specs`` folder: the repository's, or one near the working folder."""
    here = Path.cwd()
    folders = (folder / "specs" for folder in (Path(workbench.__file__).parents[1], here, *here.parents))
    folder = next((folder for folder in folders if folder.is_dir()), None)
    return [] if folder is None else sorted(folder.glob("*/*.toml"))
