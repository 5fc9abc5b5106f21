"""Behaviours from the command line: an ITF document, a trace of TLC, or a permalink."""

from collections.abc import Mapping
from typing import Any

from workbench.checking.following.mapping import Mapped
from workbench.checking.following.report import BehaviourPath, Report
from workbench.commands.output.files import read_text, reading
from workbench.formats.itf import constants_from_itf, parse_itf, read_itf
from workbench.formats.permalink import parse_permalink
from workbench.formats.tlc_json import is_tlc_json, parse_tlc_json, read_tlc_json
from workbench.formats.tlc_states import parse_tlc, read_tlc
from workbench.kernel import InputError, Machine, ModelError, machine_of, replay
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.machine import ModelClass

_PERMALINK = "workbench:"


def is_permalink(source: str) -> bool:
    """Whether the source is a permalink rather than a file."""
    return source.startswith(_PERMALINK)


def read_trace(model: ModelClass, path: str) -> Mapped:
    """The constants noted in a file of ITF, and its recording of the model; what TLC wrote notes none."""
    text = read_text(path, "trace")
    with reading(path):
        if not text.lstrip().startswith(("{", "[")):
            behaviour = parse_tlc(text)
            return Mapped(model.declared.name, {}, lambda machine: read_tlc(machine, behaviour))
        if is_tlc_json(text):
            behaviour = parse_tlc_json(text)
            return Mapped(model.declared.name, {}, lambda machine: read_tlc_json(machine, behaviour))
        document = parse_itf(text)
        constants, noted = constants_from_itf(document), document.get("#meta", {}).get("source", model.declared.name)
        if noted != model.declared.name and not {*constants} <= {*model.declared.constants}:
            raise InputError(f"the trace is one of {brief(noted)}, not of {model.declared.name}")
        return Mapped(model.declared.name, constants, lambda machine: read_itf(machine, document))


def make(model: ModelClass, noted: Mapping[str, Any], constants: dict[str, Any], source: str) -> Machine:
    """The model with the recording's constants, overridden by those of the command line."""
    try:
        return machine_of(model(**{**noted, **constants}))
    except InputError as error:
        where = f" (the constants that {source} notes, and those given)" if noted else ""
        raise InputError(f"{error}{where}") from None


def follow_permalink(model: ModelClass, line: str, constants: dict[str, Any]) -> Report:
    """Take the moves of a permalink."""
    link = parse_permalink(line)
    if link.model != model.declared.name:
        raise InputError(f"the permalink is for {brief(link.model)}, not for {model.declared.name}")
    machine = make(model, link.constants, constants, "the permalink")
    behaviour = BehaviourPath(machine, link.start, link.moves, link.loop)
    try:
        report = Report(holds=True, states=len(replay(*behaviour)), behaviour=behaviour)
    except ModelError as error:
        report = Report(holds=False, states=0, why=str(error))
    return report.of(machine)
