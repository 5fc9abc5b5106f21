"""The protocols, ours and those of other packages: the parts of each, and the models by name."""

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from workbench.kernel import Machine
from workbench.kernel.meaning.errors import AUTHORED, InputError, ModelError, brief, listed, place_of, unknown
from workbench.kernel.meaning.machine import ModelClass, is_model_class, machine_of

#: The package whose folders are our protocols, and the group of entry points by which other packages name theirs.
OURS, OTHERS = "workbench.protocols", "lakehouse_workbench.protocols"
#: The group of entry points that are named like the endings of files, without the dot. Each is a function from a file,
#: the name of a configuration, or "", and folders to search for other files, to a class of models.
FRONT_ENDS = "lakehouse_workbench.front_ends"


@dataclass(frozen=True)
class Protocol:
    """The parts of a protocol's package: each is optional, and imported on first use.

    Attributes:
        package: The package, such as ``workbench.protocols.hudi``; modules are named within it.
        models: The classes of the models by name, as ``module:Class``. A plain name has our extensions, each behind a
            constant; with ``_published`` it is the protocol as published.
        is_gallery: Whether the models are protocols of their own, which are told together.
        stories: By model, titles with the names of configurations. The first one opens with the panel. Something breaks
            in each but the last, in which nothing does.
        in_sight: By model, the constants that a panel keeps in sight, where that is not what its rule says.
        picture: The module that declares pictures of states.
        audit: The module that judges real tables, an :class:`workbench.audits.audit.Format`.
        history: The module whose ``follow`` holds a real table's history against a model.
        logs: By name, what maps the events of real logs to recordings: an object or a class, as ``module:NAME``.
        texts: By the names of published modules in other languages, what maps states of our models to theirs: a
            :class:`workbench.checking.following.port.Port`, as ``module:NAME``.
        driver: The class that drives a real system along traces, a
            :class:`workbench.checking.driving.course.Driver`, as ``module:Class``.
        specs: The folder of its configurations; ours are in the repository's ``specs``.
    """

    package: str
    models: Mapping[str, str]
    is_gallery: bool = False
    stories: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    in_sight: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    picture: str | None = None
    audit: str | None = None
    history: str | None = None
    logs: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    driver: str | None = None
    specs: Path | None = None

    def part(self, place: str) -> Any:
        """Import one of the protocol's modules, or a name from it, given as ``module:NAME``.

        Raises:
            InputError: If another package's cannot be imported.
        """
        module, _, name = place.partition(":")
        with _of_package(self.package):
            imported = importlib.import_module(f"{self.package}.{module}")
            return getattr(imported, name) if name else imported

    def model(self, name: str) -> ModelClass:
        """The class of one of the protocol's models."""
        kind: ModelClass = self.part(self.models[name])
        return kind


@contextmanager
def _of_package(name: str) -> Iterator[None]:
    """Turn what another package's code raises as it loads into an :class:`InputError` that names the package."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also one that would end the process
        if f"{name}.".startswith(f"{OURS}."):
            raise
        raise InputError(_refused(name, f"{type(error).__name__}: {' '.join(str(error).split())}")) from error


def _refused(package: str, reason: str) -> str:
    return f"the package {package}: {reason}"


@cache
def _ours() -> dict[str, Protocol]:
    folders = pkgutil.iter_modules(importlib.import_module(OURS).__path__)
    return {folder.name: importlib.import_module(f"{OURS}.{folder.name}").PROTOCOL for folder in folders}


@cache
def _others() -> tuple[dict[str, Protocol], list[str]]:
    """The protocols of other packages; and of those that cannot be used, why."""
    accepted, refused = dict[str, Protocol](), list[str]()
    names = {*_ours(), *(name for own in _ours().values() for name in own.models)}
    for entry in sorted(entry_points(group=OTHERS), key=lambda point: point.name):
        package = _package_of(entry)
        try:
            with _of_package(package):
                protocol = entry.load()
        except InputError as error:
            refused.append(str(error))
            continue
        taken = names & {entry.name, *getattr(protocol, "models", ())}
        if not isinstance(protocol, Protocol) or taken:
            reason = f"{sorted(taken)[0]!r} is taken" if taken else f"{entry.value} is not a Protocol"
            refused.append(_refused(package, reason))
            continue
        AUTHORED.append(protocol.package)
        names |= {entry.name, *protocol.models}
        accepted[entry.name] = protocol
    return accepted, refused


def _package_of(entry: EntryPoint) -> str:
    """The name by which the package of an entry point was installed."""
    return entry.module if entry.dist is None else entry.dist.name


def protocols() -> dict[str, Protocol]:
    """All protocols by name: ours, then those of other packages."""
    return _ours() | _others()[0]


def refused() -> list[str]:
    """For each protocol of another package that cannot be used a line that names the package and says why."""
    return list(_others()[1])


@cache
def models() -> dict[str, Protocol]:
    """The names of all models, each with its protocol; those of galleries come last."""
    ordered = sorted(protocols().values(), key=lambda protocol: protocol.is_gallery)
    return {name: protocol for protocol in ordered for name in protocol.models}


def having(part: str) -> dict[str, Protocol]:
    """The protocols that have a part, by name.

    Examples:
        >>> list(having("audit"))
        ['delta', 'hudi', 'iceberg', 'paimon']
    """
    return {name: protocol for name, protocol in protocols().items() if getattr(protocol, part)}


def usable(part: str) -> tuple[dict[str, Any], list[str]]:
    """The modules of one part of all protocols that have it, by protocol name; and of those that do not load, why."""
    modules, wrong = dict[str, Any](), list[str]()
    for name, protocol in having(part).items():
        try:
            modules[name] = protocol.part(getattr(protocol, part))
        except InputError as error:
            wrong.append(str(error))
    return modules, wrong


def protocol_of(model: ModelClass) -> Protocol | None:
    """The protocol whose package contains a class, or one that it extends."""
    modules = [f"{cls.__module__}." for cls in model.__mro__]
    candidates = protocols().values()
    return next(
        (protocol for module in modules for protocol in candidates if module.startswith(f"{protocol.package}.")), None
    )


@cache
def _front_ends() -> dict[str, EntryPoint]:
    """The readers of models in other languages, by file extension."""
    return {f".{entry.name}": entry for entry in entry_points(group=FRONT_ENDS)}


def get_model(name: str) -> ModelClass:
    """The class of the model called `name`, or of one in a file given as ``path/to/file.py:Class``.

    If the file defines one model, ``path/to/file.py`` does. ``Hudi.tla`` is a TLA+ module with the configuration
    beside it, ``Hudi.tla:Small.cfg`` with another one. Further colons precede folders that are searched, after its own,
    for the modules that it names: ``Hudi.tla:Small.cfg:../lib:../more``, ``Hudi.tla::../lib``. What follows the file is
    seen from its folder. ``paimon.fizz`` is a FizzBee specification.

    Raises:
        InputError: If there is no such model.
    """
    if not isinstance(name, str):
        raise InputError(f"model {brief(name)} is not accepted; it takes a name such as 'bakery', or a file.py:Class")
    if name in models():
        return models()[name].model(name)
    if (place := file_in(name)) is None:
        raise InputError("; ".join([str(unknown("model", name, models())), *refused()]))
    path, attribute = place
    if (front_end := _front_ends().get(path.suffix)) is None:
        return _from_file(path, attribute)
    configuration, *folders = attribute.split(":")
    model: ModelClass = front_end.load()(path, configuration, folders)
    _opened[model] = f"{path.absolute()}:{attribute}".removesuffix(":")
    return model


#: The names by which models in other languages were opened last, as seen from any folder.
_opened: dict[ModelClass, str] = {}


def name_of(model: ModelClass) -> str | None:
    """The name by which :func:`get_model` finds a class again; None for one that it does not find."""
    name, protocol = model.declared.name, protocol_of(model)
    if protocol is not None and models().get(name) is protocol and protocol.model(name) is model:
        return name
    if is_named_by_user(model.__module__):
        return f"{sys.modules[model.__module__].__file__}:{model.__name__}"
    return _opened.get(model)


def tla(name: str, /, **constants: Any) -> Machine:
    """The model of the TLA+ module in a file, named as for :func:`get_model`, with these constants.

    Raises:
        InputError: If it is no such file, or does not take the constants.
    """
    place = file_in(name) if isinstance(name, str) else None
    if place is None or place[0].suffix != ".tla":
        raise InputError(f"module {brief(name)} is not accepted; it takes the name of a file such as 'Hudi.tla'")
    return machine_of(get_model(name)(**constants))


def file_in(name: str) -> tuple[Path, str] | None:
    """A model's file, in Python or another language, and the rest of `name` after it; None if `name` is not a file."""
    return in_file(name, (".py", *_front_ends()))


def module_in(name: str) -> tuple[Path, str] | None:
    """The same as :func:`file_in`, but only for files in languages other than Python."""
    return in_file(name, _front_ends())


def completed(name: str, cfg: str | None = None, folders: Iterable[str] = ()) -> str:
    """The name of a module in another language with the configuration `cfg` and more folders, both seen from here.

    Raises:
        InputError: If there is anything to add to another name.
    """
    added = [str(Path(folder).absolute()) for folder in folders]
    if cfg is None and not added:
        return name
    if (place := module_in(name)) is None:
        addition = brief(added[0] if cfg is None else cfg)
        raise InputError(f"{addition} is not accepted with {brief(name)}; it goes with a module, such as Hudi.tla")
    configuration, *before = place[1].split(":")
    return ":".join([str(place[0]), configuration if cfg is None else str(Path(cfg).absolute()), *before, *added])


def names_model(name: str) -> bool:
    """Whether `name` is the name of a model, or refers to a model file."""
    return name in models() or file_in(name) is not None


def model_of(model: Any) -> Machine:
    """The machine of an object. For a class, or a name that :func:`get_model` accepts, it has default constants.

    Raises:
        InputError: If the argument is none of these.
    """
    return machine_of(get_model(model) if isinstance(model, str) else model)


def in_file(name: str, endings: Iterable[str] = (".py",)) -> tuple[Path, str] | None:
    """The file, which has one of the `endings`, and the name in ``path/to/file.py:NAME``; None for any other name.

    Examples:
        >>> in_file("queue.py:Queue"), in_file("queue.py"), in_file("hudi")
        ((PosixPath('queue.py'), 'Queue'), (PosixPath('queue.py'), ''), None)
        >>> in_file("Hudi.tla::../lib", [".tla"])
        (PosixPath('Hudi.tla'), ':../lib')
    """
    ends = [at + len(ending) for ending in endings if (at := f"{name}:".find(f"{ending}:")) >= 0]
    return (Path(name[: min(ends)]), name[min(ends) + 1 :]) if ends else None


def _from_file(path: Path, attribute: str) -> ModelClass:
    defined = load_file(path, "model")
    models = {n: v for n, v in defined.items() if is_model_class(v)}
    own = [model for model in models.values() if model.__module__ == defined["__name__"]]
    if not attribute and len(own) == 1:
        return own[0]
    if not attribute:
        defines = (
            f"several models; give one of {listed(f'{path}:{model.__name__}' for model in own)}" if own else "no model"
        )
        raise InputError(f"model file {path} defines {defines}")
    if attribute not in models:
        raise unknown(f"model class in {path}", attribute, models)
    return models[attribute]


def is_named_by_user(module: str) -> bool:
    """Whether the module of this name is a model's file that was given to :func:`get_model`."""
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
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        place = "" if isinstance(error, (ModelError, SyntaxError)) else place_of(error)  # their texts have it
        raise InputError(f"{kind} file {path} cannot be imported: {type(error).__name__}: {error}{place}") from error
    return vars(module)
