"""The checksums that pcal writes beside BEGIN TRANSLATION.

The translation's checksum is the CRC-32 of its lines without line ends. The algorithm's is the CRC-32 of pcal's syntax
tree as text, after translation, which rewrites the compound statement that ends a step. For a fair algorithm pcal
hashes the word ``fair`` alone, whatever the algorithm says.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar
from zlib import crc32

from workbench.pluscal import algorithm as pcal
from workbench.pluscal.expressions import Expression
from workbench.pluscal.labels import holds_steps
from workbench.pluscal.tokens import STRING


def of_text(text: str) -> str:
    return f"{crc32(text.encode()):x}"


def of_lines(lines: Sequence[str]) -> str:
    """The checksum of a translation."""
    return of_text("".join(lines))


def is_absent_or(right: str, written: str) -> bool:
    """Whether a checksum is missing or correct. Leading zeros do not count."""
    return not written or int(written, 16) == int(right, 16)


def of_algorithm(algorithm: pcal.Algorithm, is_fair: bool) -> str:
    """The checksum of an algorithm that has been translated."""
    return of_text("fair" if is_fair else _Printer().algorithm(algorithm))


Item = TypeVar("Item")


class _Printer:
    def __init__(self) -> None:
        self.indents = [0]

    def into(self, text: str) -> str:
        self.indents.append(self.indents[-1] + len(text))
        return text

    def out(self) -> str:
        self.indents.pop()
        return ""

    def row(self) -> str:
        return "\n" + " " * self.indents[-1]

    def all(self, items: Sequence[Item], text_of: Callable[[Item], str]) -> str:
        text = self.into("<<")
        for index, item in enumerate(items):
            text += (", " + self.row() if index else "") + text_of(item)
        return text + ">>" + self.out()

    def field(self, name: str, items: Sequence[Item], text_of: Callable[[Item], str], end: str = ",") -> str:
        return self.into(name) + self.all(items, text_of) + end + self.out()

    def names(self, names: list[str]) -> str:
        return "<<" + ", ".join(f'"{name}"' for name in names) + ">>"

    def algorithm(self, a: pcal.Algorithm) -> str:
        many = bool(a.processes)
        wide = "" if many else " "
        text = f'[type    {wide}|-> "{"multiprocess" if many else "uniprocess"}", ' + self.row()
        text += f' name  |-> "{a.name}", ' + self.row()
        text += self.field(f" decls {wide}|-> ", a.variables, self.declaration) + self.row()
        text += self.into(f" defs  {wide}|-> ") + self.expression(a.definitions) + "," + self.out() + self.row()
        text += self.field(f" prcds {wide}|-> ", a.procedures, self.procedure) + self.row()
        if many:
            return text + self.field(" procs |-> ", a.processes, self.process, "]")
        return text + self.field(" body  |-> ", a.steps, self.step, "]")

    def declaration(self, declaration: pcal.Declaration) -> str:
        how = '"="' if declaration.is_equal else '"\\\\in"'
        return f'[var |-> "{declaration.name}", eqOrIn |-> {how}, val |-> {self.expression(declaration.value)}]'

    def procedure(self, part: pcal.Part) -> str:
        text = f'[name   |-> "{part.name}", ' + self.row()
        text += f"minusLabels |-> {self.names(part.minus)}, plusLabels |->{self.names(part.plus)}"
        text += f", proceduresCalled |->{self.names(part.calls)}," + self.row()
        text += self.field(" params |-> ", part.parameters, self.declaration) + self.row()
        return text + self.tail(part)

    def tail(self, part: pcal.Part) -> str:
        text = self.field(" decls  |-> ", part.variables, self.declaration) + self.row()
        return text + self.field(" body   |-> ", part.steps, self.step, "]")

    def process(self, part: pcal.Part) -> str:
        text = f'[name   |-> "{part.name}",' + self.row()
        fairness = {"": "unfair", "WF": "wf", "SF": "sf"}[part.fairness]
        text += f' fairness |-> "{fairness}", minusLabels |-> {self.names(part.minus)}'
        text += f", plusLabels |->{self.names(part.plus)}, proceduresCalled |->{self.names(part.calls)}," + self.row()
        how = '"="' if part.is_equal else '"\\\\in"'
        text += f" eqOrIn |-> {how}," + self.row() + f" id     |-> {self.expression(part.identity)}," + self.row()
        return text + self.tail(part)

    def step(self, step: pcal.Step) -> str:
        text = f'[label |-> "{step.label}",' + self.row()
        return text + self.body(" stmts |-> ", step.body, "]")

    def body(self, name: str, body: list[pcal.Statement], end: str = ",") -> str:
        """The text of a body, with its last statement as the translation rewrote it."""
        shown = [*body[:-1], body[-1].hashed or body[-1]] if body else []
        return self.field(name, shown, self.statement, end)

    def statement(self, node: pcal.Statement) -> str:
        text: str = getattr(self, f"_{type(node).__name__.lower()}")(node)
        return text

    def _while(self, node: pcal.While) -> str:
        text = '[type    |-> "while", ' + self.row() + f" test    |-> {self.expression(node.test)}," + self.row()
        text += self.field(" labDo   |-> ", node.steps, self.step) + self.row()
        return text + self.body(" unlabDo |-> ", node.body, "]")

    def _assign(self, node: pcal.Assign) -> str:
        return '[type |-> "assignment",' + self.row() + self.field(" ass  |-> ", node.parts, self.single, "]")

    def single(self, single: pcal.Single) -> str:
        left = f'[var |-> "{single.name}", sub |-> {self.expression(single.part)}]'
        return f"[lhs |-> {left}," + self.row() + f" rhs |-> {self.expression(single.value)}]"

    def _if(self, node: pcal.If) -> str:
        if node.is_cut or holds_steps(node):
            text = (
                '[type      |-> "labelIf",' + self.row() + f" test      |-> {self.expression(node.test)}," + self.row()
            )
            text += self.body(" unlabThen |-> ", node.then) + self.row()
            text += self.field(" labThen   |-> ", node.then_steps, self.step) + self.row()
            text += self.body(" unlabElse |-> ", node.other) + self.row()
            return text + self.field(" labElse   |-> ", node.else_steps, self.step, "]") + self.row()
        text = '[type    |-> "if", ' + self.row() + f" test    |-> {self.expression(node.test)}," + self.row()
        return text + self.body(" then |-> ", node.then) + self.row() + self.body(" else |-> ", node.other, "]")

    def _either(self, node: pcal.Either) -> str:
        if node.is_cut or holds_steps(node):
            text = '[type    |-> "labelEither",' + self.row() + self.into(" clauses |-> ") + self.into("<<")
            for index, (way, steps) in enumerate(zip(node.ways, node.way_steps, strict=True)):
                text += ", " + self.row() if index else ""
                text += self.body("[unlabOr |-> ", way) + self.row()
                text += self.field(" labOr   |-> ", steps, self.step, "]") + self.row()
            return text + ">>" + self.out() + "]" + self.out() + self.row()
        text = '[type |-> "either", ' + self.row() + self.into(" ors  |-> ") + self.into("<< ")
        for index, way in enumerate(node.ways):
            text += (", " + self.row() if index else "") + self.body("", way, "")
        return text + " >>" + self.out() + "]" + self.out()

    def _with(self, node: pcal.With) -> str:
        how = '"="' if node.is_equal else '"\\\\in"'
        text = '[type   |-> "with", ' + self.row() + f' var    |-> "{node.name}",' + self.row()
        text += f" eqOrIn |-> {how}," + self.row() + f" exp    |-> {self.expression(node.value)}," + self.row()
        return text + self.body(" do     |-> ", node.body, "]")

    def _expression_of(self, kind: str, expression: Expression) -> str:
        return f'[type |-> "{kind}", ' + self.row() + f" exp |-> {self.expression(expression)}]"

    def _when(self, node: pcal.When) -> str:
        return self._expression_of("when", node.test)

    def _print(self, node: pcal.Print) -> str:
        return self._expression_of("print", node.value)

    def _assert(self, node: pcal.Assert) -> str:
        return self._expression_of("assert", node.test)

    def _skip(self, node: pcal.Skip) -> str:
        return '[type |-> "skip"]'

    def _goto(self, node: pcal.Goto) -> str:
        return f'[type |-> "goto",  to |-> "{node.to}"]'

    def _return(self, node: pcal.Return) -> str:
        return f'[type |-> "return", from |-> "{node.source}"]'

    def _call(self, node: pcal.Call) -> str:
        kind = {"": "call", "return": "callReturn", "goto": "callGoto"}[node.then]
        mid = {
            "": ' returnTo |-> ""',
            "return": f' from     |-> "{node.source}"',
            "goto": f' after    |-> "{node.after}"',
        }
        text = f'[type     |-> "{kind}",' + self.row() + mid[node.then] + "," + self.row()
        text += f' to       |-> "{node.to}",' + self.row()
        if node.then:
            return (
                text
                + self.into("args     |-> ")
                + self.all(node.arguments, self.expression)
                + "]"
                + self.row()
                + self.out()
            )
        return text + self.field(" args     |-> ", node.arguments, self.expression, "]")

    def expression(self, expression: Expression) -> str:
        text, is_first = "<< ", True
        for index, line in enumerate(expression.lines):
            text += "\n" if index else ""
            for word in line:
                text += "" if is_first else ", "
                is_first = False
                if word.kind == STRING:
                    text += f'"\\"", "{word.text[1:-1]}", "\\""'
                elif word.text == "\\/":
                    text += f'"(col{word.column}) \\\\/"'
                elif word.text == "/\\":
                    text += f'"(col{word.column}) /\\\\"'
                elif word.text[0] == "\\":
                    text += f'"\\{word.text}"'
                else:
                    text += f'"{word.text}"'
        return text + " >>"
