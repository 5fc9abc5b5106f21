"""Read TLC configuration files, and map them to a model's constants, properties and symmetric sets."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

from workbench.kernel import Constant, InputError, Model, Names, Partition, Verdict
from workbench.kernel.meaning.errors import either, listed, unknown
from workbench.kernel.meaning.properties import DEADLOCK

#: Longer names cannot be properties, and are not shown as such.
_LONGEST_NAME = 100
#: The supported statements, and the attributes of :class:`Cfg` or keys of `single` that hold them.
_ACCEPTED = {
    "CONSTANT": "constants",
    "CONSTANTS": "constants",
    "INVARIANT": "invariants",
    "INVARIANTS": "invariants",
    "PROPERTY": "properties",
    "PROPERTIES": "properties",
    "CONSTRAINT": "constraints",
    "CONSTRAINTS": "constraints",
    "SYMMETRY": "SYMMETRY",
    "SPECIFICATION": "SPECIFICATION",
    "INIT": "INIT",
    "NEXT": "NEXT",
    "CHECK_DEADLOCK": "CHECK_DEADLOCK",
}
#: TLC's other statements, and why each has no counterpart here.
_REFUSED = {
    **dict.fromkeys(("ACTION_CONSTRAINT", "ACTION_CONSTRAINTS"), "a model's own constants bound its steps"),
    "ALIAS": "traces show the model's own variables",
    "POSTCONDITION": "there is no TLA+ module to evaluate it in",
    "TYPE": "there is no TLA+ module to evaluate it in",
    "VIEW": "a model tells states apart by all its variables",
    "TYPE_CONSTRAINT": "there is no TLA+ module to evaluate it in",
    "_PERIODIC": "there is no TLA+ module to evaluate it in",
    "_RL_REWARD": "it belongs to TLC's simulation",
}
#: What the names in a statement name.
_ONE = {"invariants": "property", "properties": "property", "constraints": "constraint"}
_KEYWORDS = _ACCEPTED.keys() | _REFUSED.keys()
_DEEPEST = 100
_LONGEST = 160  # of an error after its line number; lists of names are cut
_MOST_DIGITS = 100  # Python's own limit is some thousands
_TOKEN = re.compile(r'(?P<name>\w*[A-Za-z_]\w*)|(?P<number>[0-9]+)|(?P<text>"[^"\n]*")|(?P<sign><-|[={},()\[\]!])')


class Token(NamedTuple):
    kind: str
    text: str
    line: int

    @property
    def short(self) -> str:
        """The text for an error message, cut if long."""
        return self.text if len(self.text) <= 40 else self.text[:37] + "..."


class CfgEntry(NamedTuple):
    """A name or a value, and its line."""

    value: Any
    line: int


@dataclass
class Cfg:
    """The contents of a configuration file.

    Attributes:
        constants: Sets are tuples, in their written order; model values are texts.
        model_values: The names assigned to themselves.
        single: The values of SYMMETRY, SPECIFICATION, INIT, NEXT and CHECK_DEADLOCK.
    """

    constants: dict[str, CfgEntry] = field(default_factory=dict)
    model_values: list[str] = field(default_factory=list)
    invariants: list[CfgEntry] = field(default_factory=list)
    properties: list[CfgEntry] = field(default_factory=list)
    constraints: list[CfgEntry] = field(default_factory=list)
    single: dict[str, CfgEntry] = field(default_factory=dict)


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
        (('w1',), ['w1'], [CfgEntry(value='Safe', line=1)])
    """
    return _CfgParser(text).parse()


def apply_cfg(cfg: Cfg, model: type[Model]) -> Applied:
    """Map a configuration to the constants, properties and symmetric sets of `model`.

    Properties that the model does not have are unknown.

    Raises:
        InputError: With the line, for a constant that the model does not have, a value that it does not accept, or a
            property of another kind.
    """
    constants, renamed = {}, []
    for name, (value, line) in cfg.constants.items():
        declared = model.declared.constants.get(name)
        if declared is None:
            _fail(line, unknown(f"constant of {model.name}", name, model.declared.constants))
        given = _fitting(declared, value)
        if getattr(declared.domain, "directed", False) and isinstance(value, tuple):
            takes = declared.domain.describe()
            _fail(line, f"{name} is not accepted: sets of sets have no direction; it takes {takes}")
        try:
            declared.parse(name, given)
        except InputError as error:
            _fail(line, error)
        constants[name] = given
        if isinstance(value, tuple) and type(given) is int:
            names = ", ".join(declared.parse(name, given))
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
    known = [p.name for p in model.declared.properties.values() if p.kind in kinds]
    error = unknown(f"{kinds[0]} of {model.name}", entry.value, known)
    if len(entry.value) > _LONGEST_NAME:
        _fail(entry.line, error)
    return Verdict(entry.value, kinds[0], None, why=f"line {entry.line}: {error}")


def _fitting(declared: Constant, value: Any) -> Any:
    """A set converted to the list, or list of lists, that the constant takes; a set of numbers to its size."""
    if isinstance(declared.domain, Partition) and isinstance(value, tuple):
        return [list(part) if isinstance(part, tuple) else part for part in value]
    if isinstance(declared.domain, Names) and isinstance(value, tuple):
        return len(value) if value and all(type(one) is int for one in value) else list(value)
    return value


def _property(entry: CfgEntry, keyword: str, kinds: Sequence[str], model: type[Model]) -> str:
    name, line = entry
    declared = model.declared.properties[name]
    known = [p.name for p in model.declared.properties.values() if p.kind in kinds]
    if declared.kind not in kinds:
        article = "an" if declared.kind == "invariant" else "a"
        message = f"{keyword} {name} is {article} {declared.kind} property of {model.name}; {keyword} takes "
        _fail(line, InputError(message + (either(known) if known else "none of its properties")))
    return name


def _symmetry(entry: CfgEntry | None, model: type[Model]) -> tuple[str, ...]:
    """The symmetric sets whose singular names occur in the operator's name; all if none does."""
    if entry is None:
        return ()
    if not model.symmetry:
        _fail(entry.line, InputError(f"SYMMETRY {entry.value[:40]} is not accepted; {model.name} has no symmetric set"))
    named = tuple(name for name in model.symmetry if name.rstrip("s").lower() in entry.value.lower())
    return named or model.symmetry


def _check_bounds(cfg: Cfg, model: type[Model]) -> None:
    """Refuse unknown constraints."""
    for name, line in cfg.constraints:
        if name not in model.declared.constraints:
            known = model.declared.constraints or ["none; a model declares one with @constraint"]
            _fail(line, unknown(f"constraint of {model.name}", name, known))


def _remarks(cfg: Cfg, model: type[Model], symmetry: tuple[str, ...]) -> list[str]:
    """Remarks on statements that have no effect here, or another one than in TLC."""
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


def _fail(line: int, error: InputError | str) -> NoReturn:
    text = str(error)
    raise InputError(f"line {line}: {text if len(text) <= _LONGEST else text[: _LONGEST - 3] + '...'}")


def _without_comments(text: str) -> str:
    r"""`text` with comments blanked, lines kept: ``\*`` to the end of the line, and nested ``(* ... *)``."""
    kept, depth, at, line, opened = [], 0, 0, 1, 0
    while at < len(text):
        pair = text[at : at + 2]
        if pair == "(*":
            opened = opened if depth else line
            depth, at = depth + 1, at + 2
            kept.append(" ")
        elif pair == "*)" and depth:
            depth, at = depth - 1, at + 2
        elif pair == "\\*" and not depth:
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        else:
            line += text[at] == "\n"
            kept.append(text[at] if not depth or text[at] == "\n" else " ")
            at += 1
    if depth:
        _fail(opened, "the comment that begins here with (* has no end; it takes a *)")
    return "".join(kept)


def _tokens(text: str) -> Iterator[Token]:
    for number, line in enumerate(_without_comments(text).split("\n"), start=1):
        at = 0
        while at < len(line):
            if line[at].isspace():
                at += 1
                continue
            match = _TOKEN.match(line, at)
            if match is None:
                _fail(number, f"{line[at]!r} is not part of a TLC configuration")
            yield Token(str(match.lastgroup), match.group(), number)
            at = match.end()


class _CfgParser:
    """A recursive-descent parser, with a method per construct."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))
        self.end = Token("end", "the end of the file", text.count("\n") + 1)
        self.at = 0
        self.cfg = Cfg()

    @property
    def token(self) -> Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else self.end

    def take(self, wanted: str, *kinds_or_signs: str) -> Token:
        token = self.token
        if token.kind not in kinds_or_signs and token.text not in kinds_or_signs:
            _fail(token.line, f"found {token.short}; expected {wanted}")
        self.at += 1
        return token

    @property
    def in_statement(self) -> bool:
        return self.token.kind != "end" and self.token.text not in _KEYWORDS

    def parse(self) -> Cfg:
        while self.token.kind != "end":
            keyword = self.token
            if keyword.text in _REFUSED:
                _fail(keyword.line, f"{keyword.text} is not supported: {_REFUSED[keyword.text]}")
            if keyword.text not in _ACCEPTED:
                known = "CONSTANTS, INVARIANTS, PROPERTIES or SYMMETRY"
                _fail(keyword.line, f"found {keyword.short}; expected a keyword, such as {known}")
            self.at += 1
            statement = _ACCEPTED[keyword.text]
            if statement == "constants":
                while self.in_statement:
                    self.constant()
            elif statement in _ONE:
                while self.in_statement:
                    name = self.take(f"the name of a {_ONE[statement]}", "name")
                    getattr(self.cfg, statement).append(CfgEntry(name.text, name.line))
            else:
                self.single(keyword)
        single = self.cfg.single
        if "SPECIFICATION" in single and ("INIT" in single or "NEXT" in single):
            _fail(single["SPECIFICATION"].line, "SPECIFICATION is given beside INIT or NEXT; it takes one or the other")
        return self.cfg

    def single(self, keyword: Token) -> None:
        """Parse a statement that may appear once and takes one name."""
        if keyword.text in self.cfg.single:
            _fail(keyword.line, f"{keyword.text} is given twice")
        if not self.in_statement:
            _fail(self.token.line, f"found {self.token.short}; expected a name after {keyword.text}")
        given = self.take(f"a name after {keyword.text}", "name")
        if keyword.text == "CHECK_DEADLOCK" and given.text not in ("TRUE", "FALSE"):
            _fail(given.line, f"CHECK_DEADLOCK {given.short} is not accepted; it takes TRUE or FALSE")
        self.cfg.single[keyword.text] = CfgEntry(given.text, given.line)

    def constant(self) -> None:
        name = self.take("the name of a constant", "name")
        sign = self.take(f"= after {name.short}", "=", "<-", "(", "!")
        if sign.text == "<-":
            why = "it replaces a definition of a TLA+ module, and there is none"
            _fail(sign.line, f"{name.short} <- {self.token.short} is not supported: {why}")
        if sign.text != "=":
            _fail(sign.line, f"{name.short}{sign.text}... is not supported; it takes {name.short} = value")
        if self.token.text == "[":
            _fail(sign.line, f"{name.short} = [module] value is not supported: there is no TLA+ module to assign it in")
        given = self.token
        value = self.value()
        if given.kind == "name" and value == name.text:
            self.cfg.model_values.append(name.text)
        elif name.text in self.cfg.constants:
            _fail(name.line, f"{name.short} is given twice")
        else:
            self.cfg.constants[name.text] = CfgEntry(value, name.line)

    def value(self, depth: int = 0) -> Any:
        token = self.take("a number, a text, TRUE, FALSE, a model value or a set", "name", "number", "text", "{")
        if token.kind == "number":
            if len(token.text) > _MOST_DIGITS:
                _fail(token.line, f"a number of {len(token.text):,} digits is not accepted; it takes {_MOST_DIGITS}")
            return int(token.text)
        if token.kind == "text":
            return token.text[1:-1]
        if token.text in ("TRUE", "FALSE"):
            return token.text == "TRUE"
        if token.text == "{":
            if depth == _DEEPEST:
                _fail(token.line, f"sets are nested more than {_DEEPEST} deep")
            return self.rest_of_set(depth + 1)
        return token.text

    def rest_of_set(self, depth: int) -> tuple[Any, ...]:
        items = []
        if self.token.text != "}":
            items.append(self.value(depth))
            while self.token.text == ",":
                self.at += 1
                items.append(self.value(depth))
        self.take("} or ,", "}")
        return tuple(dict.fromkeys(items))
