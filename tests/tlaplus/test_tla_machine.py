"""Modules of our own, checked from their texts: the figures and verdicts are TLC's."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from tests.tlaplus.trees import module_of
from workbench.checking.check import check
from workbench.kernel import ModelError
from workbench.kernel.meaning.state import Reads, row_of
from workbench.tlaplus.layout import sample
from workbench.tlaplus.machine.specification import module_of_text

#: The properties that are violated, with the number of states of the trace; None for a lasso of any length.
Wrong = Mapping[str, int | None]
NOTHING: Wrong = {}


class Row(NamedTuple):
    """A module M, its configuration, and what TLC says of it.

    Attributes:
        others: The modules that it uses.
    """

    text: str
    cfg: str
    distinct: int = 0
    depth: int = 0
    generated: int = 0
    wrong: Wrong = NOTHING
    others: tuple[str, ...] = ()


def rows_of(text: str, cfg: str, *others: str) -> Callable[..., Row]:
    """Makes rows of a module, whose configurations begin alike."""

    def row(asked: str, distinct: int = 0, depth: int = 0, generated: int = 0, wrong: Wrong = NOTHING) -> Row:
        return Row(text, f"{cfg} {asked}", distinct, depth, generated, wrong, others)

    return row


LOCK = r"""EXTENDS Naturals, TLC
CONSTANTS Procs, Limit, None
VARIABLES pc, owner, count
vars == <<pc, owner, count>>
Init == /\ pc = [p \in Procs |-> "out"]
        /\ owner = None
        /\ count = 0
Ask(p) == pc[p] = "out" /\ pc' = [pc EXCEPT ![p] = "in"] /\ UNCHANGED <<owner, count>>
Enter(p) == /\ pc[p] = "in" /\ owner = None
            /\ owner' = p
            /\ pc' = [pc EXCEPT ![p] = "held"] /\ UNCHANGED count
Leave(p) == \/ pc[p] = "held" /\ owner' = None /\ pc' = [pc EXCEPT ![p] = "out"]
               /\ count' = (count + 1) % Limit
            \/ pc[p] = "held" /\ FALSE /\ UNCHANGED vars
Step(p) == Ask(p) \/ Enter(p) \/ Leave(p)
Next == \E p \in Procs : Step(p)
Spec == Init /\ [][Next]_vars
Fair == Spec /\ \A p \in Procs : WF_vars(Enter(p) \/ Leave(p))
Strong == Spec /\ \A p \in Procs : SF_vars(Enter(p)) /\ WF_vars(Leave(p))
Narrow == Spec /\ \A p \in Procs : SF_owner(Enter(p) /\ count >= 0) /\ WF_vars(Leave(p))
Guarded == Spec /\ \A p \in Procs : SF_vars(Enter(p) /\ count < 9) /\ WF_vars(Leave(p))
Blocked == Spec /\ \A p \in Procs : SF_vars(Enter(p) /\ count > 0) /\ WF_vars(Leave(p))
Own == Spec /\ \A p \in Procs : SF_vars(Enter(p) /\ pc'[p] = "held") /\ WF_vars(Leave(p) /\ count' >= 0)
Never == Spec /\ \A p \in Procs : SF_vars(Enter(p) /\ pc'[p] = "out") /\ WF_vars(Leave(p))
Computed == Spec /\ \A p \in Procs : SF_(pc[p])(Enter(p)) /\ WF_(owner = p)(Next)
Partial == Spec /\ \A p \in Procs : SF_<<pc, owner>>(Enter(p)) /\ WF_pc(Leave(p))
Some == Spec /\ WF_vars(\E p \in Procs : Enter(p)) /\ WF_vars(\E p \in Procs : Leave(p))
All == Spec /\ WF_vars(Next)
Counts == Spec /\ WF_count(Next)
TypeOK == /\ owner \in Procs \cup {None}
          /\ \A p \in Procs : pc[p] \in {"out", "in", "held"}
          /\ count \in 0 .. Limit
Exclusive == \A p, q \in Procs : pc[p] = "held" /\ pc[q] = "held" => p = q
Small == count < 2
Served == \A p \in Procs : pc[p] = "in" ~> pc[p] = "held"
Boxed == [](\A p \in Procs : pc[p] = "in" => count < Limit)
Grows == [][count' >= count]_count
Wraps == [][count' = (count + 1) % Limit]_count
Again == []<>(owner = None)
Stays == <>[](count = 0)
Once == <>(count = 1)
Promised == \A p \in Procs : [](pc[p] = "in" => <>(owner = p))
Begins == count = 0 /\ owner = None
BeginsWrong == count = 1
Both == []TypeOK /\ []<>(owner = None)
Symmetric == Permutations(Procs)
Abs == INSTANCE Turns WITH who <- owner, Nobody <- None
Refined == Abs!Spec
Refuted == Abs!Eager
Lively == Abs!Live
Mixed == Abs!Spec /\ []<>(owner = None)
Passed == \A p \in Procs : (owner = p) ~> (owner = None)
Moved == []<>(count = 1)
"""
TURNS = module_of(
    r"""CONSTANTS Procs, Nobody
VARIABLE who
Init == who = Nobody
Take == who = Nobody /\ who' \in Procs
Drop == who # Nobody /\ who' = Nobody
Spec == Init /\ [][Take \/ Drop]_who
Live == Spec /\ WF_who(Drop)
Eager == who \in Procs /\ [][Take \/ Drop]_who
""",
    name="Turns",
)
HEAD = "CONSTANTS Procs = {p1, p2, p3} Limit = 3 None = None\nCHECK_DEADLOCK FALSE\n"

UNASKED = r"""EXTENDS Naturals
VARIABLE x
Odd == x' = x + 1 /\ 1 = "a"
Spec == x = 0 /\ [][x' = (x + 1) % 3]_x /\ WF_x(Odd)
Small == x < 3
"""
COUNTER = r"""EXTENDS Naturals
VARIABLES x, y
Init == x \in 0 .. 1 /\ y = 0
Up == x < 4 /\ x' = x + 1 /\ y' \in {y, 1 - y}
Next == Up \/ (x = 2 /\ x' = 0 /\ y' = y)
Bound == x < 3
Even == x % 2 = 0 \/ y >= 0
Never == x # 3
Rising == x' > x \/ y = 0
Short == x' < 3
Both == <<y, <<x>>>>
All == Both
Odd == <<x>>
Halves == [half |-> x \div 2, y |-> y]
Spec == Init /\ [][Next]_<<x, y>>
"""


lock = rows_of(LOCK, HEAD, TURNS)


FORMS = r"""EXTENDS Naturals, Sequences
CONSTANTS Procs
VARIABLES box, log, at
vars == <<box, log, at>>
I(n) == INSTANCE Slot WITH here <- at
Init == box \in {<<>>, <<1>>} /\ log = {} /\ at \in {0, 1}
Lose(q) == Len(q) > 0 /\ q' = Tail(q)
Fill(q, v) == Len(q) < 2 /\ q' = Append(q, v)
Tick == at = 0 /\ at' = 1
Pairs == {<<1, 2>>, <<2, 1>>}
Back == at = 1 /\ at' = 0
Drop == /\ Lose(box)
        /\ UNCHANGED <<log, at>>
Next == \/ \E p \in Procs : Tick /\ UNCHANGED <<box, log>>
        \/ \E p \in Procs : Drop
        \/ \E <<a, b>> \in Pairs : Fill(box, a + b) /\ log' = log \cup {a} /\ at' = at
        \/ \E n \in 1 .. 2 : I(n)!Move /\ UNCHANGED <<box, log>>
        \/ LET least == 1 IN \E k \in least .. 2 : \E m \in {k} : at = 5 /\ Fill(box, m) /\ UNCHANGED <<log, at>>
        \/ Back /\ UNCHANGED <<box, log>>
        \/ Back /\ UNCHANGED <<box, log>>
        \/ \E i \in 1 .. Len(box) : box' = [box EXCEPT ![i] = 3] /\ UNCHANGED <<log, at>>
        \/ IF at = 1 THEN \E v \in {7, 8} : log' = {v} /\ UNCHANGED <<box, at>> ELSE UNCHANGED vars
        \/ CASE at = 2 -> at' = 3 /\ UNCHANGED <<box, log>> [] OTHER -> FALSE /\ UNCHANGED vars
Spec == Init /\ [][Next]_vars
Guarded == /\ box # <<>>
           /\ box[1] > 0
Careful == \/ box = <<>>
           \/ \A i \in DOMAIN box : box[i] > 0
Inside == at < 2
Ordered == \A i, j \in 1 .. 2 : i < j /\ j <= Len(box) => box[i] + box[j] > 1
"""
SLOT = module_of(
    r"""EXTENDS Naturals
CONSTANT n
VARIABLE here
Move == here < 3 /\ here' = here + n
""",
    name="Slot",
)


form = rows_of(FORMS, "CONSTANT Procs = {p1, p2}", SLOT)


REPLACED = r"""EXTENDS Naturals
CONSTANTS Op(_, _), Limit, Nobody
VARIABLES x, y
None == CHOOSE n : n \notin Nat
Small == 0 .. 3
Sum(a, b) == (a + b) % Limit
Five == 5
Twice(a) == a
Double(a) == 2 * a
Init == x \in Nat /\ y = None
Next == \/ x' = Op(x, 2) /\ y' = Nobody
        \/ y = Nobody /\ x' = Twice(x) % Limit /\ y' = None
Kept == x \in 0 .. 4 /\ y \in {Nobody, None}
"""

TYPED = r"""EXTENDS Naturals
CONSTANTS a, b, Nil
VARIABLES f, n
Keys == {a, b}
Entry == [kind : {"put", "del"}, at : 0..3]
Init == f = [k \in Keys |-> [kind |-> "put", at |-> 0]] /\ n = {}
Move(k) == f[k].at < 3 /\ f' = [f EXCEPT ![k].at = @ + 1] /\ n' = n \cup {f[k].at}
Flip(k) == f' = [f EXCEPT ![k].kind = IF @ = "put" THEN "del" ELSE "put"] /\ UNCHANGED n
Next == \E k \in Keys : Move(k) \/ Flip(k)
Becomes(g) == f[a].at = 2 /\ f' = g /\ UNCHANGED n
Smaller == Next \/ Becomes([k \in {a} |-> f[k]])
None == Next \/ Becomes(Nil)
Tuple == Next \/ Becomes(<<f[a], f[b]>>)
Shorter == Next \/ Becomes([f EXCEPT ![b] = [kind |-> "put"]])
Empty == Next \/ Becomes([f EXCEPT ![b] = Nil])
Far == Next \/ Becomes([f EXCEPT ![b].at = 7])
FarFirst == Next \/ Becomes([f EXCEPT ![a].at = 7, ![b] = 5])
FarLast == Next \/ Becomes([f EXCEPT ![a] = 5, ![b].at = 7])
In == f \in [Keys -> Entry]
InMore == f \in [Keys -> Entry \cup {Nil}]
Late == f \in [Keys -> [kind : {"put", "del"}, at : {0, 1, 2}]]
Seen == n \in SUBSET (0..2)
"""


def typed(steps: str, asked: str, distinct: int = 0, depth: int = 0, generated: int = 0, wrong: Wrong = NOTHING) -> Row:
    """A row of the module above."""
    names = "CONSTANTS a = a b = b Nil = Nil INIT Init CHECK_DEADLOCK FALSE"
    return Row(TYPED, f"{names} NEXT {steps} INVARIANTS {asked}", distinct, depth, generated, wrong)


PARTS = r"""EXTENDS Naturals
VARIABLES x, y
In == INSTANCE Slot WITH here <- x, n <- 2
Init == /\ x = 0
        /\ y \in 0 .. 2
Step(a) == \/ x < 3 /\ x' = x + a
           \/ \E d \in {1, 2}, e \in {0} : /\ x > 2
                                           /\ x' = d * a - 1 + e
THEOREM Small == \A n \in 0 .. 4 : x + n < 9
Sum(a, b) == LET twice == 2 * a IN IF a = b THEN 0 ELSE whole :: twice + b
Flat == x < 4 /\ y < 3 /\ x + y < 99
Start == /\ Init!1
         /\ y = Sum(1, 2)!1!3!<<
Next == /\ \/ Step(1)!1
           \/ Step(2)!2!(y, 0)
           \/ In!Move!1 /\ x' = In!Move!2!>>!>>
        /\ UNCHANGED y
Inv == /\ Small!:
       /\ Small!(3)
       /\ Flat!1!2 /\ Flat!2 /\ Flat!<<!<<
       /\ Small!1 = 0 .. 4
Wrong == Sum(x, y)!whole < 8
"""

ALIKE = r"""CONSTANT a
VARIABLE x
Init == x = a
Next == \/ (x = a /\ x' = "a")
        \/ (x = "a" /\ x' = "b")
Inv == x # "b"
"""
KINDS = r"""VARIABLE x
Init == x \in {0, 1}
Next == \/ x' = TRUE \/ x' = {TRUE} \/ x' = {1} \/ x' = [a |-> 1] \/ x' = [a |-> TRUE]
        \/ x' = <<FALSE>> \/ x' = <<0>> \/ x' = FALSE
"""
UNION = r"""EXTENDS TLC
CONSTANTS P, Q
VARIABLES x, y
Init == x = {} /\ y = {}
Next == (\E p \in P : x' = x \cup {p} /\ y' = y) \/ (\E q \in Q : y' = y \cup {q} /\ x' = x)
Sym == Permutations(P) \cup Permutations(Q)
False == 1 = 2
"""
PLAIN = "INIT Init NEXT Next CHECK_DEADLOCK FALSE "
SETS = f"CONSTANTS P = {{a, b}} Q = {{c, d, e}} {PLAIN}"
OUTER = r"""EXTENDS Integers
VARIABLES v, w
Twice(n) == (n + 1) % 4
K == INSTANCE Inner WITH v <- w, Op <- Twice
Init == v = 5 /\ w = 0
Next == K!Go /\ v' = v
"""
GIVEN = r"""EXTENDS Integers
VARIABLE x
K == INSTANCE Givable
Init == x = 0
Next == x' = K!Twice(K!More, x)
Bound == x < 4
"""
GIVABLE = module_of("EXTENDS Integers", "More(n) == n + 1", "Twice(Op(_), n) == Op(Op(n))", name="Givable")
OVER = r"""VARIABLE x
K == INSTANCE Picky
Init == x = K!None
Next == x' = {K!None}
"""
PICKY = module_of(r"None == CHOOSE n : n \notin {1}", name="Picky")
INNER = module_of("CONSTANT Op(_)", "VARIABLE v", "Go == v' = Op(v)", name="Inner")

DISJUNCTS = r"""EXTENDS Integers, Sequences
VARIABLE x
Init == x = 0
Inc == x' = (x + 1) % 3
Step(a) == a /\ Inc
Never(a) == x > 9 /\ a /\ Inc
OfOne == Step(TRUE \/ TRUE)
OfMembers == \E z \in {1, 2} : Step(z = z \/ TRUE)
OfBoth == Step(TRUE \/ x = 1) \/ Step(TRUE \/ TRUE)
Quantified == Step(\E z \in {1, 2} : z > 0)
Unasked == Inc \/ Never(Head(<<>>))
"""

FOR_ALL = r"""EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
S == {1, 2}
Named == \A p \in S : x' = p
Same == /\ \A p \in S : x' = x + 1
        /\ y' = y
Up(n) == \A p \in S : x < n /\ x' \in {x + 1, x + 2} /\ x' > p - 2
Plain == \A p \in S : x' = p /\ y' = y
Behind == Named /\ y' = y
Beside == Behind \/ (x < 2 /\ Same)
Let == LET A == Plain IN A \/ (x = 0 /\ Up(3) /\ y' = 1)
States == \A p \in 1 .. x + 1 : x < 3 /\ x' = x + 1 /\ y' = y
OfOne == x < 4 /\ \A p \in {x} : x' = p + 1 /\ y' = y
Fair == Init /\ [][Plain]_<<x, y>> /\ WF_x(Plain)
Moves == <>(x # 0)
"""

DIAL = module_of(
    r"""EXTENDS Naturals
CONSTANT n
VARIABLES u, v
Turn(k) == u < k /\ u' = u + k /\ v' = v
Both == u' = 0 /\ v' = 1
CanBoth == ENABLED Both
CanTurn == ENABLED Turn(n)
Can(A(_)) == ENABLED A(n)
ByOp == Can(Turn)
By(a) == ENABLED (a /\ v' = 7)
ByText == By(u' = u + n)
Let == LET w == u + n IN ENABLED (u' = w /\ v' = w + 1)
Some == \E k \in {n, 9} : ENABLED (u < k /\ u' = k /\ v' = u)
Never == ENABLED (u' = 1 /\ u' = 2)
Read == ENABLED (u = n /\ v' = u)
Step == [][(ENABLED Turn(n)) => u' >= u]_<<u, v>>
Later == [][(ENABLED Read)' \/ u' # n]_<<u, v>>
Deep == INSTANCE Knob WITH p <- u, q <- u + v
DeepCan == Deep!Can
""",
    name="Dial",
)
KNOB = module_of(
    r"""VARIABLES p, q
Go == p' = 0 /\ q' = 1
Can == ENABLED Go
""",
    name="Knob",
)
ENABLED = r"""EXTENDS Naturals
VARIABLES x, y
D(m) == INSTANCE Dial WITH n <- m, u <- x, v <- x
E(m) == INSTANCE Dial WITH n <- m, u <- x + y, v <- y
R(m) == INSTANCE Dial WITH n <- m, u <- y, v <- x
Init == x = 0 /\ y = 0
Next == x < 3 /\ x' = x + 1 /\ y' \in {0, x}
Spec == Init /\ [][Next]_<<x, y>>
A1 == D(2)!CanBoth
A2 == D(2)!CanTurn
A3 == D(2)!ByOp
A4 == D(2)!ByText
A5 == D(2)!Let
A6 == D(2)!Some
A7 == ~D(2)!Never
A8 == D(2)!Read \/ x # 2
A9 == D(2)!DeepCan
B1 == E(2)!CanBoth
B2 == E(2)!CanTurn
B3 == E(2)!ByOp
B5 == E(2)!Let
B6 == E(2)!Some
B7 == ~E(2)!Never
B8 == ~E(2)!Read
B9 == E(2)!DeepCan
C1 == R(2)!CanBoth
C2 == R(2)!CanTurn
C3 == R(2)!ByOp
C4 == R(2)!ByText
C5 == R(2)!Let
C6 == R(2)!Some
C9 == R(2)!DeepCan
F1 == \A m \in {1, 2} : E(m)!CanTurn \/ x + y > 0
S1 == D(1)!Step
S2 == E(1)!Step
S3 == E(1)!Later
S4 == D(1)!Later
"""


#: The level of a state in guards, in values and under a prime; TLC at cc6b616.
LEVELS = r"""EXTENDS Naturals, TLC
VARIABLES x, y
Init == x = 0 /\ y = TLCGet("level")
Up == x < 6 /\ x' = x + 1 /\ y' = TLCGet("level")'
Jump == x < 5 /\ x' = x + 2 /\ y' = y
Next == (Up \/ Jump) /\ TLCGet("level") < 9
Short == TLCGet("level") < 4
Step == TLCGet("level") < 3
Low == TLCGet("level") < 3
"""
MERGED = r"""EXTENDS Naturals, TLC
VARIABLE x
Init == x \in {0, 1}
Next == \/ x' = (x + TLCGet("level")) % 7
        \/ x' = x /\ x > 2
        \/ x' = (x + 3) % 7 /\ TLCGet("level")' < 4
View == <<x, TLCGet("level")>>
Few == TLCGet("level") < 6
Inv == x = 6 => TLCGet("level") > 3
"""
CLOCKED = r"""EXTENDS Naturals
VARIABLE y
J == INSTANCE Clock WITH c <- y
Init == y = 0
Next == J!Tick \/ (y' = 0 /\ y > 2)
Inv == J!Late
"""
CLOCK = module_of(
    "EXTENDS TLC, Naturals",
    "VARIABLE c",
    'Late == TLCGet("level") > c',
    'Tick == c\' = c + 1 /\\ TLCGet("level") < 5',
    name="Clock",
)
AGAIN = r"""EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = 1 - x
Two == TLCGet("level") < 3
"""
AGAIN_SEEN = r"""EXTENDS Naturals
VARIABLES x, t
Init == x = 0 /\ t = 1
Next == x' = 1 - x /\ t' = t + 1
View == x
Two == t < 3
"""
STEPPED = r"""EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3 /\ TLCSet(7, x) /\ ENABLED (x' = x + TLCGet("level")) /\ TLCGet("level") < 3
Safe == [][TLCGet("level")' = TLCGet("level") + 1 /\ x' # 2]_x
Second == [](x = 1 => TLCGet("level") = 2)
"""

enabled = rows_of(ENABLED, "SPECIFICATION Spec CHECK_DEADLOCK FALSE", DIAL, KNOB)


#: Operators to which a configuration gives values, or other definitions.
TABLED = r"""EXTENDS Integers
CONSTANT F(_), G(_, _), m
VARIABLE x
a (+) b == a + b
a ++ b == a - b
H(a) == a
Init == x = F(m)
Next == \/ x < 2 /\ x' = G(x, 2) /\ x (+) 1 = x - 1
        \/ x > 2 /\ x' = F("a") + (7 % 4) + H(1)
Low == x < 9
"""
TABLES = r"""CONSTANTS m = m F(m) = 1 F("a") = 4 G(1, 2) = 3 G(1, 1) = {}
H(1) = 2 \oplus <- ++ % <- ++ INIT Init NEXT Next CHECK_DEADLOCK FALSE"""

#: TLCGet of an instance of TLC.
ASKED = """EXTENDS Naturals
VARIABLE x
T == INSTANCE TLC
Init == x = 0
Next == x' = (x + 1) % 4
Low == T!TLCGet("level") < 3
"""

#: Two modules that define one name.
ONE_NAME = """EXTENDS Integers, One, Two
VARIABLE x
Init == x = F(1) + OfOne + OfTwo
Next == x < 120 /\\ x' = x + 10
"""
ONE, TWO = (
    module_of("EXTENDS Integers", f"F(a) == {value}", f"Of{name} == F({passed})", name=name)
    for name, value, passed in (("One", "a", 10), ("Two", "a + 4", 100))
)

#: The identity around a specification, and around its parts.
BOXED = r"""EXTENDS Naturals
VARIABLE x
Same(a) == a
First(a, b) == a
Init == x = 0
Next == x' = (x + 1) % 3
Let == LET id(a) == a IN id(Init /\ [][Next]_x)
Bare == LET S == Init /\ [][Next]_x IN S
Parts == Same(Init) /\ First([][Same(Next)]_x, 1)
Nested == LET id(a) == a IN id(Same(Same(Parts) /\ Same(WF_x(Next))))
Root(a) == LET g(b) == LET h == b IN part:: Same(h) IN g(a)
Inside == Root(Init) /\ Root([][Root(Next)]_x /\ WF_x(Next))
Again == Root([]<>First(x = 1, Init))
Low == x < 2
"""

ROWS = {
    **{
        f"the identity around a specification: {name}": Row(BOXED, f"SPECIFICATION {name}", 3, 3, 4)
        for name in ("Let", "Bare", "Parts", "Nested")
    },
    "levels by an instance of TLC": Row(ASKED, f"{PLAIN} INVARIANT Low", wrong={"Low": 3}),
    "levels by an instance of TLC, bounded": Row(ASKED, f"{PLAIN} CONSTRAINT Low", 2, 2, 3),
    "two modules define one name": Row(ONE_NAME, PLAIN, 2, 2, 2, others=(ONE, TWO)),
    "operators with values and definitions of the configuration": Row(TABLED, TABLES, 3, 3, 4),
    "an operator with values, violated": Row(TABLED, f"{TABLES} INVARIANT Low", wrong={"Low": 3}),
    "liveness behind the identity": Row(BOXED, "SPECIFICATION Nested PROPERTY Again", 3, 3, 4),
    "a state behind the identity": Row(BOXED, "SPECIFICATION Let INVARIANT Low", wrong={"Low": 3}),
    "no bound of levels": Row(LEVELS, PLAIN, 22, 7, 28),
    "a bound of levels": Row(LEVELS, f"{PLAIN} CONSTRAINT Short", 7, 3, 15),
    "a bound of levels for steps": Row(LEVELS, f"{PLAIN} ACTION_CONSTRAINT Step", 7, 3, 15),
    "a level that is too high": Row(LEVELS, f"{PLAIN} CONSTRAINT Short INVARIANT Low", wrong={"Low": 3}),
    "levels of states that are reached again": Row(MERGED, PLAIN, 7, 3, 18),
    "such a level is too low": Row(MERGED, f"{PLAIN} INVARIANT Inv", wrong={"Inv": 3}),
    "a view with the level": Row(MERGED, f"{PLAIN} VIEW View CONSTRAINT Few", 25, 5, 47),
    "a known state outside of a bound of levels": Row(AGAIN, f"{PLAIN} CONSTRAINT Two INVARIANT Two", wrong={"Two": 3}),
    "a state outside of a constraint whose view is known": Row(
        AGAIN_SEEN, f"{PLAIN} VIEW View CONSTRAINT Two INVARIANT Two", wrong={"Two": 3}
    ),
    "levels in an instance": Row(CLOCKED, f"{PLAIN} INVARIANT Inv", 5, 5, 7, others=(CLOCK,)),
    "levels of steps": Row(STEPPED, f"{PLAIN} PROPERTY Second", 3, 3, 3),
    "levels of steps, fails": Row(STEPPED, f"{PLAIN} PROPERTIES Safe Second", wrong={"Safe": 3}),
    "ENABLED in an instance": enabled(
        "INVARIANTS A1 A4 A5 A6 A7 A8 A9 B1 B5 B6 B7 B9 C1 C4 C5 C6 C9 F1 PROPERTIES S1 S2 S3 S4", 6, 4, 8
    ),
    **{
        f"ENABLED in an instance, not always: {name}": enabled(f"INVARIANT {name}", wrong={name: states})
        for name, states in (("A2", 3), ("A3", 3), ("B2", 3), ("B3", 3), ("B8", 3), ("C2", 4), ("C3", 4))
    },
    **{
        rf"\A in Next: {steps}": Row(FOR_ALL, PLAIN.replace("Next", steps), states, depth, states)
        for steps, states, depth in (
            *(("Plain", 1, 1), ("Behind", 1, 1), ("Beside", 3, 3), ("Let", 3, 2), ("States", 4, 4), ("OfOne", 5, 5)),
        )
    },
    **{
        f"arguments of a disjunct are values: {steps}": Row(DISJUNCTS, PLAIN.replace("Next", steps), 3, 3, generated)
        for steps, generated in (("OfOne", 4), ("OfMembers", 7), ("OfBoth", 8), ("Quantified", 4), ("Unasked", 4))
    },
    r"\A in Next, no step": Row(FOR_ALL, "INIT Init NEXT Plain", wrong={"Deadlock": 1}),
    r"\A under fairness": Row(FOR_ALL, "SPECIFICATION Fair PROPERTY Moves CHECK_DEADLOCK FALSE", wrong={"Moves": 1}),
    "a string and a model value that read alike": Row(ALIKE, f"CONSTANT a = a {PLAIN}", 3, 3, 3),
    "only strings violate": Row(ALIKE, f"CONSTANT a = a {PLAIN} INVARIANT Inv", 3, 3, 3, {"Inv": 3}),
    "values of several kinds": Row(KINDS, PLAIN, 10, 2, 82),
    "symmetry of a union": Row(UNION, f"{SETS} SYMMETRY Sym", 12, 6, 61),
    "an invariant of constants": Row(UNION, f"{SETS} INVARIANT False", 0, 0, 0, {"False": 1}),
    "a substituted operator and the instance's variable": Row(OUTER, PLAIN, 4, 4, 5, others=(INNER,)),
    "an operator of an instance for another one": Row(GIVEN, f"{PLAIN} CONSTRAINT Bound", 2, 2, 3, others=(GIVABLE,)),
    "a value for a definition of an instance": Row(
        OVER, f"CONSTANT None = [Picky]none {PLAIN}", 2, 2, 3, others=(PICKY,)
    ),
    "replacements": Row(
        REPLACED,
        "CONSTANTS Nat <- Small Op <- Sum Limit <- Five Nobody = nobody None = None Twice <- [M] Double\n"
        "INIT Init NEXT Next INVARIANT Kept",
        10,
        3,
        19,
    ),
    "all forms of actions": form("INIT Init NEXT Next INVARIANTS Careful Ordered CHECK_DEADLOCK FALSE", 230, 8, 1661),
    "a conjunct guards the next": form("INIT Init NEXT Next INVARIANT Guarded", wrong={"Guarded": 1}),
    "initial states outside of a constraint": form(
        "INIT Init NEXT Next CONSTRAINT Inside CHECK_DEADLOCK FALSE", 92, 7, 860
    ),
    "safety": lock("SPECIFICATION Spec INVARIANTS TypeOK Exclusive", 60, 11, 145),
    "an invariant that fails": lock("SPECIFICATION Spec INVARIANT Small", wrong={"Small": 7}),
    "symmetry": lock("SPECIFICATION Spec INVARIANT TypeOK SYMMETRY Symmetric", 21, 11, 55),
    "INIT and NEXT": lock("INIT Init NEXT Next INVARIANT TypeOK", 60, 11, 145),
    "fairness is not asked for safety": Row(UNASKED, "SPECIFICATION Spec INVARIANT Small", 3, 3, 4),
    "weak fairness": lock("SPECIFICATION Fair PROPERTY Served", wrong={"Served": None}),
    "strong fairness": lock("SPECIFICATION Strong PROPERTIES Served Promised", 60, 11, 145),
    "fairness by itself": lock("SPECIFICATION Narrow PROPERTIES Served Again", 60, 11, 145),
    "fairness beside a predicate": lock("SPECIFICATION Guarded PROPERTY Served", 60, 11, 145),
    "fairness beside a false predicate": lock("SPECIFICATION Blocked PROPERTY Served", wrong={"Served": None}),
    "an action of its own": lock("SPECIFICATION Own PROPERTY Served", 60, 11, 145),
    "an action that is never enabled": lock("SPECIFICATION Never PROPERTY Served", wrong={"Served": None}),
    "a subscript that is an expression": lock("SPECIFICATION Computed PROPERTIES Served Passed", 60, 11, 145),
    "a subscript of some variables": lock("SPECIFICATION Partial PROPERTY Served", 60, 11, 145),
    "fairness of a disjunction": lock("SPECIFICATION Some PROPERTIES Passed Again", 60, 11, 145),
    "fairness of Next": lock("SPECIFICATION All PROPERTIES Again Moved", 60, 11, 145),
    "fairness of Next's changes": lock("SPECIFICATION Counts PROPERTIES Moved", wrong={"Moved": None}),
    "fairness of Next alone": lock("SPECIFICATION All PROPERTY Served", wrong={"Served": None}),
    "no fairness": lock("SPECIFICATION Spec PROPERTY Again", wrong={"Again": None}),
    "<>[]": lock("SPECIFICATION Strong PROPERTY Stays", wrong={"Stays": None}),
    "<>": lock("SPECIFICATION Strong PROPERTY Once", wrong={"Once": None}),
    "[]P": lock("SPECIFICATION Spec PROPERTY Boxed", 60, 11, 145),
    "[][A]_v": lock("SPECIFICATION Spec PROPERTY Wraps", 60, 11, 145),
    "[][A]_v fails": lock("SPECIFICATION Spec PROPERTY Grows", wrong={"Grows": 10}),
    "of the initial state": lock("SPECIFICATION Spec PROPERTY Begins", 60, 11, 145),
    "of the initial state, fails": lock("SPECIFICATION Spec PROPERTY BeginsWrong", wrong={"BeginsWrong": 1}),
    "refinement": lock("SPECIFICATION Spec PROPERTY Refined", 60, 11, 145),
    "refinement with its fairness": lock("SPECIFICATION Strong PROPERTY Lively", 60, 11, 145),
    "refinement without its fairness": lock("SPECIFICATION Spec PROPERTY Lively", wrong={"Lively_liveness": None}),
    "refinement that fails at once": lock("SPECIFICATION Spec PROPERTY Refuted", wrong={"Refuted": 1}),
    "deadlock": Row(COUNTER, "INIT Init NEXT Next", 10, 4, 20, {"Deadlock": 4}),
    "no deadlock asked": Row(COUNTER, "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Even", 10, 4, 20),
    "constraint": Row(COUNTER, "INIT Init NEXT Next CONSTRAINT Bound INVARIANT Even", 6, 3, 16),
    "outside of a constraint": Row(
        COUNTER, "INIT Init NEXT Next CONSTRAINT Bound INVARIANT Never", 6, 3, 16, {"Never": 3}
    ),
    "action constraint": Row(
        COUNTER, "INIT Init NEXT Next ACTION_CONSTRAINT Rising INVARIANT Even CHECK_DEADLOCK FALSE", 9, 4, 18
    ),
    "two of them beside a constraint": Row(
        COUNTER, "INIT Init NEXT Next CONSTRAINT Bound ACTION_CONSTRAINTS Rising Short", 5, 2, 14
    ),
    "what they leave is judged": Row(
        COUNTER, "INIT Init NEXT Next ACTION_CONSTRAINT Short INVARIANT Never", wrong={"Never": 3}
    ),
    "a view": Row(COUNTER, f"{PLAIN} VIEW Odd", 5, 4, 11),
    "a view that is computed": Row(COUNTER, f"{PLAIN} VIEW Halves", 4, 3, 12),
    "such a view beside an action constraint": Row(COUNTER, f"{PLAIN} ACTION_CONSTRAINT Rising VIEW Halves", 4, 3, 12),
    "a view of all": Row(COUNTER, f"{PLAIN} VIEW All", 10, 4, 20),
    "types": typed("Next", "In InMore Seen", 64, 9, 225),
    "a type that is too small": typed("Next", "Late", wrong={"Late": 4}),
    **{
        f"a value of another type: {steps}": typed(steps, "In", wrong={"In": 4})
        for steps in ("Smaller", "None", "Tuple", "Shorter", "Empty", "Far", "FarFirst")
    },
    "parts of definitions": Row(PARTS, f"{PLAIN.replace('Init', 'Start')} INVARIANT Inv", 4, 3, 8, others=(SLOT,)),
    "a part that fails": Row(
        PARTS, f"{PLAIN.replace('Init', 'Start')} INVARIANT Wrong", wrong={"Wrong": 3}, others=(SLOT,)
    ),
}


def checked(row: Row) -> Any:
    model = module_of_text(module_of(row.text), row.cfg, row.others)
    return check(model(), engine="local", symmetry="SYMMETRY" in row.cfg)


#: How many states the sample takes: none for one cell per variable; few, so that most values overflow; and enough.
SAMPLES = [0, 1, 4, 30]


@pytest.mark.parametrize("states", [pytest.param(n, marks=[] if n in (0, 4) else pytest.mark.slow) for n in SAMPLES])
@pytest.mark.parametrize("name", ROWS)
def test_figures_and_verdicts_are_those_of_tlc(name, states, monkeypatch):
    monkeypatch.setattr(sample, "MOST_STATES", states)
    row = ROWS[name]
    result = checked(row)
    found = {verdict.name: verdict.trace_states for verdict in result.verdicts if verdict.holds is False}
    assert found.keys() == row.wrong.keys()
    assert all(states is None or found[name] == states for name, states in row.wrong.items())
    if not row.wrong:
        assert (result.distinct, result.depth, result.generated) == (row.distinct, row.depth, row.generated)


@pytest.mark.parametrize("states", SAMPLES)
def test_of_two_parts_of_other_types_the_first_decides(states, monkeypatch):
    """TLC's error; if the part that is no record comes last, the invariant is false."""
    monkeypatch.setattr(sample, "MOST_STATES", states)
    with pytest.raises(ModelError, match=r"5 is of another kind than the members of \[") as met:
        checked(typed("FarLast", "In"))
    assert "4  Becomes" in "".join(met.value.__notes__)


def test_an_operator_that_is_its_argument_through_let_is_unfolded():
    """TLC finds no next-state action in it; it is the specification of BOXED's other rows."""
    result = checked(Row(BOXED, "SPECIFICATION Inside PROPERTY Again"))
    assert (result.distinct, result.generated, result["Again"].holds) == (3, 4, True)


def model_of(row: Row) -> Any:
    return module_of_text(module_of(row.text), row.cfg, row.others)()


def test_a_property_of_two_kinds_is_two():
    result = checked(lock("SPECIFICATION Strong PROPERTY Mixed"))
    assert [(verdict.name, verdict.holds) for verdict in result.verdicts] == [
        ("Mixed_safety", True),
        ("Mixed_liveness", True),
    ]


def test_actions_have_the_names_of_the_text_and_actors_have_lanes():
    model = model_of(lock("SPECIFICATION Spec"))
    assert [(instance.label, instance.lane) for instance in model.instances[:5]] == [
        ("Ask(p1)", "p1"),
        ("Enter(p1)", "p1"),
        ("Leave(p1)", "p1"),
        ("Leave_2(p1)", "p1"),
        ("Ask(p2)", "p2"),
    ]
    assert model.instances[0].action.place == " (M.tla:9:11)"
    assert model.declared.processes["Procs"].pc == "pc"


LABELS = [
    *("Next(p1)", "Next(p2)", "Drop(p1)", "Drop(p2)", "Next_2(a=1, b=2)", "Next_2(a=2, b=1)", "Next_3(1)", "Next_3(2)"),
    *("Next_4(k=1, m=1)", "Next_4(k=2, m=2)", "Next_5", "Next_6", "Next_7", "Next_8", "Next_9"),
]


def test_disjuncts_that_read_alike_are_told_apart():
    labels = [instance.label for instance in model_of(form("INIT Init NEXT Next")).instances]
    assert len(set(labels)) == len(labels)
    assert labels == LABELS


def test_a_quantifier_is_taken_apart_up_to_the_first_set_that_is_not_constant():
    """The figures are TLC's."""
    lines = [
        "EXTENDS Naturals", "CONSTANT Keys", "VARIABLES seen, rows",
        "Init == seen = {0} /\\ rows = [k \\in Keys |-> 0]",
        "Put(k, n) == rows[k] = n /\\ rows' = [rows EXCEPT ![k] = n + 1] /\\ seen' = seen \\cup {n + 1}",
        "Next == \\E k \\in Keys, n \\in seen : n < 3 /\\ Put(k, n)",
        "Inv == \\A k \\in Keys, n \\in seen, m \\in 1..2 : n + m # rows[k] + 9",
    ]  # fmt: skip
    cfg = "CONSTANT Keys = {k1, k2} INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE"
    model = module_of_text(module_of(*lines), cfg)()
    assert [instance.label for instance in model.instances] == ["Put(k1)", "Put(k2)"]
    assert len(model.predicates("Inv")) == 2
    result = check(model)
    assert (result.distinct, result.generated, result.depth, result["Inv"].holds) == (16, 25, 7, True)


def test_what_a_step_leaves_unchanged_is_not_read():
    model = model_of(lock("SPECIFICATION Spec"))
    (state,) = model.initial_states()
    reads = Reads(row_of(state))
    outcomes, _ = model.instances[0].run(reads)
    assert list(reads) == [0]
    assert [list(outcome.writes) for outcome in outcomes] == [[0]]


def test_symmetry_is_the_group_of_the_configuration():
    model = model_of(lock("SPECIFICATION Spec SYMMETRY Symmetric"))
    assert model.symmetry == ("Procs",)
    assert len(model.renamings()) == 6
    assert model.renamings()[0] == {"p1": "p1", "p2": "p2", "p3": "p3"}
    assert len(model.changed(Procs=4).renamings()) == 24


NAMES = """EXTENDS TLC, FiniteSets, Naturals
CONSTANT N
VARIABLES in, steps
Init == in = {} /\\ steps = 0
Next == \\/ \\E n \\in N \\ in : in' = in \\union {n} /\\ steps' = steps + Cardinality(in)
        \\/ steps = 1 /\\ in # {} /\\ in' = {} /\\ steps' = 0
        \\/ steps < 2 /\\ steps' = steps + 1 /\\ in' = in
Perms == Permutations(N)
In == in
Few == Cardinality(in) < 4
NotChosen == in # {CHOOSE n \\in N : n # CHOOSE m \\in N : TRUE}"""
NAMES_CFG = "CONSTANT N = {a, b, c} INIT Init NEXT Next CHECK_DEADLOCK FALSE SYMMETRY Perms"


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_choose_tells_the_names_of_a_wrong_symmetry_apart(engine):
    model = module_of_text(module_of(NAMES), f"{NAMES_CFG} INVARIANT NotChosen", {})()
    with pytest.raises(ModelError, match="NotChosen is true in one of them only; check without symmetry"):
        check(model, engine=engine)


def test_states_of_one_view_need_not_behave_alike():
    model = module_of_text(module_of(NAMES), f"{NAMES_CFG} INVARIANT Few VIEW In", {})()
    assert check(model).distinct == 4


def test_symmetry_of_model_values_that_are_in_no_set():
    """TLC's figures; without symmetry it has 108 states."""
    lines = [
        "EXTENDS Naturals, TLC", "CONSTANTS a, b, c, None", "VARIABLES owner, count", "Names == {a, b, c}",
        "Perms == Permutations(Names)", "Init == owner = None /\\ count = [n \\in Names |-> 0]",
        "Take(n) == owner = None /\\ owner' = n /\\ UNCHANGED count",
        "Drop(n) == owner = n /\\ count[n] < 2 /\\ owner' = None /\\ count' = [count EXCEPT ![n] = @ + 1]",
        "Next == \\E n \\in Names : Take(n) \\/ Drop(n)",
    ]  # fmt: skip
    cfg = "CONSTANTS a = a b = b c = c None = None INIT Init NEXT Next CHECK_DEADLOCK FALSE SYMMETRY Perms"
    model = module_of_text(module_of(*lines), cfg)()
    assert model.symmetry == ("Perms",)
    result = check(model)
    assert (result.distinct, result.generated, result.depth, result.symmetry) == (28, 43, 14, ("Perms",))
    assert check(model, symmetry=False).distinct == 108
    assert check(model, engine="reference").distinct == 28


@pytest.mark.parametrize(("steps", "distinct"), [("Next", 4), ("Direct", 6), ("Inner", 3)])
def test_an_instances_own_operator_is_not_what_replaces_it_elsewhere(steps, distinct):
    """As TLC has it: by ``I!Op`` the operator itself is reached, and what uses it in the instance has the other one."""
    inner = "EXTENDS Naturals\nVARIABLE x\nOp(n) == n + 1\nUse(n) == Op(n) + 10\nInit == x = 0\n"
    inner += "Next == x < 5 /\\ x' = Op(x)"
    outer = (
        "EXTENDS N\nMine(n) == LET I == INSTANCE N IN I!Op(n) + 1\nJ == INSTANCE N\n"
        "Direct == x < 5 /\\ x' = J!Op(x)\nInner == x < 24 /\\ x' = J!Use(x)"
    )
    texts = f"---- MODULE N ----\n{inner}\n====", f"---- MODULE M ----\n{outer}\n===="
    cfg = f"INIT Init NEXT {steps} CONSTANT Op <- Mine CHECK_DEADLOCK FALSE"
    assert check(module_of_text(texts[1], cfg, modules=texts[:1])()).distinct == distinct
