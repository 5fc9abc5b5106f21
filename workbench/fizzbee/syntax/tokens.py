"""The text as tokens, with Python's layout: a logical line ends in a newline, and suites are indented."""

import re
from typing import NamedTuple

from workbench.fizzbee.syntax.tree import Place, refuse

_TOKEN = re.compile(
    r"""(?P<string>[rb]?(?:'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))
    |(?P<number>0[xX][0-9a-fA-F]+|0[oO][0-7]+|\d+\.\d*(?:[eE][-+]?\d+)?|\.\d+|\d+(?:[eE][-+]?\d+)?)
    |(?P<name>[^\W\d]\w*)
    |(?P<label>`[^`\n]*`)
    |(?P<operator>//=|\*\*|<<=|>>=|==|!=|<=|>=|//|<<|>>|\+=|-=|\*=|/=|%=|&=|\|=|\^=|[-+*/%&|^~<>=.,:;@()\[\]{}])""",
    re.X | re.S,
)
_SPACE = re.compile(r"(?:[ \t\r\f]|\\\r?\n|\#[^\n]*)*")
_ESCAPE = re.compile(r"\\(\n|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[0-7]{1,3}|.)", re.S)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": ""}
#: The most digits of a number: more than any specification needs, and few enough for Python to convert.
_MOST_DIGITS = 400


class Token(NamedTuple):
    """A token; `kind` is name, number, string, label, operator, newline, indent, dedent or end."""

    kind: str
    text: str
    at: Place


def tokens(text: str, file: str) -> list[Token]:
    """The tokens of `text`.

    As in FizzBee's lexer, a dedent between two levels counts as a dedent to the outer one.

    Raises:
        InputError: With the place of a character, a string or a name that the language does not allow.
    """
    result: list[Token] = []
    levels, brackets, loose = [0], 0, -1
    position, line, start_of_line, begins = 0, 1, 0, True

    def here(offset: int) -> Place:
        return Place(file, line, offset - start_of_line + 1)

    while position < len(text):
        space = _SPACE.match(text, position)
        end = space.end() if space else position
        line += text.count("\n", position, end)
        if "\n" in text[position:end]:
            start_of_line = text.rindex("\n", position, end) + 1
        position = end
        if position == len(text):
            break
        if text[position] == "\n":
            if not begins and not brackets:
                result.append(Token("newline", "", here(position)))
                begins = True
            position, line, start_of_line = position + 1, line + 1, position + 1
            continue
        if begins and not brackets:
            begins = False
            indent = len(text[start_of_line:position].expandtabs())
            if indent > levels[-1] and indent != loose:
                levels.append(indent)
                result.append(Token("indent", "", here(position)))
            elif indent < levels[-1]:
                while indent < levels[-1]:
                    levels.pop()
                    result.append(Token("dedent", "", here(position)))
                loose = indent
        match = _TOKEN.match(text, position)
        if match is None:
            refuse(here(position), f"{text[position]!r} begins nothing that FizzBee has")
        kind, word = match.lastgroup or "", match.group()
        if (
            kind == "name"
            and word.startswith("__")
            and (word != "__id__" or [last.text for last in result[-1:]] != ["."])
        ):
            refuse(here(position), f"names that begin with __ are not read: {word[:40]}")
        if kind == "operator":
            brackets = max(0, brackets + (word in "([{") - (word in ")]}"))
        result.append(Token(kind, word, here(position)))
        position = match.end()
        line += word.count("\n")
        if "\n" in word:
            start_of_line = match.start() + word.rindex("\n") + 1
    if not begins:
        result.append(Token("newline", "", here(position)))
    result.extend(Token("dedent", "", here(position)) for _ in levels[1:])
    result.append(Token("end", "", here(position)))
    return result


def number(token: Token) -> int | float:
    """The value of a number."""
    text = token.text.lower()
    if len(text) > _MOST_DIGITS:
        refuse(token.at, f"a number has at most {_MOST_DIGITS} digits")
    if text.startswith(("0x", "0o")):
        return int(text, 0)
    return int(text) if text.isdigit() else float(text)


def string(token: Token) -> str:
    """The value of a string."""
    text = token.text
    if text.startswith("b"):
        refuse(token.at, "bytes are not supported")
    raw, text = text.startswith("r"), text.removeprefix("r")
    quotes = 3 if text.startswith(("'''", '"""')) else 1
    text = text[quotes:-quotes]
    return text if raw else _ESCAPE.sub(_unescaped, text)


def _unescaped(match: re.Match[str]) -> str:
    word = match.group(1)
    if word[0] in "xu" and len(word) > 1:
        return chr(int(word[1:], 16))
    if word[0] in "01234567":
        return chr(int(word, 8))
    return _ESCAPED.get(word, word)
