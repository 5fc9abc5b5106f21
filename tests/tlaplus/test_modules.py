"""What names mean across modules, and the errors of names that mean nothing, or two things."""

import pytest

from tests.tlaplus.trees import STANDARD, loaded, module_of, refused, shape
from workbench.kernel import InputError
from workbench.tlaplus.names import loader
from workbench.tlaplus.names.loader import Library, load
from workbench.tlaplus.names.symbols import Constant, Defined, InstanceParameter, Instantiated, Standard, Variable
from workbench.tlaplus.syntax.tree import Place

START = ("EXTENDS Naturals, Sequences", "VARIABLES x, y, z")

REFUSED = [
    ("A == q", "4:6: unknown name q"),
    ("A == 1 ++ 2", "4:6: unknown name ++"),
    ("B(p) == 1\nA == B(1, 2)", "5:6: B takes 1 argument, not 2"),
    ("B(p) == 1\nA == B", "5:6: B takes 1 argument, not 0"),
    ("B(p) == 1\nA == 1 = B", "5:10: B takes 1 argument, not 0"),
    ("A == Len(x, y)", "4:6: Len takes 1 argument, not 2"),
    ("B == 1\nA == B(1)", "5:6: B takes no arguments, not 1"),
    ("B(p, q) == 1\nC(f(_)) == f(1)\nA == C(B)", "6:8: C takes an operator of 1 arguments here, not one of 2"),
    ("B == 1\nC(f(_)) == f(1)\nA == C(B)", "6:8: C takes an operator of 1 arguments here, not a value"),
    ("C(f(_)) == f(1)\nA == C(LAMBDA a, b : a)", "5:8: C takes an operator of 1 arguments here, not one of 2"),
    ("B(p) == 1\nC(f) == f\nA == C(B)", "6:8: B takes 1 argument, not 0"),
    ("C(f) == f\nA == C(LAMBDA p : p)", "5:8: C takes a value here, not an operator"),
    ("A == B\nB == 1", "4:6: B is not known yet; it is defined at M.tla:5:1"),
    ("A(p) == A(p)", "4:9: A is not known yet"),
    ("A == \\E x \\in y : x", "4:9: x is already declared at M.tla:3:11"),
    ("B == 1\nA == \\E B \\in y : B", "5:9: B is already defined at M.tla:4:1"),
    ("B == 1\nA(B) == B", "5:3: B is already defined at M.tla:4:1"),
    ("B == 1\nA == LET B == 2 IN B", "5:10: B is already defined at M.tla:4:1"),
    ("A(p) == LET p == 1 IN p", "4:13: p is already declared at M.tla:4:3"),
    ("A(p) == \\E p \\in x : p", "4:12: p is already declared at M.tla:4:3"),
    ("A == \\E p \\in x, p \\in y : p", "4:18: p is already declared at M.tla:4:9"),
    ("A(p, p) == p", "4:6: p is already declared at M.tla:4:3"),
    ("A == 1\nA == 2", "5:1: A is already defined at M.tla:4:1"),
    ("A == 1\nA == 1", "5:1: A is already defined at M.tla:4:1"),
    ("RECURSIVE A(_)\nA(p, q) == 1", "5:1: A has 2 parameters; at M.tla:4:11 1"),
    ("I == INSTANCE Sequences WITH foo <- 1", "4:30: Sequences declares no constant or variable foo"),
    ("---- MODULE Inner ----\nA == q\n====", "5:6: unknown name q"),
    ("VARIABLE x", "4:10: x is already declared at M.tla:3:11"),
    ("Len(s) == 1", "4:1: Len is already defined in Sequences"),
    ("A == @", "4:6: @ has no meaning here"),
    ("EXTENDED == INSTANCE Nowhere", "4:13: there is no module Nowhere"),
    ("I == INSTANCE Sequences\nA == I!Foo", "5:6: Sequences has no operator Foo"),
    ("I == INSTANCE Sequences\nA == I", "5:6: I is an instance"),
    ("I == INSTANCE N WITH v <- x\nA == I!Op(1)", "5:6: Op takes no arguments, not 1"),
    ("I == INSTANCE N", "4:6: INSTANCE N says nothing of v; it takes WITH v <- ..."),
    ("I == INSTANCE N WITH v <- x, foo <- 1", "4:30: N declares no constant or variable foo"),
    ("I(p) == INSTANCE N WITH v <- p\nA == I!Op", "5:6: I takes 1 argument, not 0"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_tlc_refuses_is_refused_with_its_place(text, message):
    with refused(f"M.tla:{message}"):
        loaded(*START, text, N="VARIABLE v\nOp == v'")


@pytest.mark.parametrize(
    "text",
    [
        "A == \\E B \\in x : B\nB == 1",
        "RECURSIVE A(_)\nA(p) == A(p)",
        "f[i \\in x] == f[i]",
        "A == x.x",
        "C(f(_)) == f(1)\nA == C(LAMBDA q : q) + C(Len)",
        "A == [x EXCEPT ![1] = @ + 1]",
        "p ++ q == 1\nA == 1 ++ 2 ++ 3",
        "A == {i : i \\in x}",
        "A == SelectSeq(x, LAMBDA e : e = 1)",
        "A == LET RECURSIVE g(_) g(p) == g(p) IN g(1)",
        "THEOREM T == x = 1\nA == T",
        "A == x \\X y \\X z",
        "A == \\EE q : q",
    ],
)
def test_what_tlc_accepts_is_accepted(text):
    assert isinstance(loaded(*START, text).scope.find("A") or loaded(*START, text).scope.find("f"), Defined)


def test_names_of_extended_modules_have_one_meaning_and_local_ones_stay_inside():
    made = loaded(
        "EXTENDS L, R", "A == Shared + n",
        L="EXTENDS Base\nLOCAL Helper == 1\nLeft == Helper", R="EXTENDS Base\nLOCAL Helper == 2\nRight == Helper",
        Base="EXTENDS Naturals\nCONSTANT n\nVARIABLE v\nShared == n\nASSUME n = 1",
    )  # fmt: skip
    assert [type(made.scope.find(name)) for name in ("n", "v", "Shared", "+")] == [
        Constant,
        Variable,
        Defined,
        Standard,
    ]
    assert made.scope.find("Helper") is None
    assert [[one.name for one in found] for found in (made.constants, made.variables)] == [["n"], ["v"]]
    left = made.scope.find("Left")
    assert shape(left.scope.find("Helper").definition.body) == "Number(1)"
    assert [str(one.assumption.at) for one in made.assumptions] == ["Base.tla:6:1"]


def test_with_decides_what_an_instance_means_though_the_name_exists_outside():
    made = loaded(
        "VARIABLES v, w", "Outer(p) == p", "I == INSTANCE N WITH v <- w, Op <- Outer", "A == I!Use",
        N="CONSTANT Op(_)\nVARIABLE v\nUse == Op(v)",
    )  # fmt: skip
    instance = made.scope.find("I")
    assert isinstance(instance, Instantiated)
    v, op = instance.scope.find("v"), instance.scope.find("Op")
    assert isinstance(v, InstanceParameter)
    assert v.scope.find(v.expression.name) is made.scope.find("w")
    assert op.scope.find(op.expression.name) is made.scope.find("Outer")


def test_an_instance_without_with_takes_the_names_around_it():
    made = loaded("VARIABLE v", "INSTANCE N", "A == Op", N="VARIABLE v\nOp == v")
    v = made.scope.find("Op").scope.find("v")
    assert v.scope.find(v.expression.name) is made.scope.find("v")


def test_a_parameter_of_an_instance_is_what_is_passed():
    made = loaded("VARIABLE w", "I(p) == INSTANCE N WITH v <- p", "A == I(w)!Op", N="VARIABLE v\nOp == v'")
    reached = made.scope.reach(made.scope.find("A").definition.body)
    ((parameter, argument),) = reached.arguments
    v = reached.meaning.scope.find("v")
    assert (shape(argument), v.scope.find("p")) == ("Identifier(w)", parameter)
    assert parameter in reached.meaning.scope.parameters


def test_inner_modules_and_instances_of_instances():
    made = loaded(
        "VARIABLE w", "---- MODULE Inner ----", "VARIABLE v", "Both == <<v, w>>", "====",
        "I == INSTANCE Inner WITH v <- w", "J == INSTANCE N WITH v <- w", "A == J!K!Op", "B == I!Both",
        "C == LET L == INSTANCE N WITH v <- w IN L!K!Op",
        N="VARIABLE v\nK == INSTANCE Deep WITH d <- v", Deep="VARIABLE d\nOp == d'",
    )  # fmt: skip
    assert made.scope.reach(made.scope.find("A").definition.body).meaning.definition.name == "Op"
    both = made.scope.reach(made.scope.find("B").definition.body).meaning
    assert both.scope.find("w") is made.scope.find("w")


def test_an_operator_that_an_instance_defines_too_keeps_its_definition():
    assert not loaded("VARIABLE v", "vars == <<v>>", "INSTANCE N", N="VARIABLE v\nvars == <<v>>").notes
    made = loaded("VARIABLE v", "vars == <<v, v>>", "INSTANCE N", N="VARIABLE v\nvars == <<v>>")
    note = "M.tla:4:1: vars is defined at M.tla:3:1; another one, defined at N.tla:3:1, does not count"
    assert made.notes == (note,)
    with pytest.raises(InputError, match=r"M.tla:2:12: F is already defined at N.tla:2:1"):
        loaded("EXTENDS N, Deep", N="F == 1", Deep="CONSTANT F")


def test_a_configuration_replaces_constants_and_operators():
    made = loaded("EXTENDS Naturals", "CONSTANT c", "F == 1", "MC == 2", "A == <<c, F, Nat>>")
    for name in ("c", "F", "Nat"):
        made.replace(name, "MC")
        assert made.scope.find(name) is made.scope.find("MC")
    with pytest.raises(InputError, match="unknown definition 'MCs'"):
        made.replace("c", "MCs")
    with pytest.raises(InputError, match="unknown constant or operator 'd'"):
        made.replace("d", "MC")


def test_a_configuration_replaces_in_one_module():
    made = loaded("EXTENDS N", "MC == 2", N="EXTENDS Naturals\nB == Nat")
    made.replace("Nat", "MC", module="N")
    assert made.scope.find("B").scope.find("Nat") is made.scope.find("MC")
    assert isinstance(made.scope.find("Nat"), Standard)


def test_files_are_read_from_the_given_folders_alone_up_to_a_size(tmp_path, monkeypatch):
    (tmp_path / "N.tla").write_text(module_of("B == 1", name="N"))
    (tmp_path / "M.tla").write_text(module_of("EXTENDS N", "A == B"))
    assert load("M", Library([tmp_path])).scope.find("B")
    with pytest.raises(InputError, match="there is no module M"):
        load("M", Library([tmp_path / "elsewhere"]))
    (tmp_path / "P.tla").write_text(module_of("A == 1", name="Q"))
    with pytest.raises(InputError, match=r"P.tla:1:1: the file P.tla has the module Q"):
        load("P", Library([tmp_path]))
    monkeypatch.setattr(loader, "MOST_BYTES", 10)
    with pytest.raises(InputError, match="too large"):
        load("M", Library([tmp_path]))


def test_a_file_may_hold_modules_behind_its_own(tmp_path):
    """As in TLC, unless there is a file of that name."""
    beside = module_of("VARIABLE x\nB == y", name="N")
    (tmp_path / "M.tla").write_text("\n".join([module_of("EXTENDS N", "A == B"), beside.replace("y", "x")]))
    made = load("M", library := Library([tmp_path]))
    assert ([one.name for one in made.variables], library.read["N"]) == (["x"], library.read["M"])
    assert made.scope.find("B").definition.at == Place("N", 7, 1)
    (tmp_path / "N.tla").write_text(module_of("B == 1", name="N"))
    assert not load("M", Library([tmp_path])).variables
    with pytest.raises(InputError, match=r"M.tla:2:9: there is no module Inner"):
        load("M", Library(texts={"M": module_of("EXTENDS Inner", "A == 1", "---- MODULE Inner ----", "====")}))


def test_modules_in_a_circle_are_refused():
    with pytest.raises(InputError, match="in a circle: M -> N -> M"):
        loaded("EXTENDS N", N="EXTENDS M")


def test_a_file_comes_before_a_standard_module_that_tlc_has_no_java_for(tmp_path):
    texts = {"M": module_of("EXTENDS Own, Naturals", "A == B"), "Own": module_of("B == 1", name="Own")}
    standard = {**STANDARD, "Own": {"C": (0, None)}}
    assert load("M", Library(standard=standard, texts=texts)).scope.find("C") is None
