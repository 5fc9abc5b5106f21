"""Copy the notebooks into a folder of yours, with the pages that they link to, and tables that real writers made.

  workbench notebooks lessons               then `jupyter lab lessons`, or `workbench audit lessons/tables/seq/db.db/t`
  workbench notebooks lessons --for-class   without what the cells showed, and without the solutions

Existing files stay as they are.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from workbench.commands.output.files import make_output_folder
from workbench.commands.output.standard import say
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.text import printable
from workbench.kernel.meaning.values import counted
from workbench.registry.programs import has
from workbench.registry.shipped import folder
from workbench.storage import atomic_files

NAME = "notebooks"
_NOTEBOOKS, _DOCS, _SOLUTIONS = "notebooks", "docs", "solutions.py"
#: The folders of pages that are copied too; other link targets, such as a model's source, are not.
_PAGES = (_NOTEBOOKS, _DOCS, "specs")
_LINK = re.compile(r"\[(?P<text>[^\]\[]*)\]\((?P<target>(?![a-z]+:|#)[^)#]+)(?P<place>#[^)]*)?\)")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="created if it does not exist")
    parser.add_argument("--for-class", action="store_true", help="leave out the cells' outputs, and the solutions")


def run(arguments: argparse.Namespace) -> int:
    if arguments.folder.resolve() == folder(_NOTEBOOKS).resolve():
        raise InputError(f"DIR = {brief(str(arguments.folder))} is not accepted; it is where the notebooks come from")
    copied = {source for source in _linked() if not (arguments.for_class and source.name == _SOLUTIONS)}
    written, there = [], []
    for source in copied:
        path = arguments.folder / _in_copy(source)
        if path.exists() or path.is_symlink():
            there.append(path)
            continue
        make_output_folder(path.parent)
        with atomic_files.writing_bytes(path) as out:
            out.write(_copy(source, copied, outputs=not arguments.for_class))
        written.append(path)
    tables = _unpack(arguments.folder / "tables")
    where = printable(shlex.quote(str(arguments.folder)))
    notebooks = counted(sum(path.suffix == ".ipynb" for path in written), "notebook")
    say(f"wrote {notebooks} to {where}, with {counted(len(written), 'file')} in all, and {counted(tables, 'table')}")
    if there:
        say(f"left {counted(len(there), 'file')} as before: nothing that is there is replaced")
    first = "" if has("lab") else "pip install 'lakehouse-workbench[lab]' && "
    say(f"now: {first}jupyter lab {where}")
    return 0


def _unpack(target: Path) -> int:
    """Unpack the tables of real writers that are not there yet; returns how many."""
    archives = {path.name.removesuffix(".tar.xz"): path for path in (folder("data") / "real").glob("*.tar.xz")}
    left = {name: path for name, path in archives.items() if not (target / name).exists()}
    for name, path in left.items():
        make_output_folder(target)
        with tempfile.TemporaryDirectory(dir=target) as place:  # whole or not at all
            with atomic_files.naming(target / name):
                shutil.unpack_archive(path, place)
            Path(place, name).rename(target / name)
    return len(left)


def _linked() -> set[Path]:
    """The notebooks, and all pages that their links lead to, as files of the package."""
    linked = set[Path]()
    left = sorted(folder(_NOTEBOOKS).glob("*.ipynb"))
    while left:
        source = left.pop()
        if source not in linked:
            linked.add(source)
            left += [
                file for text in _texts(source) for link in _LINK.finditer(text) if (file := _leads_to(source, link))
            ]
    return linked


def _leads_to(source: Path, link: re.Match[str]) -> Path | None:
    """The page that a link in the file `source` leads to; a folder's page is its README."""
    path = Path(os.path.normpath(source.parent / link["target"]))
    path = path / "README.md" if path.is_dir() else path
    ours = any(path.is_relative_to(folder(name)) for name in _PAGES)
    return path if ours and path.is_file() else None


def _in_copy(source: Path) -> PurePosixPath:
    """A file's place in the copy: notebooks at the top, everything else in ``docs``.

    The copy has no folder ``specs``, since commands would look for configurations there.
    """
    name = PurePosixPath(source.relative_to(folder(_NOTEBOOKS).parent))
    if name.parts[0] == _NOTEBOOKS:
        return name.relative_to(_NOTEBOOKS)
    return name if name.parts[0] == _DOCS else _DOCS / name


def _copy(source: Path, copied: set[Path], outputs: bool) -> bytes:
    """The file with its links adjusted to the copy; links to anything outside become plain text.

    Without `outputs`, a notebook's cells look as if nobody had run them.
    """

    def relinked(link: re.Match[str]) -> str:
        target = _leads_to(source, link)
        if target not in copied:
            return link["text"]
        path = os.path.relpath(_in_copy(target), _in_copy(source).parent)
        return f"[{link['text']}]({PurePosixPath(path)}{link['place'] or ''})"

    if source.suffix == ".md":
        return _LINK.sub(relinked, source.read_text(encoding="utf-8")).encode()
    if source.suffix != ".ipynb":
        return source.read_bytes()
    document = json.loads(source.read_bytes())
    for cell in _prose(document):
        cell["source"] = _LINK.sub(relinked, "".join(cell["source"])).splitlines(keepends=True)
    if not outputs:
        for cell in document["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"], cell["execution_count"] = [], None
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def _texts(source: Path) -> Iterator[str]:
    """The texts that may contain links: a page, or a notebook's Markdown cells."""
    if source.suffix == ".md":
        yield source.read_text(encoding="utf-8")
    elif source.suffix == ".ipynb":
        yield from ("".join(cell["source"]) for cell in _prose(json.loads(source.read_bytes())))


def _prose(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
