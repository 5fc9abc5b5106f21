"""Puts folders of the repository into the package; everything else is said in pyproject.toml."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

#: What goes to workbench/share, where workbench/registry/shipped.py finds it; a checkout has it beside the package.
FOLDERS = ("specs", "notebooks", "docs", "data/real", "data/logs")
SHARE = Path("workbench", "share")


class BuildWithFolders(build_py):
    """Builds the package with those folders in it; an editable install finds them where they are."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for target, file in self._shipped().items():
                self.mkpath(str(target.parent))
                self.copy_file(str(file), str(target), preserve_mode=False)

    def _shipped(self) -> dict[Path, Path]:
        found = (path for folder in FOLDERS for path in sorted(Path(folder).rglob("[!.]*")))
        return {
            Path(self.build_lib) / SHARE / path: path
            for path in found
            if path.is_file() and not any(part.startswith((".", "__pycache__")) for part in path.parts)
        }

    # What an sdist contains, and an editable install refers to, is asked of these.

    def get_source_files(self) -> list[str]:
        return [*super().get_source_files(), *map(str, self._shipped().values())]

    def get_output_mapping(self) -> dict[str, str]:
        return super().get_output_mapping() | {str(target): str(file) for target, file in self._shipped().items()}

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return [*super().get_outputs(include_bytecode), *map(str, self._shipped())]


setup(cmdclass={"build_py": BuildWithFolders})
