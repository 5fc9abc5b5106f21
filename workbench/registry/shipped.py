"""The files that come with the package besides its modules: configurations, notebooks, guides and recorded data."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
#: The folder that contains the package, in a checkout or an installation.
MODULES = _PACKAGE.parent
#: The folder to which setup.py copies the repository's folders on installation.
_INSTALLED = _PACKAGE / "share"


def folder(name: str) -> Path:
    """The repository's top-level folder `name`, also in an installed package.

    Examples:
        >>> (folder("specs") / "bakery" / "v2_race.toml").is_file()
        True
    """
    return (_INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent) / name
