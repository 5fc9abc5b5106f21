"""What comes with the package beside its modules: configurations, notebooks, guides and recorded data."""

from pathlib import Path

_PACKAGE = Path(__file__).parent
#: Where the package's own folder is, in a checkout and where it is installed.
MODULES = _PACKAGE.parent
#: Where setup.py puts the folders of the repository in an installed package.
_INSTALLED = _PACKAGE / "share"


def folder(name: str) -> Path:
    """The folder that is called `name` at the top of the repository, wherever the package is installed.

    Examples:
        >>> (folder("specs") / "bakery" / "v2_race.toml").is_file()
        True
    """
    return (_INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent) / name
