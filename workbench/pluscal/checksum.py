"""The checksums that pcal writes beside BEGIN TRANSLATION.

Of the translation: CRC-32 of its lines, without their ends. Of the algorithm: CRC-32 of pcal's syntax tree as text,
after the translation, which has replaced what ends the last compound statement of a step; of a fair algorithm, of the
word ``fair`` alone, whatever stands in it.
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
    """Whether a checksum is not there, or the right one. Leading zeros do not count."""
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

    def declaration(self, one: pcal.Declaration) -> str:
        how = '"="' if one.is_equal else '"\\\\in"'
        return f'[var |-> "{one.name}", eqOrIn |-> {how}, val |-> {self.expression(one.value)}]'

    def procedure(self, one: pcal.Part) -> str:
        text = f'[name   |-> "{one.name}", ' + self.row()
        text += f"minusLabels |-> {self.names(one.minus)}, plusLabels |->{self.names(one.plus)}"
        text += f", proceduresCalled |->{self.names(one.calls)}," + self.row()
        text += self.field(" params |-> ", one.parameters, self.declaration) + self.row()
        return text + self.tail(one)

    def tail(self, one: pcal.Part) -> str:
        text = self.field(" decls  |-> ", one.variables, self.declaration) + self.row()
        return text + self.field(" body   |-> ", one.steps, self.step, "]")

    def process(self, one: pcal.Part) -> str:
        text = f'[name   |-> "{one.name}",' + self.row()
        fairness = {"": "unfair", "WF": "wf", "SF": "sf"}[one.fairness]
        text += f' fairness |-> "{fairness}", minusLabels |-> {self.names(one.minus)}'
        text += f", plusLabels |->{self.names(one.plus)}, proceduresCalled |->{self.names(one.calls)}," + self.row()
        how = '"="' if one.is_equal else '"\\\\in"'
        text += f" eqOrIn |-> {how}," + self.row() + f" id     |-> {self.expression(one.identity)}," + self.row()
        return text + self.tail(one)

    def step(self, one: pcal.Step) -> str:
        text = f'[label |-> "{one.label}",' + self.row()
        return text + self.body(" stmts |-> ", one.body, "]")

    def body(self, name: str, body: list[pcal.Statement], end: str = ",") -> str:
        """The last one as the translation left it."""
        shown = [*body[:-1], body[-1].hashed or body[-1]] if body else []
        return self.field(name, shown, self.statement, end)

    def statement(self, one: pcal.Statement) -> str:
        text: str = getattr(self, f"_{type(one).__name__.lower()}")(one)
        return text

    def _while(self, one: pcal.While) -> str:
        text = '[type    |-> "while", ' + self.row() + f" test    |-> {self.expression(one.test)}," + self.row()
        text += self.field(" labDo   |-> ", one.steps, self.step) + self.row()
        return text + self.body(" unlabDo |-> ", one.body, "]")

    def _assign(self, one: pcal.Assign) -> str:
        return '[type |-> "assignment",' + self.row() + self.field(" ass  |-> ", one.parts, self.single, "]")

    def single(self, one: pcal.Single) -> str:
        left = f'[var |-> "{one.name}", sub |-> {self.expression(one.part)}]'
        return f"[lhs |-> {left}," + self.row() + f" rhs |-> {self.expression(one.value)}]"

    def _if(self, one: pcal.If) -> str:
        if one.is_cut or holds_steps(one):
            text = (
                '[type      |-> "labelIf",' + self.row() + f" test      |-> {self.expression(one.test)}," + self.row()
            )
            text += self.body(" unlabThen |-> ", one.then) + self.row()
            text += self.field(" labThen   |-> ", one.then_steps, self.step) + self.row()
            text += self.body(" unlabElse |-> ", one.other) + self.row()
            return text + self.field(" labElse   |-> ", one.else_steps, self.step, "]") + self.row()
        text = '[type    |-> "if", ' + self.row() + f" test    |-> {self.expression(one.test)}," + self.row()
        return text + self.body(" then |-> ", one.then) + self.row() + self.body(" else |-> ", one.other, "]")

    def _either(self, one: pcal.Either) -> str:
        if one.is_cut or holds_steps(one):
            text = '[type    |-> "labelEither",' + self.row() + self.into(" clauses |-> ") + self.into("<<")
            for index, (way, steps) in enumerate(zip(one.ways, one.way_steps, strict=True)):
                text += ", " + self.row() if index else ""
                text += self.body("[unlabOr |-> ", way) + self.row()
                text += self.field(" labOr   |-> ", steps, self.step, "]") + self.row()
            return text + ">>" + self.out() + "]" + self.out() + self.row()
        text = '[type |-> "either", ' + self.row() + self.into(" ors  |-> ") + self.into("<< ")
        for index, way in enumerate(one.ways):
            text += (", " + self.row() if index else "") + self.body("", way, "")
        return text + " >>" + self.out() + "]" + self.out()

    def _with(self, one: pcal.With) -> str:
        how = '"="' if one.is_equal else '"\\\\in"'
        text = '[type   |-> "with", ' + self.row() + f' var    |-> "{one.name}",' + self.row()
        text += f" eqOrIn |-> {how}," + self.row() + f" exp    |-> {self.expression(one.value)}," + self.row()
        return text + self.body(" do     |-> ", one.body, "]")

    def _expression_of(self, kind: str, one: Expression) -> str:
        return f'[type |-> "{kind}", ' + self.row() + f" exp |-> {self.expression(one)}]"

    def _when(self, one: pcal.When) -> str:
        return self._expression_of("when", one.test)

    def _print(self, one: pcal.Print) -> str:
        return self._expression_of("print", one.value)

    def _assert(self, one: pcal.Assert) -> str:
        return self._expression_of("assert", one.test)

    def _skip(self, one: pcal.Skip) -> str:
        return '[type |-> "skip"]'

    def _goto(self, one: pcal.Goto) -> str:
        return f'[type |-> "goto",  to |-> "{one.to}"]'

    def _return(self, one: pcal.Return) -> str:
        return f'[type |-> "return", from |-> "{one.source}"]'

    def _call(self, one: pcal.Call) -> str:
        kind = {"": "call", "return": "callReturn", "goto": "callGoto"}[one.then]
        mid = {
            "": ' returnTo |-> ""',
            "return": f' from     |-> "{one.source}"',
            "goto": f' after    |-> "{one.after}"',
        }
        text = f'[type     |-> "{kind}",' + self.row() + mid[one.then] + "," + self.row()
        text += f' to       |-> "{one.to}",' + self.row()
        if one.then:
            return (
                text
                + self.into("args     |-> ")
                + self.all(one.arguments, self.expression)
                + "]"
                + self.row()
                + self.out()
            )
        return text + self.field(" args     |-> ", one.arguments, self.expression, "]")

    def expression(self, one: Expression) -> str:
        text, is_first = "<< ", True
        for index, line in enumerate(one.lines):
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
