"""Flattens bodies to a list of steps. Each waits for its own pc, and sets the next one."""

from dataclasses import dataclass

from workbench.pluscal import algorithm as pcal
from workbench.pluscal.expressions import Expression, sentence
from workbench.pluscal.labels import holds_steps
from workbench.pluscal.tokens import ADDED, NAME, Mistake, Token, added

DONE, ERROR = "Done", "Error"
_STACK = added("stack", ADDED)


@dataclass
class Flat:
    label: str
    body: list[pcal.Statement]
    at: pcal.Place


def flatten(algorithm: pcal.Algorithm, steps: list[pcal.Step], last: str) -> list[Flat]:
    return _Flattener(algorithm).steps(steps, last)


class _Flattener:
    def __init__(self, algorithm: pcal.Algorithm) -> None:
        self.no_pc = algorithm.omit_pc
        self.warnings = algorithm.warnings
        self.procedures = {part.name: part for part in algorithm.procedures}

    def steps(self, steps: list[pcal.Step], last: str) -> list[Flat]:
        flats: list[Flat] = []
        for step, after in zip(steps, [*steps[1:], None][: len(steps)], strict=True):
            flats += self.step(step, after.label if after else last)
        return flats

    def step(self, step: pcal.Step, after: str) -> list[Flat]:
        wait = (
            [] if self.no_pc else [pcal.When(step.at, sentence(added("pc", ADDED), "=", f'"{step.label}"', blanks=1))]
        )
        first = step.body[0]
        if not isinstance(first, pcal.While):
            body, rest = self.ended(step.body, after)
            return [Flat(step.label, wait + body, step.at), *rest]
        inside, rest_inside = self.ended(first.body, first.steps[0].label if first.steps else step.label)
        outside, rest_outside = self.ended(step.body[1:], after)
        if first.test.is_word("TRUE"):
            body, rest_outside = inside, []
        else:
            body = [pcal.If(first.at, first.test, inside, outside)]
        flats = [Flat(step.label, wait + body, step.at)]
        return flats + self.steps(first.steps, step.label) + rest_inside + rest_outside

    def ended(self, body: list[pcal.Statement], after: str) -> tuple[list[pcal.Statement], list[Flat]]:
        """Rewrite a body so that it ends by setting pc to `after`; also return the steps split off from it."""
        new, rest, open_end = self._last(body, after)
        return (new + [_set_pc(after)] if open_end else new), rest

    def _last(self, body: list[pcal.Statement], after: str) -> tuple[list[pcal.Statement], list[Flat], bool]:
        """Rewrite the last statement; return the body, the steps split off, and whether pc must still be set."""
        rest: list[Flat] = []
        open_end = not self.no_pc
        if not body:
            return [], rest, open_end
        *front, last = body
        if isinstance(last, (pcal.If, pcal.Either)) and holds_steps(last):
            new, rest = self._cut(last, after)
            return [*front, new], rest, False
        if isinstance(last, pcal.If):
            then, rest_then, open_then = self._last(last.then, after)
            other, rest_other, open_other = self._last(last.other, after)
            open_end = open_end and open_then and open_other
            if not open_end:
                then = then + [_set_pc(after)] if open_then else then
                other = other + [_set_pc(after)] if open_other else other
            last.hashed = new_if = pcal.If(last.at, last.test, then, other)
            return [*front, new_if], rest_then + rest_other, open_end
        if isinstance(last, pcal.Either):
            results = [self._last(way, after) for way in last.ways]
            open_end = open_end and all(is_open for _, _, is_open in results)
            ways = []
            for way, more, is_open in results:
                rest += more
                ways.append(way + [_set_pc(after)] if is_open and not open_end else way)
            last.hashed = new_either = pcal.Either(last.at, ways)
            return [*front, new_either], rest, open_end
        if isinstance(last, pcal.With):
            inside, rest, open_end = self._last(last.body, after)
            last.hashed = new_with = pcal.With(last.at, last.name, last.is_equal, last.value, inside)
            return [*front, new_with], rest, open_end
        ended: list[pcal.Statement] | None = None
        if isinstance(last, pcal.Goto):
            ended = [_set_pc(last.to)]
        elif isinstance(last, pcal.Return):
            ended = self._return(last)
        elif isinstance(last, pcal.Call):
            ended = self._tail_call(last) if last.then == "return" else self._call(last, last.after or after)
        if ended is not None:
            return front + ended, rest, False
        return body, rest, open_end

    def _cut(self, node: pcal.Statement, after: str) -> tuple[pcal.Statement, list[Flat]]:
        """Split an if or either at the labels inside."""
        rest: list[Flat] = []
        if isinstance(node, pcal.If):
            then, rest_then = self.ended(node.then, node.then_steps[0].label if node.then_steps else after)
            other, rest_other = self.ended(node.other, node.else_steps[0].label if node.else_steps else after)
            rest = self.steps(node.then_steps, after) + self.steps(node.else_steps, after) + rest_then + rest_other
            node.hashed = pcal.If(
                node.at, node.test, then, other if node.other else [], node.then_steps, node.else_steps, is_cut=True
            )
            if not node.then:
                node.hashed.then = []
            return pcal.If(node.at, node.test, then, other), rest
        assert isinstance(node, pcal.Either)
        ways = []
        for way, steps in zip(node.ways, node.way_steps, strict=True):
            new, more = self.ended(way, steps[0].label if steps else after)
            ways.append(new)
            rest += more + self.steps(steps, after)
        hashed = [new if way else [] for new, way in zip(ways, node.ways, strict=True)]
        node.hashed = pcal.Either(node.at, hashed, node.way_steps, is_cut=True)
        return pcal.Either(node.at, ways), rest

    # Procedures

    def _procedure(self, name: str, at: pcal.Place) -> pcal.Part:
        if name not in self.procedures:
            raise Mistake(*at, f"there is no procedure {name}")
        return self.procedures[name]

    def _frame(self, to: pcal.Part, back: list[Token | str], stack: list[Token | str]) -> Expression:
        rows: list[list[Token | str]] = [["<<", "[", "procedure", "|->", f'"{to.name}"', ","], ["pc", "|->", *back]]
        for declaration in to.variables + to.parameters:
            rows[-1].append(",")
            rows.append([declaration.name, "|->", declaration.name])
        rows[-1] += ["]", ">>"]
        rows.append(["\\o", *stack])
        lines = []
        for index, row in enumerate(rows):
            column = 1 if index in (0, len(rows) - 1) else 6
            line = []
            for each in row:
                word = Token(each.text, each.kind, 0) if isinstance(each, Token) else sentence(each).words[0]
                if word.text in ("|->", "]", ">>", "\\o"):
                    column += 1
                if word.text == "|->":
                    column = max(column, 16)
                word.column = column
                column += 5 if word.text == "|->" else len(word.text) + (word.text in ("[", "<<", "\\o"))
                line.append(word)
            lines.append(line)
        return Expression(lines).copy()

    def _enter(self, node: pcal.Call, to: pcal.Part, before: list[pcal.Single]) -> list[pcal.Statement]:
        if len(to.parameters) != len(node.arguments):
            counts = f"{len(to.parameters)} arguments, and {len(node.arguments)} are given"
            raise Mistake(*node.at, f"procedure {node.to} takes {counts}")
        passed = [
            pcal.Single(parameter.name, Expression(), argument, node.at)
            for parameter, argument in zip(to.parameters, node.arguments, strict=True)
        ]
        begin = [_assign(each.name, each.value, node.at) for each in to.variables]
        first = pcal.Assign(node.at, before + passed)  # without parts, too: checksums count it
        return [first, *begin, _set_pc(to.steps[0].label)]

    def _call(self, node: pcal.Call, after: str) -> list[pcal.Statement]:
        to = self._procedure(node.to, node.at)
        frame = self._frame(to, [f'"{after}"'], [_STACK])
        return self._enter(node, to, [pcal.Single("stack", Expression(), frame, node.at)])

    def _tail_call(self, node: pcal.Call) -> list[pcal.Statement]:
        if not node.source:
            raise Mistake(*node.at, "a return outside of a procedure")
        to, source = self._procedure(node.to, node.at), self._procedure(node.source, node.at)
        before = []
        if to is not source:
            if source.parameters:
                names = ", ".join(parameter.name for parameter in source.parameters)
                self.warnings.append(
                    (node.at, f"as in pcal, this leaves the parameters of {source.name} as they are: {names}")
                )
            before = [pcal.Single(each.name, Expression(), _head(each.name), node.at) for each in source.variables]
            frame = self._frame(to, ["Head", "(", _STACK, ")", ".", "pc"], ["Tail", "(", _STACK, ")"])
            before.append(pcal.Single("stack", Expression(), frame, node.at))
        return self._enter(node, to, before)

    def _return(self, node: pcal.Return) -> list[pcal.Statement]:
        if not node.source:
            raise Mistake(*node.at, "a return outside of a procedure")
        source = self._procedure(node.source, node.at)
        assignments = [_assign("pc", _head("pc"), node.at)]
        assignments += [_assign(each.name, _head(each.name), node.at) for each in source.variables + source.parameters]
        return [*assignments, _assign("stack", sentence("Tail", "(", _STACK, ")"), node.at)]


def _head(name: str) -> Expression:
    return sentence("Head", "(", _STACK, ")", ".", Token(name, NAME, 0))


def _assign(name: str, value: Expression, at: pcal.Place) -> pcal.Assign:
    return pcal.Assign(at, [pcal.Single(name, Expression(), value, at)])


def _set_pc(label: str) -> pcal.Assign:
    return _assign("pc", sentence(f'"{label}"'), (0, 0))
