"""Programs that Python packages do not bring, and the commands that install them on this machine."""

import os
import shutil

#: Packages by installer; the first installer on the PATH is named. scripts/need.sh lists those of Debian, too.
_PACKAGES = {
    "conda install -c conda-forge": {"java": "'openjdk>=17'", "dot": "graphviz"},
    "brew install": {"java": "--cask temurin", "dot": "graphviz"},
    "dnf install": {"java": "java-21-openjdk-headless", "dot": "graphviz"},
    "apt-get install": {"java": "openjdk-17-jre-headless (or openjdk-21-jre-headless)", "dot": "graphviz"},
}
_OF_THE_SYSTEM = {"dnf install", "apt-get install"}


def to_install(program: str) -> str:
    """How to install a missing program, ``java`` or ``dot``: the last words of an error message."""
    for installer, packages in _PACKAGES.items():
        command = installer.split()[0]
        if shutil.which(command) and (command != "conda" or "CONDA_PREFIX" in os.environ):
            rights = "sudo " if installer in _OF_THE_SYSTEM and os.geteuid() != 0 else ""
            return f"install it with: {rights}{installer} {packages[program]}"
    return (
        f"install it as your system does; with conda: {next(iter(_PACKAGES))} {next(iter(_PACKAGES.values()))[program]}"
    )
