"""Random algorithms in PlusCal, in both syntaxes, for `pluscal.py`. Many have mistakes, which translators refuse."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

_NAMES = ("x", "y", "arr", "rec", "longvariablename", "u1", "u2", "u3", "u4", "u5", "u6")
_OPTIONS = (
    "-label",
    "-label",
    "-label -wf",
    "-label -sf",
    "-label -wfNext",
    "-label -nof",
    "-label -noDoneDisjunct",
    "",
)
_BINDS = ("=", "\\in")
_DEEPEST = 4


@dataclass
class _Around:
    """What statements of a body may use."""

    variables: list[str]
    labels: list[str] = field(default_factory=list)
    bound: list[str] = field(default_factory=list)
    is_macro: bool = False
    is_procedure: bool = False
    in_with: bool = False


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.in_braces, self.is_labelled = self.chance(0.5), self.chance(0.6)
        self.globals = list(_NAMES[: self.random.randint(2, len(_NAMES))])
        self.procedures: list[tuple[str, int]] = []
        self.macros: list[tuple[str, int]] = []
        self.count = 0

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def module(self) -> str:
        options = self.random.choice(_OPTIONS)
        head = f"(* PlusCal options ({options}) *)\n" if options else ""
        extends = "EXTENDS Integers, Sequences, TLC\nCONSTANTS N, Procs"
        return f"---- MODULE M ----\n{extends}\n{head}(* {self.algorithm()} *)\n====\n"

    # Parts -----------------------------------------------------------------------------------------------------------

    def algorithm(self) -> str:
        fair, open_ = self.random.choice(("", "", "fair ")), " {" if self.in_braces else ""
        lines = [f"--{fair}algorithm Random{open_}", f"  {self.declared(self.globals, may_choose=True)}"]
        if self.chance(0.3):
            definitions = "    Foo == x\n    Bar(a) == /\\ a = 1  \\* note\n              /\\ x = 2"
            lines += ["  define {" if self.in_braces else "  define", definitions, self.end("define")]
        for number in range(self.random.choice((0, 0, 1, 2))):
            names = ["p1", "p2"][: self.random.randint(0, 2)]
            around = _Around([*self.globals, *names], is_macro=True)
            lines += self.part(f"macro m{number}({', '.join(names)})", "macro", around)
            self.macros.append((f"m{number}", len(names)))
        self.procedures = [
            (f"proc{name}", self.random.randint(0, 2)) for name in "AB"[: self.random.choice((0, 0, 1, 2))]
        ]
        for name, size in self.procedures:
            parameters = [f"{name}{number}" for number in range(size)]
            declared = ", ".join(each + self.random.choice(("", " = 0")) for each in parameters)
            local = self.random.sample(["v1", "v2"], self.random.randint(0, 2))
            around = _Around([*self.globals, *parameters, *local], is_procedure=True)
            lines += self.part(f"procedure {name}({declared})", "procedure", around, local, last="return")
        if self.chance(0.65):
            for number in range(self.random.randint(1, 3)):
                lines += self.process(number)
        else:
            opening, statements, _ = self.body("algorithm", _Around(list(self.globals)))
            lines += [opening, statements, *(["  }"] if self.in_braces else [])]
        return "\n".join([*lines, "}" if self.in_braces else "end algorithm"])

    def process(self, number: int) -> list[str]:
        sets = ("{1, 2}", "1..N", "Procs", '{<<"a", i>> : i \\in 1..2}', "({3,\n     4})")
        identity = f"= {number * 10}" if self.chance(0.4) else f"\\in {self.random.choice(sets)}"
        head = f"P{number} {identity}"
        fair = self.random.choice(("", "", "fair ", "fair+ "))
        local = self.random.sample(["v1", "t", "longlocalname"], self.random.randint(0, 2))
        around = _Around([*self.globals, *local])
        head = f"{fair}process ({head})" if self.in_braces else f"{fair}process {head}"
        return self.part(head, "process", around, local)

    def part(self, head: str, kind: str, around: _Around, local: list[str] | None = None, last: str = "") -> list[str]:
        variables = [f"    {self.declared(local, may_choose=kind == 'process')}"] if local else []
        return [f"  {head}", *variables, *self.body(kind, around, last)]

    def body(self, kind: str, around: _Around, last: str = "") -> list[str]:
        statements = self.statements(4, around, self.random.randint(1, 4))
        statements = f"{statements.removesuffix(';')};\n    {last}" if last else statements
        return ["  {" if self.in_braces else "  begin", statements, self.end(kind)]

    def end(self, kind: str) -> str:
        return ("  }" if self.in_braces else f"  end {kind}") + self.random.choice(("", ";"))

    def declared(self, names: list[str], may_choose: bool) -> str:
        values = [f" = {self.expression(_Around(self.globals))}", "", " \\in {1, 2}" if may_choose else ""]
        each = [name + self.random.choice(values) for name in names]
        separator = self.random.choice((", ", ";\n    "))
        return f"{self.random.choice(('variable', 'variables'))} {separator.join(each)};"

    # Statements ------------------------------------------------------------------------------------------------------

    def statements(self, column: int, around: _Around, count: int = 0, depth: int = 0) -> str:
        count = count or (1 if around.in_with and self.chance(0.8) else self.random.randint(1, 3))
        rows = [" " * column + self.statement(column, around, depth) for _ in range(count)]
        return ";\n".join(rows) + self.random.choice(("", ";"))

    def statement(self, column: int, around: _Around, depth: int) -> str:
        label = "" if around.is_macro or around.in_with else self.label(around)
        simple: list[Callable[[int, _Around], str]] = [self.assignment, self.assignment, self.assignment, self.small]
        if depth < _DEEPEST and self.chance(0.4):
            compound = self.random.choice((self.if_, self.either, self.while_, self.with_))
            return label + compound(column, around, depth + 1)
        if self.chance(0.2):
            simple = [self.jump]
        return label + self.random.choice(simple)(column + len(label), around)

    def label(self, around: _Around) -> str:
        if not self.chance(0.4 if self.is_labelled else 0.05):
            return ""
        self.count += 1
        name = self.random.choice((f"L{self.count}", f"L{self.count}", f"lab{self.count % 9}", f"x_{self.count}"))
        around.labels.append(name)
        return name + self.random.choice((": ", ":", " : ", ":+ ", ":- "))

    def assignment(self, column: int, around: _Around) -> str:
        names = self.random.sample(sorted(set(around.variables)), self.random.choice((1, 1, 1, 2)))
        parts = [name + self.random.choice(("", "", "[1]", ".f", "[1].f")) for name in names]
        return " || ".join(f"{part} := {self.rows(column + len(part) + 4, around)}" for part in parts)

    def small(self, column: int, around: _Around) -> str:
        word = self.random.choice(("skip", "await", "when", "print", "assert"))
        return word if word == "skip" else f"{word} {self.rows(column + len(word) + 1, around)}"

    def jump(self, column: int, around: _Around) -> str:
        jumps = [f"goto {label}" for label in (*around.labels, "Done") if not around.is_macro]
        jumps += ["return"] if around.is_procedure else []
        arguments = [self.expression(around, 1) for _ in range(2)]
        for name, size in self.procedures if not around.is_macro else ():
            jumps += [f"call {name}({', '.join(arguments[:size])})"] * 2
            jumps += [f"{jumps[-1]};\n{' ' * column}return"] if around.is_procedure else []
        for name, size in self.macros:
            jumps += [f"{name}({', '.join(self.random.choices(around.variables, k=size))})"] * 2
        return self.random.choice(jumps or ["skip"])

    def block(self, column: int, around: _Around, depth: int, opens: str = "") -> str:
        """A body of a compound statement, from the word that opens it in the syntax without braces."""
        inside = self.statements(column + 2, around, depth=depth)
        return f"{{\n{inside}\n{' ' * column}}}" if self.in_braces else f"{opens}\n{inside}"

    def closed(self, column: int, kind: str) -> str:
        return "" if self.in_braces else f"\n{' ' * column}end {kind}"

    def if_(self, column: int, around: _Around, depth: int) -> str:
        test = self.rows(column + 4, around)
        text = f"if {f'({test})' if self.in_braces else test} {self.block(column, around, depth, 'then')}"
        if not self.in_braces and self.chance(0.25):
            text += f"\n{' ' * column}elsif {self.expression(around)} {self.block(column, around, depth, 'then')}"
        if self.chance(0.6):
            text += f"\n{' ' * column}else {self.block(column, around, depth)}"
        return text + self.closed(column, "if")

    def either(self, column: int, around: _Around, depth: int) -> str:
        ways = [self.block(column, around, depth) for _ in range(self.random.randint(2, 3))]
        separator = "\n" + " " * column + "or "
        return f"either {separator.join(ways)}{self.closed(column, 'either')}"

    def while_(self, column: int, around: _Around, depth: int) -> str:
        if around.is_macro or around.in_with:
            return self.if_(column, around, depth)
        test = self.random.choice(("TRUE", self.expression(around)))
        head = f"while ({test})" if self.in_braces else f"while {test}"
        return f"{head} {self.block(column, around, depth, 'do')}{self.closed(column, 'while')}"

    def with_(self, column: int, around: _Around, depth: int) -> str:
        name = self.random.choice(("q1", "q2"))
        bound = f"{name} {self.random.choice(_BINDS)} {self.expression(around)}"
        inside = _Around(around.variables, around.labels, [*around.bound, name], around.is_macro, in_with=True)
        head = f"with ({bound})" if self.in_braces else f"with {bound}"
        return f"{head} {self.block(column, inside, depth, 'do')}{self.closed(column, 'with')}"

    # Expressions -----------------------------------------------------------------------------------------------------

    def rows(self, column: int, around: _Around) -> str:
        """An expression, now and then a list of several lines."""
        if self.chance(0.75):
            return self.expression(around)
        sign = self.random.choice(("/\\", "\\/"))
        return f"\n{' ' * column}".join(f"{sign} {self.expression(around)}" for _ in range(self.random.randint(2, 3)))

    def expression(self, around: _Around, depth: int = 0) -> str:
        name, other = self.random.choice(around.variables), self.random.choice([*around.variables, *around.bound])
        simple = (
            name,
            other,
            str(self.random.randint(0, 9)),
            '"a; b"',
            "TRUE",
            f"{name}[1]",
            f"rec.{name}",
            f"~{name}",
        )
        if depth > 1 or self.chance(0.4):
            return self.random.choice(simple)
        one, two = self.expression(around, depth + 1), self.expression(around, depth + 1)
        forms = (
            *(f"{one} + {two}", f"({one})", f"[x |-> {one}, y |-> {name}]", f"{{{one}, {two}}}", f"<<{one}, {name}>>"),
            *(f"IF {one} = 1 THEN {two} ELSE {name}", f"[{name} EXCEPT ![1] = {one}, !.{name} = @]"),
            *(
                f"\\A q \\in {{1}}, p \\in {{2}} : {name} = q",
                f"LET z == {one} IN z",
                f"{name} = {one}",
                f"Len({name})",
            ),
            *(f"[i \\in 1..2 |-> {one}]", f"CHOOSE q \\in {{1}} : q = {name}", f"{name} \\/ {one}", f"{name} => {one}"),
        )
        return self.random.choice(forms)


def random_module(seed: int) -> str:
    """A module M with a random algorithm, the same for the same seed."""
    return _Writer(seed).module()
