"""The models, by name: the published protocols, and the classics."""

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from workbench.kernel.errors import InputError, ModelError, place_of, unknown
from workbench.kernel.model import Model, model_object

#: The module of each model's class, imported on demand. The plain name has our extensions, each behind a constant;
#: ``_published`` is the protocol as published.
PUBLISHED = {
    "bakery": "workbench.models.bakery_extended:BakeryExtended",
    "bakery_endless": "workbench.models.bakery_endless:BakeryEndless",
    "bakery_published": "workbench.models.bakery:Bakery",
    "bakery_v2": "workbench.models.bakery_v2_extended:BakeryV2Extended",
    "bakery_v2_published": "workbench.models.bakery_v2:BakeryV2",
    "delta": "workbench.models.delta:Delta",
    "hudi": "workbench.models.hudi_extended:HudiExtended",
    "hudi_published": "workbench.models.hudi:Hudi",
    "iceberg": "workbench.models.iceberg:Iceberg",
    "paimon": "workbench.models.paimon_extended:PaimonExtended",
    "paimon_published": "workbench.models.paimon:Paimon",
}
#: The promise of a table, which all of them should keep to their users.
PROMISED = {"table": "workbench.models.table:VersionedTable"}
#: The gallery of ``specs/classics``: textbook protocols, each a lesson.
CLASSICS = {
    "two_phase_commit": "workbench.models.classics.two_phase_commit:TwoPhaseCommit",
    "paxos": "workbench.models.classics.paxos:Paxos",
    "raft_election": "workbench.models.classics.raft_election:RaftElection",
    "chang_roberts": "workbench.models.classics.chang_roberts:ChangRoberts",
    "ewd998": "workbench.models.classics.ewd998:Ewd998",
    "peterson": "workbench.models.classics.peterson:Peterson",
    "readers_writers": "workbench.models.classics.readers_writers:ReadersWriters",
    "allocator": "workbench.models.classics.allocator:Allocator",
}
MODELS = PUBLISHED | PROMISED | CLASSICS


def get_model(name: str) -> type[Model]:
    """The class of the model called `name`, or of one in a file given as ``path/to/file.py:Class``.

    If the file defines one model, ``path/to/file.py`` does.

    Raises:
        InputError: If there is no such model.
    """
    if name in MODELS:
        module, _, attribute = MODELS[name].partition(":")
        return getattr(importlib.import_module(module), attribute)
    if (place := in_file(name)) is None:
        raise unknown("model", name, MODELS)
    return _from_file(*place)


def model_of(given: Any) -> Model:
    """The model that `given` is: an object, or a class or a name for :func:`get_model`, with its default constants.

    Raises:
        InputError: If it is none of these.
    """
    return model_object(get_model(given) if isinstance(given, str) else given)


def in_file(name: str) -> tuple[Path, str] | None:
    """The file and the name in ``path/to/file.py:NAME``; None for any other name.

    Examples:
        >>> in_file("queue.py:Queue"), in_file("queue.py"), in_file("hudi")
        ((PosixPath('queue.py'), 'Queue'), (PosixPath('queue.py'), ''), None)
    """
    path, _, attribute = (name, "", "") if name.endswith(".py") else name.rpartition(":")
    return (Path(path), attribute) if path.endswith(".py") else None


def _from_file(path: Path, attribute: str) -> type[Model]:
    defined = load_file(path, "model")
    models = {n: v for n, v in defined.items() if isinstance(v, type) and issubclass(v, Model) and v is not Model}
    own = [model for model in models.values() if model.__module__ == defined["__name__"]]
    if not attribute and len(own) == 1:
        return own[0]
    if attribute not in models:
        raise unknown(f"model class in {path}", attribute, models)
    return models[attribute]


def is_named_by_user(module: str) -> bool:
    """Whether a module of this name is a model's file that :func:`get_model` was given."""
    return module.startswith(_module_of("model", ""))


def _module_of(kind: str, stem: str) -> str:
    return f"{kind}_file_{stem}"  # the bare stem may be the name of a library


def load_file(path: Path, kind: str) -> dict[str, Any]:
    """Run a Python file that the user has named for a `kind` of thing, and return the names that it defines.

    Raises:
        InputError: If it cannot be read, or fails.
    """
    name = _module_of(kind, path.stem)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or not path.is_file():
        takes = "Class" if kind == "model" else "NAME"
        raise InputError(f"{kind} file {str(path)!r} cannot be read; give an existing file as path/to/file.py:{takes}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        # The loader would reuse its compiled code if the file changed within the second.
        exec(compile(path.read_bytes(), path, "exec"), vars(module))
    except (Exception, SystemExit) as error:
        place = "" if isinstance(error, (ModelError, SyntaxError)) else place_of(error)  # their texts have it
        raise InputError(f"{kind} file {path} cannot be imported: {type(error).__name__}: {error}{place}") from error
    return vars(module)
