"""Read TLC configuration files: the statements of a ``.cfg``, before they are applied to a model or a module."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

from workbench.kernel.meaning.errors import InputError
from workbench.kernel.meaning.values import Name, identity
from workbench.tlaplus.syntax.precedence import SPELLINGS, canonical

#: The statements, and the attributes of :class:`Cfg` or keys of `single` that hold them.
_STATEMENTS = {
    "CONSTANT": "constants",
    "CONSTANTS": "constants",
    "INVARIANT": "invariants",
    "INVARIANTS": "invariants",
    "PROPERTY": "properties",
    "PROPERTIES": "properties",
    "CONSTRAINT": "constraints",
    "CONSTRAINTS": "constraints",
    "ACTION_CONSTRAINT": "action_constraints",
    "ACTION_CONSTRAINTS": "action_constraints",
    "SYMMETRY": "SYMMETRY",
    "VIEW": "VIEW",
    "ALIAS": "ALIAS",
    "POSTCONDITION": "postconditions",
    "POSTCONDITIONS": "postconditions",
    "_POSSIBLE": "possible",
    "SPECIFICATION": "SPECIFICATION",
    "INIT": "INIT",
    "NEXT": "NEXT",
    "CHECK_DEADLOCK": "CHECK_DEADLOCK",
}
#: TLC's other statements, and the reasons why they are not supported.
_NEVER = {
    **dict.fromkeys(("TYPE", "TYPE_CONSTRAINT"), "TLC itself does nothing with it"),
    **dict.fromkeys(("_PERIODIC", "_RL_REWARD"), "it belongs to TLC's simulation"),
}
_KEYWORDS = _STATEMENTS.keys() | _NEVER.keys()
#: The kinds of things that the names in a statement stand for.
_ONE = {
    "invariants": "property",
    "properties": "property",
    "constraints": "constraint",
    "action_constraints": "constraint",
    "postconditions": "property",
    "possible": "property",
}
#: The forms of a constant's assignment that have a meaning only for a module, for callers that refuse them.
REPLACEMENT, IN_MODULE, TABLE = "<-", "= [module]", "(...) ="
_DEEPEST = 100
_LONGEST = 160  # of an error after its line number; lists of names are cut
_MOST_DIGITS = 100  # Python's own limit is some thousands
#: The symbols of operators, the longer ones first; the signs of a configuration are none of them.
_SYMBOLS = sorted((symbol for symbol in SPELLINGS - {"=", "[]", "'"} if not symbol[0].isalpha()), key=len, reverse=True)
_OPERATOR = "|".join(re.escape(symbol) + r"(?!\w)" * symbol[-1].isalpha() for symbol in _SYMBOLS)
_TOKEN = re.compile(
    r'(?P<name>\w*[A-Za-z_]\w*)|(?P<number>-?[0-9]+)|(?P<text>"[^"\n]*")'
    rf"|(?P<arrow><-)|(?P<operator>{_OPERATOR})|(?P<sign>[={{}},()\[\]!])"
)


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


class Row(NamedTuple):
    """The value of an operator for some arguments, and its line."""

    arguments: tuple[Any, ...]
    value: Any
    line: int


class InModule(NamedTuple):
    """A name in the sense of one module."""

    module: str
    name: str


@dataclass
class Cfg:
    """The contents of a configuration file.

    Attributes:
        constants: Sets are tuples, in their written order; a model value is a Name, and a string a plain text.
        model_values: The names assigned to themselves, and their lines.
        replacements: The definitions that stand for a constant or a definition, of ``C <- Definition``.
        constants_in: The values of ``C = [Module] value``.
        replacements_in: The definitions of ``C <- [Module] Definition``.
        tables: The values of ``F(a, b) = value``, by the operator.
        single: The values of the statements that take one name, such as SYMMETRY, VIEW and NEXT, by their keywords.
        words: The strings and model values among the values, in the order of the text.
    """

    constants: dict[str, CfgEntry] = field(default_factory=dict)
    model_values: dict[str, int] = field(default_factory=dict)
    replacements: dict[str, CfgEntry] = field(default_factory=dict)
    constants_in: dict[InModule, CfgEntry] = field(default_factory=dict)
    replacements_in: dict[InModule, CfgEntry] = field(default_factory=dict)
    tables: dict[str, list[Row]] = field(default_factory=dict)
    invariants: list[CfgEntry] = field(default_factory=list)
    properties: list[CfgEntry] = field(default_factory=list)
    constraints: list[CfgEntry] = field(default_factory=list)
    action_constraints: list[CfgEntry] = field(default_factory=list)
    postconditions: list[CfgEntry] = field(default_factory=list)
    possible: list[CfgEntry] = field(default_factory=list)
    single: dict[str, CfgEntry] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)

    @property
    def asked(self) -> tuple[CfgEntry, ...]:
        """The definitions that a search evaluates in states and steps, besides its behaviour."""
        return *self.invariants, *self.possible, *self.properties, *self.constraints, *self.action_constraints


def read_configuration(text: str, refused: Mapping[str, str] | None = None) -> Cfg:
    """Read the text of a ``.cfg`` file.

    Args:
        text: The text.
        refused: The statements that the caller does not take, by keyword, and why; also REPLACEMENT, IN_MODULE and
            TABLE.

    Raises:
        InputError: With the line, for a syntax error, or a statement that is refused.

    Examples:
        >>> cfg = read_configuration('CONSTANTS w1 = w1  Writers = {w1, "w1"}  Nat <- SmallNat  VIEW Seen')
        >>> cfg.constants["Writers"].value, cfg.model_values, cfg.replacements
        (('w1', 'w1'), {'w1': 1}, {'Nat': CfgEntry(value='SmallNat', line=1)})
    """
    return _CfgParser(text, {**_NEVER, **(refused or {})}).parse()


def fail_at(line: int, error: InputError | str) -> NoReturn:
    """Raise an InputError that names the line.

    Raises:
        InputError: Always.
    """
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
        fail_at(opened, "the comment that begins here with (* has no end; it takes a *)")
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
                fail_at(number, f"{line[at]!r} is not part of a TLC configuration")
            yield Token(str(match.lastgroup), canonical(match.group()), number)
            at = match.end()


class _CfgParser:
    """A recursive-descent parser, with a method per construct."""

    def __init__(self, text: str, refused: Mapping[str, str]) -> None:
        self.tokens = list(_tokens(text))
        self.end = Token("end", "the end of the file", text.count("\n") + 1)
        self.at = 0
        self.refused = refused
        self.cfg = Cfg()
        self.lines_of = dict[Any, int]()  # the constants, in the specification or in a module, and their lines

    @property
    def token(self) -> Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else self.end

    def take(self, expected: str, *kinds_or_signs: str) -> Token:
        token = self.token
        if token.kind not in kinds_or_signs and token.text not in kinds_or_signs:
            fail_at(token.line, f"found {token.short}; expected {expected}")
        self.at += 1
        return token

    @property
    def in_statement(self) -> bool:
        return self.token.kind != "end" and self.token.text not in _KEYWORDS

    def parse(self) -> Cfg:
        while self.token.kind != "end":
            keyword = self.token
            if keyword.text in _KEYWORDS and keyword.text in self.refused:
                fail_at(keyword.line, f"{keyword.text} is not supported: {self.refused[keyword.text]}")
            if keyword.text not in _STATEMENTS:
                examples = "CONSTANTS, INVARIANTS, PROPERTIES or SYMMETRY"
                fail_at(keyword.line, f"found {keyword.short}; expected a keyword, such as {examples}")
            self.at += 1
            statement = _STATEMENTS[keyword.text]
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
            line = single["SPECIFICATION"].line
            fail_at(line, "SPECIFICATION is given beside INIT or NEXT; it takes one or the other")
        return self.cfg

    def single(self, keyword: Token) -> None:
        """Parse a statement that takes one name and may appear only once."""
        if keyword.text in self.cfg.single:
            fail_at(keyword.line, f"{keyword.text} is given twice")
        if not self.in_statement:
            fail_at(self.token.line, f"found {self.token.short}; expected a name after {keyword.text}")
        word = self.take(f"a name after {keyword.text}", "name")
        if keyword.text == "CHECK_DEADLOCK" and word.text not in ("TRUE", "FALSE"):
            fail_at(word.line, f"CHECK_DEADLOCK {word.short} is not accepted; it takes TRUE or FALSE")
        self.cfg.single[keyword.text] = CfgEntry(word.text, word.line)

    def constant(self) -> None:
        name = self.take("the name of a constant", "name", "operator")
        sign = self.take(f"= after {name.short}", "=", "<-", "(", "!")
        if sign.text == "<-":
            self.replacement(name)
            return
        if sign.text == "(":
            self.table(name)
            return
        if sign.text != "=":
            fail_at(sign.line, f"{name.short}{sign.text}... is not supported; it takes {name.short} = value")
        if self.token.text == "[":
            if IN_MODULE in self.refused:
                reason = self.refused[IN_MODULE]
                fail_at(sign.line, f"{name.short} = [module] value is not supported: {reason}")
            within = InModule(self.module(), name.text)
            self.assign(self.cfg.constants_in, within, name, self.value())
            return
        token = self.token
        value = self.value()
        if token.kind == "name" and value == name.text:
            if name.text not in self.cfg.model_values:  # sets that share a member may each bring it along
                self.once(name.text, name)
                self.cfg.model_values[name.text] = name.line
        else:
            self.assign(self.cfg.constants, name.text, name, value)

    def replacement(self, name: Token) -> None:
        """Parse what follows ``name <-``."""
        if REPLACEMENT in self.refused:
            written = f"{name.short} <- {self.token.short}"
            fail_at(self.tokens[self.at - 1].line, f"{written} is not supported: {self.refused[REPLACEMENT]}")
        if self.token.text == "[":
            within = InModule(self.module(), name.text)
            self.assign(self.cfg.replacements_in, within, name, self.definition())
        else:
            self.assign(self.cfg.replacements, name.text, name, self.definition())

    def definition(self) -> str:
        return self.take("the name of a definition", "name", "operator").text

    def table(self, name: Token) -> None:
        """Parse what follows ``name(``: a value of an operator."""
        if TABLE in self.refused:
            fail_at(name.line, f"{name.short}(...) = value is not supported: {self.refused[TABLE]}")
        if self.token.text == ")":
            fail_at(name.line, f"{name.short}() is not accepted; it takes {name.short}(arguments) = value")
        arguments = self.values_to(")", 0)
        self.take(f"= after {name.short}(...)", "=")
        if name.text not in self.cfg.tables:
            self.once(name.text, name)
        rows = self.cfg.tables.setdefault(name.text, [])
        if any(_told_apart(row.arguments) == _told_apart(arguments) for row in rows):
            fail_at(name.line, f"{name.short}(...) is given twice with the same arguments; it takes one value")
        rows.append(Row(arguments, self.value(), name.line))

    def module(self) -> str:
        self.take("[", "[")
        name = self.take("the name of a module", "name")
        self.take("]", "]")
        return name.text

    def assign(self, entries: dict[Any, CfgEntry], key: Any, name: Token, value: Any) -> None:
        self.once(key, name)
        entries[key] = CfgEntry(value, name.line)

    def once(self, key: Any, name: Token) -> None:
        """Record that a constant is assigned here; refuse a second assignment."""
        if key in self.lines_of:
            fail_at(
                name.line, f"{name.short} is given twice, here and in line {self.lines_of[key]}; it takes one value"
            )
        self.lines_of[key] = name.line

    def value(self, depth: int = 0) -> Any:
        token = self.take("a number, a text, TRUE, FALSE, a model value or a set", "name", "number", "text", "{")
        if token.kind == "number":
            if len(token.text) > _MOST_DIGITS:
                fail_at(token.line, f"a number of {len(token.text):,} digits is not accepted; it takes {_MOST_DIGITS}")
            return int(token.text)
        if token.kind == "text":
            self.cfg.words.append(token.text[1:-1])
            return token.text[1:-1]
        if token.text in ("TRUE", "FALSE"):
            return token.text == "TRUE"
        if token.text == "{":
            if depth == _DEEPEST:
                fail_at(token.line, f"sets are nested more than {_DEEPEST} deep")
            return self.rest_of_set(depth + 1)
        self.cfg.words.append(token.text)
        return Name(token.text)

    def rest_of_set(self, depth: int) -> tuple[Any, ...]:
        """The members of a set, each once; a string differs from a model value of the same spelling."""
        items = self.values_to("}", depth)
        return tuple({_told_apart(item): item for item in items}.values())

    def values_to(self, end: str, depth: int) -> tuple[Any, ...]:
        """The values up to a bracket, which is taken, too."""
        items = []
        if self.token.text != end:
            items.append(self.value(depth))
            while self.token.text == ",":
                self.at += 1
                items.append(self.value(depth))
        self.take(f"{end} or ,", end)
        return tuple(items)


def _told_apart(value: Any) -> Any:
    """A key that is equal for equal values only; the kernel's identity does not tell a model value from its text."""
    if isinstance(value, tuple):
        return tuple(_told_apart(item) for item in value)
    return isinstance(value, Name), identity(value)
