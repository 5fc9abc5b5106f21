"""Recorded behaviours that the command line is given: an ITF document, or a permalink."""

from typing import Any

from workbench.commands.files import read_text, reading
from workbench.formats.itf import constants_from_itf, parse_itf, read_itf
from workbench.formats.permalink import parse_permalink
from workbench.formats.validation import Report, validate
from workbench.kernel import InputError, Model, ModelError, replay
from workbench.kernel.errors import brief

_PERMALINK = "workbench:"


def is_permalink(source: str) -> bool:
    """Whether what is given is a permalink, and not a file."""
    return source.startswith(_PERMALINK)


def judge(model: type[Model], source: str, given: dict[str, Any], stutter: bool = False) -> Report:
    """Whether a recorded behaviour is one of the model, with the constants that it notes and those `given`."""
    if is_permalink(source):
        return _follow(model, source, given)
    text = read_text(source, "trace")
    with reading(source):
        document = parse_itf(text)
    made = _make(model, constants_from_itf(document), given, source)
    with reading(source):
        return validate(made, read_itf(made, document), stutter)


def _make(model: type[Model], noted: dict[str, Any], given: dict[str, Any], source: str) -> Model:
    """The model with the constants that a recording notes, and those of the command line before them."""
    try:
        return model(**{**noted, **given})
    except InputError as error:
        where = f" (the constants that {source} notes, and --set)" if noted else ""
        raise InputError(f"{error}{where}") from None


def _follow(model: type[Model], line: str, given: dict[str, Any]) -> Report:
    """What a permalink leads to: its moves are taken one after the other."""
    link = parse_permalink(line)
    if link.model != model.name:
        raise InputError(f"the permalink is one of {brief(link.model)}, not of {model.name}")
    made = _make(model, link.constants, given, "the permalink")
    try:
        trace = replay(made, link.start, link.moves, link.loop)
    except ModelError as error:
        return Report(valid=False, states=0, why=str(error))
    return Report(valid=True, states=len(trace), trace=trace)
