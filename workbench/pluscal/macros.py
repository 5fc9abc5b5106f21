"""Expands macros where they are called."""

from copy import copy
from dataclasses import replace

from workbench.pluscal import algorithm as pcal
from workbench.pluscal.expressions import Expression
from workbench.pluscal.tokens import NAME, Mistake


def write_out(algorithm: pcal.Algorithm) -> None:
    macros: dict[str, pcal.Macro] = {}
    for macro in algorithm.macros:
        macro.body = _expanded(macro.body, macros)
        if macro.name in macros:
            raise Mistake(*macro.at, f"there are two macros {macro.name}")
        macros[macro.name] = macro
    for part in algorithm.processes + algorithm.procedures:
        part.body = _expanded(part.body, macros)
    algorithm.body = _expanded(algorithm.body, macros)


def _expanded(body: list[pcal.Statement], macros: dict[str, pcal.Macro]) -> list[pcal.Statement]:
    expanded: list[pcal.Statement] = []
    for statement in body:
        if isinstance(statement, pcal.MacroCall):
            expanded.extend(_written_out(statement, macros))
            continue
        if isinstance(statement, pcal.If):
            statement.then, statement.other = _expanded(statement.then, macros), _expanded(statement.other, macros)
        elif isinstance(statement, pcal.Either):
            statement.ways = [_expanded(way, macros) for way in statement.ways]
        elif isinstance(statement, (pcal.While, pcal.With)):
            statement.body = _expanded(statement.body, macros)
        expanded.append(statement)
    return expanded


def _written_out(call: pcal.MacroCall, macros: dict[str, pcal.Macro]) -> list[pcal.Statement]:
    macro = macros.get(call.name)
    if macro is None:
        raise Mistake(*call.at, f"{call.name} is no macro; a procedure is called by call {call.name}(...)")
    if len(macro.parameters) != len(call.arguments):
        raise Mistake(
            *call.at, f"{call.name} takes {len(macro.parameters)} arguments, and {len(call.arguments)} are given"
        )
    by = dict(zip(macro.parameters, call.arguments, strict=True))
    body = [_substituted(statement, by, call) for statement in macro.body]
    body[0].label, body[0].label_at = call.label, call.label_at
    return body


def _substituted(statement: pcal.Statement, by: dict[str, Expression], call: pcal.MacroCall) -> pcal.Statement:
    new = copy(statement)
    new.call = call.at
    for name in ("test", "value"):
        if hasattr(new, name):
            setattr(new, name, getattr(statement, name).replaced(by, parentheses=True))
    for name in ("then", "other", "body"):
        if isinstance(getattr(new, name, None), list):
            setattr(new, name, [_substituted(each, by, call) for each in getattr(statement, name)])
    if isinstance(new, pcal.Either):
        new.ways = [[_substituted(each, by, call) for each in way] for way in new.ways]
    elif isinstance(new, pcal.Assign):
        new.parts = [_substituted_single(each, by, call) for each in new.parts]
    elif isinstance(new, (pcal.Call, pcal.MacroCall)):
        new.arguments = [each.replaced(by, parentheses=True) for each in new.arguments]
    elif isinstance(new, pcal.Goto) and new.to in by:
        new.to = by[new.to].texts()[0]
    return new


def _substituted_single(single: pcal.Single, by: dict[str, Expression], call: pcal.MacroCall) -> pcal.Single:
    part, value = single.part.replaced(by, parentheses=True), single.value.replaced(by, parentheses=True)
    argument = by.get(single.name)
    if argument is None:
        return replace(single, part=part, value=value)
    first = argument.words[0]
    if first.kind != NAME:
        raise Mistake(*call.at, f"{call.name} assigns to its parameter {single.name}, which cannot be {first.text}")
    rest = Expression([argument.lines[0][1:], *argument.lines[1:]])
    if rest:
        part = rest.before(part) if part else rest.copy()
    return replace(single, name=first.text, part=part, value=value)
