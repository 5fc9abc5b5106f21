"""List the models; or tell of one, of a configuration, or of the configurations in a folder of specs.

workbench list              the models, and the number of configurations
workbench list hudi         a model: its constants with their ranges, variables, actions and properties
workbench list v2_race      a configuration: what it sets, checks and expects
workbench list classics     the configurations in a folder, with what each shows
"""

import argparse
import json
import os
from collections import Counter
from itertools import groupby

from rich.markup import escape
from rich.table import Table

from workbench.commands.output.options import add_options
from workbench.commands.output.rich_console import RichConsole
from workbench.commands.output.standard import complain
from workbench.commands.output.status import BAD_INPUT, HOLDS
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import unknown
from workbench.kernel.meaning.machine import ModelClass
from workbench.kernel.meaning.properties import Property
from workbench.kernel.meaning.result import model_line
from workbench.kernel.meaning.steps import DeclaredAction
from workbench.kernel.meaning.translation import stale_lines
from workbench.registry import completed, configurations, get_model, models, names_model, refused
from workbench.registry.configurations import Configuration, told_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="MODEL|CONFIGURATION|FOLDER")
    add_options(parser, "--path")


def run(arguments: argparse.Namespace) -> int:
    name = arguments.name
    folders = Counter(configuration.rpartition("/")[0] for configuration in configurations.shipped())
    if name is None:
        return _list_models(folders)
    name = completed(name, folders=arguments.path)
    if names_model(name):
        _show_model(get_model(name))
    if name in folders or os.path.isdir(name):
        _list_folder(name)
    elif not names_model(name):
        _show_configuration(_configuration(name, folders))
    return 0


def _configuration(name: str, folders: Counter[str]) -> Configuration:
    try:
        return configurations.configuration(name)
    except InputError:
        stems = {configuration.rpartition("/")[2] for configuration in configurations.shipped()}
        if "/" in name or "." in name or name in stems:
            raise  # what is wrong with it is said
        raise unknown("model, configuration or folder", name, {*models(), *folders, *stems}) from None


def _list_folder(folder: str) -> None:
    """List the configurations of a folder, of one that comes with the package or of any other."""
    inside = {name: path for name, path in configurations.shipped().items() if name.startswith(f"{folder}/")}
    table = Table("configuration", "what it shows", box=None, pad_edge=False)
    for name, path in (inside or {str(path): path for path in configurations.find([folder])}).items():
        table.add_row(escape(name), escape(configurations.configuration(path).title))
    RichConsole().print(table)


def _list_models(folders: Counter[str]) -> int:
    """List what can be used, and complain of packages that cannot; then the status is that of an error."""
    wrong = refused()
    table = Table("model", "what it is", box=None, pad_edge=False)
    for is_gallery, some in groupby(models().items(), key=lambda entry: entry[1].is_gallery):
        if is_gallery:
            table.add_row()
        for name, protocol in some:
            try:
                table.add_row(name, _first_paragraph(protocol.model(name).__doc__))
            except InputError as error:
                wrong.append(str(error))
    out = RichConsole()
    out.print(table)
    out.print(f"\nConfigurations: {', '.join(f'{folder} {number}' for folder, number in folders.items())}")
    out.print("`workbench list bakery` tells of a model and its configurations, `workbench check v2_race` checks one")
    for line in dict.fromkeys(wrong):
        complain(line)
    return BAD_INPUT if wrong else HOLDS


def _table(title: str, *columns: str) -> Table:
    return Table(*columns, title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)


def _show_configuration(configuration: Configuration) -> None:
    out, model = RichConsole(), configuration.model
    out.print(f"[bold]{escape(configuration.title)}[/]  ({escape(told_path(configuration.path))})\n")
    out.print(model_line(model), markup=False)
    out.print(f"Symmetric sets: {', '.join(configuration.symmetry) or 'none'}")
    out.print(f"Properties: {', '.join(declared.name for declared in model.select(configuration.properties))}")
    for name, expected in configuration.expectations():
        out.print(f"Expected: {name} {expected}", markup=False)
    if configuration.source:
        out.print(f"\n{configuration.source}", markup=False)
    if model.name in models():
        out.print(f"\n`workbench list {model.name}` explains the model")


def _show_model(model: ModelClass) -> None:
    out = RichConsole()
    doc = _first_paragraph(model.__doc__)
    out.print(f"[bold]{model.declared.name}[/]{doc and f': {doc}'}\n")
    for line in stale_lines(model.declared.translation):
        out.print(f"{line}\n", markup=False)
    constants = _table("Constants", "name", "default", "accepts", "meaning")
    for name, constant in model.declared.constants.items():
        default, domain = constant.default, constant.domain
        shown = domain.word(default) if domain.kind == "choice" else json.dumps(default)
        constants.add_row(name, *map(escape, (shown, domain.describe(), constant.doc)))
    variables = _table("Variables", "variable", "what it is")
    for name, variable in model.declared.variables.items():
        variables.add_row(name, escape(variable.doc))
    actions = _table("Actions", "action", "process", "what it does")
    for name, action in model.declared.actions.items():
        label = f"{name}({', '.join(action.parameters)})" if action.parameters else name
        actions.add_row(label, _process(action), _first_paragraph(action.doc) + _condition(action))
    properties = _table("Properties", "property", "kind", "what it says")
    for name, declared in {**model.declared.properties, **model.declared.constraints}.items():
        asked = "" if declared.by_default else " (only on request)"
        properties.add_row(name, declared.described, _first_paragraph(declared.doc) + _condition(declared) + asked)
    for table in (constants, variables, actions, properties):
        out.print(table)
        out.print()
    if model.declared.symmetry:
        out.print(f"Symmetric sets: {', '.join(model.declared.symmetry)}")


def _condition(declared: DeclaredAction | Property) -> str:
    condition = declared.needs
    return f" (with {escape(condition)})" if condition else ""


def _process(action: DeclaredAction) -> str:
    if action.process is None:
        return "-"
    fair = action.fair if action.fair is not None else action.process.fair
    some = " in some steps" if action.fair_when else ""
    return f"{action.process.name}, {fair}ly fair{some}" if fair else action.process.name


def _first_paragraph(doc: str | None) -> str:
    """A docstring's first paragraph, in one line."""
    return escape(" ".join((doc or "").strip().split("\n\n")[0].split()))
