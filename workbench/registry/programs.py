"""Ways to install what the core lacks: the packages of extras, and programs outside Python.

``pip install 'lakehouse-workbench[EXTRA]'`` installs an extra of what is installed, in any folder, whether or not an
index has that name. Documents are for those who have not installed it yet: scripts/pages.py writes their commands.
"""

import os
import shutil
from collections.abc import Iterable
from importlib.util import find_spec

from workbench.kernel.meaning.errors import InputError

#: The modules of each extra in pyproject.toml that the package imports.
EXTRAS = {
    "tables": ("pyarrow", "pandas", "fastavro", "pyroaring", "fsspec"),
    "lab": ("ipywidgets", "anywidget", "plotly", "graphviz"),
    "spark": ("pyspark", "pyarrow", "pandas"),
    "catalog": ("pyiceberg",),
    "connect": ("pyspark", "grpc", "grpc_status", "google.rpc"),
    "s3": ("s3fs",),
    "gcs": ("gcsfs",),
    "azure": ("adlfs",),
}

#: Packages by installer; the first installer on the PATH is named. scripts/need.sh lists those of Debian, too.
_PACKAGES = {
    "conda install -c conda-forge": {"java": "'openjdk>=17'", "dot": "graphviz"},
    "brew install": {"java": "--cask temurin", "dot": "graphviz"},
    "dnf install": {"java": "java-21-openjdk-headless", "dot": "graphviz"},
    "apt-get install": {"java": "openjdk-17-jre-headless (or openjdk-21-jre-headless)", "dot": "graphviz"},
}
_OF_THE_SYSTEM = {"dnf install", "apt-get install"}


def needs(extra: str, what: str = "this", *modules: str) -> None:
    """Raise an InputError that names the extra if one of its `modules` is not installed; by default, any of them.

    Call it before importing them, so that people read one line that says what to install.

    Args:
        what: The subject of that line.
    """
    missing = _missing(modules or EXTRAS[extra])
    if missing is not None:
        raise InputError(f"{what} needs {missing}, which is not installed: pip install 'lakehouse-workbench[{extra}]'")


def has(extra: str) -> bool:
    """Whether the modules of an extra are installed."""
    return _missing(EXTRAS[extra]) is None


def lacks_compiled() -> str | None:
    """A line on what the compiled engines lack; None if they lack nothing."""
    missing = _missing(("numba", "numpy"))
    return missing and (
        f"{missing} is not installed; pip install lakehouse-workbench brings compiled engines, hundreds of times as "
        "fast as the engine reference, which runs without it"
    )


def _missing(modules: Iterable[str]) -> str | None:
    return next((module for module in modules if not is_installed(module)), None)


def is_installed(module: str) -> bool:
    """Whether a module can be imported."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # its parent is missing, or it is None in sys.modules
        return False


def to_install(program: str) -> str:
    """The instruction to install a missing program, ``java`` or ``dot``, which ends an error message."""
    for installer, packages in _PACKAGES.items():
        command = installer.split()[0]
        if shutil.which(command) and (command != "conda" or "CONDA_PREFIX" in os.environ):
            rights = "sudo " if installer in _OF_THE_SYSTEM and os.geteuid() != 0 else ""
            return f"install it with: {rights}{installer} {packages[program]}"
    return (
        f"install it as your system does; with conda: {next(iter(_PACKAGES))} {next(iter(_PACKAGES.values()))[program]}"
    )
