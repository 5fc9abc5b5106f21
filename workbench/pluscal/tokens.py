"""The words of an algorithm, each with its place."""

import re
from dataclasses import dataclass

NAME, STRING, SYMBOL, ADDED = "name", "string", "symbol", "added"

_RESERVED = (
    "ASSUME ASSUMPTION AXIOM BOOLEAN CASE CONSTANT CONSTANTS EXCEPT EXTENDS FALSE IF INSTANCE LOCAL MODULE OTHER"
    " STRING THEOREM TRUE VARIABLE VARIABLES WITH CHOOSE ENABLED UNCHANGED SUBSET UNION DOMAIN ELSE THEN LET IN"
)
_SYMBOLS = (
    ">>_ ]_ << >> [] <> -+-> => <=> == |-> -> <- |- |= -| =| ::= := :> <: @@ ... .. ** ++ -- // ^^ ^+ ^* ^# %% && ||"
    r" $$ ?? !! ## (+) (-) (.) (/) (\X) /\ \/ /= =< <= >= ~> -."
    r" ( ) [ ] { } , . : ; ' @ ~ = # < > + - * / ^ % & | $ ? ! \ _"
)
#: The reserved words of TLA+.
RESERVED = frozenset(_RESERVED.split())
_WORD = re.compile(
    r"""(?P<string>"(?:\\.|[^"\\\n])*")
      | (?P<fair>[WS]F_)
      | (?P<name>\d*[^\W\d]\w*)
      | (?P<number>\\[bBoOhH]\d[0-9a-fA-F]*|\d+)
      | (?P<symbol>\\[A-Za-z]+|"""
    + "|".join(re.escape(symbol) for symbol in sorted(_SYMBOLS.split(), key=len, reverse=True))
    + r"""|[^\x00-\x7f])
      | (?P<wrong>\S)""",
    re.VERBOSE,
)


class Mistake(Exception):
    """A mistake in an algorithm, at a line and column of the file, both from 1. ``module.py`` names the module."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(message)
        self.line, self.column = line, column


@dataclass(slots=True, eq=False)
class Token:
    """A word.

    Attributes:
        text: The word itself; a string keeps its quotes.
        column: The column, from 0, in the layout. It changes as the expression moves.
        line, place: The line and column in the file, from 1; 0 for a word that the translation added.
    """

    text: str
    kind: str
    column: int
    line: int = 0
    place: int = 0

    @property
    def end(self) -> int:
        return self.column + len(self.text)


def read(text: str, line: int, column: int) -> list[Token]:
    """The words of a text that begins at the given line and column of its file, both from 1."""
    tokens = []
    for number, row in enumerate(text.split("\n"), line):
        shift = column - 1 if number == line else 0
        for match in _WORD.finditer(row):
            kind, word = match.lastgroup, match.group()
            if kind == "fair" or word in RESERVED:
                kind = SYMBOL
            at = match.start() + shift
            tokens.append(Token(word, kind or "wrong", at, number, at + 1))
    return tokens


def added(text: str, kind: str = SYMBOL, column: int = 0) -> Token:
    """A word that stands in no file."""
    return Token(text, kind, column)


def kind_of(word: str) -> str:
    if word[0] == '"':
        return STRING
    return NAME if word[0].isalnum() and word not in RESERVED else SYMBOL
