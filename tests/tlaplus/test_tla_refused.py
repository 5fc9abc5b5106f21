"""What is wrong with a module or its configuration is said in one line, with its place."""

import pytest

from tests.tlaplus.trees import module_of, refused
from workbench.checking.check import check
from workbench.kernel import InputError, ModelError
from workbench.tlaplus.machine.specification import module_of_text, open_module

TEXT = r"""EXTENDS Naturals, TLC
CONSTANT N
VARIABLES x, y
ASSUME N > 0
Init == x = 0 /\ y = 0
Next == x' = (x + 1) % N /\ y' = y
Half == x' = 0
Later == x < 2 /\ x' = x + 1 /\ y' = 1 \div (1 - x)
Two(a) == x = a
Spec == Init /\ [][Next]_<<x, y>>
Live == <>(x = 0) => <>(x = 1)
Twice == Init /\ [][Next]_<<x, y>> /\ [][Half]_x
Given(a) == x = a /\ y = 0 /\ [][Next]_<<x, y>>
Bound == Given(0)
Sym == {[n \in {1} |-> n]}
Fine == x < N
Fails == (1 \div x) > 0
Step == x' = x
Rest == x + 1
Again == Init /\ x < 9
Other(a) == Two(a) \/ y = a
Held == Init /\ [][Next]_<<x, y>> /\ [](x = 1 => [](y = 0))
"""
BOTH = "CONSTANT N = 3\nINIT Init NEXT Next\n"

REFUSED = [
    ("CONSTANT N = 3 INVARIANT Fine", "M.cfg names no behaviour; it takes SPECIFICATION, or INIT and NEXT"),
    ("INIT Init NEXT Next", "M.cfg: no value for N; a .cfg gives constants values"),
    ("CONSTANT N = 0\nINIT Init NEXT Next", "M.tla:5:1: what is assumed here is false with these constants"),
    (BOTH + "INVARIANT Fien", "M.cfg: line 3: unknown definition 'Fien' (did you mean Fine?)"),
    (BOTH + "\nPROPERTY Nothing", "M.cfg: line 4: unknown definition 'Nothing'"),
    (BOTH + "INVARIANT Two", "M.cfg: line 3: Two takes 1 arguments; what a .cfg names takes none"),
    (BOTH + "INVARIANT Step", "M.cfg: line 3: Step is no predicate of states"),
    (BOTH + "PROPERTY Step", "M.cfg: line 3: Step is an action; PROPERTY asks behaviours, as "),
    (BOTH + "VIEW Step", "M.cfg: line 3: VIEW takes an expression of a state"),
    (BOTH + "ACTION_CONSTRAINT Live", "M.cfg: line 3: Live is no predicate of steps"),
    (BOTH + "CONSTRAINT Fine\nACTION_CONSTRAINT Fine", "M.cfg: line 4: Fine is a constraint twice; it takes a name of"),
    (BOTH + "SYMMETRY Sym", "M.cfg: line 3: SYMMETRY is not supported: "),
    ('INIT Init NEXT Next CONSTANT N = {1, "a"}', "M.cfg: line 1: N: a string and an integer cannot be compared"),
    ("INIT Init NEXT Next CONSTANT N = {{TRUE}, {0}}", "M.cfg: line 1: N: values of different kinds are compared"),
    (BOTH + "CONSTANT N = [M] {1, TRUE}", "M.cfg: line 3: N: a boolean and an integer cannot be compared"),
    (
        "INIT Init NEXT Next CONSTANT N <- Rest",
        "M.cfg: line 1: N <- Rest: Rest depends on the state, and N is",
    ),
    (
        "INIT Init NEXT Next CONSTANT N <- Step",
        "M.cfg: line 1: N <- Step: Step depends on the state, and N is",
    ),
    (BOTH + "CONSTANT Init <- Again", "M.cfg: line 3: Init <- Again is a circle: Again at M.tla:21:1 uses Init"),
    (BOTH + "CONSTANT Two <- Other", "M.cfg: line 3: Two <- Other is a circle: Other at M.tla:22:1 uses Two"),
    (BOTH + "CONSTANT x <- Nowhere", "M.cfg: line 3: unknown definition 'Nowhere'"),
    ("CONSTANT N = 3 Two = 4\nINIT Init NEXT Next", "M.cfg: line 1: Two takes 1 arguments; a value cannot stand for"),
    (BOTH + "CONSTANT\nTwo = Two", "M.cfg: line 4: Two takes 1 arguments; a value cannot stand for"),
    (BOTH + "CONSTANT Two(1, 2) = 4", "M.cfg: line 3: Two takes 1 arguments, and a value is given for 2"),
    (BOTH + "CONSTANT Two(1) = 4\nTwo(1) = 5", "M.cfg: line 4: Two(...) is given twice with the same arguments"),
    (BOTH + "CONSTANT Two() = 4", "M.cfg: line 3: Two() is not accepted; it takes Two(arguments) = value"),
    (BOTH + "CONSTANT Two(1) = 4 Two(TRUE) = 5", "M.cfg: line 3: Two: a boolean and an integer cannot be compared"),
    (BOTH + "CONSTANT Tow(1) = 4", "M.cfg: line 3: unknown constant or operator 'Tow' (did you mean Two?)"),
    (BOTH + "CONSTANT ++ <- Two", "M.cfg: line 3: unknown constant or operator '++'"),
    ("CONSTANT N = 3\nSPECIFICATION Live", "M.tla:12:9: a specification has initial predicates"),
    ("CONSTANT N = 3\nSPECIFICATION Held", "M.tla:23:38: a specification has initial predicates"),
    ("CONSTANT N = 3\nSPECIFICATION Twice", "M.tla:13:1: a specification has one [][Next]_vars; this one has 2"),
    ("CONSTANT N = 3\nSPECIFICATION Bound", "M.tla:14:13: an initial condition that depends on names bound around it"),
    ("CONSTANT N = 3 INVARIANT\nINIT Init NEXT Next VIEW", "M.cfg: line 2: found the end of the file"),
]


@pytest.mark.parametrize(("cfg", "message"), REFUSED)
def test_mistakes_are_named_with_their_place(cfg, message):
    with refused(message):
        module_of_text(module_of(TEXT), cfg)


ERRORS = [
    ("CONSTANT N = 3\nINIT Init NEXT Half", "M.tla:8:9: Half leaves y unassigned", 1),
    ("CONSTANT N = 3\nINIT Half NEXT Next", "M.tla:8:", 0),
    ("CONSTANT N = 3\nINIT Init NEXT Later", "M.tla:9:", 2),
    (BOTH + "INVARIANT Fails", "M.tla:18:", 1),
]


@pytest.mark.parametrize(("cfg", "place", "states"), ERRORS)
def test_errors_of_a_text_have_a_place_and_the_behaviour_that_leads_there(cfg, place, states):
    model = module_of_text(module_of(TEXT), cfg)
    with pytest.raises(ModelError) as caught:
        check(model(), engine="local")
    assert place in str(caught.value)
    assert states == 0 or len(caught.value.trace) == states


def test_a_property_that_cannot_be_decided_is_unknown_and_the_others_are_decided():
    model = module_of_text(module_of(TEXT), BOTH + "INVARIANT Fine PROPERTY Live VIEW x")
    result = check(model(), engine="local")
    assert result["Fine"].holds
    assert result["Live"].holds is None
    assert result["Live"].why.startswith("M.tla:12:9: a formula of this shape is not supported")


def test_a_module_without_a_configuration_is_explored_and_says_so(tmp_path):
    (tmp_path / "M.tla").write_text(module_of("EXTENDS Integers", "VARIABLE x", "Init == x = 1", "Next == x' = 3 - x"))
    result = check(open_module(tmp_path / "M.tla")(), engine="local")
    assert result.distinct == 2
    assert "there is no .cfg: nothing is checked but deadlock" in result.notes


def test_a_configuration_may_stand_in_the_modules_file(tmp_path):
    text = module_of("EXTENDS Integers", "VARIABLE x", "Init == x = 1", "Next == x' = 3 - x", "One == x = 1")
    file = tmp_path / "M.tla"
    file.write_text(f"{text}\n---- CONFIG Other ----\nINIT Init\n====\n---- CONFIG M ----\nINIT Init\nNEXT Next\n")
    result = check(open_module(file)(), engine="local")
    assert (result.distinct, result.notes) == (2, [])
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next INVARIANT One")
    assert not check(open_module(file)(), engine="local")["One"].holds
    assert check(open_module(file, file)(), engine="local").distinct == 2
    file.write_text(file.read_text() + "INVARIANT Two")
    line = file.read_text().splitlines().index("INVARIANT Two") + 1
    with refused(f"M.tla: line {line}: unknown definition 'Two'"):
        open_module(file, file)
    file.write_text(text)
    with refused(f"{file} has no section ---- CONFIG M ----"):
        open_module(file, file)


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_where_no_behaviour_is_named_what_is_assumed_is_checked_and_the_result_says_so(engine):
    text = module_of("EXTENDS Naturals", "CONSTANT N", "VARIABLE x", "ASSUME N > 2")
    result = check(module_of_text(text, "CONSTANT N = 3")(), engine=engine)
    assert (result.distinct, result.verdicts) == (0, [])
    assert "M.cfg names no behaviour: what is assumed holds, and there are no states" in result.notes
    with pytest.raises(InputError, match=r"M.tla:5:1: what is assumed here is false"):
        module_of_text(text, "CONSTANT N = 2")()


NO_VARIABLES = module_of("EXTENDS Naturals", "ASSUME 1 < 2", "Spec == TRUE /\\ [][TRUE]_<<>>", "I == 1 = 2")


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("cfg", ["SPECIFICATION Spec", None])
def test_a_module_without_variables_has_no_states_as_for_tlc(cfg, engine):
    result = check(module_of_text(NO_VARIABLES, cfg)(), engine=engine)
    assert (result.distinct, result.generated, result.verdicts) == (0, 0, [])
    assert "M has no variables: what is assumed holds, and there are no states" in result.notes


def test_nothing_is_asked_of_states_where_there_are_no_variables():
    with pytest.raises(InputError, match=r"M.cfg: line 2: I is asked of states, but M has no variables, and so no st"):
        module_of_text(NO_VARIABLES, "SPECIFICATION Spec\nINVARIANT I")


PARTS = r"""EXTENDS Naturals
Op(a) == \/ a = 1
         \/ \E x, y \in {1} : a = x + y
Chain == 1 = 1 /\ 2 = 2 /\ 3 = 3
Way(a) == CASE a = 1 -> 2 [] OTHER -> 3
Lack == \E x \in {1} : lab:: x = 1
"""
#: The name of a part, the column of what is wrong with it, and what that is.
NO_PARTS = [
    ("Op(1)!3", 6, "!3 names no part of the expression at M.tla:3:10"),
    ("Op(1)!2!(1)", 6, "!() takes 2 arguments here, not 1"),
    ("Op!1", 6, "Op takes 1 argument, not 0"),
    ("Op(1)!here", 6, "!here names no part of the expression at M.tla:3:10"),
    ("Chain!3", 6, "!3 names no part of the expression at M.tla:5:10"),
    ("Way(1)!1", 6, "!1 is an arm of CASE; it takes !1, its condition, or !2 behind it"),
    ("Way(1)!3", 6, "!3 names no part of the expression at M.tla:6:11"),
    ("Lack!lab", 6, "!lab names a label at M.tla:7:24 that lacks the names bound around it; it takes lab(x)"),
    ("Naught!1", 6, "unknown name Naught (did you mean Nat?)"),
]


@pytest.mark.parametrize(("name", "column", "message"), NO_PARTS)
def test_parts_that_there_are_not_have_their_place(name, column, message):
    with pytest.raises(InputError) as caught:
        module_of_text(module_of(PARTS + f"A == {name}"))
    assert str(caught.value) == f"M.tla:8:{column}: {message}"


def test_liveness_with_a_view_is_not_decided_and_the_result_says_what_a_view_does():
    cfg = "CONSTANT N = 3\nSPECIFICATION Spec VIEW x PROPERTY Ever CHECK_DEADLOCK FALSE"
    result = check(module_of_text(module_of(TEXT, "Ever == <>(x = 1)"), cfg)(), engine="local")
    assert result["Ever"].holds is None
    assert result["Ever"].why == "one state stands for all with its VIEW, so that the behaviours are not known"
    assert "of states with the same VIEW one is explored: counts depend on which one is found first" in result.notes


def test_the_configuration_beside_a_module_is_taken_unless_another_is_named(tmp_path):
    (tmp_path / "M.tla").write_text(module_of(TEXT))
    (tmp_path / "M.cfg").write_text(BOTH)
    (tmp_path / "Small.cfg").write_text(BOTH.replace("3", "2"))
    assert open_module(tmp_path / "M.tla")().constants["N"] == 3
    assert open_module(tmp_path / "M.tla", tmp_path / "Small.cfg")().constants["N"] == 2
    with pytest.raises(InputError, match="there is no file"):
        open_module(tmp_path / "N.tla")


def test_what_a_configuration_says_in_vain_is_noted():
    model = module_of_text(module_of(TEXT), BOTH + "CONSTANT Foo = 3 POSTCONDITION Fine")
    assert list(model().oversights()) == [
        "M.cfg gives a value to Foo, which M itself does not have",
        "POSTCONDITION Fine is passed over: it speaks of a state, and after a search is none",
    ]


TWICE = [
    ("N = 1\nN = 2", "N is given twice, here and in line 1; it takes one value"),
    ("N = N\nN = 2", "N is given twice, here and in line 1; it takes one value"),
    ("N = 2\nN = N", "N is given twice, here and in line 1; it takes one value"),
    ("N <- Three\nN = 2", "N is given twice, here and in line 1; it takes one value"),
    ("N = 2\nN <- Three", "N is given twice, here and in line 1; it takes one value"),
    ("N <- Three\nN <- Three", "N is given twice, here and in line 1; it takes one value"),
    ("N = [M] 1\nN <- [M] Three", "N is given twice, here and in line 1; it takes one value"),
]


@pytest.mark.parametrize(("constants", "message"), TWICE)
def test_a_constant_takes_one_value(constants, message):
    """TLC takes the last value, but a definition before any other."""
    with pytest.raises(InputError) as caught:
        module_of_text(module_of(TEXT + "Three == 3"), f"CONSTANTS {constants}\nINIT Init NEXT Next")
    assert str(caught.value) == f"M.cfg: line 2: {message}"


def test_a_model_value_may_be_named_by_each_set_that_has_it():
    model = module_of_text(module_of(TEXT), "CONSTANTS a = a N = 3\na = a\nINIT Init NEXT Next CHECK_DEADLOCK FALSE")
    assert check(model(), engine="local").distinct == 3


WRONG = r"""EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES x, y
f == [i \in 0 .. 1 |-> i]
Init == x = 0 /\ y = 0
Next == x < 3 /\ x' = x + 1 /\ {}
"""
#: What stands in Next, the column where it is wrong, what is said, and the states of the behaviour that leads there.
WRONG_STEPS = [
    ('y\' = IF x = 2 THEN 1 + "a" ELSE 0', 51, '+ needs an integer, not "a"', 3),
    ("y' = IF x = 2 THEN Len(x) ELSE 0", 51, "Len needs a sequence, not 2", 3),
    ("y' = IF x THEN 1 ELSE 0", 40, "0 is not a boolean", 1),
    ("y' = IF x \\in 5 THEN 1 ELSE 0", 40, "5 is not a set, so that 0 cannot be a member", 1),
    ("y' = IF x = {} THEN 1 ELSE 0", 40, "a set and an integer cannot be compared: {} and 0", 1),
    ("(x = 1 => \\A n \\in Nat : n >= 0) /\\ y' = y", 42, "Nat is not enumerable", 2),
    ("(\\E n \\in Int : y' = n)", 33, "Int is not enumerable", 1),
    ("y' = <<1, 2>>[x + 1]", 37, "3 is not in the domain of <<1, 2>>", 3),
    ("y' = f[x]", 37, "2 is not in the domain of (0 :> 0 @@ 1 :> 1)", 3),
    ("y' = [a |-> 1].b", 37, "there is no field b in the record [a |-> 1]", 1),
    ("y' = CASE x = 0 -> 1 [] x = 1 -> 2", 37, "no arm of CASE is true", 3),
    ("y' = CHOOSE i \\in {1} : i = x", 37, "no member of {1} satisfies the predicate of CHOOSE", 1),
    ('Assert(x < 2, "too big") /\\ y\' = y', 32, 'Assert failed: "too big"', 3),
    ("y' = Head(x)", 37, "Head needs a sequence, not 0", 1),
    ("y' = Head(<<>>)", 37, "Head is applied to the empty sequence", 1),
    ("y # y' /\\ y' = 1", 36, "y' is used before it is assigned", 1),
]


@pytest.mark.parametrize(("text", "column", "message", "states"), WRONG_STEPS)
def test_errors_of_steps_have_lines_columns_and_behaviours(text, column, message, states):
    model = module_of_text(module_of(WRONG.replace("{}\n", f"{text}\n")), "INIT Init NEXT Next CHECK_DEADLOCK FALSE")
    with pytest.raises(ModelError) as caught:
        check(model(), engine="local")
    assert str(caught.value) == f"M.tla:6:{column}: {message}"
    assert len(caught.value.trace) == states


def test_an_operator_that_is_its_argument_is_looked_at_once():
    """Each applies the one before twice, so that a look at every application would be one at 2^40."""
    applied = [f"g{n + 1}(a) == g{n}(g{n}(a))" for n in range(40)]
    behaviour = ["VARIABLE x", "Init == x = 0", "Next == x' = 1 - x", "Spec == g40(Init /\\ [][Next]_x)"]
    model = module_of_text(module_of("EXTENDS Integers", "g0(a) == a", *applied, *behaviour), "SPECIFICATION Spec")
    assert check(model(), engine="local").distinct == 2
