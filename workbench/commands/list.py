"""List the models."""

import argparse

from rich.table import Table

from workbench.commands.options import console, summary
from workbench.models import CLASSICS, PROMISED, PUBLISHED, get_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing to add."""


def run(arguments: argparse.Namespace) -> int:
    table = Table("model", "what it is", box=None, pad_edge=False)
    for name in PUBLISHED | PROMISED:
        table.add_row(name, summary(get_model(name).__doc__))
    table.add_row()
    for name in CLASSICS:
        table.add_row(name, summary(get_model(name).__doc__))
    console().print(table)
    return 0
