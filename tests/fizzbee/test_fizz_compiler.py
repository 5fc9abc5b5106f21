"""Compiled functions and assertions beside the interpreter, which shares none of the compiler's code."""

import re
import warnings
from functools import partial
from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fizzbee.test_fizz_meaning import CHANGES, TEXTS, VALUES
from workbench import check
from workbench.fizzbee.compiler.meaning import CompiledMeaning
from workbench.fizzbee.compiler.runtime import NAMES
from workbench.fizzbee.machine.specification import machines_of
from workbench.fizzbee.meaning.search import search
from workbench.fizzbee.meaning.steps import Meaning
from workbench.fizzbee.meaning.values import shown
from workbench.kernel.meaning.errors import InputError, ModelError
from workbench.kernel.meaning.state import row_of
from workbench.kernel.meaning.values import identity


def compiled(text):
    meaning = Meaning(text, "x.fizz")
    return CompiledMeaning(meaning, meaning.initial())


def share(meaning):
    """How many functions and assertions are compiled, and how many there are."""
    return sum(native is not None for native in meaning.natives.values()), len(meaning.natives)


def findings(meaning):
    """All that a search finds."""
    result = search(meaning)
    traces = {**result.violated, **result.reached}
    return result.states, {name: [step.state.key for step in trace] for name, trace in traces.items()}, result.undecided


@pytest.mark.parametrize("text", [row[-1] for row in TEXTS], ids=[row[0] for row in TEXTS])
def test_small_texts_have_the_same_states_and_traces(text):
    meaning = compiled(text)
    assert findings(meaning) == findings(Meaning(text, "x.fizz"))
    assert share(meaning)[0] or not meaning.text.assertions


def answers(question):
    try:
        return question()
    except ModelError as error:
        return str(error)


# Random functions ---------------------------------------------------------------------------------------------------

#: Expressions by the type of their value; a word in braces is an expression of that type.
EXPRESSIONS = {
    "int": ["0", "1", "2", "-1", "a", "i", "n", "k.f", "r.f", "L", "len({list})", "{list}[0]", "({int} + {int})",
            "({int} - {int})", "({int} * 2)", "Twice({int})", "max({int}, {int})", "{dict}.get({any}, {int})",
            "(-{int})", "{list}.pop()", "{list}.count", "({int} or {int})", "sum({list})", "-1"],
    "str": ["'a'", "'b'", "E.P", "str({any})", "({str} + {str})", "({str})[0]", "('%s' % {any})", "type({any})",
            "({str})[{int}:]", "({str} and {any})", "Twice({str})", "'{}'.format({any})"],
    "bool": ["True", "False", "({any} == {any})", "({any} != {any})", "({int} < {int})", "({any} in {list})",
             "({bool} and {any})", "({any} or {bool})", "(not {any})", "({str} == {any})", "({any} == None)",
             "all([{any} for c in {list}])", "{str}.startswith({str})", "({int} >= {any})", "({any} not in {dict})"],
    "list": ["[]", "l", "l", "t", "K", "[{any}, {any}]", "({any}, {any})", "[c for c in {list}]", "p.f", "list({dict})",
             "[c for c in {list} if {any}]", "[[c, e] for c in {list} for e in [{any}, c]]", "list(range({int}))",
             "[(c, e) for (c, e) in [({any}, {any})]]", "sorted([{int}, {int}], key = lambda c: {int})", "{list}[1:]",
             "({list} + {list})", "set([{str}, {str}])", "({dict}).items()", "deepcopy({list})", "({any} and {list})",
             "Twice({list})", "sorted({list}, key = lambda c: str([c, n]))"],
    "dict": ["{}", "d", "m", "{{any}: {any}}", "{c: {any} for c in {list}}", "({dict} | {dict})", "dict({dict})"],
    "record": ["r", "p", "k", "k", "record(f = {any})", "({record} if {any} else {record})"],
    "any": ["a", "b", "None", "1.5", "{int}", "{int}", "{str}", "{bool}", "{list}", "{dict}", "{record}", "{record}.f",
            "({any} if {bool} else {any})", "m[2]", "m[{any}]", "{list}[0]", "c", "y"],
}  # fmt: skip
SIMPLE = [
    "i = {int}", "i += {int}", "l = {list}", "l += {list}", "n = {int}", "n += {int}", "t = {list}", "t += {list}",
    "m[{any}] = {any}", "d[{str}] = {any}", "l[0] = {any}", "l.append({any})", "t.append({any})", "{record}.f = {any}",
    "{record}.f += {int}", "K.append({any})", "i = G({any})", "G({any})", "i = k.M({any})", "k.M({any})",
    "l = k.M({any}, b = {any})", "(i, a) = ({any}, {any})", "pass", "return {any}", "{any}", "d = {dict}", "L = {any}",
    "i = H({any})", "d |= {dict}", "i = {record}.M({any})", "d.pop({any}, {any})", "r = {record}", "d[{str}] += {int}",
]  # fmt: skip
WORD = re.compile(rf"{{({'|'.join(EXPRESSIONS)})}}")
LOOPED = ["break", "continue"]


def filled(draw, form, depth):
    """A form with expressions for its words."""

    def expression(word):
        kind = word[1]
        if draw(st.integers(0, 24)) == 0:
            kind = "any"
        simple = [form for form in EXPRESSIONS[kind] if not WORD.search(form)]
        form = draw(st.sampled_from(EXPRESSIONS[kind] if depth or not simple else simple))
        return filled(draw, form, depth - 1 if depth else 0)

    return WORD.sub(expression, form)


@st.composite
def blocks(draw, depth=2, looped=False):
    return "\n".join(draw(st.lists(statements(depth, looped), min_size=1, max_size=4)))


@st.composite
def statements(draw, depth, looped):
    kind = draw(st.integers(0, 7)) if depth else 0
    within = indent(draw(blocks(depth - 1, looped or kind > 5)), "  ") if kind > 4 else ""
    condition = filled(draw, "{bool}", 1)
    if kind == 5:
        otherwise = indent(draw(blocks(depth - 1, looped)), "  ")
        return f"if {condition}:\n{within}\nelse:\n{otherwise}"
    if kind == 6:
        return f"for {draw(st.sampled_from(['c', 'i', '(c, i)', 'n']))} in {filled(draw, '{list}', 1)}:\n{within}"
    if kind == 7:
        return f"w{depth} = 0\nwhile w{depth} < 2 and {condition}:\n  w{depth} += 1\n{within}"
    return filled(draw, draw(st.sampled_from(SIMPLE + LOOPED * looped)), 2)


TEXT = """
K = [1, 2]
L = 3
E = enum("P", "Q")
def Twice(c):
  return c * 2
role R:
  action Init:
    self.f = 1
  atomic func M(a, b = 1):
    self.f = a
    return [a, b, self.f]
action Init:
  n = 1
  t = [1, "a"]
  m = {{"a": t, 2: 3}}
  p = record(f = t)
  k = R()
atomic func G(a):
  if a == 1:
    n += 1
  return [a, t]
atomic func F(a, b):
  i = 1
  l = [1, 2]
  d = {{"a": 1}}
  r = record(f = 1)
{}
  return (a, b, i, l, d)
atomic action Assigns:
  y = F(n, t)
  m["y"] = y
atomic action Calls:
  F(m, p)
action Serial:
  y = F(t, 1)
  n = 2
always assertion A:
  i = 1
  l = [n, t]
  d = {{}}
  r = record(f = None)
  a = t
  b = n
{}
"""


def outcomes(meaning):
    def steps(action):
        return [(step.name, step.kind, step.state.key) for step in meaning.begun(state, None, action)]

    def judge():
        return meaning.holds(meaning.text.assertions["A"], state)

    (state,) = meaning.initial()
    actions = [action for name, action in meaning.text.actions.items() if name != "Init"]
    return [answers(question) for question in (*(partial(steps, a) for a in actions), judge)]


@pytest.mark.slow
@given(body=blocks(), asserted=blocks())
def test_random_functions_do_the_same(body, asserted):
    text = TEXT.format(indent(body, "  "), indent(asserted, "  "))
    assert outcomes(compiled(text)) == outcomes(Meaning(text, "x.fizz"))


# The machine ---------------------------------------------------------------------------------------------------------


def verdicts(machine):
    result = check(machine, engine="reference")
    traces = [
        [identity(row_of(state)) for state in (verdict.trace.states if verdict.trace else ())]
        for verdict in result.verdicts
    ]
    return result.distinct, [(v.name, v.word, v.why) for v in result.verdicts], traces


@pytest.mark.parametrize("text", [row[-1] for row in TEXTS], ids=[row[0] for row in TEXTS])
def test_the_machine_finds_the_same_without_the_compiler(text, monkeypatch):
    with_compiler = verdicts(machines_of(text)())
    monkeypatch.setattr(CompiledMeaning, "_run", Meaning._run)
    assert verdicts(machines_of(text)()) == with_compiler


# What is compiled ----------------------------------------------------------------------------------------------------

HEAD = 'action Init:\n  n = 1\n  t = [1]\nK = [1]\nE = enum("P")\ndef Twice(c):\n  return c * 2\n'


def compiles(body, more=""):
    text = f"{HEAD}{more}atomic func F(a, b):\n{indent(body, '  ')}\n"
    meaning = compiled(text)
    return meaning.natives[id(meaning.text.functions["F"].body)] is not None


@pytest.mark.parametrize(
    "body",
    [
        "n += a\nreturn [c for (c, _) in b if c == E.P]",
        "while n < 3:\n  n += Twice(n)\n  if a:\n    break\n  else:\n    continue\nreturn None",
        "for (c, e) in b:\n  t.append(c)\n  t[0] = e\nreturn sorted(t, key = lambda c: -c)",
        "x = G(a)\nG(b = x)\nreturn a[1:] or {1: x}.get(2)",
    ],
)
def test_what_cannot_stop_half_way_is_compiled(body):
    assert compiles(body, "atomic func G(b):\n  n = b\n")


@pytest.mark.parametrize(
    "body",
    [
        "c = any [1, 2]", "any c in [1]:\n  n = c", "require n", "serial:\n  n = 1\n  n = 2",
        "oneof:\n  n = 1\n  n = 2",
        "F(a, b)", "G(a)", "c = H()", "a()", "x = n.a()", "n = lambda: 1", "n = R()", "def c():\n  return 1", "K = 1",
        "return [a for e in a for a in e]", "for n in a:\n  pass", "for len in a:\n  pass", "return len(unknown)",
        "t[Twice(1)] += 1", "n = self.a", "break", "n = record(a = 1, a = 2)", "n = len",
        "\n".join(f"{'  ' * depth}for c in b:" for depth in range(21)) + "\n" + "  " * 21 + "pass",
    ],
)  # fmt: skip
def test_what_is_left_to_the_interpreter(body):
    more = "role R:\n  action Init:\n    self.a = 1\natomic func G(a):\n  H()\natomic func H():\n  G(1)\n"
    assert not compiles(body, more)


def test_a_function_that_does_nothing_is_no_step():
    text = "action Init:\n  n = 1\natomic func F():\n  if n == 2:\n    n = 3\natomic action Go:\n  F()\n"
    assert share(compiled(text)) == (1, 1)
    assert findings(compiled(text))[0] == 1


def test_a_role_in_an_argument_begins_before_the_function():
    text = """
role R:
  action Init:
    self.f = 1
action Init:
  n = 0
atomic func F(r):
  n = r.f
atomic action Go:
  require n == 0
  F(R())
"""
    assert share(compiled(text)) == (1, 1)
    assert findings(compiled(text)) == findings(Meaning(text, "x.fizz"))


def test_the_role_of_a_function_that_is_called_is_evaluated_once():
    text = """
role R:
  action Init:
    self.f = 1
  atomic func M(c):
    self.f += c
    return self.f
action Init:
  n = 0
  i = [0, 1]
  rs = [R(), R()]
atomic func F():
  n = rs[i.pop()].M(len(i))
atomic action Go:
  require n == 0
  F()
always assertion Second:
  return (n == 0 and len(i) == 2) or (n == 2 and i == [0] and rs[1].f == 2)
"""
    assert share(compiled(text)) == (3, 3)
    assert findings(compiled(text)) == findings(Meaning(text, "x.fizz"))
    assert "Second" not in str(findings(compiled(text)))


def test_a_def_of_the_file_sees_no_state():
    text = f"{HEAD}def Own(c):\n  n = c\n  return n\natomic func F():\n  t = Own(5)\natomic action Go:\n  F()\n"
    text += "always assertion Kept:\n  return n == 1\n"
    assert share(compiled(text)) == (3, 3)
    assert findings(compiled(text)) == findings(Meaning(text, "x.fizz"))


def test_what_a_function_does_makes_its_caller_yield():
    text = f"{HEAD}atomic func F():\n  n = 2\naction Go:\n  require n == 1\n  atomic:\n    F()\n  n = 3\n"
    assert findings(compiled(text)) == findings(Meaning(text, "x.fizz"))
    assert findings(compiled(text))[0] > 3


def test_calls_in_each_other_are_counted_with_those_of_the_interpreter():
    """The compiled ones would be the 59th to the 61st, which is one too many."""
    calls = "\n".join(f"atomic func F{n}():\n  require n == 1\n  F{n + 1}()" for n in range(57))
    calls += "\natomic func F57():\n  G()\natomic func G():\n  H()\natomic func H():\n  n = 2\n"
    text = f"action Init:\n  n = 1\natomic action Go:\n  F0()\n{calls}"
    assert share(compiled(text)) == (3, 60)
    assert answers(partial(search, compiled(text))) == answers(partial(search, Meaning(text, "x.fizz")))


@pytest.mark.parametrize(
    ("body", "error"),
    [
        pytest.param("while True:\n  n += 1", "a step of more than 200000 statements", marks=pytest.mark.slow),
        pytest.param(
            "for c in range(300):\n  for e in range(300):\n    n = 1\n    n = 2",
            "a step of more than 200000 statements",
            marks=pytest.mark.slow,
        ),
        ("x = 1 + 'a'", "+ does not go with int and string"),
        ("K.append(1)", "this list belongs to a constant"),
        ("x = [].a", "type list has no a"),
    ],
)
def test_the_interpreter_says_what_is_wrong(body, error):
    text = f"{HEAD}atomic func F():\n{indent(body, '  ')}\natomic action Go:\n  F()\n"
    assert share(compiled(text)) == (1, 1)
    messages = [answers(partial(search, meaning)) for meaning in (compiled(text), Meaning(text, "x.fizz"))]
    assert messages[0] == messages[1]
    assert re.fullmatch(rf"x\.fizz:\d+:\d+: {re.escape(error)}", messages[0])


#: Functions, with what calls them, that mean something else in Python.
CONFUSING = {
    "a comprehension binds a name twice": (
        "atomic func F():\n  return [x for x in [1, 2] for c in [0, 0] for x in [x + 1]]\n", "n = F()"
    ),
    "self is a parameter": (
        "role P:\n  atomic func M():\n    return 2\n  atomic func N(self):\n    x = self.M()\n    return x\n"
        "role Q:\n  atomic func M():\n    return 3\n", "p = P()\n  q = Q()\n  n = p.N(q)"
    ),
    "a default comes first": (
        "atomic func G(a = 1, b):\n  return [a, b]\natomic func F():\n  x = G(b = 5)\n  return x\n", "n = F()"
    ),
    "a default comes first, and the other is missing": (
        "atomic func G(a = 1, b):\n  return [a, b]\natomic func F():\n  x = G(5)\n  return x\n", "n = F()"
    ),
    "a key comes from the caller": (
        "atomic func F(a, w):\n  return sorted([1, 2], key = a)\n", "w = -1\n  n = F(lambda c: c * w, 1)"
    ),
    "a key has no name": (
        "atomic func F(a, w):\n  return sorted([1, 2], a)\n", "w = -1\n  n = F(lambda c: c * w, 1)"
    ),
    "a field has the name of a role's function": (
        "role P:\n  atomic func M(c):\n    return c\natomic func F(a):\n  x = a.M(2)\n  return x\n",
        "n = F(record(M = lambda c: c))"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("functions", "calls"), CONFUSING.values(), ids=CONFUSING)
def test_confusing_functions_do_the_same(functions, calls):
    text = f"{HEAD}{functions}atomic action Go:\n  require n == 1\n  {calls}\nalways assertion A:\n  return n == 1\n"
    assert answers(partial(findings, compiled(text))) == answers(partial(findings, Meaning(text, "x.fizz")))


def test_what_is_written_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiles("return (1, 2) == None, (1, 2) != True, a == (3,) or None == ()")


@pytest.mark.parametrize("declared", ["atomic action Go:\n  y = F()\n", "always assertion A:\n  y = F()\n  return y\n"])
def test_a_failure_of_compiled_code_alone_is_said(declared):
    meaning = compiled(f"{HEAD}atomic func F():\n  return 1\n{declared}")
    for block, native in meaning.natives.items():
        meaning.natives[block] = native._replace(call=lambda *_: 1 // 0)
    with pytest.raises(ModelError, match=r"this project is wrong here: .*\(ZeroDivisionError"):
        search(meaning)


# Values --------------------------------------------------------------------------------------------------------------

BODIES = [
    ("return 'a' + 'b' + str(n), 1 + n, [1] + t", '("ab1", 2, [1, 1])'),
    ("for c in t:\n  if len(t) < 9:\n    t.append(c)\nreturn t", "[1, 1]"),
    ("l = t\nl += [2]\nreturn t", "[1, 2]"),
    ("d = {1: 2}\ne = d\ne |= {3: 4}\nreturn d", "{1: 2, 3: 4}"),
    ("a = 1\nb = True\nreturn a == b, [a] == [b], a == 1.0, b == True", "(False, False, True, True)"),
    ("n = True\nreturn n == 1, 0 == n, n != 1, n == True", "(False, False, True, True)"),
    ("a = [1]\nb = [True]\nreturn a == b, a != b, 1 in b, a in [[1]]", "(False, True, False, True)"),
    ("a = {}\nreturn a or 3, a and 4, not a, 1 if a else 2", "(3, {}, True, 2)"),
    ("(a, (b, c)) = [1, (2, 3)]\nreturn [c, b, a]", "[3, 2, 1]"),
    ("n += 1\nt = [n]\nreturn [n] + t", "[2, 2]"),
    ("for c in range(9):\n  if c == 1:\n    continue\n  if c == 3:\n    break\nreturn c", "3"),
    *((f"return {expression}", expected) for expression, expected in VALUES if "Twice" not in expression),
    *((f"{statements}\nreturn x", expected) for statements, expected in CHANGES),
]


@pytest.mark.parametrize(("body", "expected"), BODIES)
def test_compiled_code_gives_the_values_of_the_interpreter(body, expected):
    meaning = compiled(f"{HEAD}atomic func F():\n{indent(body, '  ')}\natomic action Go:\n  n = F()\n")
    (native,) = meaning.natives.values()
    assert (native is None) == ("hasattr" in body)
    (state,) = meaning.initial()
    (step,) = meaning.begun(state, None, meaning.text.actions["Go"])
    assert shown(step.state.heap["n"]) == expected


@pytest.mark.parametrize("statement", ["S.f = 2", "T[0] = 2", "D.pop(1)", "T.append(1)", "D[1] = 3"])
def test_compiled_code_changes_no_constant(statement):
    constants = "S = record(f = 1)\nT = [1]\nD = {1: 2}\n"
    meaning = compiled(f"{HEAD}{constants}atomic func F():\n  {statement}\natomic action Go:\n  F()\n")
    assert share(meaning) == (1, 1)
    with pytest.raises(ModelError, match="belongs to a constant"):
        search(meaning)


# Hostile texts -------------------------------------------------------------------------------------------------------


def reached_names(code):
    """The names that Python code looks up, in the functions within it too."""
    inner = [constant for constant in code.co_consts if hasattr(constant, "co_names")]
    return set(code.co_names).union(*map(reached_names, inner))


WORDS = [
    "exec", "eval", "open", "type", "Instance", "run", "owner", "heap", "state", "frozen", "call", "k_1", "t_1", "x_a",
    "fields", "is_true", "class", "global", "nonlocal", "async", "yield", "del", "with", "try",
]  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_no_name_of_a_text_reaches_the_code(word):
    body = f"{word} = a\nfor b in [{word}]:\n  {word} = record({word} = b)\nreturn {word}.{word}"
    try:
        meaning = compiled(
            f"action Init:\n  n = 1\natomic func F(a):\n{indent(body, '  ')}\natomic action Go:\n  n = F(2)\n"
        )
    except InputError:
        return  # no name of the language
    assert findings(meaning)[0] == 2
    (native,) = meaning.natives.values()
    if native is not None:
        assert native.call.__globals__["__builtins__"] == {}
        allowed = NAMES.keys() | {"fields", "state", "heap", "done"}
        assert all(name in allowed or re.fullmatch(r"k_\d+", name) for name in reached_names(native.call.__code__))


def test_what_code_reaches_runs_no_text():
    assert not {"eval", "exec", "compile", "getattr", "open", "__import__"} & NAMES.keys()
    with pytest.raises(ModelError, match="type tuple has no mro"):
        search(compiled("action Init:\n  n = 1\nalways assertion A:\n  return ().mro()[1]\n"))
