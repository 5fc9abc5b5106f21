r"""Does `workbench.tlaplus` say what TLC says? Compares them on random modules with random configurations.

::

    python scripts/random_tla.py --count 200 --seed 0 --tlc "java -cp tla2tools.jar tlc2.TLC -workers 1"
    python scripts/random_tla.py --count 1 --seed 7123 --tlc ... --keep DIR  # repeat one that differed; keep its text

Ours are the compiled machine (the engine local) and, in spaces that are not large, the plain evaluator (reference).
Compared are the distinct and generated states and the depth of the whole space, the verdict of every property, the
lengths of counterexamples of safety, and whether there is an error, with the length of the behaviour that leads to it.
TLC stops at a violation, so it runs again without that property until it has gone through everything. A module with a
formula that is *unknown* here is only counted. Exit status: 0 if nothing differs; 1 otherwise, and each difference is
printed with the seed of its module.
"""

import argparse
import random
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from workbench.checking.check import check
from workbench.kernel import InputError, ModelError
from workbench.kernel.meaning.budget import Budget
from workbench.tlaplus.machine.specification import module_of_text

#: By engine: a module whose space is larger is passed over.
MOST = {"local": 30_000, "reference": 3_000}


class Text(NamedTuple):
    """A module M with those that it uses, and what its configuration says.

    Attributes:
        head: The configuration without properties.
    """

    module: str
    others: dict[str, str]
    head: str
    invariants: tuple[str, ...]
    temporal: tuple[str, ...]
    deadlock: bool

    def cfg(self, left_out: frozenset[str] = frozenset()) -> str:
        lines = [self.head, f"CHECK_DEADLOCK {'TRUE' if self.deadlock and 'Deadlock' not in left_out else 'FALSE'}"]
        lines += [f"INVARIANT {name}" for name in self.invariants if name not in left_out]
        lines += [f"PROPERTY {name}" for name in self.temporal if name not in left_out]
        return "\n".join(lines) + "\n"


class Answer(NamedTuple):
    """What one of the two says: figures of the whole space, and what is wrong, with the states of its trace."""

    figures: tuple[int, ...]
    wrong: dict[str, int | None]
    error: str


# Random modules ------------------------------------------------------------------------------------------------------

#: A few operators that modules use; the configuration gives values to the constants.
LIBRARY = r"""CONSTANTS Procs, None, Limit
Inc(n) == (n + 1) % 3
Two(Op(_), n) == Op(Op(n))
Both(Op(_, _), a, b) == Op(a, b)
Let(a, Op(_)) == Op(a)
RECURSIVE Sum(_)
Sum(s) == IF s = <<>> THEN 0 ELSE (Head(s) + Sum(Tail(s))) % 3
RECURSIVE Fold(_, _, _)
Least(S) == CHOOSE n \in S : \A m \in S : n <= m
Fold(Op(_, _), e, S) == IF S = {} THEN e ELSE Fold(Op, Op(e, Least(S)), S \ {Least(S)})
Put(v, e) == v' = e
PutIn(v, S) == v' \in S
Change(Op(_), v) == v' = Op(v)
Keep(v) == UNCHANGED v
Do(Op(_), e) == Op(e)
Short(q) == Len(q) <= 2
count[n \in 0 .. 4] == IF n = 0 THEN 0 ELSE (1 + count[n - 1]) % 3
"""
OTHER = r"""EXTENDS Naturals
CONSTANTS K, Op(_)
VARIABLE v
Val == (v + K) % 3
Move == v < 2 /\ v' = Op(v)
Set(n) == v' = (n + K) % 3
Less(n) == v < n + K
Steps == [][v' # K]_v
"""


class Kind(NamedTuple):
    """A kind of variables: the number of its values, a value to start with, and the set of its values."""

    size: int
    start: str
    values: str


KINDS = {
    "int": Kind(3, "0", "0 .. 2"),
    "bool": Kind(2, "FALSE", "BOOLEAN"),
    "str": Kind(3, '"a"', '{"a", "b", "c"}'),
    "proc": Kind(3, "None", r"Procs \cup {None}"),
    "rec": Kind(9, '[n |-> 0, s |-> "a"]', '[n : 0 .. 2, s : {"a", "b", "c"}]'),
    "fun": Kind(9, r"[p \in Procs |-> 0]", "[Procs -> 0 .. 2]"),
    "funrec": Kind(36, r"[p \in Procs |-> [n |-> 0, b |-> TRUE]]", "[Procs -> [n : 0 .. 2, b : BOOLEAN]]"),
    "seq": Kind(13, "<<>>", "UNION {[1 .. n -> 0 .. 2] : n \\in 0 .. 2}"),
    "set": Kind(8, "{}", "SUBSET (0 .. 2)"),
    "procs": Kind(4, "{}", "SUBSET Procs"),
    "msgs": Kind(64, "{}", 'SUBSET [type : {"a", "b"}, n : 0 .. 2]'),
    "part": Kind(16, "<<>>", "UNION {[D -> 0 .. 2] : D \\in SUBSET (Procs)}"),
}


@dataclass
class Around:
    """What an expression can use: names by their kind, and which of them are primed already."""

    names: dict[str, list[str]] = field(default_factory=dict)

    def and_(self, kind: str, name: str) -> "Around":
        names = {held_kind: list(held) for held_kind, held in self.names.items()}
        names.setdefault(kind, []).append(name)
        return Around(names)


class Writer:
    """Writes one random module."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.symmetric = self.chance(0.15)
        self.careless = self.chance(0.1)
        self.variables: dict[str, str] = {}
        room = 20_000
        for name in "xyzwu"[: self.random.randint(3, 5)]:
            fitting = [kind for kind, shape in KINDS.items() if shape.size <= room]
            if fitting:
                self.variables[name] = self.pick(*fitting)
                room //= KINDS[self.variables[name]].size

    def chance(self, of_one: float) -> bool:
        return self.random.random() < of_one

    def pick(self, *options: Any) -> Any:
        return self.random.choice(options)

    def fresh(self, stem: str = "e") -> str:
        self.count += 1
        return f"{stem}{self.count}"

    # Expressions -----------------------------------------------------------------------------------------------------

    def of(self, kind: str, around: Around, depth: int = 3) -> str:
        """An expression of a kind."""
        held = around.names.get(kind, [])
        if held and (depth <= 0 or self.chance(0.35)):
            return str(self.pick(*held))
        if depth > 0 and self.chance(0.2):
            return self.wrapped(kind, around, depth - 1)
        writer_of: Callable[[Around, int], str] = getattr(self, f"of_{kind}")
        return writer_of(around, depth - 1)

    def wrapped(self, kind: str, around: Around, depth: int) -> str:
        """A construct that any kind can stand in."""
        name = self.fresh()

        def inner(inside: Around = around) -> str:
            return self.of(kind, inside, depth)

        def test() -> str:
            return self.of("bool", around, depth)

        match self.random.randrange(8):
            case 0:
                return f"(IF {test()} THEN {inner()} ELSE {inner()})"
            case 1:
                return f"(CASE {test()} -> {inner()} [] {test()} -> {inner()} [] OTHER -> {inner()})"
            case 2:
                other = self.pick("int", "bool", "set", "str")
                return f"(LET {name} == {self.of(other, around, depth)} IN {inner(around.and_(other, name))})"
            case 3:
                inside = around.and_("int", name)
                return f"(LET F{name}({name}) == {inner(inside)} IN F{name}({self.of('int', around, depth)}))"
            case 4:
                inside = around.and_("int", name)
                return f"Let({self.of('int', around, depth)}, LAMBDA {name} : {inner(inside)})"
            case 5:
                inside = around.and_("int", name)
                return f"[{name} \\in 0 .. 2 |-> {inner(inside)}][{self.of('int', around, depth)}]"
            case 6:
                return f"<<{self.of('int', around, depth)}, {inner()}>>[2]"
            case _:
                return f"[n |-> {self.of('bool', around, depth)}, it |-> {inner()}].it"

    def of_int(self, around: Around, depth: int) -> str:
        if depth < 0:
            return str(self.pick("0", "1", "2", "Limit"))

        def of(kind: str) -> str:
            return self.of(kind, around, depth)

        name = self.fresh()
        inside = around.and_("int", name)
        match self.random.randrange(24):
            case 0 | 1:
                return f"(({of('int')} {self.pick('+', '-', '*')} {of('int')}) % 3)"
            case 2:
                return f"(Cardinality({of(self.pick('set', 'procs', 'msgs'))}) % 3)"
            case 3:
                return f"(Len({of('seq')}) % 3)"
            case 4 | 5:
                return f"{of('rec')}.n"
            case 6 | 7:
                return f"{of('fun')}[{self.a_proc(around)}]"
            case 8:
                return f"{of('funrec')}[{self.a_proc(around)}].n"
            case 9:
                return f"Inc({of('int')})"
            case 10:
                return f"Two(LAMBDA {name} : {self.of('int', inside, depth)}, {of('int')})"
            case 11:
                return f"Two({self.pick('Inc', 'LAMBDA n : (n * 2) % 3')}, {of('int')})"
            case 12:
                return f"Sum({of('seq')})"
            case 13:
                other = self.fresh()
                body = self.of("int", inside.and_("int", other), depth)
                return f"Fold(LAMBDA {name}, {other} : {body}, {of('int')}, {of('set')})"
            case 14:
                smallest = f"\\A m{name} \\in {{0, 1, 2}} : m{name} >= {name}"
                return (
                    f"(CHOOSE {name} \\in {of('set')} \\cup {{2}} : {self.of('bool', inside, depth)} \\/ {name} = 2)"
                    if (self.chance(0.5))
                    else f"(CHOOSE {name} \\in {of('set')} \\cup {{0}} : {smallest})"
                )
            case 15 | 16:
                return (
                    str(self.pick("I!Val", f"J({self.pick(1, 'Limit')})!Val", f"G({of('int')})!Val"))
                    if self.has_int
                    else of("int")
                )
            case 17:
                return f"count[{of('int')} + Limit]"
            case 18:
                return f"Both(LAMBDA a, b : (a + b) % 3, {of('int')}, {of('int')})"
            case 19 if self.careless:
                return f"Head({of('seq')})"
            case 20:
                return f"(IF {of('seq')} = <<>> THEN 0 ELSE 1)"
            case 21:
                return f"(LET q{name} == {of('seq')} IN IF q{name} = <<>> THEN {of('int')} ELSE Head(q{name}))"
            case 22:
                return f"(-{of('int')} + 2)"
            case _:
                return str(self.pick("0", "1", "2"))

    def a_proc(self, around: Around) -> str:
        """A member of Procs."""
        bound = around.names.get("bound", [])
        if bound and (self.symmetric or self.chance(0.8)):
            return str(self.pick(*bound))
        return "(CHOOSE me \\in Procs : TRUE)" if not self.symmetric else self.any_proc()

    def any_proc(self) -> str:
        return "self" if self.inside_action else "(CHOOSE me \\in Procs : TRUE)"

    inside_action = False

    def of_bool(self, around: Around, depth: int) -> str:
        if depth < 0:
            return str(self.pick("TRUE", "FALSE"))

        def of(kind: str) -> str:
            return self.of(kind, around, depth)

        name = self.fresh()
        inside = around.and_("int", name)
        match self.random.randrange(22):
            case 0 | 1:
                return f"({of('bool')} {self.pick('/' + chr(92), chr(92) + '/', '=>', '<=>', '=', '#')} {of('bool')})"
            case 2:
                return f"~{of('bool')}"
            case 3 | 4 | 5:
                return f"({of('int')} {self.pick('<', '<=', '>', '>=', '=', '#')} {of('int')})"
            case 6 | 7:
                kind = self.pick(*self.variables.values())
                return f"({of(kind)} {self.pick('=', '#')} {of(kind)})"
            case 8:
                return f"({of('int')} {self.pick(chr(92) + 'in', chr(92) + 'notin')} {of('set')})"
            case 9:
                return f"({of('set')} \\subseteq {of('set')})"
            case 10:
                quantifier = self.pick("\\A", "\\E")
                return f"({quantifier} {name} \\in {self.pick('0 .. 2', of('set'))} : {self.of('bool', inside, depth)})"
            case 11 | 12:
                of_proc = around.and_("proc", name).and_("bound", name)
                quantifier = self.pick("\\A", "\\E")
                return f"({quantifier} {name} \\in Procs : {self.of('bool', of_proc, depth)})"
            case 13:
                message = around.and_("msg", name)
                message = message.and_("int", f"{name}.n").and_("str", f"{name}.type")
                quantifier = self.pick("\\A", "\\E")
                return f"({quantifier} {name} \\in {of('msgs')} : {self.of('bool', message, depth)})"
            case 14:
                return f"({of('str')} = {of('str')})"
            case 15:
                return f"({of('proc')} {self.pick('=', '#')} {of('proc')})"
            case 16:
                return f"(DOMAIN {of('part')} {self.pick('=', chr(92) + 'subseteq')} {of('procs')})"
            case 17:
                return f"({of('funrec')}[{self.a_proc(around)}].b)"
            case 18:
                return (
                    f"{self.pick('J(2)', f'G({of(chr(105) + chr(110) + chr(116))})')}!Less({of('int')})"
                    if self.has_int
                    else of("bool")
                )
            case 19:
                kind = self.pick(*self.variables.values())
                return f"({of(kind)} \\in {KINDS[kind].values})" if kind != "part" else of("bool")
            case _:
                kind = self.pick("seq", "set", "msgs")
                empty = "<<>>" if kind == "seq" else "{}"
                return f"({of(kind)} # {empty})"

    def of_str(self, around: Around, depth: int) -> str:
        if depth > 0 and self.chance(0.3):
            return f"{self.of('rec', around, depth)}.s"
        return str(self.pick('"a"', '"b"', '"c"'))

    def of_proc(self, around: Around, depth: int) -> str:
        bound = around.names.get("bound", [])
        return str(self.pick(*bound, "None")) if not self.chance(0.2) else self.a_proc(around)

    def of_rec(self, around: Around, depth: int) -> str:
        number, string = self.of("int", around, depth), self.of("str", around, depth)
        match self.random.randrange(5 if depth > 0 else 2):
            case 2:
                return f"[{self.of('rec', around, depth)} EXCEPT !.n = (@ + {number}) % 3]"
            case 3:
                return f"[{self.of('rec', around, depth)} EXCEPT !.n = {number}, !.s = {self.pick('@', string)}]"
            case 4:
                return f'(("n" :> {number}) @@ {self.of("rec", around, depth)})'
            case _:
                return f"[n |-> {number}, s |-> {string}]"

    def of_fun(self, around: Around, depth: int) -> str:
        name = self.fresh()
        inside = around.and_("bound", name).and_("proc", name)
        match self.random.randrange(6):
            case 0 | 1 | 2 if depth > 0:
                value = self.pick("(@ + 1) % 3", self.of("int", around, depth), "Inc(@)")
                return f"[{self.of('fun', around, depth)} EXCEPT ![{self.a_proc(around)}] = {value}]"
            case 3 if depth > 0:
                return f"({self.a_proc(around)} :> {self.of('int', around, depth)} @@ {self.of('fun', around, depth)})"
            case _:
                return f"[{name} \\in Procs |-> {self.of('int', inside, depth)}]"

    def of_funrec(self, around: Around, depth: int) -> str:
        name = self.fresh()
        inside = around.and_("bound", name).and_("proc", name)
        match self.random.randrange(6):
            case 0 | 1 if depth > 0:
                value = self.pick("(@ + 1) % 3", self.of("int", around, depth))
                return f"[{self.of('funrec', around, depth)} EXCEPT ![{self.a_proc(around)}].n = {value}]"
            case 2 if depth > 0:
                place = self.a_proc(around)
                return f"[{self.of('funrec', around, depth)} EXCEPT ![{place}].b = ~@, ![{place}].n = Inc(@)]"
            case 3 if depth > 0:
                value = f"[@ EXCEPT !.n = {self.of('int', around, depth)}]"
                return f"[{self.of('funrec', around, depth)} EXCEPT ![{self.a_proc(around)}] = {value}]"
            case _:
                number, truth = self.of("int", inside, depth), self.of("bool", inside, depth)
                return f"[{name} \\in Procs |-> [n |-> {number}, b |-> {truth}]]"

    def of_seq(self, around: Around, depth: int) -> str:
        name = self.fresh("q")
        inside = around.and_("int", name)
        if depth <= 0:
            return str(self.pick("<<>>", "<<1>>", f"<<{self.of('int', around, 0)}>>"))
        number, sequence = self.of("int", around, depth), self.of("seq", around, depth)
        match self.random.randrange(8):
            case 0 | 1 | 2:
                return (
                    f"(LET {name} == {sequence} IN IF Len({name}) < 2 THEN Append({name}, {number}) ELSE Tail({name}))"
                )
            case 3:
                return f"SelectSeq({sequence}, LAMBDA {name} : {self.of('bool', inside, depth)})"
            case 4:
                return f"SubSeq({sequence} \\o <<{number}>>, 1, {self.pick(1, 2)} - 1)"
            case 5:
                return f"[{name} \\in DOMAIN {sequence} |-> {self.of('int', around, depth)}]"
            case 6:
                return f"[{sequence} EXCEPT ![1] = {self.pick('(@ + 1) % 3', number)}]" if self.careless else sequence
            case _:
                return f"<<{number}>>"

    def of_set(self, around: Around, depth: int) -> str:
        name = self.fresh()
        inside = around.and_("int", name)
        if depth < 0:
            return str(self.pick("{}", "{0, 1}", "{2}", "0 .. 1"))
        first, second = self.of("set", around, depth - 1), self.of("set", around, depth - 1)
        number = self.of("int", around, depth)
        match self.random.randrange(9):
            case 0 | 1 | 2:
                operator, other = self.pick("\\cup", "\\", "\\cap"), self.pick(second, f"{{{number}}}")
                return f"({first} {operator} {other})"
            case 3:
                return f"{{{name} \\in {first} : {self.of('bool', inside, depth)}}}"
            case 4:
                return f"{{{self.of('int', inside, depth)} : {name} \\in {first}}}"
            case 5:
                return f"{{{name}.n : {name} \\in {self.of('msgs', around, depth)}}}"
            case 6:
                return f"({number} .. {self.of('int', around, depth)})"
            case 7:
                return f"UNION {{{first}, {second}}}"
            case _:
                return f"{{{number}}}"

    def of_procs(self, around: Around, depth: int) -> str:
        name = self.fresh()
        inside = around.and_("bound", name).and_("proc", name)
        bound = around.names.get("bound", [])
        match self.random.randrange(6):
            case 0 | 1 if bound and depth > 0:
                return (
                    f"({self.of('procs', around, depth)} {self.pick(chr(92) + 'cup', chr(92))} {{{self.pick(*bound)}}})"
                )
            case 2 if depth > 0:
                return f"{{{name} \\in Procs : {self.of('bool', inside, depth)}}}"
            case 3 if depth > 0:
                return f"DOMAIN {self.of('part', around, depth)}"
            case 4:
                return str(self.pick("Procs", "{}"))
            case _:
                return f"{{{self.pick(*bound)}}}" if bound else "{}"

    def of_msgs(self, around: Around, depth: int) -> str:
        name = self.fresh()
        inside = around.and_("msg", name).and_("int", f"{name}.n").and_("str", f"{name}.type")
        kind = self.pick("a", "b")
        message = f'[type |-> "{kind}", n |-> {self.of("int", around, depth)}]'
        if depth <= 0:
            return f"{{{message}}}"
        some = self.of("msgs", around, depth)
        match self.random.randrange(6):
            case 0 | 1 | 2:
                return f"({some} \\cup {{{message}}})"
            case 3:
                return f"({some} \\ {{{message}}})"
            case 4:
                return f"{{{name} \\in {some} : {self.of('bool', inside, depth)}}}"
            case _:
                return f"{{[{name} EXCEPT !.n = {self.of('int', inside, depth)}] : {name} \\in {some}}}"

    def of_part(self, around: Around, depth: int) -> str:
        name = self.fresh()
        inside = around.and_("bound", name).and_("proc", name)
        bound = around.names.get("bound", [])
        if depth > 0 and bound and self.chance(0.6):
            pair = f"{self.pick(*bound)} :> {self.of('int', around, depth)}"
            some = self.of("part", around, depth)
            return f"({pair} @@ {some})" if self.chance(0.5) else f"({some} @@ {pair})"
        if depth > 0:
            return f"[{name} \\in {self.of('procs', around, depth)} |-> {self.of('int', inside, depth)}]"
        return "<<>>"

    # Actions ---------------------------------------------------------------------------------------------------------

    @property
    def has_int(self) -> bool:
        return self.substituted is not None

    substituted: str | None = None

    def likely(self, name: str, around: Around) -> str:
        """A value of a variable that often differs from the one it has."""
        kind = self.variables[name]
        number, place = self.of("int", around, 2), self.a_proc(around)
        me = self.pick(*around.names.get("bound", ["None"]))
        options = {
            "int": [f"({name} + 1) % 3", f"Inc({name})", f"({name} + {number}) % 3"],
            "bool": [f"~{name}", f"({name} # {self.of('bool', around, 2)})"],
            "str": [f'(IF {name} = "a" THEN "b" ELSE IF {name} = "b" THEN "c" ELSE "a")'],
            "proc": [f"(IF {name} = None THEN {me} ELSE None)"],
            "rec": [
                f"[{name} EXCEPT !.n = Inc(@)]",
                f'[{name} EXCEPT !.n = Inc(@), !.s = IF @ = "a" THEN "b" ELSE "a"]',
            ],
            "fun": [f"[{name} EXCEPT ![{place}] = (@ + 1) % 3]", f"({place} :> Inc({name}[{place}]) @@ {name})"],
            "funrec": [
                f"[{name} EXCEPT ![{place}].n = Inc(@)]",
                f"[{name} EXCEPT ![{place}] = [n |-> {number}, b |-> ~@.b]]",
            ],
            "seq": [f"(IF Len({name}) < 2 THEN Append({name}, {number}) ELSE Tail({name}))"],
            "set": [f"({name} \\cup {{{number}}})", f"({name} \\ {{{number}}})"],
            "procs": [f"({name} \\cup ({{{me}}} \\cap Procs))", f"({name} \\ {{{me}}})", f"(Procs \\ {name})"],
            "msgs": [f'({name} \\cup {{[type |-> "{kind}", n |-> {number}]}})' for kind in "ab"]
            + [f"{{m \\in {name} : m.n # {number}}}"],
            "part": [
                f"(({me} :> {number}) @@ {name})" if me != "None" else name,
                f"[p \\in DOMAIN {name} |-> Inc({name}[p])]",
            ],
        }
        return str(self.pick(*options[kind])).replace("[p \\in", "[each \\in").replace("[p])]", "[each])]")

    def guard(self, around: Around) -> str:
        """A test that often holds in some states, and not in others."""
        name = self.pick(*self.variables)
        kind = self.variables[name]
        number, place = self.of("int", around, 1), self.a_proc(around)
        options = {
            "int": [f"{name} < 2", f"{name} # {number}", f"({name} = 0 \\/ {name} < {number})"],
            "bool": [name, f"~{name}"],
            "str": [f'{name} = "{value}"' for value in "abc"],
            "proc": [f"{name} = None", f"{name} # None"],
            "rec": [f"{name}.n # {number}", f'{name}.s = "a"'],
            "fun": [f"{name}[{place}] = {number}", f"(\\A each \\in Procs : {name}[each] <= {name}[{place}])"],
            "funrec": [f"{name}[{place}].b", f"{name}[{place}].n < 2"],
            "seq": [f"Len({name}) < 2", f"{name} # <<>>", f"(\\E i \\in DOMAIN {name} : {name}[i] = {number})"],
            "set": [f"{number} \\notin {name}", f"Cardinality({name}) < 2"],
            "procs": [f"{name} # Procs", f"{place} \\in {name}"],
            "msgs": [f"(\\E m \\in {name} : m.n = {number})", f"Cardinality({name}) < 3"],
            "part": [f"{place} \\in DOMAIN {name}", f"{place} \\notin DOMAIN {name}"],
        }
        return str(self.pick(*options[kind]))

    def changes(self, name: str, around: Around) -> str:
        """What assigns one variable."""
        kind = self.variables[name]
        value = self.likely(name, around) if self.chance(0.75) else self.of(kind, around)
        argument = self.fresh()
        match self.random.randrange(14):
            case 0:
                return f"{name}' \\in {{{value}, {self.of(kind, around, 2)}}}"
            case 1:
                return f"Put({name}, {value})"
            case 2:
                return f"Change(LAMBDA {argument} : {self.of(kind, around.and_(kind, argument), 2)}, {name})"
            case 3:
                return f"Do(LAMBDA {argument} : {name}' = {argument}, {value})"
            case 4:
                return f"PutIn({name}, {{{value}, {self.of(kind, around, 1)}}})"
            case 5:
                other = self.pick("int", "bool")
                body = self.of(kind, around.and_(other, argument), 2)
                return f"(LET {argument} == {self.of(other, around)} IN {name}' = {body})"
            case 6:
                number = around.and_("int", argument)
                return f"(\\E {argument} \\in {self.of('set', around, 2)} : {name}' = {self.of(kind, number, 2)})"
            case 7:
                return f"(IF {self.of('bool', around)} THEN {name}' = {value} ELSE UNCHANGED {name})"
            case 8:
                test = self.of("bool", around, 2)
                return f"(CASE {test} -> {name}' = {value} [] OTHER -> Keep({name}))"
            case 9:
                test, other = self.of("bool", around, 2), self.of(kind, around, 2)
                return f"({name}' = {value} \\/ ({test} /\\ {name}' = {other}))"
            case 10 if name == self.substituted:
                return str(self.pick("I!Move", f"I!Set({self.of('int', around, 2)})"))
            case _:
                return f"{name}' = {value}"

    def action(self, around: Around) -> str:
        """The body of an action: guards, and what assigns every variable once."""
        parts = [self.guard(around) for _ in range(self.pick(0, 0, 1, 1))]
        if self.chance(0.15):
            parts.append(self.of("bool", around))
        kept = []
        order = list(self.variables)
        self.random.shuffle(order)
        for name in order:
            if self.chance(0.4):
                kept.append(name)
                continue
            parts.append(self.changes(name, around))
            if self.chance(0.2):
                around = around.and_(self.variables[name], f"{name}'")
            if self.chance(0.06):
                parts.append(self.of("bool", around, 2))
        if kept:
            at = self.random.randrange(len(parts) + 1)
            parts.insert(at, f"UNCHANGED {kept[0]}" if len(kept) == 1 else f"UNCHANGED <<{', '.join(kept)}>>")
        if self.chance(0.1):
            parts.append(f"[n |-> {self.of('int', around)}].n \\in 0 .. 5")
        lines = "\n".join(f"    /\\ {part}" for part in parts)
        return f"\n{lines}"

    def module(self) -> Text:
        numbers = [name for name, kind in self.variables.items() if kind == "int"]
        self.substituted = numbers[0] if numbers else None
        around = Around()
        for name, kind in self.variables.items():
            around = around.and_(kind, name)
        variables = ", ".join(self.variables)
        lines = ["EXTENDS Integers, Sequences, FiniteSets, TLC", LIBRARY + f"VARIABLES {variables}"]
        lines.append(f"vars == <<{variables}>>")
        if self.substituted:
            lines.append(f"I == INSTANCE Other WITH v <- {self.substituted}, K <- 1, Op <- Inc")
            state_function = self.of_free(around)
            lines.append(f"J(k) == INSTANCE Other WITH v <- {state_function}, K <- k, Op <- LAMBDA n : n")
            lines.append("G(f) == INSTANCE Other WITH v <- f, K <- Limit, Op <- Inc")
        lines += self.starts()
        actions = []
        for number in range(self.random.randint(3, 5)):
            of_proc = self.chance(0.6)
            self.inside_action = of_proc
            inside = around.and_("bound", "self").and_("proc", "self") if of_proc else around
            lines.append(f"A{number}{'(self)' if of_proc else ''} =={self.action(inside)}")
            actions.append((f"A{number}", of_proc))
        self.inside_action = False
        disjuncts = []
        for name, of_proc in actions:
            call = f"\\E p \\in Procs : {name}(p)" if of_proc else name
            match self.random.randrange(8):
                case 0:
                    call = f"({self.guard(around)} /\\ {call})"
                case 1 if not of_proc:
                    call = f"(ENABLED {name} /\\ {name})"
                case 2 if not of_proc:
                    call = f"<<{name}>>_{self.pick(*self.variables)}"
                case 3 | 4 if of_proc:
                    other = self.pick(*(action for action, is_of_proc in actions if is_of_proc))
                    either = self.pick(
                        f"{name}(p) \\/ ({self.guard(around)} /\\ {other}(p))",
                        f"(IF {self.guard(around)} THEN {name}(p) ELSE {other}(p))",
                        f"(LET each == p IN {name}(each) \\/ {other}(p))",
                    )
                    call = f"\\E p \\in {self.of('procs', around, 1)} : {either}"
                case _:
                    pass
            disjuncts.append(f"\\/ {call}")
        lines.append("Next == " + "\n        ".join(disjuncts))
        lines += self.fairness(actions, around)
        invariants, temporal = self.properties(actions, around)
        lines += [f"{name} == {text}" for name, text in {**invariants, **temporal}.items()]
        head = ["CONSTANTS Procs = {p1, p2} None = None Limit = 2", "SPECIFICATION Spec"]
        if self.chance(0.25):
            lines.append(f"Bound == {self.guard(around)} \\/ {self.of('bool', around)}")
            head.append("CONSTRAINT Bound")
            temporal = {name: text for name, text in temporal.items() if name.startswith("S")}
        if self.symmetric:
            lines.append("Sym == Permutations(Procs)")
            head.append("SYMMETRY Sym")
        text = "\n".join(["---- MODULE M ----", *lines, "===="])
        others = {"Other": "\n".join(["---- MODULE Other ----", OTHER, "===="])} if self.substituted else {}
        return Text(text, others, "\n".join(head), tuple(invariants), tuple(temporal), self.chance(0.4))

    def of_free(self, around: Around) -> str:
        """A state function for an instance, which must not use that instance."""
        used, self.substituted = self.substituted, None
        expression = self.of("int", around, 2)
        self.substituted = used
        return expression

    def starts(self) -> list[str]:
        parts = []
        seen = Around()
        for name, kind in self.variables.items():
            used, self.substituted = self.substituted, None
            match self.random.randrange(6):
                case 0:
                    parts.append(f"{name} \\in {{{self.of(kind, seen, 2)}, {KINDS[kind].start}}}")
                case 1:
                    parts.append(f"({name} = {KINDS[kind].start} \\/ {name} = {self.of(kind, seen, 2)})")
                case 2:
                    parts.append(f"{name} = {self.of(kind, seen, 2)}")
                case 3 if KINDS[kind].size < 5:
                    parts.append(f"{name} \\in {KINDS[kind].values}")
                case _:
                    parts.append(f"{name} = {KINDS[kind].start}")
            self.substituted = used
            seen = seen.and_(kind, name)
        return ["Init ==", *[f"    /\\ {part}" for part in parts]]

    def fairness(self, actions: Sequence[tuple[str, bool]], around: Around) -> list[str]:
        conditions = []
        for name, of_proc in actions:
            kind = self.pick("WF", "SF", "WF", "")
            subscript = self.pick("vars", "vars", *self.variables)
            if kind and self.chance(0.7):
                call = f"{name}(p)" if of_proc else name
                if self.chance(0.15):
                    call = f"{call} /\\ {self.of('bool', around, 1)}"
                condition = f"{kind}_{subscript}({call})"
                conditions.append(f"\\A p \\in Procs : {condition}" if of_proc else condition)
        if self.chance(0.3):
            conditions.append("WF_vars(Next)")
        lines = [f"    /\\ {condition}" for condition in ["Init", "[][Next]_vars", *conditions]]
        return ["Spec ==", *lines]

    def properties(self, actions: Sequence[tuple[str, bool]], around: Around) -> tuple[dict[str, str], dict[str, str]]:
        def test(depth: int = 3) -> str:
            return f"({self.guard(around)})" if self.chance(0.5) else self.of("bool", around, depth)

        invariants = {f"Inv{number}": test() for number in range(self.random.randint(0, 3))}
        temporal = {}
        if self.chance(0.6):
            name = self.pick(*self.variables)
            primed = around.and_(self.variables[name], f"{name}'").and_(self.variables[name], f"{name}'")
            guard = self.guard(around)
            change = self.pick(
                self.of("bool", primed), f"{guard} => {self.of('bool', primed)}", f"({guard})' \\/ {name}' = {name}"
            )
            temporal["Step"] = f"[][{change}]_{self.pick('vars', name)}"
        if self.chance(0.15):
            temporal["Starts"] = test()
        if self.chance(0.2) and self.substituted:
            temporal["Steps"] = "I!Steps"
        if not self.symmetric:
            for number in range(self.random.randint(0, 3)):
                temporal[f"Live{number}"] = self.live(test, actions, around)
        return invariants, temporal

    def live(self, test: Callable[[int], str], actions: Sequence[tuple[str, bool]], around: Around) -> str:
        inside = around.and_("bound", "p").and_("proc", "p")
        match self.random.randrange(12):
            case 0:
                return f"<>[]{test(2)}"
            case 1 | 2:
                return f"[]<>{test(2)}"
            case 3:
                return f"{test(2)} ~> {test(2)}"
            case 4:
                return f"\\A p \\in Procs : ({self.of('bool', inside, 2)} ~> {self.of('bool', inside, 2)})"
            case 5:
                return f"[]({test(2)} => <>{test(2)})"
            case 6:
                return f"<>{test(2)}"
            case 7:
                return f"{test(2)} ~> []{test(2)}"
            case 8:
                return f"{test(2)} => {self.lasting(test, actions)}"
            case 9:
                return self.lasting(test, actions)
            case _:
                left, other = self.lasting(test, actions), self.lasting(test, actions)
                return f"({left}) {self.pick('=>', '=>', chr(92) + '/', '/' + chr(92))} ({other})"

    def lasting(self, test: Callable[[int], str], actions: Sequence[tuple[str, bool]]) -> str:
        """A formula that is true at every time if it is true at one."""
        name, of_proc = self.pick(*actions)
        action = f"\\E p \\in Procs : {name}(p)" if of_proc else name
        subscript = self.pick("vars", *self.variables)
        return str(
            self.pick(
                f"[]<>{test(2)}",
                f"<>[]{test(2)}",
                f"[]<><<{action}>>_{subscript}",
                f"<>[][{action}]_{subscript}",
                f"WF_{subscript}({action})",
                f"SF_{subscript}({action})",
            )
        )


# What the two say ----------------------------------------------------------------------------------------------------


def of_workbench(text: Text, engine: str) -> Answer:
    try:
        model = module_of_text(text.module, text.cfg(), list(text.others.values()))()
        result = check(model, engine=engine, symmetry="SYMMETRY" in text.head, budget=Budget(states=MOST[engine]))
    except InputError as error:
        return Answer((), {}, f"refused: {error}")
    except ModelError as error:
        return Answer((), {}, f"{len(error.trace or ())}: {error}")
    except Exception as error:  # whatever it is, it is a difference
        return Answer((), {}, f"crash: {error!r}")
    wrong: dict[str, int | None] = {}
    for verdict in result.verdicts:
        if verdict.holds is None and verdict.why.startswith("an error of the model"):
            return Answer((), {}, f"?: {verdict.why}")  # a property was violated before
        if verdict.holds is None:
            return Answer((), {}, f"unknown: {verdict.name}: {verdict.why}")
        if not verdict.holds:
            wrong[verdict.name] = None if verdict.kind == "liveness" else verdict.trace_states
    return Answer((result.distinct, result.generated, result.depth), wrong, "")


def is_large(answer: Answer, engine: str) -> bool:
    return bool(answer.figures) and answer.figures[0] >= MOST[engine]


def of_tlc(text: Text, command: str, folder: Path) -> Answer:
    for name, other in {**text.others, "M": text.module}.items():
        (folder / f"{name}.tla").write_text(other)
    wrong: dict[str, int | None] = {}
    while True:
        (folder / "M.cfg").write_text(text.cfg(frozenset(wrong)))
        words = [*shlex.split(command), "M.tla", "-config", "M.cfg"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        output = done.stdout
        errors = re.findall(r"^Error: (.*(?:\n(?!Error:|State |Finished|\d).*)*)", output, re.MULTILINE)
        if not errors:
            counts = re.search(r"^(\d+) states generated, (\d+) distinct", output, re.MULTILINE)
            depth = re.search(r"graph search is (\d+)", output)
            if counts is None:
                return Answer((), wrong, "no answer: " + output[-300:])
            return Answer((int(counts[2]), int(counts[1]), int(depth[1]) if depth else 0), wrong, "")
        states = len(set(re.findall(r"^State (\d+):", output, re.MULTILINE)))
        if "initial state" in errors[0] or re.search(r"^[1-9]\d* states generated", output, re.MULTILINE):
            states = max(states, 1)  # TLC may not print the one state that is wrong
        names = [formula for formula in (*text.invariants, *text.temporal) if re.search(rf"\b{formula}\b", errors[0])]
        if not names and "violated by the initial state" in errors[0] and "Starts" in text.temporal:
            names = ["Starts"]  # TLC names the operator that it is an argument of
        if "Deadlock" in errors[0]:
            wrong["Deadlock"] = states
        elif names and "is equal to FALSE" in errors[0] and not errors[0].startswith("The constraint"):
            wrong[names[0]] = 1  # it is of constants alone
        elif names and "violated" in errors[0]:
            for name in names:
                wrong[name] = None if "Temporal" in errors[0] else states
        else:
            return Answer((), wrong, f"{states}: {' '.join(errors)}")


def differences(ours: Answer, theirs: Answer) -> list[str]:
    if ours.error or theirs.error:
        states = [answer.error.split(":")[0] for answer in (ours, theirs)]
        if all(part.isdigit() or part == "?" for part in states) and ("?" in states or len(set(states)) == 1):
            return []
        if states[0] == "refused" and "Parsing" in theirs.error:
            return []
        return [f"errors: {ours.error or ours} | {theirs.error or theirs}"]
    differing = []
    if ours.figures != theirs.figures:
        differing.append(f"distinct, generated, depth: {ours.figures} | {theirs.figures}")
    if ours.wrong != theirs.wrong:
        differing.append(f"violated: {ours.wrong} | {theirs.wrong}")
    return differing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tlc", required=True, help="the command, without the module")
    parser.add_argument("--keep", type=Path, help="where to keep the modules that differ")
    chosen = parser.parse_args()
    compared = differing = errors = undecided = plain = 0
    for seed in range(chosen.seed, chosen.seed + chosen.count):
        text = Writer(seed).module()
        answers = {engine: answer for engine in MOST if not is_large(answer := of_workbench(text, engine), engine)}
        if not answers:
            continue
        with tempfile.TemporaryDirectory() as folder:
            theirs = of_tlc(text, chosen.tlc, Path(folder))
        if "The constraint" in theirs.error or "is a tautology" in theirs.error:
            continue  # TLC refuses a constraint that is false and of constants alone, and what is true of everything
        compared += 1
        plain += "reference" in answers
        errors += bool(theirs.error)
        if compared % 25 == 0:
            print(f"... {compared} compared", flush=True)
        decided = {engine: ours for engine, ours in answers.items() if not ours.error.startswith("unknown")}
        undecided += len(decided) < len(answers)
        mismatches = [f"{engine}: {line}" for engine, ours in decided.items() for line in differences(ours, theirs)]
        differing += bool(mismatches)
        for line in mismatches:
            print(f"{seed}: {line}", flush=True)
        if mismatches and chosen.keep:
            kept = chosen.keep / str(seed)
            kept.mkdir(parents=True, exist_ok=True)
            for name, other in {**text.others, "M": text.module}.items():
                (kept / f"{name}.tla").write_text(other)
            (kept / "M.cfg").write_text(text.cfg())
    print(
        f"{compared} modules compared, {plain} of them by the plain evaluator too; {differing} differ, "
        f"{undecided} are not decided, {errors} have errors"
    )
    return 1 if differing else 0


if __name__ == "__main__":
    raise SystemExit(main())
