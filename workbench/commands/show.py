"""Show a model: its constants with their ranges, its actions, its properties.

workbench show bakery_v2
workbench show v2_race        a configuration: what it sets, checks and expects
"""

import argparse
import json
from typing import Any

from rich.markup import escape
from rich.table import Table

from workbench import configurations
from workbench.commands.answers import print_model
from workbench.commands.files import names_model
from workbench.commands.options import add_options, console, first_paragraph
from workbench.configurations import Configuration, told_path
from workbench.kernel import Model
from workbench.kernel.declare import Action, Property
from workbench.models import MODELS, get_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "model")


def _table(title: str, *columns: str) -> Table:
    return Table(*columns, title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)


def run(arguments: argparse.Namespace) -> int:
    if names_model(arguments.model):
        _show_model(get_model(arguments.model))
    else:
        _show_configuration(configurations.load(arguments.model))
    return 0


def _show_configuration(one: Configuration) -> None:
    out, model = console(), one.model
    out.print(f"[bold]{escape(one.title)}[/]  ({escape(told_path(one.path))})\n")
    print_model(out, model)
    out.print(f"Symmetric sets: {', '.join(one.symmetry) or 'none'}")
    out.print(f"Properties: {', '.join(declared.name for declared in model.select(one.properties))}")
    for name, expected in one.expectations():
        out.print(f"Expected: {name} {expected}", markup=False)
    if one.source:
        out.print(f"\n{one.source}", markup=False)
    if model.name in MODELS:
        out.print(f"\n`workbench show {model.name}` explains the model")


def _show_model(model: type[Model]) -> None:
    out = console()
    out.print(f"[bold]{model.name}[/]: {first_paragraph(model.__doc__)}\n")
    constants = _table("Constants", "name", "default", "accepts", "meaning")
    for name, constant in model.declared_constants.items():
        default = constant.word(constant.default) if constant.kind == "choice" else json.dumps(constant.default)
        constants.add_row(name, *map(escape, (default, constant.describe(), constant.doc)))
    actions = _table("Actions", "action", "process", "what it does")
    for name, action in model.declared_actions.items():
        label = f"{name}({', '.join(action.parameters)})" if action.parameters else name
        actions.add_row(label, _process(action), first_paragraph(action.doc) + _condition(action))
    properties = _table("Properties", "property", "kind", "what it says")
    for name, declared in {**model.declared_properties, **model.declared_constraints}.items():
        asked = "" if declared.by_default else " (only on request)"
        properties.add_row(name, declared.described, first_paragraph(declared.doc) + _condition(declared) + asked)
    for table in (constants, actions, properties):
        out.print(table)
        out.print()
    if model.symmetry:
        out.print(f"Symmetric sets: {', '.join(model.symmetry)}")
    if model.ignores:
        out.print(f"Ignored when states are compared: {', '.join(model.ignores)}")


def _condition(declared: Action | Property) -> str:
    condition = declared.needs
    return f" (with {escape(condition)})" if condition else ""


def _process(action: Any) -> str:
    if action.process is None:
        return "-"
    fair = action.fair if action.fair is not None else action.process.fair
    some = " in some steps" if action.fair_when else ""
    return f"{action.process.name}, {fair}ly fair{some}" if fair else action.process.name
