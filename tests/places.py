"""Where things are in the checkout."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
SPECS = ROOT / "specs"
PACKAGE = ROOT / "workbench"


def compiled_kernels() -> list[Path]:
    """The files of what Numba has compiled of the package, each in the folder of its module."""
    found = list(PACKAGE.rglob("__pycache__/*.nb?"))
    assert found, "the set-up compiles them"
    return found
