"""Texts become syntax trees, or are refused at the place where TLC refuses them."""

import pytest

from tests.tlaplus.trees import expression_of, module_of, refused, shape
from workbench.kernel import InputError
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.parser import parse_module
from workbench.tlaplus.syntax.precedence import PRECEDENCES, canonical
from workbench.tlaplus.syntax.visitor import introduced, parts

CONSTRUCTS = [
    ("x", "Identifier(x)"),
    ("Nat", "Identifier(Nat)"),
    ("17", "Number(17)"),
    (r"\b101", "Number(5)"),
    (r"\o17", "Number(15)"),
    (r"\hF", "Number(15)"),
    (r'"a\"b\\n"', r'String(a"b\n)'),
    ("TRUE", "Boolean(True)"),
    ("F(x, +)", "Apply(F [Identifier(x) Identifier(+)])"),
    ("x + y", "Operation(+ [Identifier(x) Identifier(y)])"),
    ("+(x, y)", "Operation(+ [Identifier(x) Identifier(y)])"),
    ("-x", "Operation(-. [Identifier(x)])"),
    ("1 - -1", "Operation(- [Number(1) Operation(-. [Number(1)])])"),
    ("x^#", "Operation(^# [Identifier(x)])"),
    (r"x \union y", r"Operation(\cup [Identifier(x) Identifier(y)])"),
    ("x @@ 1 :> 2", "Operation(@@ [Identifier(x) Operation(:> [Number(1) Number(2)])])"),
    ("1..2", "Operation(.. [Number(1) Number(2)])"),
    (r"x \X y \X z", r"Operation(\X [Identifier(x) Identifier(y) Identifier(z)])"),
    (r"(x \X y) \X z", r"Operation(\X [Operation(\X [Identifier(x) Identifier(y)]) Identifier(z)])"),
    (r"x /\ y /\ z", "Conjunction([Identifier(x) Identifier(y) Identifier(z)])"),
    (r"(x /\ y) /\ z", "Conjunction([Conjunction([Identifier(x) Identifier(y)]) Identifier(z)])"),
    ("/\\ x\n     /\\ \\/ y\n        \\/ z", "Conjunction([Identifier(x) Disjunction([Identifier(y) Identifier(z)])])"),
    ("/\\ x\n     /\\ y\n  => z", "Operation(=> [Conjunction([Identifier(x) Identifier(y)]) Identifier(z)])"),
    ("/\\ x\n     /\\ y => z", "Conjunction([Identifier(x) Operation(=> [Identifier(y) Identifier(z)])])"),
    (
        r"\E x, y \in S, <<a, b>> \in T : p",
        "Quantified([Bound([Declaration(x 0) Declaration(y 0)] False Identifier(S)) Bound([Declaration(a 0) "
        "Declaration(b 0)] True Identifier(T))] Identifier(p) E)",
    ),
    (r"\A x : p", "Quantified([Bound([Declaration(x 0)] False None)] Identifier(p) A)"),
    (r"CHOOSE x \in S : p", "Choose([Bound([Declaration(x 0)] False Identifier(S))] Identifier(p))"),
    (
        r"CHOOSE <<a, b>> \in S : p",
        "Choose([Bound([Declaration(a 0) Declaration(b 0)] True Identifier(S))] Identifier(p))",
    ),
    ("IF x THEN y ELSE z", "If(Identifier(x) Identifier(y) Identifier(z))"),
    (
        "CASE x -> 1 [] y -> 2 [] OTHER -> 3",
        "Case([Arm(Identifier(x) Number(1)) Arm(Identifier(y) Number(2))] Number(3))",
    ),
    (
        r"LET RECURSIVE f(_) f(p) == p g[i \in S] == i I == INSTANCE N IN f(1)",
        "Let([Recursive([Declaration(f 1)]) OperatorDefinition(f False [Declaration(p 0)] Identifier(p)) "
        "FunctionDefinition(g False FunctionOf([Bound([Declaration(i 0)] False Identifier(S))] Identifier(i))) "
        "InstanceDefinition(I False [] Instance(N [] False))] Apply(f [Number(1)]))",
    ),
    ("F(LAMBDA a, b : a)", "Apply(F [Lambda([Declaration(a 0) Declaration(b 0)] Identifier(a))])"),
    ("<<x, y>>", "TupleOf([Identifier(x) Identifier(y)])"),
    ("{}", "SetOf([])"),
    (r"{x \in S : p}", "Filter([Bound([Declaration(x 0)] False Identifier(S))] Identifier(p))"),
    (r"{<<a, b>> \in S : p}", "Filter([Bound([Declaration(a 0) Declaration(b 0)] True Identifier(S))] Identifier(p))"),
    (
        r"{x + y : x \in S, y \in T}",
        "MapOver([Bound([Declaration(x 0)] False Identifier(S)) Bound([Declaration(y 0)] False "
        "Identifier(T))] Operation(+ [Identifier(x) Identifier(y)]))",
    ),
    (r"[x \in S |-> x]", "FunctionOf([Bound([Declaration(x 0)] False Identifier(S))] Identifier(x))"),
    ("[S -> T]", "FunctionSet(Identifier(S) Identifier(T))"),
    ("[a |-> 1, b |-> 2]", "RecordOf([NamedField(a Number(1)) NamedField(b Number(2))])"),
    ("[a : S]", "RecordSet([NamedField(a Identifier(S))])"),
    ("x.a.b", "Field(Field(Identifier(x) a) b)"),
    ("f[1, 2]", "FunctionApplication(Identifier(f) [Number(1) Number(2)])"),
    (
        "[f EXCEPT ![1].a[2, 3] = @ + 1, !.b = 2]",
        "Except(Identifier(f) [Update([Index([Number(1)]) Selector(a) Index([Number(2) Number(3)])] "
        "Operation(+ [At() Number(1)])) Update([Selector(b)] Number(2))])",
    ),
    ("x'", "Prime(Identifier(x))"),
    ("[A]_v", "Box(Identifier(A) Identifier(v))"),
    ("<<A>>_<<v, w>>", "Angle(Identifier(A) TupleOf([Identifier(v) Identifier(w)]))"),
    ("WF_v(A)", "Fairness(WF Identifier(v) Identifier(A))"),
    (
        r"[][A]_v /\ SF_v(A)",
        "Conjunction([Operation([] [Box(Identifier(A) Identifier(v))]) Fairness(SF Identifier(v) Identifier(A))])",
    ),
    ("I!J(3)!Op(4)", "Qualified([Step(I []) Step(J [Number(3)])] Op [Number(4)])"),
    ("I!+(1, 2)", "Qualified([Step(I [])] + [Number(1) Number(2)])"),
    ("lab(x) :: x", "Label(lab [x] Identifier(x))"),
    ("3.14", "Unsupported(a number with a decimal point)"),
    (r"\EE x : p", r"Unsupported(\EE)"),
    ("I!Op(1)!:", "Qualified([Step(I []) Step(Op [Number(1)])] : [])"),
    ("Op!2!(x, y)!<<", "Qualified([Step(Op []) Step(2 []) Step(() [Identifier(x) Identifier(y)])] << [])"),
    ("x (* a *) + \\* b\n y", "Operation(+ [Identifier(x) Identifier(y)])"),
    ("[a \\* one\n  |-> (* two *) 1]", "RecordOf([NamedField(a Number(1))])"),
    (r"x \intersect y", r"Operation(\cap [Identifier(x) Identifier(y)])"),
    ("UNCHANGED <<x, y>>", "Operation(UNCHANGED [TupleOf([Identifier(x) Identifier(y)])])"),
    ("x ≤ y", "Operation(<= [Identifier(x) Identifier(y)])"),
    ("7 % 2 * 3", "Operation(% [Number(7) Operation(* [Number(2) Number(3)])])"),
    ("ENABLED A", "Operation(ENABLED [Identifier(A)])"),
]


@pytest.mark.parametrize(("text", "expected"), CONSTRUCTS)
def test_each_construct_has_its_node(text, expected):
    assert shape(expression_of(text)) == expected


UNITS = [
    ("EXTENDS A, B", "", ["A", "B"]),
    ("CONSTANTS c, F(_, _), _ ++ _", "Constants([Declaration(c 0) Declaration(F 2) Declaration(++ 2)])", []),
    ("VARIABLES x, y", "Variables([Declaration(x 0) Declaration(y 0)])", []),
    ("RECURSIVE f(_), g", "Recursive([Declaration(f 1) Declaration(g 0)])", []),
    ("a ++ b == a", "OperatorDefinition(++ False [Declaration(a 0) Declaration(b 0)] Identifier(a))", []),
    ("a^# == a", "OperatorDefinition(^# False [Declaration(a 0)] Identifier(a))", []),
    ("-. a == a", "OperatorDefinition(-. False [Declaration(a 0)] Identifier(a))", []),
    ("LOCAL F(g(_)) == 1", "OperatorDefinition(F True [Declaration(g 1)] Number(1))", []),
    (
        "f[i \\in S] == i",
        "FunctionDefinition(f False FunctionOf([Bound([Declaration(i 0)] False Identifier(S))] Identifier(i)))",
        [],
    ),
    ("LOCAL INSTANCE N", "Instance(N [] True)", []),
    (
        "I(p) == INSTANCE N WITH x <- p, + <- Plus",
        "InstanceDefinition(I False [Declaration(p 0)] "
        "Instance(N [Substitution(x Identifier(p)) Substitution(+ Identifier(Plus))] False))",
        [],
    ),
    ("ASSUME A == x", "Assumption(A Identifier(x))", []),
    ("THEOREM x PROOF OBVIOUS", "Theorem( Identifier(x))", []),
    ("---- MODULE N ----\nVARIABLE v\n====", "Module(N [] [Variables([Declaration(v 0)])])", []),
    ("------\n\\* only a comment\n(* (* nested *) *)", "", []),
]


@pytest.mark.parametrize(("text", "expected", "extends"), UNITS)
def test_each_unit_has_its_node(text, expected, extends):
    module = parse_module(module_of(text), "M")
    assert " ".join(map(shape, module.units)) == expected
    assert [base.name for base in module.extends] == extends


REFUSED = [
    ("x /\\ y \\/ z", "2:13: precedence conflict between /\\ and \\/"),
    ("/\\ x\n     /\\ y \\/ z /\\ x", "3:16: precedence conflict between \\/ and /\\"),
    ("/\\ x\n    \\/ y\n   /\\ z", "4:4: precedence conflict between \\/ and /\\"),
    ("2 * -1", "2:10: precedence conflict between * and -"),
    ("a + b % c", "2:12: precedence conflict between + and %"),
    ("S \\cup T \\ U", "2:15: precedence conflict between \\cup and \\"),
    ("S \\ T \\ U", "2:12: precedence conflict between \\ and \\"),
    ("a * b / c", "2:12: precedence conflict between * and /"),
    ("a = b = c", "2:12: precedence conflict between = and ="),
    ("a => b => c", "2:13: precedence conflict between => and =>"),
    ("a ^ b ^ c", "2:12: precedence conflict between ^ and ^"),
    ("DOMAIN f \\X S", "2:15: precedence conflict between DOMAIN and \\X"),
    ("UNCHANGED x'", "2:17: precedence conflict between UNCHANGED and '"),
    ("[]x'[1]", "2:9: precedence conflict between [] and '"),
    ("[a |-> 1, a |-> 2]", "2:16: the field a is given twice"),
    ("2147483648", "2:6: 2147483648 does not fit into the 32 bits of TLC's numbers"),
    ("1" * 2000, "2:6: a number of 2,000 digits is not accepted; it takes 1,000"),
    ("x +", "3:4: syntax error: found '='"),
    ("LAMBDA p : p", "2:"),
    ("é + (", "2:"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_tlc_refuses_is_refused_with_its_place(text, message):
    with refused(f"M.tla:{message}"):
        expression_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "x - y + z - x", "1 - -1", "SUBSET SUBSET x", "SUBSET x \\cup y", "~ x = y", "x.a' + x'.a", "1..x+1",
        "x \\in 1..3 \\cup y", "x /\\ (y \\/ z) /\\ x", "x \\/ \\E q \\in y : q /\\ z", "(2) * (-1)",
    ],
)  # fmt: skip
def test_what_tlc_accepts_is_accepted(text):
    assert expression_of(text)


def test_places_count_characters_and_are_those_of_the_constructs():
    module = parse_module(module_of('A == <<"é", x,', "       y>>"), "M")
    (definition,) = module.each(tree.OperatorDefinition)
    assert [str(item.at) for item in definition.body.items] == ["M.tla:2:8", "M.tla:2:13", "M.tla:3:8"]


def test_text_around_a_module_is_ignored_and_a_file_without_one_refused():
    assert parse_module("before\n" + module_of("A == 1") + "\nafter", "M").name == "M"
    with pytest.raises(InputError, match=r"M\.tla"):
        parse_module("nothing", "M")


def test_deep_nesting_is_refused_in_one_line():
    with pytest.raises(InputError, match="nested too deep"):
        expression_of("(" * 3000 + "1" + ")" * 3000)


def test_each_spelling_leads_to_an_operator_with_a_precedence():
    assert all(canonical(canonical(symbol)) == symbol for symbol in PRECEDENCES)


def test_bound_names_are_known_in_the_body_alone():
    filtered = expression_of("{x \\in S : p}")
    assert [(shape(part.node), part.inside) for part in parts(filtered)] == [
        ("Identifier(S)", False),
        ("Identifier(p)", True),
    ]
    assert [name.name for name in introduced(filtered)] == ["x"]
