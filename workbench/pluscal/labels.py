"""Adds labels where the manual requires them, and splits bodies into the steps that begin there."""

from workbench.pluscal import algorithm as pcal
from workbench.pluscal.macros import write_out
from workbench.pluscal.tokens import Mistake


def settle(algorithm: pcal.Algorithm, add: bool | None = None, root: str = "Lbl_") -> None:
    """Expand macros, add labels, and split bodies into steps.

    Args:
        add: Whether labels may be added; None for pcal's own rule: only to a single process without any label.
    """
    write_out(algorithm)
    labels = _Labels(algorithm, root)
    for part in algorithm.processes:  # pcal numbers added labels in this order
        labels.body(part.body, "")
    for part in algorithm.procedures:
        labels.body(part.body, part.name)
    if not algorithm.processes:
        labels.body(algorithm.body, algorithm.procedures[-1].name if algorithm.procedures else "")
    may = add if add is not None else not algorithm.processes and not algorithm.has_label
    if algorithm.added and not may:
        first = algorithm.added[0][1]
        rest = ", ".join(f"line {line}" for _, (line, _) in algorithm.added[1:])
        raise Mistake(*first, "a label is missing here" + (f", and at {rest}" if rest else "") + f"; {labels.why}")
    for part in algorithm.processes + algorithm.procedures:
        part.steps = _steps(part.body)
    algorithm.steps = _steps(algorithm.body) if not algorithm.processes else []
    _omissions(algorithm)


class _Labels:
    def __init__(self, algorithm: pcal.Algorithm, root: str) -> None:
        self.algorithm, self.root, self.number, self.why, self.procedure = algorithm, root, 0, "", ""
        self.frames = {variable.name for part in algorithm.procedures for variable in part.parameters + part.variables}

    def body(self, body: list[pcal.Statement], procedure: str) -> None:
        self.procedure = procedure
        self._add(body, "a body begins with a label", False, set())

    def _add(self, body: list[pcal.Statement], reason: str, in_with: bool, assigned: set[str]) -> tuple[set[str], bool]:
        """Label the statements that need it.

        Returns the variables that may have been assigned since the last label, and whether the body has or needs one.

        Args:
            reason: Why the first statement needs a label; empty if it does not.
        """
        crossed, now = False, set(assigned)
        for statement in body:
            if statement.label:
                if in_with:
                    raise Mistake(*statement.at, f"label {statement.label} inside a with, which is a part of one step")
                crossed, now = True, set()
            if reason:
                if in_with:
                    raise Mistake(*statement.at, f"in a with, nothing may follow this: {reason}")
                self._need(statement, reason)
                crossed, now, reason = True, set(), ""
            if isinstance(statement, (pcal.If, pcal.Either)):
                ways = statement.ways if isinstance(statement, pcal.Either) else [statement.then, statement.other]
                results = [self._add(way, "", in_with, now) for way in ways]
                now = set().union(*(out for out, _ in results))
                reason = (
                    "the statement before it holds a label, call, return, or goto" if any(x for _, x in results) else ""
                )
            elif isinstance(statement, pcal.While):
                if in_with:
                    raise Mistake(*statement.at, "a while inside a with, which is a part of one step")
                self._need(statement, "a while begins with a label")
                crossed, now = True, set()
                self._add(statement.body, "", False, set())
            elif isinstance(statement, pcal.With):
                out, needs = self._add(statement.body, "", True, assigned if in_with else set())
                now, reason = out, "a with that calls, returns, or goes is followed by a label" if needs else ""
                if not in_with and assigned & out:
                    self._need(statement, f"{min(assigned & out)} is assigned twice in one step")
                    crossed, now = True, set()
            else:
                targets, reason = self._effects(statement)
                if now & targets:
                    name = min(now & targets)
                    twice = f"{name} is assigned twice in one step"
                    if not isinstance(statement, pcal.Assign):
                        twice = f"{name} has been assigned in this step, and this sets it too"
                    if in_with:
                        raise Mistake(*statement.at, f"in a with, {twice}")
                    self._need(statement, twice)
                    crossed, now = True, set(targets)
                else:
                    now |= targets
        return now, crossed or bool(reason)

    def _effects(self, node: pcal.Statement) -> tuple[set[str], str]:
        if isinstance(node, pcal.Assign):
            return {each.name for each in node.parts}, ""
        if isinstance(node, pcal.Goto):
            return set(), "a goto is followed by a label"
        if isinstance(node, pcal.Return) or (isinstance(node, pcal.Call) and node.then == "return"):
            return {"stack"} | self.frames, "a return is followed by a label"
        if isinstance(node, pcal.Call):
            sets = self.frames if node.to == self.procedure else set()
            return {"stack"} | sets, "a call is followed by a label"
        return set(), ""

    def _need(self, node: pcal.Statement, reason: str) -> None:
        if node.label:
            return
        self.number += 1
        while f"{self.root}{self.number}" in self.algorithm.labels:
            self.number += 1
        node.label = f"{self.root}{self.number}"
        self.algorithm.added.append((node.label, node.at))
        self.why = self.why or reason


def _steps(body: list[pcal.Statement]) -> list[pcal.Step]:
    steps: list[pcal.Step] = []
    for statement in body:
        if statement.label:
            steps.append(pcal.Step(statement.label, [], statement.at))
        steps[-1].body.append(statement)
    for step in steps:
        _cut(step.body)
    return steps


def _cut(body: list[pcal.Statement]) -> None:
    for statement in body:
        if isinstance(statement, pcal.If):
            statement.then, statement.then_steps = _until_label(statement.then)
            statement.other, statement.else_steps = _until_label(statement.other)
        elif isinstance(statement, pcal.Either):
            both = [_until_label(way) for way in statement.ways]
            statement.ways, statement.way_steps = [way for way, _ in both], [steps for _, steps in both]
        elif isinstance(statement, pcal.While):
            statement.body, statement.steps = _until_label(statement.body)
        elif isinstance(statement, pcal.With):
            _cut(statement.body)


def _until_label(body: list[pcal.Statement]) -> tuple[list[pcal.Statement], list[pcal.Step]]:
    at = next((index for index, statement in enumerate(body) if statement.label), len(body))
    _cut(body[:at])
    return body[:at], _steps(body[at:])


def holds_steps(node: pcal.Statement) -> bool:
    """Whether there is a label inside an if or an either."""
    if isinstance(node, pcal.If):
        return bool(node.then_steps or node.else_steps) or any(map(holds_steps, node.then + node.other))
    if isinstance(node, pcal.Either):
        return any(node.way_steps) or any(holds_steps(each) for way in node.ways for each in way)
    return False


def _omissions(algorithm: pcal.Algorithm) -> None:
    """Decide whether the translation can omit pc, and the stuttering step at its end."""
    algorithm.omit_pc = not (algorithm.procedures or algorithm.goes or algorithm.goes_to_done or algorithm.modified)
    bodies = [part.steps for part in algorithm.processes] or [algorithm.steps]
    omits = []
    for steps in bodies:
        first = steps[0].body if steps else []
        loop = first[0] if len(steps) == 1 and len(first) == 1 else None
        endless = isinstance(loop, pcal.While) and len(loop.test.words) == 1 and loop.test.is_word("TRUE")
        omits.append(endless or not steps)
        if not steps:
            continue
        if not endless or loop.steps or any(map(holds_steps, loop.body)):  # type: ignore[union-attr]
            algorithm.omit_pc = False
    algorithm.omit_stuttering = any(omits) and not algorithm.goes_to_done
