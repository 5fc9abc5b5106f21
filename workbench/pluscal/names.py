"""Renames what would clash: labels, processes, procedures and local variables all become names of one module."""

from dataclasses import dataclass

from workbench.pluscal import algorithm as pcal
from workbench.pluscal.expressions import Expression, sentence
from workbench.pluscal.tokens import Mistake

_KINDS = ("Global variable", "Label", "Procedure", "Process", "Process variable", "Procedure variable", "Parameter")
GLOBAL, LABEL, PROCEDURE, PROCESS, PROCESS_VARIABLE, PROCEDURE_VARIABLE, PARAMETER = range(7)


@dataclass
class _Symbol:
    kind: int
    name: str
    context: str
    role: str
    at: pcal.Place
    use: str


class Names:
    """The symbols of an algorithm, each with its name in the translation."""

    def __init__(self, algorithm: pcal.Algorithm) -> None:
        self.symbols: list[_Symbol] = []
        self.report: list[str] = []
        self.algorithm = algorithm
        self._insert(GLOBAL, "pc", "", "", (0, 0))
        if algorithm.procedures:
            self._insert(GLOBAL, "stack", "", "", (0, 0))
        for variable in algorithm.variables:
            self._insert(GLOBAL, variable.name, "", "process", variable.at)
        for part in algorithm.procedures:
            self._insert(PROCEDURE, part.name, "", "procedure", part.at)
            for variable in part.variables:
                self._insert(PROCEDURE_VARIABLE, variable.name, part.name, "procedure", variable.at)
            for variable in part.parameters:
                self._insert(PARAMETER, variable.name, part.name, "procedure", variable.at)
            self._steps(part.steps, part.name, "procedure")
        for part in algorithm.processes:
            self._insert(PROCESS, part.name, "", "process", part.at)
            for variable in part.variables:
                self._insert(PROCESS_VARIABLE, variable.name, part.name, "process", variable.at)
            self._steps(part.steps, part.name, "process")
        self._steps(algorithm.steps, "", "")
        self._tell_apart()
        self._rename()

    def _insert(self, kind: int, name: str, context: str, role: str, at: pcal.Place) -> None:
        if kind in (PROCESS_VARIABLE, PROCEDURE_VARIABLE, PARAMETER):
            clash = self._find(name, "", GLOBAL) or self._find(name, context)
        else:
            clash = self._find(name, context, kind)
        if clash:
            first = f", at line {clash.at[0]}" if clash.at[0] else ""
            raise Mistake(*at, f"{name} is declared before{first} ({_KINDS[clash.kind].lower()})")
        if name == "defaultInitValue" and self.algorithm.has_default:
            raise Mistake(*at, f"{name} is what variables without a value begin with; choose another name")
        self.symbols.append(_Symbol(kind, name, context, role, at, name))

    def _find(self, name: str, context: str, kind: int | None = None) -> _Symbol | None:
        return next(
            (x for x in self.symbols if x.name == name and x.context == context and kind in (None, x.kind)), None
        )

    def _steps(self, steps: list[pcal.Step], context: str, role: str) -> None:
        for step in steps:
            self._insert(LABEL, step.label, context, role, step.at)
            for inner in inner_steps(step.body):
                self._steps(inner, context, role)

    def _tell_apart(self) -> None:
        for kind in range(LABEL, PARAMETER + 1):
            for symbol in self.symbols:
                if symbol.kind != kind:
                    continue
                length = 0
                while sum(other.use == symbol.use for other in self.symbols) > 1:
                    length += 1
                    if length == 1:
                        symbol.use += "_"
                    elif length > len(symbol.context) + 1:
                        symbol.use += str(kind)
                    else:
                        symbol.use += symbol.context[length - 2]
                if symbol.use != symbol.name:
                    of = f" of {symbol.role} {symbol.context}" if symbol.context else ""
                    where = f"at line {symbol.at[0]} col {symbol.at[1]}"
                    self.report.append(f"\\* {_KINDS[kind]} {symbol.name}{of} {where} changed to {symbol.use}")

    # Renaming

    def use(self, kind: int, name: str, context: str) -> str:
        symbol = self._find(name, context, kind)
        return symbol.use if symbol else name

    def variable(self, name: str, context: str) -> str:
        symbol = self._find(name, context)
        kinds = (GLOBAL, PROCESS_VARIABLE, PROCEDURE_VARIABLE, PARAMETER)
        return symbol.use if symbol and symbol.kind in kinds else name

    def expression(self, expression: Expression, context: str) -> Expression:
        new = {}
        for word in expression.words:
            if word.kind == "name" and (use := self.variable(word.text, context)) != word.text:
                new[word.text] = sentence(use)
        return expression.replaced(new, parentheses=False) if new else expression

    def _rename(self) -> None:
        algorithm = self.algorithm
        for part in algorithm.procedures + algorithm.processes:
            for variable in part.variables + part.parameters:
                variable.name = self.variable(variable.name, part.name)
                variable.value = self.expression(variable.value, part.name)
            self._rename_steps(part.steps, part.name)
            for labels in (part.plus, part.minus):
                labels[:] = [self.use(LABEL, label, part.name) for label in labels]
        self._rename_steps(algorithm.steps, "")
        if algorithm.processes:
            self._closure()
        for part in algorithm.procedures + algorithm.processes:
            part.name = self.use(PROCEDURE if part.is_procedure else PROCESS, part.name, "")

    def _closure(self) -> None:
        """All the procedures that may run in a part, in pcal's order."""
        order = [part.name for part in self.algorithm.procedures]
        direct = {part.name: set(part.calls) for part in self.algorithm.procedures}
        reach = {name: set(direct[name]) for name in order}
        for middle in order:
            for name in order:
                if middle in reach[name]:
                    reach[name] |= reach[middle]
        for part in self.algorithm.procedures:
            part.calls = [name for name in order if name in reach[part.name]]
        for part in self.algorithm.processes:
            at = 0
            while at < len(part.calls):
                inside = reach.get(part.calls[at], set())
                part.calls += [name for name in order if name in inside and name not in part.calls]
                at += 1

    def _rename_steps(self, steps: list[pcal.Step], context: str) -> None:
        for step in steps:
            step.label = self.use(LABEL, step.label, context)
            self._rename_body(step.body, context)

    def _rename_body(self, body: list[pcal.Statement], context: str) -> None:
        for statement in body:
            for name in ("test", "value"):
                if hasattr(statement, name):
                    setattr(statement, name, self.expression(getattr(statement, name), context))
            if isinstance(statement, pcal.Assign):
                for each in statement.parts:
                    each.name = self.variable(each.name, context)
                    each.part, each.value = self.expression(each.part, context), self.expression(each.value, context)
            elif isinstance(statement, pcal.If):
                self._rename_body(statement.then + statement.other, context)
            elif isinstance(statement, pcal.Either):
                for way in statement.ways:
                    self._rename_body(way, context)
            elif isinstance(statement, (pcal.While, pcal.With)):
                self._rename_body(statement.body, context)
            elif isinstance(statement, pcal.Call):
                statement.arguments = [self.expression(each, context) for each in statement.arguments]
                if not self._find(statement.to, "", PROCEDURE):
                    raise Mistake(*statement.at, f"there is no procedure {statement.to}")
                statement.to = self.use(PROCEDURE, statement.to, "")
                statement.source = self.use(PROCEDURE, statement.source, "")
                if statement.then == "goto":
                    statement.after = self._label(statement.after, context, statement)
            elif isinstance(statement, pcal.Return):
                statement.source = self.use(
                    PROCEDURE, statement.source or (context if self._find(context, "", PROCEDURE) else ""), ""
                )
            elif isinstance(statement, pcal.Goto):
                statement.to = self._label(statement.to, context, statement)
            for inner in _direct(statement):
                self._rename_steps(inner, context)

    def _label(self, name: str, context: str, statement: pcal.Statement) -> str:
        if name.strip('"') == "Done":
            return "Done"
        label = self._find(name, context, LABEL)
        if label is None:
            raise Mistake(*statement.at, f"goto {name}: there is no such label here")
        return label.use


def _direct(node: pcal.Statement) -> list[list[pcal.Step]]:
    if isinstance(node, pcal.If):
        return [node.then_steps, node.else_steps]
    if isinstance(node, pcal.Either):
        return node.way_steps
    return [node.steps] if isinstance(node, pcal.While) else []


def inner_steps(body: list[pcal.Statement]) -> list[list[pcal.Step]]:
    """The steps inside some statements. As in pcal, those in the unlabelled beginning of a branch come first."""
    inner: list[list[pcal.Step]] = []
    for node in body:
        if isinstance(node, pcal.If):
            inner += [*inner_steps(node.then), node.then_steps, *inner_steps(node.other), node.else_steps]
        elif isinstance(node, pcal.Either):
            for way, steps in zip(node.ways, node.way_steps, strict=True):
                inner += [*inner_steps(way), steps]
        elif isinstance(node, pcal.While):
            inner += [*inner_steps(node.body), node.steps]
    return inner
