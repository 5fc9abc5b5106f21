"""Reads the words of an algorithm one by one, and the expressions between them."""

from workbench.pluscal.algorithm import Place
from workbench.pluscal.expressions import Expression
from workbench.pluscal.tokens import NAME, STRING, Mistake, Token, added

_END_WORDS = (
    "; do then := ≔ begin variable variables || ‖ end else elsif if either or while with call return goto print assert"
    " skip procedure define process fair"
)
_KEYWORD_WORDS = (
    "while if assert print else elsif either or end with when await skip call return goto begin do then macro procedure"
    " process fair define variable variables"
)
_WITHOUT_SEMICOLON = "end begin else elsif or do macro procedure process fair define } {"
_AFTER_SEMICOLON = "if either while with call return goto print assert skip when await"
#: These words end an expression, unless they name a field.
_ENDS = frozenset(_END_WORDS.split())
KEYWORDS = frozenset(_KEYWORD_WORDS.split())
#: Before these words no semicolon is needed.
_NO_SEMICOLON = frozenset(_WITHOUT_SEMICOLON.split())
_SEMICOLON = frozenset(_AFTER_SEMICOLON.split())
_OPEN, _CLOSE = frozenset(["(", "[", "{", "<<", "⟨"]), frozenset([")", "]", "}", ">>", "⟩", ">>_", "]_"])


class WordReader:
    """A position in the words of an algorithm, with the questions that a parser asks of the words there."""

    def __init__(self, words: list[Token]) -> None:
        self.words, self.at = words, 0

    def peek(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.words[at].text if at < len(self.words) else ""

    def fail(self, message: str, at: Token | None = None) -> Mistake:
        last = at or (self.words[min(self.at, len(self.words) - 1)] if self.words else added(""))
        return Mistake(last.line, last.place, message)

    def take(self) -> Token:
        if self.at >= len(self.words):
            raise self.fail("the algorithm is not finished when its comment ends")
        self.at += 1
        return self.words[self.at - 1]

    def place(self) -> Place:
        word = self.words[min(self.at, len(self.words) - 1)]
        return word.line, word.place

    def want(self, text: str, hint: str = "") -> Token:
        if self.peek() != text:
            actual = self.peek()
            if text == ":=" and actual == "=":
                hint = "an assignment is written :="
            raise self.fail(
                f"expected {text} and found {actual or 'the end of the comment'}" + (f"; {hint}" if hint else "")
            )
        return self.take()

    def name(self, expected: str) -> Token:
        word = self.take()
        if word.kind != NAME or word.text in KEYWORDS:
            self.at -= 1
            raise self.fail(f"expected {expected} and found {word.text}")
        return word

    def semicolon(self, comma: bool = False) -> None:
        if comma and self.peek() == ",":
            self.take()
        elif self.peek() not in _NO_SEMICOLON:
            if self.peek() in _SEMICOLON:
                raise self.fail(f"a ; is missing before {self.peek()}")
            if self.peek() in (":=", ":", "||") and self.at:  # the expression swallowed the next statement
                line = self.words[self.at].line
                first = next(word for word in self.words if word.line == line)
                raise self.fail(f"a ; is missing before {first.text}", first)
            self.want(";")

    def expression(self, expected: str, empty: bool = False) -> Expression:
        lines: list[list[Token]] = []
        depth, quantified, before, start = 0, False, "", self.at
        while True:
            if self.at >= len(self.words):
                raise self.fail(f"{expected} has no end", self.words[min(start, len(self.words) - 1)])
            word = self.words[self.at]
            text, is_string = word.text, word.kind == STRING
            if word.kind == "wrong":
                raise self.fail(f"{text} is no word of TLA+")
            is_end = text in _ENDS and not (word.kind == NAME and before in (".", "[", ","))
            is_end = is_end or (depth == 0 and (text in (")", "}") or (text == "," and not quantified)))
            if is_end and not is_string:
                if depth:
                    opened = self._opened(start)
                    raise self.fail(f"{opened.text} is not closed before {text}", opened)
                if quantified:
                    raise self.fail(f"a quantifier without : before {text}")
                break
            if not is_string:
                if text in _OPEN:
                    depth += 1
                elif text in _CLOSE:
                    depth -= 1
                    if depth < 0:
                        raise self.fail(f"{text} closes nothing")
                elif depth == 0 and text in ("\\A", "\\E", "∀", "∃"):
                    quantified = True
                elif depth == 0 and text == ":":
                    quantified = False
            before = " " if is_string else text
            first = lines and lines[-1] and lines[-1][-1].line
            for _ in range(word.line - first if first else 1):
                lines.append([])
            lines[-1].append(word)
            self.at += 1
        expression = Expression(lines)
        if not expression and not empty:
            raise self.fail(f"expected {expected} and found {self.peek()}")
        return expression.copy()

    def _opened(self, start: int) -> Token:
        stack = []
        for word in self.words[start : self.at]:
            if word.kind != STRING and word.text in _OPEN:
                stack.append(word)
            elif word.kind != STRING and word.text in _CLOSE and stack:
                stack.pop()
        return stack[-1]
