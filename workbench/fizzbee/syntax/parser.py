"""Parses statements and declarations. Most keywords of FizzBee may also be names; their position decides."""

from typing import TypeVar

from workbench.fizzbee.syntax import front_matter, tree
from workbench.fizzbee.syntax.expressions import ExpressionParser
from workbench.fizzbee.syntax.tokens import Token, tokens
from workbench.fizzbee.syntax.tree import Block, Specification, Statement, refuse

_FLOWS = ("atomic", "serial", "parallel", "oneof")
_OPERATORS = ("always", "eventually", "exists", "transition")
_ASSIGNING = ("=", "+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=", "<<=", ">>=")
_DECLARING = ("action", "func", "role", "assertion")
_UNSUPPORTED = ("compose", "refine", "import", "load", "invariants")
Declared = TypeVar("Declared", bound=tree.Action | tree.Function | tree.Role | tree.Assertion)


def parse(text: str, file: str) -> Specification:
    """Parse the specification `text`, read from `file`.

    Raises:
        InputError: With the place of a syntax error, or of a construct that is not supported.
    """
    rows, rest = front_matter.split(text)
    result = Specification(front_matter.options(rows, file))
    parser = _Parser(tokens(rest, file))
    parser.file(result)
    result.fair_choices = parser.fair_choices
    return result


def _declare(table: dict[str, Declared], declared: Declared) -> None:
    if declared.name in table:
        refuse(declared.at, f"{declared.name} is already declared at {table[declared.name].at}")
    table[declared.name] = declared


class _Parser(ExpressionParser):
    fair_choices = False

    def file(self, result: Specification) -> None:
        decorations: dict[str, frozenset[str]] = {}
        while self.token.kind != "end":
            if self.at("@"):
                decorations |= self._decoration()
            elif (word := self._declaration()) == "action":
                _declare(result.actions, self._action())
            elif word == "func":
                _declare(result.functions, self._function())
            elif word == "role":
                _declare(result.roles, self._role(decorations))
                decorations = {}
            elif word == "assertion":
                _declare(result.assertions, self._assertion())
            elif self.at("init") and self.peek() == ":":
                at = self.next().at
                _declare(result.actions, tree.Action(at, "Init", "", self._body("atomic", "atomic")))
            else:
                if self.at(*_UNSUPPORTED) and self.peek() not in _ASSIGNING:
                    refuse(self.token.at, f"{self.token.text} is not supported")
                self._statement(result.constants)

    def _declaration(self) -> str:
        """The keyword of the declaration that begins here; empty for a statement."""
        ahead = self.position
        while self.tokens[ahead].kind in ("name", "operator"):
            word = self.tokens[ahead].text
            if word in _DECLARING and self.tokens[ahead + 1].kind == "name":
                return word
            if word not in (*_FLOWS, *_OPERATORS, "fair", "symmetric", "<", ">") and self.tokens[ahead - 1].text != "<":
                return ""
            ahead += 1
        return ""

    def _decoration(self) -> dict[str, frozenset[str]]:
        at = self.next().at
        self.expect("state")
        self.expect("(")
        result = {}
        for argument in self._arguments():
            items = argument.value.items if isinstance(argument.value, tree.Listing) else ()
            names = [item.value for item in items if isinstance(item, tree.Literal) and isinstance(item.value, str)]
            if argument.name not in ("durable", "ephemeral") or len(names) != len(items):
                refuse(at, "@state takes durable and ephemeral, which list names of fields")
            result[argument.name] = frozenset(names)
        self._newline()
        return result

    # Declarations -----------------------------------------------------------------------------------------------------

    def _flow(self) -> str:
        return self.next().text if self.at(*_FLOWS) else ""

    def _fairness(self) -> str:
        if not self.accept("fair"):
            return ""
        if not self.accept("<"):
            return "weak"
        strength = self.name()
        self.expect(">")
        if strength.text not in ("weak", "strong"):
            refuse(strength.at, f"fairness is weak or strong, not {strength.text[:40]}")
        return strength.text

    def _action(self) -> tree.Action:
        flow = self._flow()
        fair = self._fairness()
        flow = flow or self._flow()
        self.expect("action")
        name = self.name()
        return tree.Action(name.at, name.text, fair, self._body(flow, "atomic" if name.text == "Init" else "serial"))

    def _function(self) -> tree.Function:
        flow = self._flow()
        self.expect("func")
        name = self.name()
        self.expect("(")
        return tree.Function(name.at, name.text, self.parameters(")"), self._body(flow, "serial"))

    def _assertion(self) -> tree.Assertion:
        at, operators = self.token.at, []
        while self.at(*_OPERATORS):
            operators.append(self.next().text)
        self.expect("assertion")
        name = self.name()
        parameters = self.parameters(")") if self.accept("(") else ()
        if not operators:
            refuse(at, f"an assertion begins with {', '.join(_OPERATORS)}")
        names = tuple(parameter.name for parameter in parameters)
        return tree.Assertion(name.at, name.text, tuple(operators), names, self._body("atomic", "atomic"))

    def _body(self, flow: str, default: str) -> Block:
        """A declaration's block; a lone block in it has its own flow."""
        block = self._suite()
        if block.flow:
            return block
        return Block(block.at, flow or default, block.statements)

    def _role(self, decorations: dict[str, frozenset[str]]) -> tree.Role:
        symmetric = bool(self.accept("symmetric"))
        self.expect("role")
        name = self.name()
        actions: dict[str, tree.Action] = {}
        functions: dict[str, tree.Function] = {}
        self.expect(":")
        self._newline()
        self._indent()
        while self.token.kind != "dedent":
            word = self._declaration()
            if word == "action":
                _declare(actions, self._action())
            elif word == "func":
                _declare(functions, self._function())
            elif self.token.kind == "string" or self.at("pass"):
                self._statement([])
            else:
                self.unexpected("an action or a func is expected")
        self.next()
        return tree.Role(
            name.at,
            name.text,
            actions,
            functions,
            decorations.get("durable"),
            decorations.get("ephemeral"),
            symmetric,
        )

    # Statements -------------------------------------------------------------------------------------------------------

    def _newline(self) -> None:
        if self.token.kind != "newline":
            self.unexpected("the end of the line is expected")
        self.next()

    def _indent(self) -> None:
        if self.token.kind != "indent":
            self.unexpected("an indented block is expected")
        self.next()

    def _suite(self) -> Block:
        """A colon and a block. As in FizzBee, if its only statement is a block, that block takes its place."""
        at = self.expect(":").at
        self.deeper()
        statements: list[Statement] = []
        if self.token.kind != "newline":
            self._simple_line(statements)
        else:
            self._newline()
            self._indent()
            while self.token.kind != "dedent":
                self._statement(statements)
            self.next()
        self.depth -= 1
        if len(statements) == 1 and isinstance(statements[0], tree.Group):
            return statements[0].body
        return Block(at, "", tuple(statements))

    def _statement(self, into: list[Statement]) -> None:
        if self.token.kind == "label":  # names a statement for other tools
            self.next()
            if self.token.kind == "newline":
                self.next()
            return
        token = self.token
        flow = token.text if self.at(*_FLOWS) else ""
        if token.kind == "indent":
            refuse(token.at, "this line is indented more than the block")
        if flow and self.peek() == ":":
            self.next()
            body = self._suite()
            if body.flow:
                body = Block(body.at, flow, (tree.Group(body.at, body),))
            into.append(tree.Group(token.at, Block(body.at, flow, body.statements)))
        elif flow and self.peek() in ("for", "while") and flow != "oneof":
            self.next()
            into.append(self._loop(flow))
        elif self.at("for", "while"):
            into.append(self._loop(""))
        elif self.at("if"):
            into.append(self._if())
        elif self.at("def"):
            into.append(self._definition())
        elif self._chooses():
            into.append(self._any())
        else:
            self._simple_line(into)

    def _chooses(self) -> bool:
        """Whether the next statement is ``any x in ...``, with or without a fairness keyword."""
        ahead = self.position
        if self.tokens[ahead].text == "fair":
            ahead += 4 if self.tokens[ahead + 1].text == "<" else 1
        words = self.tokens[ahead : ahead + 3]
        return (
            len(words) == 3 and words[0].text in ("any", "oneof") and words[1].kind == "name" and words[2].text == "in"
        )

    def _any(self) -> Statement:
        at, fair = self.token.at, self._fairness()
        self.fair_choices = self.fair_choices or bool(fair)
        self.next()
        name = self.name().text
        self.expect("in")
        members = self.expressions()
        return tree.Choose(at, name, fair, members, None, self._suite())

    def _loop(self, flow: str) -> Statement:
        word = self.next()
        if word.text == "while":
            condition = self.expressions()
            return tree.While(word.at, flow, condition, self._suite())
        target = self.target()
        self.expect("in")
        members = self.expressions()
        return tree.For(word.at, flow, target, members, self._suite())

    def _if(self) -> Statement:
        at = self.next().at
        condition: tree.Expression | None = self.expressions()
        branches = [(condition, self._suite())]
        while self.at("elif", "else"):
            condition = self.expressions() if self.next().text == "elif" else None
            branches.append((condition, self._suite()))
            if condition is None:
                break
        return tree.If(at, tuple(branches))

    def _definition(self) -> Statement:
        self.next()
        name = self.name()
        self.expect("(")
        return tree.Function(name.at, name.text, self.parameters(")"), self._body("atomic", "atomic"))

    def _simple_line(self, into: list[Statement]) -> None:
        while True:
            if (statement := self._simple()) is not None:
                into.append(statement)
            if not self.accept(";") or self.token.kind == "newline":
                break
        self._newline()

    def _simple(self) -> Statement | None:
        token = self.token
        if self.at("pass", "break", "continue"):
            return tree.Word(self.next().at, token.text)
        if self.at("require"):
            self.next()
            return tree.Require(token.at, self.expressions())
        if self.at("return"):
            self.next()
            return tree.Return(token.at, None if self._at_end() else self.expressions())
        target = self.expressions()
        if not self.at(*_ASSIGNING):
            lone_text = isinstance(target, tree.Literal) and isinstance(target.value, str)
            return None if lone_text else tree.Evaluate(token.at, target)
        operator = self.next()
        if operator.text == "=" and self._assigns_choice():
            return self._assigned_choice(target)
        self._check_target(target, operator)
        return tree.Assign(token.at, target, operator.text, self.expressions())

    def _assigns_choice(self) -> bool:
        return self.at("any", "oneof") or (self.at("fair") and self.peek() in ("any", "oneof", "<"))

    def _assigned_choice(self, target: tree.Expression) -> Statement:
        if not isinstance(target, tree.Name):
            refuse(target.at, "a choice is assigned to a name")
        fair = self._fairness()
        self.fair_choices = self.fair_choices or bool(fair)
        self.next()
        members = self.binary(1)
        where = self.expression() if self.accept("if") or self.accept(":") else None
        return tree.Choose(target.at, target.name, fair, members, where, None)

    def _check_target(self, target: tree.Expression, operator: Token) -> None:
        if isinstance(target, tree.Listing) and operator.text == "=" and target.items:
            for item in target.items:
                self._check_target(item, operator)
        elif not isinstance(target, tree.Name | tree.Attribute | tree.Index):
            refuse(target.at, "this cannot be assigned to")
