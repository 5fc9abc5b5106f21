"""Names that clash: labels, processes, procedures, and local variables become names of one module."""

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
    """The symbols of an algorithm, each with the name it bears in the translation."""

    def __init__(self, algorithm: pcal.Algorithm) -> None:
        self.symbols: list[_Symbol] = []
        self.report: list[str] = []
        self.algorithm = algorithm
        self._insert(GLOBAL, "pc", "", "", (0, 0))
        if algorithm.procedures:
            self._insert(GLOBAL, "stack", "", "", (0, 0))
        for one in algorithm.variables:
            self._insert(GLOBAL, one.name, "", "process", one.at)
        for part in algorithm.procedures:
            self._insert(PROCEDURE, part.name, "", "procedure", part.at)
            for one in part.variables:
                self._insert(PROCEDURE_VARIABLE, one.name, part.name, "procedure", one.at)
            for one in part.parameters:
                self._insert(PARAMETER, one.name, part.name, "procedure", one.at)
            self._steps(part.steps, part.name, "procedure")
        for part in algorithm.processes:
            self._insert(PROCESS, part.name, "", "process", part.at)
            for one in part.variables:
                self._insert(PROCESS_VARIABLE, one.name, part.name, "process", one.at)
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
            for one in self.symbols:
                if one.kind != kind:
                    continue
                length = 0
                while sum(other.use == one.use for other in self.symbols) > 1:
                    length += 1
                    if length == 1:
                        one.use += "_"
                    elif length > len(one.context) + 1:
                        one.use += str(kind)
                    else:
                        one.use += one.context[length - 2]
                if one.use != one.name:
                    of = f" of {one.role} {one.context}" if one.context else ""
                    where = f"at line {one.at[0]} col {one.at[1]}"
                    self.report.append(f"\\* {_KINDS[kind]} {one.name}{of} {where} changed to {one.use}")

    # Renaming

    def use(self, kind: int, name: str, context: str) -> str:
        found = self._find(name, context, kind)
        return found.use if found else name

    def variable(self, name: str, context: str) -> str:
        found = self._find(name, context)
        kinds = (GLOBAL, PROCESS_VARIABLE, PROCEDURE_VARIABLE, PARAMETER)
        return found.use if found and found.kind in kinds else name

    def expression(self, one: Expression, context: str) -> Expression:
        new = {}
        for word in one.words:
            if word.kind == "name" and (use := self.variable(word.text, context)) != word.text:
                new[word.text] = sentence(use)
        return one.replaced(new, parentheses=False) if new else one

    def _rename(self) -> None:
        algorithm = self.algorithm
        for part in algorithm.procedures + algorithm.processes:
            for one in part.variables + part.parameters:
                one.name, one.value = self.variable(one.name, part.name), self.expression(one.value, part.name)
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
        for one in body:
            for name in ("test", "value"):
                if hasattr(one, name):
                    setattr(one, name, self.expression(getattr(one, name), context))
            if isinstance(one, pcal.Assign):
                for each in one.parts:
                    each.name = self.variable(each.name, context)
                    each.part, each.value = self.expression(each.part, context), self.expression(each.value, context)
            elif isinstance(one, pcal.If):
                self._rename_body(one.then + one.other, context)
            elif isinstance(one, pcal.Either):
                for way in one.ways:
                    self._rename_body(way, context)
            elif isinstance(one, (pcal.While, pcal.With)):
                self._rename_body(one.body, context)
            elif isinstance(one, pcal.Call):
                one.arguments = [self.expression(each, context) for each in one.arguments]
                if not self._find(one.to, "", PROCEDURE):
                    raise Mistake(*one.at, f"there is no procedure {one.to}")
                one.to = self.use(PROCEDURE, one.to, "")
                one.source = self.use(PROCEDURE, one.source, "")
                if one.then == "goto":
                    one.after = self._label(one.after, context, one)
            elif isinstance(one, pcal.Return):
                one.source = self.use(
                    PROCEDURE, one.source or (context if self._find(context, "", PROCEDURE) else ""), ""
                )
            elif isinstance(one, pcal.Goto):
                one.to = self._label(one.to, context, one)
            for inner in _direct(one):
                self._rename_steps(inner, context)

    def _label(self, name: str, context: str, one: pcal.Statement) -> str:
        if name.strip('"') == "Done":
            return "Done"
        found = self._find(name, context, LABEL)
        if found is None:
            raise Mistake(*one.at, f"goto {name}: there is no such label here")
        return found.use


def _direct(one: pcal.Statement) -> list[list[pcal.Step]]:
    if isinstance(one, pcal.If):
        return [one.then_steps, one.else_steps]
    if isinstance(one, pcal.Either):
        return one.way_steps
    return [one.steps] if isinstance(one, pcal.While) else []


def inner_steps(body: list[pcal.Statement]) -> list[list[pcal.Step]]:
    """The steps inside some statements; what stands before a label comes first, as in pcal."""
    found: list[list[pcal.Step]] = []
    for one in body:
        if isinstance(one, pcal.If):
            found += [*inner_steps(one.then), one.then_steps, *inner_steps(one.other), one.else_steps]
        elif isinstance(one, pcal.Either):
            for way, steps in zip(one.ways, one.way_steps, strict=True):
                found += [*inner_steps(way), steps]
        elif isinstance(one, pcal.While):
            found += [*inner_steps(one.body), one.steps]
    return found
