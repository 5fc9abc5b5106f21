"""Build the site into a folder: python -m website [FOLDER] [--only CONFIGURATION ...].

The figures of the gallery and the front page come from checks of configurations in ``specs/``, run now; the gallery's
must be as expected there. A warning from Sphinx fails the build, and so does a broken link.
"""

import argparse
import shutil
import sys
import time
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from website import contents, front, gallery, lessons, links, reference
from website.staging import ROOT, Staging
from workbench.kernel import InputError
from workbench.kernel.values import counted


def main(arguments: list[str] | None = None) -> int:
    """Build, say what takes long, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m website", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site", metavar="FOLDER")
    parser.add_argument("--only", nargs="+", metavar="CONFIGURATION", help="a gallery of these alone")
    given = parser.parse_args(arguments)
    began = time.perf_counter()
    try:
        built = build(given.folder.resolve(), given.only)
    except InputError as error:
        print(f"website: {error}", file=sys.stderr)
        return 2
    if built:
        print(f"The site is in {given.folder / 'index.html'} ({time.perf_counter() - began:.0f} s)")
    return 0 if built else 1


def build(folder: Path, only: list[str] | None = None) -> bool:
    """Build the site into a folder; what else it takes lies beside that. Returns whether all is well."""
    beside = folder.with_name(f"{folder.name}.sources")
    source = beside / "pages"
    for old in (folder, beside):
        shutil.rmtree(old, ignore_errors=True)
    print("Checking the configurations for the gallery: a minute or two", flush=True)
    entries = gallery.stage(source, only)
    front.stage(source, only)
    print(f"Building the pages, {len(entries)} of them the gallery's", flush=True)
    lessons.stage(source)
    Staging(source).stage(shown=reference.stage(source))
    contents.stage(source)
    gallery.link_tables(source, entries)
    here = str(Path(__file__).parent)
    options = ["--quiet", "--fail-on-warning", "--jobs", "auto", "--doctree-dir", str(beside / "doctrees")]
    if sphinx([*options, "--conf-dir", here, str(source), str(folder)]):
        return False
    lost = list(links.broken(folder))
    print(*lost, sep="\n", file=sys.stderr, end="\n" if lost else "")
    print(f"{counted(len(list(folder.rglob('*.html'))), 'page')}, {counted(len(lost), 'broken link')}")
    return not lost


if __name__ == "__main__":
    sys.exit(main())
