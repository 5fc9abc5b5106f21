"""Run notebooks that were handed in, and mark the answers to their exercises.

  workbench grade handed-in -o marks.csv       every notebook in and below a folder, a row for each exercise
  workbench grade anna.ipynb ben.ipynb

Their cells are code of others, and run here with your rights, each notebook in a process of its own: grade where that
does no harm, such as in a container. A mark is right, wrong, unanswered, failed (the cell raised an error) or late;
a file that is no notebook is refused.

Exit status: 0 every notebook ran to its end, 2 there is none or one is no notebook, 3 one was late. After Ctrl-C the
notebook that runs and those that follow are late.
"""

import argparse
import json
from collections import Counter
from pathlib import Path

from workbench.commands.output.answers import printing, write
from workbench.commands.output.options import add_options
from workbench.commands.output.outputs import DATA, add_outputs, as_json, check_written
from workbench.commands.output.standard import complain, say, say_json
from workbench.commands.output.status import BAD_INPUT, HOLDS, UNKNOWN
from workbench.formats.spreadsheet import to_csv
from workbench.kernel import InputError
from workbench.kernel.meaning.budget import INTERRUPTED
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.text import printable
from workbench.registry.programs import needs

_TABLE = ".csv"
_COLUMNS = ("notebook", "exercise", "mark", "said")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="+", type=Path, metavar="PATH", help="a notebook, or a folder")
    add_options(parser, "--max-seconds", default=600.0, help="how long a notebook may run (by default 600)")
    add_options(parser, "--json")
    add_outputs(parser, (_TABLE, DATA), descriptions={_TABLE: "a row for each exercise"})


def run(arguments: argparse.Namespace) -> int:
    needs("lab", "grading")
    from workbench.showing.lessons.grading import LATE, REFUSED, Mark, marks_of

    notebooks = list(dict.fromkeys(path for place in arguments.path for path in _notebooks(place)))
    check_written(arguments, notebooks)
    rows, interrupted = list[dict[str, str]](), False
    with printing(arguments):
        for path in notebooks:
            try:
                marks = [Mark("", LATE, INTERRUPTED)] if interrupted else marks_of(path, arguments.max_seconds)
            except InputError as error:
                complain(f"{printable(str(path))}: {error}")
                marks = [Mark("", REFUSED, str(error))]
            except KeyboardInterrupt:  # the marks of the notebooks before stay
                marks, interrupted = [Mark("", LATE, INTERRUPTED)], True
            rows += [{"notebook": str(path), **mark._asdict()} for mark in marks]
            if not arguments.json:
                counts = Counter(mark.mark for mark in marks)
                summary = ", ".join(f"{count} {mark}" for mark, count in counts.items()) or "no exercise"
                say(f"{printable(str(path))}: {summary}")
        if arguments.json:
            say_json(json.dumps(rows))
    write(arguments, None, "", {DATA: lambda: as_json(rows), _TABLE: lambda: _table(rows)})
    results = {row["mark"] for row in rows}
    return BAD_INPUT if REFUSED in results else UNKNOWN if LATE in results else HOLDS


def _notebooks(place: Path) -> list[Path]:
    """The notebooks of a path; in folders without what JupyterLab keeps beside them."""
    if not place.exists():
        raise InputError(f"{brief(str(place))} is not there; give a notebook or a folder")
    notebooks = sorted(path for path in place.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
    if place.is_dir() and not notebooks:
        raise InputError(f"there is no notebook in {brief(str(place))}")
    return notebooks if place.is_dir() else [place]


def _table(rows: list[dict[str, str]]) -> str:
    import pandas as pd  # takes a while to load

    return to_csv(pd.DataFrame(rows, columns=_COLUMNS))
