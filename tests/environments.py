"""Environments with some of the distributions that are here, as pip would make them, but in no time: with links."""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

import workbench
from tests.places import ROOT

#: The line that says what is missing.
MISSING = re.compile(r".* needs \w+, which is not installed: pip install 'lakehouse-workbench\[(?P<extra>\w+)\]'")


def build(kind: str, source: Path, target: Path) -> Path:
    """What setuptools makes of a folder: an ``sdist``, or a ``wheel``."""
    code = f"import setuptools.build_meta as b; b.build_{kind}({str(target)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=source, check=True, capture_output=True)
    (made,) = target.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return made


def project() -> importlib.metadata.Distribution:
    """The workbench as pyproject.toml describes it, whatever is installed."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [f"Name: {table['name']}", f"Version: {workbench.__version__}"]
    lines += [f"Requires-Dist: {line}" for line in table["dependencies"]]
    for extra, requirements in table["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"]
        lines += [f'Requires-Dist: {line}; extra == "{extra}"' for line in requirements]
    return _Described("\n".join(lines))


class _Described(importlib.metadata.Distribution):
    """A distribution without files."""

    def __init__(self, text: str) -> None:
        self._text = text

    def read_text(self, filename: str) -> str | None:
        return self._text if filename == "METADATA" else None

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        raise FileNotFoundError(path)


def brought_by(*extras: str) -> dict[str, importlib.metadata.Distribution]:
    """The distributions, by name, that come with the workbench and some of its extras."""
    ours = project()
    found: dict[tuple[str, str], importlib.metadata.Distribution] = {}
    todo = [(ours, extra) for extra in ("", *extras)]
    while todo:
        distribution, extra = todo.pop()
        name = distribution.metadata["Name"]
        if (name, extra) in found:
            continue
        found[name, extra] = distribution
        for wanted in map(Requirement, distribution.requires or ()):
            if wanted.marker is None or wanted.marker.evaluate({"extra": extra}):
                one = ours if wanted.name == ours.metadata["Name"] else importlib.metadata.distribution(wanted.name)
                todo += [(one, further) for further in ("", *wanted.extras)]
    return {name: one for (name, _), one in found.items() if one is not ours}


class Environment:
    """A virtual environment.

    Args:
        folder: A new one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        venv.create(folder, symlinks=True)
        (self.packages,) = folder.glob("lib/python*/site-packages")

    def install(self, *extras: str) -> None:
        """Install what comes with the workbench and some extras; not the workbench itself."""
        for distribution in brought_by(*extras).values():
            for file in _tops(distribution):
                if not (self.packages / file.name).exists():
                    (self.packages / file.name).symlink_to(file)

    def install_checkout(self) -> None:
        """Install the workbench itself, as ``pip install --editable`` does."""
        (self.packages / "checkout.pth").write_text(f"{ROOT}\n")
        described = self.packages / f"lakehouse_workbench-{workbench.__version__}.dist-info"
        described.mkdir()
        (described / "METADATA").write_text(str(project().metadata))

    def run(self, *command: str | Path, here: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a program of this environment in the folder `here`, which is its home too."""
        environment = self._variables(here) | variables
        return subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, check=False)

    def write_kernel(self, folder: Path, here: Path, **variables: str) -> None:
        """Describe a kernel of this environment in a folder for JUPYTER_PATH; `here` is its home."""
        given = [f"{name}={value}" for name, value in (self._variables(here) | variables).items()]
        kernel = ["python", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        command = ["env", "--ignore-environment", *given, *kernel]
        file = folder / "kernels" / "python3" / "kernel.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"argv": command, "display_name": "Python 3", "language": "python"}))

    def _variables(self, here: Path) -> dict[str, str]:
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, "HOME": str(here), "LANG": "C.UTF-8"}


def _tops(distribution: importlib.metadata.Distribution) -> Iterator[Path]:
    """The files and folders of a distribution that lie beside those of others."""
    for name in sorted({file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}):
        top = Path(str(distribution.locate_file(name)))
        if top.exists() and top.suffix != ".pth":
            yield top
