"""Writes steps as TLA+ in pcal's layout, and records the PlusCal place of each word that comes from there."""

from workbench.pluscal import algorithm as pcal
from workbench.pluscal.expressions import Expression, sentence
from workbench.pluscal.layout import WIDTH, Changed, Line, Writer, needs_parentheses, rows_of, unchanged_conjunct
from workbench.pluscal.options import Options
from workbench.pluscal.steps import DONE, ERROR, Flat, flatten
from workbench.pluscal.tokens import ADDED, NAME, STRING, Mistake, added

_AND, _OR = "/\\ ", "\\/ "


class Translator:
    def __init__(self, algorithm: pcal.Algorithm, report: list[str], options: Options) -> None:
        self.a, self.report, self.options = algorithm, report, options
        self.many = bool(algorithm.processes)
        self.frames = {x.name for part in algorithm.procedures for x in part.parameters + part.variables}
        self.each_own = {x.name for part in algorithm.processes if not part.is_equal for x in part.variables}
        self.variables: list[str] = []
        self.self: Expression | None = None
        self.flats: list[Flat] = []
        self.lines: list[Line] = [Line(text) for text in report]

    def put(self, *texts: str) -> None:
        self.lines += [Line(text) for text in texts]

    def translation(self) -> list[Line]:
        a = self.a
        self.declarations()
        if self.many:
            self.processes()
        self.init()
        for part in a.procedures:
            self.part(part, ERROR)
        for part in a.processes:
            self.part(part, DONE)
        if not self.many:
            self.flats = flatten(a, a.steps, DONE)
            for flat in self.flats:
                self.step(flat, "Next", False)
        self.next()
        self.spec()
        if not (a.omit_pc or a.omit_stuttering):
            of = "\\A self \\in ProcSet: pc[self]" if self.many else "pc"
            self.put(f'Termination == <>({of} = "Done")', "")
        return self.lines

    # Declarations

    def declarations(self) -> None:
        a = self.a
        general = [] if a.omit_pc else [("pc", (0, 0))]
        general += [(declaration.name, declaration.at) for declaration in a.variables]
        if a.procedures:
            general.append(("stack", (0, 0)))
        local = [(x.name, x.at) for part in a.procedures for x in part.parameters + part.variables]
        local += [(x.name, x.at) for part in a.processes for x in part.variables]
        self.variables = [name for name, _ in general + local]
        if not self.variables:
            raise Mistake(*a.at, "the algorithm has no variables")
        if a.has_default:
            self.put("CONSTANT defaultInitValue")
        if not a.definitions:
            self.declare(general + local)
        else:
            self.declare(general)
            self.put("", "(* define statement *)")
            self.lines += Writer().expression(a.definitions).lines
            self.put("")
            self.declare(local)
        self.put("")
        out = Writer("vars == << ")
        indent = out.column
        for index, (name, at) in enumerate(general + local):
            out.add(", " if index else "")
            if out.column + len(name) + 1 > WIDTH:
                out.new(" " * indent)
            out.add(name, at)
        if out.column + 4 > WIDTH:
            out.new(" " * len("vars =="))
        self.lines += out.add(" >>").lines
        self.put("")

    def declare(self, names: list[tuple[str, pcal.Place]]) -> None:
        if not names:
            return
        out = Writer("VARIABLES " if len(names) > 1 else "VARIABLE ")
        indent = out.column
        for index, (name, at) in enumerate(names):
            out.add(", " if index else "")
            if out.column + len(name) + 1 > WIDTH:
                out.new(" " * indent)
            out.add(name, at)
        self.lines += out.lines

    def processes(self) -> None:
        out = Writer("ProcSet == ")
        for index, part in enumerate(self.a.processes):
            out.add(" \\cup " if index else "").add("{" if part.is_equal else "(")
            out.expression(part.identity).add("}" if part.is_equal else ")")
        self.lines += out.lines
        self.put("")

    def init(self) -> None:
        a = self.a
        begin = "Init == "
        indent = " " * len(begin)

        def title(text: str) -> None:
            nonlocal begin
            self.put(f"{begin}(* {text} *)")
            begin = indent

        if a.variables:
            title("Global variables")
        for variable in a.variables:
            self.lines += self.first_value(variable, begin).lines
        for part in a.procedures:
            if part.parameters or part.variables:
                title(f"Procedure {part.name}")
            for variable in part.parameters + part.variables:
                if not self.many:
                    self.lines += self.first_value(variable, begin).lines
                    continue
                out = Writer(f"{begin}{_AND}").add(f"{variable.name} = [ self \\in ProcSet |-> ", variable.at)
                value = self.primed(variable.value, Changed([]), sentence("[", "self", "]"))
                self.lines += out.expression(value).add("]").lines
        for part in a.processes:
            if part.variables:
                title(f"Process {part.name}")
            for variable in part.variables:
                out = Writer(f"{begin}{_AND}")
                if part.is_equal:
                    sign = " = " if variable.is_equal else " \\in "
                    out.add(variable.name + sign, variable.at).expression(variable.value)
                elif variable.is_equal:
                    out.add(f"{variable.name} = [self \\in ", variable.at).expression(part.identity).add(" |-> ")
                    out.expression(self.primed(variable.value, Changed([]), sentence("[", "self", "]"))).add("]")
                else:
                    some = sentence("[").before(sentence("CHOOSE", "self", "\\in", blanks=1)).before(part.identity, 2)
                    some = some.before(sentence(":", "TRUE", blanks=1), 1).before(sentence("]"))
                    out.add(f"{variable.name} \\in [", variable.at).expression(part.identity).add(" -> ")
                    out.expression(self.primed(variable.value, Changed([]), some)).add("]")
                self.lines += out.lines
        if a.procedures:
            self.put(f"{begin}{_AND}stack = " + ("[self \\in ProcSet |-> << >>]" if self.many else "<< >>"))
            begin = indent
        if not a.omit_pc and not self.many:
            self.put(f'{begin}{_AND}pc = "{a.steps[0].label}"')
        elif not a.omit_pc:
            out = Writer(f"{begin}{_AND}pc = [self \\in ProcSet |-> ")
            if len(a.processes) > 1:
                out.add("CASE ")
                column = out.column - 3
                for index, part in enumerate(a.processes):
                    if index:
                        out.new(" " * column + "[] ")
                    out.add("self = " if part.is_equal else "self \\in ").expression(part.identity)
                    out.add(f' -> "{part.steps[0].label}"')
                out.add("]")
            else:
                out.add(f'"{a.processes[0].steps[0].label}"]')
            self.lines += out.lines
        self.put("")

    def first_value(self, variable: pcal.Declaration, begin: str) -> Writer:
        out = Writer(f"{begin}{_AND}").add(variable.name + (" = " if variable.is_equal else " \\in "), variable.at)
        left, right = ("(", ")") if needs_parentheses(variable.value) else ("", "")
        return out.add(left).expression(variable.value).add(right)

    # Steps

    def part(self, part: pcal.Part, last: str) -> None:
        has_argument = self.many and (part.is_procedure or not part.is_equal)
        if self.many:
            self.self = sentence("self") if has_argument else part.identity
        argument = "(self)" if has_argument else ""
        flats = flatten(self.a, part.steps, last)
        for flat in flats:
            self.step(flat, part.name, has_argument)
        if self.a.omit_pc and not part.is_procedure:
            return
        out = Writer(f"{part.name}{argument} == ", part.at)
        indent = " " * (out.column + 2)
        for index, flat in enumerate(flats):
            name = flat.label + argument
            if index and out.column + 7 + len(name) > WIDTH:
                out.new(indent)
            out.add(f" {_OR}" if index else "").add(name, flat.at)
        self.lines += out.lines
        self.put("")

    def step(self, flat: Flat, name: str, has_argument: bool) -> None:
        label = (name if self.a.omit_pc else flat.label) + ("(self)" if has_argument else "") + " == "
        column, changed = len(label), Changed(self.variables)
        lines: list[Line] = []
        begin = label + _AND
        body = _written(flat.body)
        for statement in body:
            lines += self.statement(statement, changed, begin)
            begin = " " * column + _AND
        rest = changed.unchanged()
        lines += [Line(text) for text in unchanged_conjunct(rest, " " * column + _AND, WIDTH)]
        if not rest and len(body) == 1:  # then it is no conjunction
            for index, line in enumerate(lines):
                cut = column if index == 0 else 0
                if index == 0 or len(line.text) > 3:
                    line.text = line.text[:cut] + line.text[cut + 3 :]
                    line.places = [(at - 3 if at >= cut else at, place) for at, place in line.places]
        lines[0].places.insert(0, (0, flat.at))
        self.lines += lines
        self.put("")

    def statement(self, node: pcal.Statement, changed: Changed, begin: str) -> list[Line]:
        lines: list[Line] = getattr(self, f"_{type(node).__name__.lower()}")(node, changed, begin)
        return lines

    def body(self, body: list[pcal.Statement], changed: Changed, begin: str, after: str) -> list[Line]:
        lines: list[Line] = []
        for statement in _written(body):
            lines += self.statement(statement, changed, begin)
            begin = after
        return lines

    def _assign(self, node: pcal.Assign, changed: Changed, begin: str) -> list[Line]:
        node.parts = sorted(node.parts, key=lambda part: part.name)
        now = changed.copy()
        out = Writer(begin)
        groups: list[list[pcal.Single]] = []
        for single in node.parts:
            if single.name not in self.variables:
                raise Mistake(*(single.at if single.at[0] else node.at), self.no_variable(single.name))
            if groups and groups[-1][0].name == single.name:
                groups[-1].append(single)
            else:
                groups.append([single])
        for index, group in enumerate(groups):
            name = group[0].name
            now.counts[name] = now.counts.get(name, 0) + 1
            if now.counts[name] > 1 or (len(group) > 1 and not all(single.part for single in group)):
                raise Mistake(*(group[-1].at if group[-1].at[0] else node.at), f"{name} is assigned twice in one step")
            if index:
                out.new(" " * len(begin))
            if len(groups) > 1:
                out.add(_AND)
            own = self.many and (name in self.frames or name in self.each_own)
            if len(group) == 1:
                self.single(group[0], changed, out, own or (self.many and name in ("pc", "stack")))
                continue
            out.add(f"{name}' = [{name} EXCEPT ", group[0].at)
            column = out.column
            for number, single in enumerate(group):
                if number:
                    out.add(",").new(" " * column)
                out.add("!", single.at)
                if own:
                    out.add("[").expression(self.me()).add("]")
                out.expression(self.primed(single.part, changed)).add(" = ")
                out.expression(self.primed(single.value, changed))
            out.add("]")
        changed.merge(now)
        return out.lines

    def no_variable(self, name: str) -> str:
        if any(macro.name == name for macro in self.a.macros):
            return f"{name} is a macro: write {name}(...)"
        return f"{name} is assigned, and is no variable of the algorithm"

    def single(self, node: pcal.Single, changed: Changed, out: Writer, own: bool) -> None:
        part, value = self.primed(node.part, changed), self.primed(node.value, changed)
        if own:
            out.add(f"{node.name}' = [{node.name} EXCEPT ![", node.at).expression(self.me()).add("]")
            out.expression(part).add(" = ").expression(value).add("]")
        elif node.part:
            out.add(f"{node.name}' = [{node.name} EXCEPT !", node.at).expression(part).add(" = ").expression(value).add(
                "]"
            )
        else:
            left, right = ("(", ")") if needs_parentheses(value) else ("", "")
            out.add(f"{node.name}' = {left}", node.at).expression(value).add(right)

    def me(self) -> Expression:
        assert self.self is not None
        return self.self

    def _if(self, node: pcal.If, changed: Changed, begin: str) -> list[Line]:
        then_changed, else_changed = changed.copy(), changed.copy()
        lines = Writer(begin).add("IF ", node.at).expression(self.primed(node.test, changed)).lines
        then, other = " " * (len(begin) + 3) + "THEN ", " " * (len(begin) + 3) + "ELSE "
        inner = " " * len(then) + _AND
        first = self.body(node.then, then_changed, then + _AND, inner)
        second = (
            self.body(node.other, else_changed, other + _AND, inner) if node.other else [Line(f"{other}{_AND}TRUE")]
        )
        start = inner if node.then else then + _AND
        lines += first + [Line(text) for text in unchanged_conjunct(then_changed.unchanged(else_changed), start, WIDTH)]
        lines += second + [
            Line(text) for text in unchanged_conjunct(else_changed.unchanged(then_changed), inner, WIDTH)
        ]
        changed.merge(then_changed)
        changed.merge(else_changed)
        return lines

    def _either(self, node: pcal.Either, changed: Changed, begin: str) -> list[Line]:
        together, inner = changed.copy(), " " * (len(begin) + 3) + _AND
        parts, states = [], []
        for index, way in enumerate(node.ways):
            mine = changed.copy()
            start = (begin if index == 0 else " " * len(begin)) + _OR + _AND
            parts.append(self.body(way, mine, start, inner))
            states.append(mine)
            together.merge(mine)
        lines: list[Line] = []
        for part, mine in zip(parts, states, strict=True):
            rest = mine.unchanged(together)
            text = (
                [f"{inner}UNCHANGED <<{', '.join(rest)}>>"] if len(rest) > 1 else unchanged_conjunct(rest, inner, WIDTH)
            )
            lines += part + [Line(each) for each in text]
        changed.merge(together)
        return lines

    def _with(self, node: pcal.With, changed: Changed, begin: str) -> list[Line]:
        value = self.primed(node.value, changed)
        out = Writer(begin).add(f"LET {node.name} == " if node.is_equal else f"\\E {node.name} \\in ", node.at)
        out.expression(value).add(" IN" if node.is_equal else ":")
        inner = " " * (len(begin) + 2)
        after = inner + _AND
        return out.lines + self.body(node.body, changed, after if len(node.body) > 1 else inner, after)

    def _when(self, node: pcal.When, changed: Changed, begin: str) -> list[Line]:
        return Writer(begin, node.at).expression(self.primed(node.test, changed)).lines

    def _print(self, node: pcal.Print, changed: Changed, begin: str) -> list[Line]:
        return Writer(begin).add("PrintT(", node.at).expression(self.primed(node.value, changed)).add(")").lines

    def _assert(self, node: pcal.Assert, changed: Changed, begin: str) -> list[Line]:
        out = Writer(begin).add("Assert(", node.at)
        column = out.column
        out.expression(self.primed(node.test, changed))
        where = f"line {node.at[0]}, column {node.at[1]}"
        if node.call:
            where += f" of macro called at line {node.call[0]}, column {node.call[1]}"
        text = f'"Failure of assertion at {where}.")'
        out.add(", ")
        if out.column + len(text) >= WIDTH:
            out.new(" " * column)
        return out.add(text).lines

    def _skip(self, node: pcal.Skip, changed: Changed, begin: str) -> list[Line]:
        return Writer(begin).add("TRUE", node.at).lines

    def primed(self, expression: Expression, changed: Changed, index: Expression | None = None) -> Expression:
        """Add ' to the variables that this step has assigned, and [self] to those local to a process."""
        index = index or (self.self.bracketed() if self.self else None)
        by: dict[str, Expression] = {}
        for word in expression.words:
            if word.kind == STRING or word.text in by:
                continue
            prime = word.kind == NAME and bool(changed.counts.get(word.text))
            name_own = word.kind == NAME and (word.text in self.frames or word.text in self.each_own)
            own = index if self.many and (word.kind == ADDED or name_own) else None
            if not prime and own is None:
                continue
            new = sentence(added(word.text, word.kind), *(["'"] if prime else []))
            if own is not None:
                new = new.before(own)
                for each in new.words:
                    each.line = each.place = 0
            by[word.text] = new
        return expression.replaced(by, parentheses=False)

    # The whole

    def next(self) -> None:
        a, many = self.a, self.many
        if a.omit_pc and not many:
            return
        stutters = not (a.omit_stuttering or self.options.no_done_disjunct)
        if stutters:
            self.put("(* Allow infinite stuttering to prevent deadlock on termination. *)")
            if many:
                self.put('Terminating == /\\ \\A self \\in ProcSet: pc[self] = "Done"', " " * 15 + "/\\ UNCHANGED vars")
            else:
                self.put('Terminating == pc = "Done" /\\ UNCHANGED vars')
            self.put("")
        if many:
            plain = [part.name for part in a.processes if part.is_equal]
        else:
            plain = [part.name for part in a.procedures] + [flat.label for flat in self.flats]
        rows = rows_of(plain, WIDTH - len("Next == \\/ "), False)
        begin, indent = "Next == ", " " * 10 + f" {_OR}"
        for row in rows:
            self.put(begin + row)
            begin = indent
        if many and a.procedures:
            calls = rows_of([f"{part.name}(self)" for part in a.procedures], WIDTH - 38, True)
            begin += "(\\E self \\in ProcSet: "
            more = " " * len(begin) + f" {_OR}"
            if len(calls) > 1:
                begin += f" {_OR}"
            calls[-1] += ")"
            for row in calls:
                self.put(begin + row)
                begin = more
            begin = indent
        sets = [part for part in a.processes if not part.is_equal] if many else []
        for number, part in enumerate(sets):
            texts = part.identity.texts()
            for index, text in enumerate(texts):
                head = begin + "(\\E self \\in " if index == 0 else begin + " " * len("(\\E self \\in ")
                self.put(head + text + (f": {part.name}(self))" if index == len(texts) - 1 else ""))
                first = not rows and not a.procedures and number == 0
                begin = " " * (8 if first else 14)
            begin = indent
        if stutters:
            self.put(begin + "Terminating")
        self.put("")

    def spec(self) -> None:
        a, fairness = self.a, self.options.fairness
        if a.is_fair and not self.many:
            fairness = "wf"
        safety = "Init /\\ [][Next]_vars"
        formulas: list[list[str]] = []
        of_next = fairness == "wfNext" or (self.many and a.is_fair) or (not self.many and fairness in ("wf", "sf"))
        if fairness == "nof" or (not self.many and not fairness):
            of_next = False
        elif self.many:
            for part in a.processes:
                if part.fairness:
                    formulas.append(self.fair(part, part.fairness))
        if not of_next and not formulas:
            self.put(f"Spec == {safety}", "")
            return
        self.put(f"Spec == /\\ {safety}")
        if of_next:
            self.put("        /\\ WF_vars(Next)")
        for lines in formulas:
            for index, line in enumerate(lines):
                self.put(("        /\\ " if index == 0 else "") + line)
        self.put("")

    def fair(self, part: pcal.Part, kind: str) -> list[str]:
        texts, me, prefix = part.identity.texts(), "self", []
        if part.is_equal and len(texts) == 1:
            me = texts[0]
        else:
            begin, end = ("LET self == ", "") if part.is_equal else ("\\A self \\in ", " : ")
            prefix = [(begin if index == 0 else " " * len(begin)) + text for index, text in enumerate(texts)]
            prefix[-1] += end
            if part.is_equal:
                prefix.append("IN ")
        pairs = [_fair_pair(part, kind, me, "(self)" if not part.is_equal else "")]
        procedures = {each.name: each for each in self.a.procedures}
        pairs += [_fair_pair(procedures[name], kind, me, f"({me})") for name in part.calls if name in procedures]
        column = 11
        singles = [wf + (f" /\\ {sf}" if sf else "") for wf, sf in pairs]
        # pcal measures the prefix by its last line alone; wrong, but the layout depends on it
        width = (
            (len(prefix[-1]) if len(prefix) > 1 else 0)
            + len(pairs[0][0])
            + len(pairs[0][1])
            + sum(map(len, singles[1:]))
        )
        width = max([width, *(len(text) for text in prefix[:-1])])
        rows = [(" " * column if index else "") + text for index, text in enumerate(prefix)] or [""]
        if column + width <= WIDTH or (not pairs[0][1] and len(pairs) == 1):
            rows[-1] += " /\\ ".join(singles)
            return rows
        at = column + (len(prefix[-1]) if prefix else 0)
        ends_line = True
        for index, ((wf, sf), single) in enumerate(zip(pairs, singles, strict=True)):
            fits = at + len(single) + 3 <= WIDTH
            row = f"/\\ {single}" if fits or not sf else f"/\\ {wf}\n{' ' * at}/\\ {sf}"
            if index == 0:
                rows[-1] += row
            elif ends_line:
                rows.append(" " * at + row)
            else:
                rows[-1] += " " * at + row
            ends_line = index == 0 or fits  # after a procedure too wide for its line, pcal does not break
        return "\n".join(rows).split("\n")


def _written(body: list[pcal.Statement]) -> list[pcal.Statement]:
    """Drop assignments without a target: for those pcal writes a conjunct that does not parse."""
    return [statement for statement in body if not isinstance(statement, pcal.Assign) or statement.parts]


def _fair_pair(part: pcal.Part, kind: str, me: str, argument: str) -> tuple[str, str]:
    name = part.name + argument
    guard = ""
    if len(part.minus) == 1:
        guard = f'(pc[{me}] # "{part.minus[0]}") /\\ '
    elif part.minus:
        guard = f"(pc[{me}] \\notin {{" + ", ".join(f'"{label}"' for label in part.minus) + "}) /\\ "
    strong = ""
    if kind == "WF" and part.plus:
        strong = " /\\ ".join(f"SF_vars({label}{argument})" for label in part.plus)
    return f"{kind}_vars({guard}{name})", strong
