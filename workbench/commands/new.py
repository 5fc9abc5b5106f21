"""Start a model of your own: its file, its picture, a configuration of it, and a test; or a package with all that.

workbench new shared_counter            writes shared_counter.py, shared_counter_picture.py, ...toml and test_...
workbench new shared_counter -o FOLDER
workbench new --package lease_log       writes the folder lease_log: a package that the workbench finds by itself
"""

import argparse
import keyword
import re
import shlex
import sys
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path

from workbench.commands import beginnings
from workbench.commands.output import standard
from workbench.commands.output.files import make_output_folder
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief
from workbench.registry import models, protocols
from workbench.storage import atomic_files


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the model's name, such as shared_counter")
    parser.add_argument(
        "--package", action="store_true", help="write a whole package, with pyproject.toml, for others to install"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FOLDER",
        help="the folder to write to, made if needed: this one, or of a package that of its name",
    )


def run(arguments: argparse.Namespace) -> int:
    name = arguments.name
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise InputError(f"NAME = {brief(name)} is not accepted; it takes small letters, digits and _, as for a module")
    if name in models() or name in protocols():
        raise InputError(f"NAME = {name} is not accepted; `workbench list` has it already")
    if arguments.package:
        _begin_package(name, arguments.output or Path(name))
    else:
        _begin_model(name, arguments.output or Path())
    if find_spec("pytest") is None:
        standard.remark("note: pytest is not installed here; `pip install pytest` brings it")
    return 0


def _begin_model(name: str, folder: Path) -> None:
    files = {folder / path: text for path, text in beginnings.single(name).items()}
    for path in files:
        if path.exists() or path.is_symlink():
            raise InputError(f"{str(path)!r} exists already, and is not replaced; give another NAME, or -o FOLDER")
    _write(files)
    model_file, configuration, drawn, test = (shlex.quote(str(path)) for path in files)
    standard.say(f"wrote {model_file}, {drawn}, {configuration} and {test}; try")
    standard.say(f"workbench check {model_file} -o {name}.html")
    standard.say(f"workbench check {configuration}\npytest {test}")


def _begin_package(name: str, folder: Path) -> None:
    if name in sys.stdlib_module_names or _is_installed(name):
        raise InputError(f"NAME = {name} is not accepted; something that is installed here has it already")
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"folder {str(folder)!r} is not empty; give another, with -o FOLDER")
    _write({folder / path: text for path, text in beginnings.package(name).items()})
    standard.say(f"wrote a package to {shlex.quote(str(folder))}; try, in that folder")
    standard.say(f"pip install -e .\nworkbench check {name}_without_lock -o lost.html\npytest")


def _is_installed(name: str) -> bool:
    """Whether a module or a distribution has this name: one would hide the other, or replace it when installed."""
    spec = find_spec(name)
    is_module = spec is not None and spec.origin is not None  # a mere folder, such as the package's own, has no origin
    return is_module or any(distributions(name=name))


def _write(files: dict[Path, str]) -> None:
    for path, text in files.items():
        make_output_folder(path.parent)
        with atomic_files.writing(path) as out:
            out.write(text)
