"""List the models, and the configurations that come with them.

workbench list              the models, and the number of configurations
workbench list hudi         the configurations of specs/hudi, with what each shows
"""

import argparse
from collections import Counter

from rich.markup import escape
from rich.table import Table

from workbench import configurations
from workbench.commands.options import console, first_paragraph
from workbench.kernel.errors import unknown
from workbench.models import CLASSICS, PROMISED, PUBLISHED, get_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="of specs: list its configurations")


def run(arguments: argparse.Namespace) -> int:
    names = configurations.shipped()
    folders = Counter(name.rpartition("/")[0] for name in names)
    if arguments.folder is None:
        return _list_models(folders)
    if arguments.folder not in folders:
        raise unknown("folder of configurations", arguments.folder, folders)
    table = Table("configuration", "what it shows", box=None, pad_edge=False)
    for name, path in names.items():
        if name.startswith(f"{arguments.folder}/"):
            table.add_row(name, escape(configurations.load(path).title))
    console().print(table)
    return 0


def _list_models(folders: Counter[str]) -> int:
    table = Table("model", "what it is", box=None, pad_edge=False)
    for name in PUBLISHED | PROMISED:
        table.add_row(name, first_paragraph(get_model(name).__doc__))
    table.add_row()
    for name in CLASSICS:
        table.add_row(name, first_paragraph(get_model(name).__doc__))
    out = console()
    out.print(table)
    out.print(f"\nConfigurations: {', '.join(f'{folder} {number}' for folder, number in folders.items())}")
    out.print("`workbench list bakery` names those of a folder, `workbench check v2_race` checks one")
    return 0
