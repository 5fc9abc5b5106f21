"""Map TLC configuration files to a model's constants, properties and symmetric sets."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from workbench.kernel import Constant, InputError, Model, Names, Partition, Verdict
from workbench.kernel.meaning.errors import either, listed, unknown
from workbench.kernel.meaning.properties import DEADLOCK
from workbench.tlaplus.syntax.cfg_parser import (
    IN_MODULE,
    REPLACEMENT,
    TABLE,
    Cfg,
    CfgEntry,
    fail_at,
    read_configuration,
)

#: Longer names cannot be properties, and are not shown as such.
_LONGEST_NAME = 100
#: The statements that have no counterpart here, and why.
_REFUSED = {
    **dict.fromkeys(("ACTION_CONSTRAINT", "ACTION_CONSTRAINTS"), "a model's own constants bound its steps"),
    "ALIAS": "traces show the model's own variables",
    **dict.fromkeys(("POSTCONDITION", "POSTCONDITIONS", "TYPE"), "there is no TLA+ module to evaluate it in"),
    "VIEW": "a model tells states apart by all its variables",
    "TYPE_CONSTRAINT": "there is no TLA+ module to evaluate it in",
    "_PERIODIC": "there is no TLA+ module to evaluate it in",
    "_RL_REWARD": "it belongs to TLC's simulation",
    "_POSSIBLE": "`workbench scenario MODEL --reach P` finds a state in which P holds",
    REPLACEMENT: "it replaces a definition of a TLA+ module, and there is none",
    IN_MODULE: "there is no TLA+ module to assign it in",
    TABLE: "it gives values to an operator of a TLA+ module, and there is none",
}


class Applied(NamedTuple):
    """A configuration in terms of a model: its constants, what to check, and remarks.

    Attributes:
        unknown: Verdicts on the properties that the model does not have.
    """

    constants: dict[str, Any]
    properties: list[str]
    symmetry: tuple[str, ...]
    remarks: list[str]
    unknown: list[Verdict]


def read_cfg(text: str) -> Cfg:
    """Read the text of a ``.cfg`` file.

    Raises:
        InputError: With the line, for a syntax error, or a statement without a counterpart here.

    Examples:
        >>> cfg = read_cfg("CONSTANTS w1 = w1  Writers = {w1}  INVARIANT Safe")
        >>> cfg.constants["Writers"].value, cfg.model_values, cfg.invariants
        (('w1',), {'w1': 1}, [CfgEntry(value='Safe', line=1)])
    """
    return read_configuration(text, _REFUSED)


def apply_cfg(cfg: Cfg, model: type[Model]) -> Applied:
    """Map a configuration to the constants, properties and symmetric sets of `model`.

    Properties that the model does not have are unknown.

    Raises:
        InputError: With the line, for a constant that the model does not have, a value that it does not accept, or a
            property of another kind.
    """
    constants, renamed = {}, []
    for name, (written, line) in cfg.constants.items():
        value = _plain(written)
        declared = model.declared.constants.get(name)
        if declared is None:
            fail_at(line, unknown(f"constant of {model.name}", name, model.declared.constants))
        fitted = _fitting(declared, value)
        if getattr(declared.domain, "directed", False) and isinstance(value, tuple):
            takes = declared.domain.describe()
            fail_at(line, f"{name} is not accepted: sets of sets have no direction; it takes {takes}")
        try:
            declared.parse(name, fitted)
        except InputError as error:
            fail_at(line, error)
        constants[name] = fitted
        if isinstance(value, tuple) and type(fitted) is int:
            names = ", ".join(declared.parse(name, fitted))
            renamed.append(f"{name} is taken as {names}: names are no numbers, and only which are equal matters")
    properties: list[str] = []
    absent: list[Verdict] = []
    for keyword, kinds, entries in (
        ("INVARIANT", ("invariant",), cfg.invariants),
        ("PROPERTY", ("liveness", "step", "refinement"), cfg.properties),
    ):
        for entry in entries:
            if entry.value in model.declared.properties:
                properties.append(_property(entry, keyword, kinds, model))
            else:
                absent.append(_absent(entry, kinds, model))
    if cfg.single.get("CHECK_DEADLOCK", CfgEntry("FALSE", 0)).value == "TRUE":
        properties.append(DEADLOCK.name)
    symmetry = _symmetry(cfg.single.get("SYMMETRY"), model)
    _check_bounds(cfg, model)
    remarks = [*renamed, *_remarks(cfg, model, symmetry)]
    if absent:
        remarks.append(f"not checked, since {model.name} has no such property: {listed(v.name for v in absent)}")
    return Applied(constants, properties, symmetry, remarks, absent)


def _absent(entry: CfgEntry, kinds: Sequence[str], model: type[Model]) -> Verdict:
    names = [p.name for p in model.declared.properties.values() if p.kind in kinds]
    error = unknown(f"{kinds[0]} of {model.name}", entry.value, names)
    if len(entry.value) > _LONGEST_NAME:
        fail_at(entry.line, error)
    return Verdict(entry.value, kinds[0], None, why=f"line {entry.line}: {error}")


def _plain(value: Any) -> Any:
    """A value for a model that takes texts instead of model values: a set has each of its members once."""
    if isinstance(value, tuple):
        return tuple(dict.fromkeys(_plain(item) for item in value))
    return str(value) if isinstance(value, str) else value


def _fitting(declared: Constant, value: Any) -> Any:
    """A set converted to the list, or list of lists, that the constant takes; a set of numbers to its size."""
    if isinstance(declared.domain, Partition) and isinstance(value, tuple):
        return [list(part) if isinstance(part, tuple) else part for part in value]
    if isinstance(declared.domain, Names) and isinstance(value, tuple):
        return len(value) if value and all(type(member) is int for member in value) else list(value)
    return value


def _property(entry: CfgEntry, keyword: str, kinds: Sequence[str], model: type[Model]) -> str:
    name, line = entry
    declared = model.declared.properties[name]
    names = [p.name for p in model.declared.properties.values() if p.kind in kinds]
    if declared.kind not in kinds:
        article = "an" if declared.kind == "invariant" else "a"
        message = f"{keyword} {name} is {article} {declared.kind} property of {model.name}; {keyword} takes "
        fail_at(line, InputError(message + (either(names) if names else "none of its properties")))
    return name


def _symmetry(entry: CfgEntry | None, model: type[Model]) -> tuple[str, ...]:
    """The symmetric sets whose singular names occur in the operator's name; all if none does."""
    if entry is None:
        return ()
    if not model.symmetry:
        fail_at(
            entry.line, InputError(f"SYMMETRY {entry.value[:40]} is not accepted; {model.name} has no symmetric set")
        )
    named = tuple(name for name in model.symmetry if name.rstrip("s").lower() in entry.value.lower())
    return named or model.symmetry


def _check_bounds(cfg: Cfg, model: type[Model]) -> None:
    """Refuse unknown constraints."""
    for name, line in cfg.constraints:
        if name not in model.declared.constraints:
            constraints = model.declared.constraints or ["none; a model declares one with @constraint"]
            fail_at(line, unknown(f"constraint of {model.name}", name, constraints))


def _remarks(cfg: Cfg, model: type[Model], symmetry: tuple[str, ...]) -> list[str]:
    """Remarks on statements that have no effect here, or a different one from TLC's."""
    remarks = []
    single = {keyword: entry.value for keyword, entry in cfg.single.items()}
    behaviour = [f"{keyword} {single[keyword]}" for keyword in ("SPECIFICATION", "INIT", "NEXT") if keyword in single]
    if behaviour:
        remarks.append(f"{', '.join(behaviour)}: the behaviours and fairness are those that {model.name} declares")
    if symmetry:
        remarks.append(f"SYMMETRY {single['SYMMETRY']} is taken as the symmetric sets {', '.join(symmetry)}")
    unnamed = [name for name in model.declared.constraints if name not in {entry.value for entry in cfg.constraints}]
    if unnamed:
        remarks.append(f"{', '.join(unnamed)}: {model.name} is explored within it, though the file does not name it")
    used = {name for value, _ in cfg.constants.values() for name in _names_in(value)}
    idle = [name for name in cfg.model_values if name not in used]
    if idle:
        remarks.append(f"model values without a use here: {', '.join(idle)} ({model.name} has its own)")
    if "CHECK_DEADLOCK" not in single:
        remarks.append("TLC would also look for deadlocks; here CHECK_DEADLOCK TRUE says so, or --deadlock")
    elif single["CHECK_DEADLOCK"] == "FALSE":
        remarks.append("CHECK_DEADLOCK FALSE has no effect: a state in which nothing is enabled is a normal end")
    if not cfg.invariants and not cfg.properties and single.get("CHECK_DEADLOCK") != "TRUE":
        remarks.append("no property is named: without one only the states are counted")
    return remarks


def _names_in(value: Any) -> Iterator[str]:
    if isinstance(value, tuple):
        for item in value:
            yield from _names_in(item)
    elif isinstance(value, str):
        yield value
