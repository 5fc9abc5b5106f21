"""Expressions, by precedence climbing: Starlark's operators, literals, comprehensions and lambdas."""

from workbench.fizzbee.syntax import tree
from workbench.fizzbee.syntax.tokens import Token, number, string
from workbench.fizzbee.syntax.tree import Expression, refuse

#: Binary operators by how tightly they bind; comparisons do not associate.
PRECEDENCE = {
    "or": 1, "and": 2,
    "==": 4, "!=": 4, "<": 4, ">": 4, "<=": 4, ">=": 4, "in": 4, "not in": 4,
    "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10,
}  # fmt: skip
NOT, COMPARISON, SIGN = 3, 4, 11
#: Words that are never names.
KEYWORDS = {
    "and", "or", "not", "in", "if", "else", "elif", "for", "while", "lambda", "def", "return", "break", "continue",
    "pass", "load", "import", "class", "is",
}  # fmt: skip
_CONSTANTS = {"True": True, "False": False, "None": None}
#: How deeply a text may nest without exhausting Python's stack.
_MOST_NESTED = 60


class ExpressionParser:
    """Reads expressions from tokens; ``parser.py`` adds the rest of the language."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position = 0
        self.depth = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def next(self) -> Token:
        token = self.token
        self.position += 1
        return token

    def at(self, *words: str) -> bool:
        """Whether the next token is one of these keywords or operators."""
        return self.token.kind in ("name", "operator") and self.token.text in words

    def peek(self, ahead: int = 1) -> str:
        """The text of a later token; empty beyond the end."""
        return self.tokens[min(self.position + ahead, len(self.tokens) - 1)].text

    def accept(self, word: str) -> bool:
        if self.at(word):
            self.position += 1
            return True
        return False

    def expect(self, word: str) -> Token:
        if not self.at(word):
            self.unexpected(f"{word!r} is expected")
        return self.next()

    def unexpected(self, expected: str) -> None:
        token = self.token
        shown = repr(token.text[:40]) if token.text else f"the {token.kind}"
        refuse(token.at, f"{expected}, not {shown}")

    def name(self) -> Token:
        if self.token.kind != "name" or self.token.text in KEYWORDS:
            self.unexpected("a name is expected")
        return self.next()

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _MOST_NESTED:
            refuse(self.token.at, f"more than {_MOST_NESTED} levels of nesting")

    def expressions(self) -> Expression:
        """One expression, or a tuple without parentheses."""
        at, first = self.token.at, self.expression()
        if not self.at(","):
            return first
        items = [first]
        while self.accept(",") and not self._at_end():
            items.append(self.expression())
        return tree.Listing(at, "tuple", tuple(items))

    def _at_end(self) -> bool:
        return self.token.kind in ("newline", "end") or self.at(")", "]", "}", "=", ":", ";")

    def expression(self) -> Expression:
        self.deeper()
        at = self.token.at
        if self.at("lambda"):
            result = self._lambda()
        else:
            result = self.binary(1)
            if self.accept("if"):
                condition = self.binary(1)
                self.expect("else")
                result = tree.Conditional(at, condition, result, self.expression())
        self.depth -= 1
        return result

    def binary(self, weakest: int) -> Expression:
        """An expression whose operators bind at least as tightly as `weakest`."""
        at = self.token.at
        self.deeper()
        if self.at("not") and weakest <= NOT:
            self.next()
            left: Expression = tree.Unary(at, "not", self.binary(NOT))
        else:
            left = self._unary()
        self.depth -= 1
        while (operator := self._operator()) and PRECEDENCE[operator] >= weakest:
            sign = self.next().at
            if operator == "not in":
                self.next()
            strength = PRECEDENCE[operator]
            left = tree.Binary(sign, operator, left, self.binary(strength + 1))
            if strength == COMPARISON and (more := self._operator()) and PRECEDENCE[more] == COMPARISON:
                refuse(self.token.at, "comparisons are not chained: use and")
        return left

    def _operator(self) -> str:
        if self.token.kind not in ("name", "operator"):
            return ""
        if self.at("not"):
            return "not in" if self.peek() == "in" else ""
        return self.token.text if self.token.text in PRECEDENCE else ""

    def _unary(self) -> Expression:
        at = self.token.at
        if self.at("-", "+", "~"):
            self.deeper()
            operand = tree.Unary(at, self.next().text, self._unary())
            self.depth -= 1
            return operand
        return self._postfix(self._atom())

    def _postfix(self, owner: Expression) -> Expression:
        while self.at(".", "(", "["):
            sign = self.next()
            if sign.text == ".":
                owner = tree.Attribute(sign.at, owner, self.name().text)
            elif sign.text == "(":
                owner = tree.Call(sign.at, owner, self._arguments())
            else:
                owner = self._subscript(owner, sign)
        return owner

    def _subscript(self, owner: Expression, sign: Token) -> Expression:
        bounds: list[Expression | None] = [None]
        if not self.at(":"):
            bounds[0] = self.expressions()
        while self.accept(":"):
            bounds.append(None if self.at(":", "]") else self.expression())
        self.expect("]")
        if len(bounds) == 1 and bounds[0] is not None:
            return tree.Index(sign.at, owner, bounds[0])
        if len(bounds) > 3:
            refuse(sign.at, "a slice has at most three parts")
        start, stop, step = [*bounds, None][:3]
        return tree.Slice(sign.at, owner, (start, stop, step))

    def _arguments(self) -> tuple[tree.Argument, ...]:
        arguments = []
        while not self.at(")"):
            at, name = self.token.at, ""
            if self.at("*", "**"):
                self.unexpected("arguments are given one by one")
            if self.token.kind == "name" and self.peek() == "=":
                name = self.name().text
                self.next()
            value = self.expression()
            if self.at("for"):
                value = tree.Comprehension(at, "list", value, self._clauses())
            arguments.append(tree.Argument(at, name, value))
            if not self.accept(","):
                break
        self.expect(")")
        return tuple(arguments)

    def parameters(self, end: str) -> tuple[tree.Parameter, ...]:
        """Parameters up to the token `end`, which is consumed too. Annotations are skipped."""
        parameters = []
        while not self.at(end):
            name = self.name()
            if end == ")" and self.accept(":"):
                self.expression()
            parameters.append(tree.Parameter(name.at, name.text, self.expression() if self.accept("=") else None))
            if not self.accept(","):
                break
        self.expect(end)
        return tuple(parameters)

    def _lambda(self) -> Expression:
        at = self.next().at
        return tree.Lambda(at, self.parameters(":"), self.expression())

    def _atom(self) -> Expression:
        token = self.token
        if token.kind == "number":
            return tree.Literal(self.next().at, number(token))
        if token.kind == "string":
            text = string(self.next())
            while self.token.kind == "string":
                text += string(self.next())
            return tree.Literal(token.at, text)
        if self.at("("):
            return self._parenthesis()
        if self.at("["):
            return self._list()
        if self.at("{"):
            return self._braces()
        if token.text in _CONSTANTS and token.kind == "name":
            return tree.Literal(self.next().at, _CONSTANTS[token.text])
        if token.kind != "name" or token.text in KEYWORDS:
            self.unexpected("an expression is expected")
        return tree.Name(self.next().at, token.text)

    def _parenthesis(self) -> Expression:
        at = self.next().at
        if self.accept(")"):
            return tree.Listing(at, "tuple", ())
        inner = self.expressions()
        self.expect(")")
        return inner

    def _list(self) -> Expression:
        at = self.next().at
        items: list[Expression] = []
        while not self.at("]"):
            items.append(self.expression())
            if self.at("for"):
                result = tree.Comprehension(at, "list", items[0], self._clauses())
                self.expect("]")
                return result
            if not self.accept(","):
                break
        self.expect("]")
        return tree.Listing(at, "list", tuple(items))

    def _braces(self) -> Expression:
        at = self.next().at
        pairs = []
        while not self.at("}"):
            key = self.expression()
            self.expect(":")
            value = self.expression()
            if self.at("for"):
                pair = tree.Listing(key.at, "tuple", (key, value))
                result = tree.Comprehension(at, "dict", pair, self._clauses())
                self.expect("}")
                return result
            pairs.append((key, value))
            if not self.accept(","):
                break
        self.expect("}")
        return tree.Mapping(at, tuple(pairs))

    def _clauses(self) -> tuple[tree.Clause, ...]:
        clauses = []
        while self.at("for", "if"):
            word = self.next()
            if word.text == "for":
                target = self.target()
                self.expect("in")
                clauses.append(tree.Clause(word.at, target, self.binary(1)))
            else:
                clauses.append(tree.Clause(word.at, None, self.binary(1)))
        return tuple(clauses)

    def target(self) -> Expression:
        """The target of a loop: a name, or a tuple of names with or without parentheses."""
        at = self.token.at
        if self.accept("("):
            inner = self.target()
            self.expect(")")
            return inner
        names = [self._one_target()]
        while self.accept(",") and not self.at("in", ")"):
            names.append(self._one_target())
        return names[0] if len(names) == 1 else tree.Listing(at, "tuple", tuple(names))

    def _one_target(self) -> Expression:
        if self.at("("):
            return self.target()
        name = self.name()
        return tree.Name(name.at, name.text)
