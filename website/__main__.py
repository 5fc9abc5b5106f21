"""Build the site into a folder: python -m website [FOLDER] [--only CONFIGURATION ...].

The figures of the gallery and the front page come from checks of configurations in ``specs/``; the gallery's must be as
expected there. A warning from Sphinx fails the build, and so does a broken link. A page whose inputs are those of the
last build is not made again; after a build that failed, Sphinx begins from nothing.
"""

import argparse
import shutil
import sys
import time
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from website import contents, front, gallery, keeping, lessons, links, reference
from website.keeping import ROOT
from website.staging import Staging
from workbench.kernel import InputError
from workbench.kernel.meaning.values import counted


def main(arguments: list[str] | None = None) -> int:
    """Build the site, report slow parts, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m website", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site", metavar="FOLDER")
    parser.add_argument("--only", nargs="+", metavar="CONFIGURATION", help="a gallery of these alone")
    options = parser.parse_args(arguments)
    began = time.perf_counter()
    try:
        built = build(options.folder.resolve(), options.only)
    except InputError as error:
        print(f"website: {error}", file=sys.stderr)
        return 2
    if built:
        print(f"The site is in {options.folder / 'index.html'} ({time.perf_counter() - began:.0f} s)")
    return 0 if built else 1


def build(folder: Path, only: list[str] | None = None) -> bool:
    """Build the site into a folder, with intermediate files next to it. Returns whether there were no errors."""
    beside = folder.with_name(f"{folder.name}.sources")
    fresh, source, doctrees, stamp = (beside / name for name in ("fresh", "pages", "doctrees", "built.by"))
    shutil.rmtree(fresh, ignore_errors=True)
    print("Checking the configurations for the gallery and the front page", flush=True)
    entries = gallery.stage(fresh, beside / "kept", only)
    front.stage(fresh, beside / "kept", only)
    print("Building the pages", flush=True)
    lessons.stage(fresh)
    Staging(fresh).stage(shown=reference.stage(fresh))
    contents.stage(fresh)
    gallery.link_tables(fresh, entries)
    keeping.write(fresh / keeping.CODE, keeping.code_digest())
    here = Path(__file__).parent
    built_by = keeping.digest(keeping.versions(), keeping.files(here))
    if not stamp.is_file() or stamp.read_text() != built_by:
        for old in (folder, doctrees):
            shutil.rmtree(old, ignore_errors=True)
    stamp.unlink(missing_ok=True)  # until all is well: Sphinx does not repeat the warnings of pages that it keeps
    for gone in keeping.update(source, fresh):
        (folder / gone).with_suffix(".html").unlink(missing_ok=True)
    options = ["--quiet", "--fail-on-warning", "--jobs", "auto", "--doctree-dir", str(doctrees)]
    if sphinx([*options, "--conf-dir", str(here), str(source), str(folder)]):
        return False
    lost = list(links.broken(folder, beside / "kept"))
    print(*lost, sep="\n", file=sys.stderr, end="\n" if lost else "")
    print(f"{counted(len(list(folder.rglob('*.html'))), 'page')}, {counted(len(lost), 'broken link')}")
    if not lost:
        stamp.write_text(built_by)
    return not lost


if __name__ == "__main__":
    sys.exit(main())
