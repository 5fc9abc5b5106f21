"""Parses the words of an algorithm."""

from workbench.pluscal import algorithm as pcal
from workbench.pluscal.expressions import Expression
from workbench.pluscal.tokens import NAME, Mistake, Token, added
from workbench.pluscal.word_reader import KEYWORDS, WordReader

DEFAULT = "defaultInitValue"


def parse(words: list[Token], is_fair: bool) -> pcal.Algorithm:
    return _Parser(words, is_fair).algorithm()


class _Parser(WordReader):
    def __init__(self, words: list[Token], is_fair: bool) -> None:
        super().__init__(words)
        self.braces = False
        self.macro = False
        self.procedure = ""
        self.plus: list[str] = []
        self.minus: list[str] = []
        self.calls: list[str] = []
        self.result = pcal.Algorithm("", is_fair)

    def algorithm(self) -> pcal.Algorithm:
        result = self.result
        result.at = self.place()
        result.name = self.name("the name of the algorithm").text
        if self.peek() == "{":
            self.braces = True
            self.take()
        if self.peek() in ("variable", "variables"):
            result.variables = self.variables()
        if self.peek() == "define":
            self.take()
            if self.braces:
                self.want("{")
            result.definitions = self.expression("a definition", empty=True)
            self.close("define")
            self.semicolon()
        while self.peek() == "macro":
            result.macros.append(self.a_macro())
        while self.peek() == "procedure":
            result.procedures.append(self.a_procedure())
        while self.peek() == "process" or (self.peek() == "fair" and "process" in (self.peek(1), self.peek(2))):
            result.processes.append(self.a_process())
        if not result.processes:
            if self.peek() == "fair":
                self.take()
                result.is_fair = True
            self.open()
            result.body = self.statements()
            if self.braces:
                self.want("}")
        elif self.peek() not in ("end", "}"):
            raise self.fail(f"expected a process or the end of the algorithm and found {self.peek()}")
        self.close("algorithm")
        result.last_line = self.words[self.at - 1].line
        return result

    def open(self) -> None:
        if self.peek() == ";":  # as pcal forgives
            raise self.fail("expected " + ("{" if self.braces else "begin") + " and found ;")
        self.want("{" if self.braces else "begin")

    def close(self, keyword: str) -> None:
        if self.braces:
            self.want("}")
        else:
            self.want("end")
            self.want(keyword, f"what begins with {keyword} ends with end {keyword}")

    def default(self) -> Expression:
        self.result.has_default = True
        return Expression([[added(DEFAULT, "number")]])

    def variables(self) -> list[pcal.Declaration]:
        if self.peek() not in ("variable", "variables"):
            raise self.fail(f"expected variables or {'{' if self.braces else 'begin'} and found {self.peek()}")
        self.take()
        declarations = []
        while self.peek() not in ("begin", "{", "procedure", "process", "fair", "define", "macro"):
            declarations.append(self.variable())
            self.semicolon(comma=True)
        return declarations

    def variable(self) -> pcal.Declaration:
        at = self.place()
        name = self.name("a variable").text
        if self.peek() not in ("=", "\\in", "∈"):
            if self.peek() == ":=":
                raise self.fail("a variable's first value is given by =, not by :=")
            return pcal.Declaration(name, True, self.default(), at)
        is_equal = self.take().text == "="
        return pcal.Declaration(name, is_equal, self.expression("a value"), at)

    def a_macro(self) -> pcal.Macro:
        self.take()
        at = self.place()
        name = self.name("the name of a macro").text
        self.want("(")
        parameters: list[str] = []
        while self.peek() != ")":
            if parameters:
                self.want(",")
            parameters.append(self.name("a parameter").text)
        self.take()
        self.open()
        self.macro = True
        body = self.statements()
        self.macro = False
        self.close("macro")
        if self.peek() == ";":
            self.take()
        return pcal.Macro(name, parameters, body, at)

    def fresh(self) -> None:
        self.plus, self.minus, self.calls = [], [], []

    def a_procedure(self) -> pcal.Part:
        at = self.place()
        self.take()
        self.procedure = self.name("the name of a procedure").text
        self.fresh()
        self.want("(")
        parameters: list[pcal.Declaration] = []
        while self.peek() != ")":
            if parameters:
                self.want(",")
            parameters.append(self.variable())
        self.take()
        variables = self.locals()
        for local in parameters + variables:
            if not local.is_equal:
                raise Mistake(*local.at, f"{local.name}: a procedure's variable begins with one value (=, not \\in)")
        self.open()
        body = self.statements()
        self.close("procedure")
        if self.peek() == ";":
            self.take()
        part = pcal.Part(self.procedure, at, variables, body, self.plus, self.minus, self.calls, parameters)
        part.is_procedure = True
        self.procedure = ""
        return part

    def locals(self) -> list[pcal.Declaration]:
        return [] if self.peek() in ("begin", "{") else self.variables()

    def a_process(self) -> pcal.Part:
        fairness = ""
        if self.peek() == "fair":
            self.take()
            fairness = "WF"
            if self.peek() == "+":
                self.take()
                fairness = "SF"
        at = self.place()
        self.want("process")
        self.fresh()
        if self.braces:
            self.want("(")
        name = self.name("the name of a process").text
        if self.peek() not in ("=", "\\in", "∈"):
            raise self.fail(f"expected = or \\in and found {self.peek()}")
        is_equal = self.take().text == "="
        identity = self.expression("the identity of a process")
        if self.braces:
            self.want(")")
        if self.peek() == ";":
            raise self.fail("no ; after a process's identity")
        variables = self.locals()
        self.open()
        body = self.statements()
        self.close("process")
        if self.peek() == ";":
            self.take()
        part = pcal.Part(name, at, variables, body, self.plus, self.minus, self.calls)
        part.is_equal, part.identity, part.fairness = is_equal, identity, fairness
        return part

    # Statements

    def statements(self) -> list[pcal.Statement]:
        statements: list[pcal.Statement] = []
        ends = ("}",) if self.braces else ("end", "else", "elsif", "or")
        while self.peek() not in ends:
            statements.extend(self.labelled())
        if self.braces and not statements:
            raise self.fail("expected a statement and found }")
        return statements

    def labelled(self) -> list[pcal.Statement]:
        """A statement, or those in braces."""
        label_at, label = self.place(), self.label()
        if not (self.braces and self.peek() == "{"):
            statement = self.statement()
            if label:
                statement.label, statement.label_at = label, label_at
            return [statement]
        brace = self.take()
        statements = self.statements()
        self.want("}")
        self.semicolon()
        if label:
            if statements[0].label:
                raise self.fail("the first statement in { } has a label, and so has the {", brace)
            statements[0].label, statements[0].label_at = label, label_at
        return statements

    def label(self) -> str:
        word = self.peek()
        if word in KEYWORDS or self.peek(1) != ":" or self.words[self.at].kind not in (NAME, "number"):
            return ""
        first = self.take()
        self.take()
        if self.macro:
            raise self.fail(f"label {word} in a macro: a macro is one step, or a part of one", first)
        if word in ("Done", "Error"):
            raise self.fail(f"{word} cannot be a label", first)
        self.result.has_label = True
        self.result.labels.add(word)
        if self.peek() in ("+", "-"):
            (self.plus if self.take().text == "+" else self.minus).append(word)
            self.result.modified = True
        return word

    def statement(self) -> pcal.Statement:
        at, word = self.place(), self.peek()
        reader = getattr(self, f"_{word}", None) if word in KEYWORDS else None
        if reader:
            read_it: pcal.Statement = reader(at)
            return read_it
        if word in KEYWORDS:
            raise self.fail(f"expected a statement and found {word}")
        if self.peek(1) == "(":
            return self.macro_call(at)
        return self.assignment(at)

    def block(self, *closing: str) -> list[pcal.Statement]:
        """The statements of a loop or a branch."""
        if self.braces:
            return self.labelled()
        statements = self.statements()
        for word in closing:
            self.want(word)
        return statements

    def head(self, expected: str) -> Expression:
        if self.braces:
            self.want("(", f"in the syntax of braces, {expected} stands in parentheses")
        condition = self.expression(expected)
        if self.braces:
            self.want(")")
        return condition

    def _if(self, at: pcal.Place) -> pcal.If:
        is_first = self.take().text == "if"
        branch = pcal.If(at, self.head("a condition"))
        if not self.braces:
            self.want("then")
        branch.then = self.block()
        if not branch.then:
            raise self.fail("expected a statement after then")
        if self.peek() == "else":
            self.take()
            branch.other = self.block()
        elif self.peek() == "elsif" and not self.braces:
            branch.other = [self._if(self.place())]
        if not self.braces and is_first:
            self.want("end")
            self.want("if", "what begins with if ends with end if")
            self.semicolon()
        return branch

    def _either(self, at: pcal.Place) -> pcal.Either:
        self.take()
        ways = []
        while True:
            ways.append(self.block())
            if not ways[-1]:
                raise self.fail("an empty way of an either")
            if self.peek() != "or":
                break
            self.take()
        if not self.braces:
            self.want("end")
            self.want("either", "what begins with either ends with end either")
            self.semicolon()
        if len(ways) < 2:
            raise Mistake(*at, "an either without an or")
        return pcal.Either(at, ways)

    def _while(self, at: pcal.Place) -> pcal.While:
        self.take()
        test = self.head("a condition")
        if self.braces:
            body = self.block()
        else:
            self.want("do")
            body = self.block("end", "while")
            self.semicolon()
        if not body:
            raise Mistake(*at, "a while without a statement in it")
        return pcal.While(at, test, body)

    def _with(self, at: pcal.Place) -> pcal.With:
        self.take()
        if self.braces:
            at = self.place()  # where pcal says it is
            self.want("(")
        return self._with_rest(at)

    def _with_rest(self, at: pcal.Place) -> pcal.With:
        name = self.name("a name").text
        if self.peek() not in ("=", "\\in", "∈"):
            raise self.fail(f"expected = or \\in and found {self.peek()}")
        is_equal = self.take().text == "="
        value = self.expression("a value")
        next_at = self.place()
        if not (self.braces and self.peek() == ")"):
            self.semicolon(comma=True)
        if self.peek() == "do" and not self.braces:
            self.take()
            body = self.block("end", "with")
            self.semicolon()
        elif self.braces and self.peek() == ")":
            self.take()
            body = self.block()
        else:
            body = [self._with_rest(next_at)]
        if not body:
            raise Mistake(*at, "a with without a statement in it")
        return pcal.With(at, name, is_equal, value, body)

    def _when(self, at: pcal.Place) -> pcal.When:
        self.take()
        when = pcal.When(at, self.expression("a condition"))
        self.semicolon()
        return when

    _await = _when

    def _print(self, at: pcal.Place) -> pcal.Print:
        self.take()
        printed = pcal.Print(at, self.expression("a value"))
        self.semicolon()
        return printed

    def _assert(self, at: pcal.Place) -> pcal.Assert:
        self.take()
        assertion = pcal.Assert(at, self.expression("a condition"))
        self.semicolon()
        return assertion

    def _skip(self, at: pcal.Place) -> pcal.Skip:
        self.take()
        self.semicolon()
        return pcal.Skip(at)

    def _goto(self, at: pcal.Place) -> pcal.Goto:
        self.take()
        to = self.target()
        self.semicolon()
        return pcal.Goto(at, to)

    def target(self) -> str:
        to = self.take().text
        self.result.goes = True
        if to.strip('"') == "Done":
            self.result.goes_to_done = True
        return to

    def _return(self, at: pcal.Place) -> pcal.Return:
        self.take()
        self.semicolon()
        return pcal.Return(at, self.procedure)

    def arguments(self) -> list[Expression]:
        self.want("(")
        arguments: list[Expression] = []
        while self.peek() != ")":
            if arguments:
                self.want(",")
            arguments.append(self.expression("an argument"))
        self.take()
        return arguments

    def _call(self, at: pcal.Place) -> pcal.Call:
        self.take()
        call = pcal.Call(at, self.name("a procedure").text)
        call.arguments = self.arguments()
        self.semicolon()
        if call.to not in self.calls:
            self.calls.append(call.to)
        if self.peek() == "return":
            self.take()
            call.then, call.source = "return", self.procedure
            self.semicolon()
        elif self.peek() == "goto":
            self.take()
            call.then, call.after = "goto", self.target()
            self.semicolon()
        return call

    def macro_call(self, at: pcal.Place) -> pcal.MacroCall:
        name = self.name("a macro").text
        call = pcal.MacroCall(at, name, self.arguments())
        self.semicolon()
        return call

    def assignment(self, at: pcal.Place) -> pcal.Assign:
        assignment = pcal.Assign(at)
        while True:
            place = self.place()
            name = self.name("a statement").text
            if self.peek() == "=":
                raise self.fail(f"an assignment is written {name} := ..., not {name} = ...")
            part = self.expression("an assignment", empty=True)
            if part and part.words[0].text not in ("[", "."):
                first = part.words[0].text
                hint = ": PlusCal writes no primes" if first == "'" else ""
                raise Mistake(
                    *place, f"an assignment is {name} := ..., {name}[...] := ... or {name}.field := ...{hint}"
                )
            if self.peek() == "≔":
                self.take()
            else:
                self.want(":=")
            assignment.parts.append(pcal.Single(name, part, self.expression("a value"), place))
            if self.peek() not in ("||", "‖"):
                break
            self.take()
        self.semicolon()
        return assignment
