"""Show a model: its constants with their ranges, its actions, its properties."""

import argparse
import json
from typing import Any

from rich.markup import escape
from rich.table import Table

from workbench.commands.options import console, summary
from workbench.kernel.actions import Action
from workbench.kernel.properties import Property
from workbench.kernel.switches import needs
from workbench.models import get_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL")


def _table(title: str, *columns: str) -> Table:
    return Table(*columns, title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)


def run(arguments: argparse.Namespace) -> int:
    model = get_model(arguments.model)
    out = console()
    out.print(f"[bold]{model.name}[/]: {summary(model.__doc__)}\n")
    constants = _table("Constants", "name", "default", "accepts", "meaning")
    for name, constant in model.declared_constants.items():
        default = constant.word(constant.default) if constant.kind == "choice" else json.dumps(constant.default)
        constants.add_row(name, *map(escape, (default, constant.describe(), constant.doc)))
    actions = _table("Actions", "action", "process", "what it does")
    for name, action in model.declared_actions.items():
        label = f"{name}({', '.join(action.parameters)})" if action.parameters else name
        actions.add_row(label, _process(action), summary(action.doc) + _condition(action))
    properties = _table("Properties", "property", "kind", "what it says")
    for name, declared in {**model.declared_properties, **model.declared_constraints}.items():
        asked = "" if declared.by_default else " (only if it is asked for)"
        properties.add_row(name, declared.described, summary(declared.doc) + _condition(declared) + asked)
    for table in (constants, actions, properties):
        out.print(table)
        out.print()
    if model.symmetry:
        out.print(f"Symmetric sets: {', '.join(model.symmetry)}")
    if model.ignores:
        out.print(f"States are not told apart by: {', '.join(model.ignores)}")
    return 0


def _condition(declared: Action | Property) -> str:
    condition = needs(declared)
    return f" (with {escape(condition)})" if condition else ""


def _process(action: Any) -> str:
    if action.process is None:
        return "-"
    fair = action.fair if action.fair is not None else action.process.fair
    some = " in some steps" if action.fair_when else ""
    return f"{action.process.name}, {fair}ly fair{some}" if fair else action.process.name
