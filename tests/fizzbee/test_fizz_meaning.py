"""Small texts with their states and verdicts, and what a text cannot do."""

import re
from pathlib import Path

import pytest

from workbench.fizzbee.meaning.search import search
from workbench.fizzbee.meaning.steps import Meaning
from workbench.fizzbee.meaning.values import shown
from workbench.kernel.meaning.errors import InputError, ModelError

FILE = Path(__file__).with_name("behaviours.txt")
TEXTS = re.findall(r"^== (.*?): (\d+; .*?)\n(.*?)(?=^== |\Z)", FILE.read_text(), re.M | re.S)


def verdicts(text):
    """The states and verdicts as a head of `behaviours.txt` has them."""
    result = search(Meaning(text, "x.fizz"))
    violated = [f"{name} {len(trace) or 'never'}" for name, trace in result.violated.items()]
    reached = [f"{name} reached {len(trace)}" for name, trace in result.reached.items()]
    return f"{result.states}; {', '.join(violated + reached) or 'none'}"


def quiet(text):
    """The text without a search for deadlocks, unless it asks for one."""
    if "deadlock_detection" in text:
        return text
    head = "---\ndeadlock_detection: false\n"
    return head + (text.removeprefix("---\n") if text.startswith("---\n") else f"---\n{text}")


@pytest.mark.parametrize(("expected", "text"), [row[1:] for row in TEXTS], ids=[row[0] for row in TEXTS])
def test_states_and_verdicts(expected, text):
    assert verdicts(quiet(text)) == expected


def test_a_hostile_text_is_refused_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reach = "().__class__.__base__.__subclasses__()"
    wrap = 'c.__name__ == "_wrap_close"'
    text = f"""
action Init:
  x = 0
atomic action Go:
  require x == 0
  x = len([c for c in {reach} if {wrap}][0].__init__.__globals__["popen"]("touch pwned").read())
"""
    with pytest.raises(InputError, match=r"^x\.fizz:6:26: names that begin with __ are not read: __class__$"):
        search(Meaning(text, "x.fizz"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("x = getattr((), '_' + '_class_' + '_')", "5:14: type tuple has no __class__"),
        ("x = ().append", "5:9: type tuple has no append"),
        ("x = 'a'.encode()", "5:10: type string has no encode"),
        ("x = '{0.real}'.format(1)", "5:24: format takes {}, {0} and {name}"),
        ("x = eval('1')", "5:7: nothing is called eval"),
        ("x = open", "5:7: nothing is called open"),
        ("x = len", "4:15: a function is no value of a state"),
        ("x = 'a' * 1000000000", "5:11: more than 1000000 members"),
        ("x = list(range(1000000000000))", "5:11: more than 1000000 members"),
        ("x = 1 << 100000", "5:9: a shift is by 0 to 4096 bits"),
        ("x = [1]; x.append(x)", "4:15: a list contains itself"),
        ("x = ''.join(['a' * 1000] * 1001)", "5:14: a text that is too long"),
        ("x = {[1]: 2}", "5:7: type list is not hashable"),
        ("x = {}[1]", "5:9: there is no key 1"),
        ("x = [1][1]", "5:10: a list of 1 has no such index"),
        ("x = 1 + 'a'", "5:9: + does not go with int and string"),
        ("x = 1 // 0", "5:9: division by zero"),
        ("x = F(1) + 1", "5:7: F is a func: only a statement of its own calls it"),
        ("F(1, 2)", "5:4: the arguments do not fit the parameters (n)"),
        ("LIMITS.append(3)", "5:9: this list belongs to a constant"),
        ("LIMITS += [3]", "5:3: this list belongs to a constant"),
        ("LIMITS = [3]", "5:3: LIMITS is a constant"),
        ("fail('words', 1)", "5:7: fail: words 1"),
    ],
)
def test_what_cannot_be_done(statement, error):
    text = f"""LIMITS = [1, 2]
action Init:
  x = 0
atomic action Go:
  {statement}
atomic func F(n):
  F(n)
"""
    with pytest.raises(ModelError) as failure:
        search(Meaning(text, "x.fizz"))
    assert str(failure.value) == f"x.fizz:{error}"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("while True:\n    x += 1", "a step of more than 200000 statements"),
        ("F()", "more than 60 calls in each other"),
        ("break", "break stands in no loop"),
        ("G(1)\ndef G(n):\n  return G(n)", "values or calls nest too deeply|more than 60 calls"),
        ("y = []\n  y.append(y)\n  x = y == [y]", "values or calls nest too deeply"),
        ("for i in range(200):\n    x = [x]", "more than 100 values in each other"),
    ],
)
def test_steps_that_never_end(body, error):
    text = f"action Init:\n  x = 0\natomic func F():\n  F()\natomic action Go:\n  {body}\n"
    with pytest.raises(ModelError, match=error):
        search(Meaning(text, "x.fizz"))


def test_a_choice_in_an_assertion_is_refused():
    text = "action Init:\n  x = 0\nalways assertion A:\n  y = any [1, 2]\n  return y == 1\n"
    with pytest.raises(ModelError, match=r"x\.fizz:4:3: there is nothing to choose in an assertion"):
        search(Meaning(text, "x.fizz"))


def test_the_seam():
    """What a machine asks: variables, initial states, named steps, and assertions, with no search."""
    meaning = Meaning(quiet("K = 2\naction Init:\n  x = any [1, 2]\n  y = K\naction Go:\n  x = 3\n  y = 4\n"), "x.fizz")
    assert meaning.variables == ("x", "y")
    first, second = meaning.initial()
    assert (first.heap, second.heap) == ({"x": 1, "y": 2}, {"x": 2, "y": 2})
    (half,) = meaning.steps(first)
    assert (half.name, half.kind, half.state.heap) == ("Go", "begin", {"x": 3, "y": 2})
    kinds = [(step.kind, step.state.heap["y"], len(step.state.threads)) for step in meaning.steps(half.state)]
    assert kinds == [("continue", 4, 0), ("begin", 2, 2), ("crash", 2, 0)]
    assert first.heap == {"x": 1, "y": 2}, "a step changes a copy"
    with pytest.raises(InputError, match=r"x\.fizz:1:1: there is no action Init"):
        Meaning("x = 1", "x.fizz")


VALUES = [
    ("[x * 2 for x in range(5) if x % 2]", "[2, 6]"),
    ("{k: v for k, v in zip(['a', 'b'], [1, 2])}", '{"a": 1, "b": 2}'),
    ("[1, 2, 3, 4][1:3], 'abcd'[::-1], (1, 2)[-1]", '([2, 3], "dcba", 2)'),
    ("sorted([3, 1, 2], reverse = True), sorted(['bb', 'a'], key = lambda s: len(s))", '([3, 2, 1], ["a", "bb"])'),
    ("1 == 1.0, 1 == True, [1] == (1,), 'a' in 'cab', 1 in [True]", "(True, False, False, True, False)"),
    ("'%s is %d%%' % ('x', 3), '{} {1} {k}'.format(1, 2, k = 'v')", '("x is 3%", "1 2 v")'),
    ("set([1, 2]) & set([2, 3]), set([1]) | set([2]), set([1]) <= set([1, 2])", "(set([2]), set([1, 2]), True)"),
    ("record(a = 1, b = [None]), struct(c = 'x').c, enum('P', 'Q').Q", '(record(a = 1, b = [None]), "x", "Q")'),
    ("{'a': 1}.get('b', 0), {'a': 1}.pop('a'), list({'a': 1}.items())", '(0, 1, [("a", 1)])'),
    ("min(3, 1), max([1, 4]), abs(-2), sum([1, 2]), any([0, 1]), all([])", "(1, 4, 2, 3, True, True)"),
    ("hasattr(record(a = 1), 'a'), getattr(record(a = 1), 'b', 7), type({}), str(None)", '(True, 7, "dict", "None")'),
    ("[] or 1, 0 and 2, not '', 7 // 2, -7 % 3, 1 if [] else 2, 5 ^ 1", "(1, 0, True, 3, 2, 2, 4)"),
    ("','.join(['a', 'b']), 'a-b'.split('-'), 'abc'.startswith('ab'), ' x '.strip()", '("a,b", ["a", "b"], True, "x")'),
    ("bag([1, 1]) == bag([1]), genericset([[1], [1]]) == genericset([[1]])", "(False, True)"),
    ("[i for i, c in enumerate(['a', 'b']) for j in range(i + 1) if j]", "[1]"),
    ("Twice(4)", "8"),
]


@pytest.mark.parametrize(("expression", "expected"), VALUES)
def test_expressions(expression, expected):
    text = f"def Twice(n):\n  return n * 2\naction Init:\n  x = {expression}\n"
    (state,) = Meaning(text, "x.fizz").initial()
    assert shown(state.heap["x"]) == expected


@pytest.mark.parametrize("fair", ["", "fair "])
def test_what_bounded_or_fair_choices_leave_open(fair):
    """A behaviour that the bound cuts off has not ended; fairness of choices is not judged."""
    text = f"action Init:\n  x = 0\natomic fair action Up:\n  require x < 2\n  {fair}any i in [1]:\n    x += i\n"
    text += "eventually always assertion Ends:\n  return x == 2\n"
    result = search(Meaning(quiet(text), "x.fizz"))
    assert (result.undecided, result.violated) == (["Ends"] if fair else [], {})
    bounded = f"---\noptions:\n  max_actions: 1\n---\n{text}"
    assert search(Meaning(quiet(bounded), "x.fizz")).undecided == ["Ends"]
    assert search(Meaning(quiet(f"---\nliveness: false\n---\n{text}"), "x.fizz")).undecided == ["Ends"]


def test_an_unknown_sort_of_assertion_is_refused():
    text = "action Init:\n  x = 0\nexists always assertion A:\n  return True\n"
    with pytest.raises(InputError, match=r"x\.fizz:3:25: an assertion is not exists always"):
        search(Meaning(text, "x.fizz"))


def test_an_assertion_that_requires_something_is_refused():
    text = "action Init:\n  x = 0\nalways assertion A:\n  require x == 1\n  return True\n"
    with pytest.raises(ModelError, match=r"x\.fizz:3:18: an assertion does not require anything, in A"):
        search(Meaning(text, "x.fizz"))


CHANGES = [
    ("i = [0, 1]; x = [[], []]; x[i.pop()].append(2)", "[[], [2]]"),
    ("x = [3, 1]; x.insert(0, 2); x.extend((5,)); x.remove(1); y = x.pop(); x.append(x.index(3))", "[2, 3, 1]"),
    ("x = [1, 2]; y = x; y += [3]; y = y + [4]", "[1, 2, 3]"),
    ("x = [[0, 1], 2]; x[0][-1] = 5; (x[1], z) = (6, 7); x[1] += 1", "[[0, 5], 7]"),
    ("x = {}; x.setdefault('a', []).append(1); x.update({'b': 2}, c = 3); y = x.popitem(); x['b'] += 1",
     '{"b": 3, "c": 3}'),
    ("x = {'a': 1}; y = x; y |= {'b': 2}; x.pop('c', None); z = x.keys() + x.values()", '{"a": 1, "b": 2}'),
    ("x = {1: 'a'} | {2: 'b', 1: 'c'}; y = dict([(3, 4)]); y.clear()", '{1: "c", 2: "b"}'),
    ("x = set([3]); x.add_all([1, 3]); x.discard(9); x.remove(3); x = x.union([4], [5]).difference([5])",
     "set([1, 4])"),
    ("x = [set([1, 2]).symmetric_difference([2, 3]), set([1]).issubset([1, 2]), set([1]).issuperset([2])]",
     "[set([1, 3]), True, False]"),
    ("x = bag([2, 1, 2]); x.remove(2); x.add(1); y = x.pop()", "bag([1, 2])"),
    ("x = set([1, 2]).intersection([2, 3]) ^ set([3]); y = set([1]); y.clear()", "set([2, 3])"),
    ("x = record(a = 1); x.b = 2; x.a += 1; y = struct(c = 1) + struct(d = 2)", "record(a = 2, b = 2)"),
    ("x = genericmap([([1], 2)]); x[[1]] = 3", "{[1]: 3}"),
    ("x = []; y = deepcopy([x]); y[0].append(1); z = [i for i in {'k': 1}]; x += z", '["k"]'),
    ("x = [str(1), repr('a'), int('7', 8), float(1), tuple([1]), reversed([1, 2]), dir(record(b = 1)), type(1)]",
     '["1", "\\"a\\"", 7, 1.0, (1,), [2, 1], ["b"], "int"]'),
    ("x = ['aXb'.replace('X', '-'), 'abc'.find('c'), 'x' in 'xy', 3 in range(4), {1: 2} == {1: 2.0}, (1, 2) < (1, 3)]",
     '["a-b", 2, True, True, True, True]'),
    ("x = [i if i else -i for (i, j) in [(0, 1), (2, 3)]]; x = x * 2", "[0, 2, 0, 2]"),
]  # fmt: skip


@pytest.mark.parametrize(("statements", "expected"), CHANGES)
def test_statements(statements, expected):
    (state,) = Meaning(f"action Init:\n  {statements}\n", "x.fizz").initial()
    assert shown(state.heap["x"]) == expected


@pytest.mark.parametrize(
    ("statements", "error"),
    [
        ("x = [1]; x.remove(2)", "the value is not in the list"),
        ("x = set([1]); x.remove(2)", "the set does not have the value"),
        ("x = {}; x.popitem()", "the dict is empty"),
        ("x = bag(); x.pop()", "the bag is empty"),
        ("x = []; x.pop()", "a list of 0 has no index -1"),
        ("x = struct(a = 1); x.a = 2", "fields of type struct are not assigned to"),
        ("x = (1, 2); x[0] = 2", "members of type tuple are not assigned to"),
        ("x = [1]; x['a'] = 2", "a list of 1 has no such index"),
        ("a, x = [1]", "2 names do not take a list of 1"),
        ("x = [1][::0]", "a slice has no step 0"),
        ("x = [1]['a':]", "a slice is between integers"),
        ("x = 1(2)", "type int is not called"),
        ("x = record(a = 1, a = 2)", "an argument is given twice"),
        ("x = (lambda n: n)()", "there is no argument for n"),
        ("x = [1] < [None]", "int and NoneType are not ordered"),
        ("x = -'a'", "- does not go with string"),
        ("x = min([])", "there is no least and no greatest of nothing"),
        ("x = len(3)", "type int has no members to go through"),
        ("x = 1.5 | 2", "| does not go with floats"),
        ("x = '%x' % 3", "% takes %s, %r and %d, and a value for each"),
        ("x = (1 << 4000) * (1 << 4000)", "an integer of more than 4096 bits"),
        ("x = R(ID = 1); x.ID = 2", "ID is a parameter of the role"),
        ("x = unknown", "nothing is called unknown"),
    ],
)
def test_values_refuse(statements, error):
    text = f"role R:\n  action Init:\n    pass\naction Init:\n  {statements}\n"
    with pytest.raises(ModelError, match=rf"^x\.fizz:5:\d+: {re.escape(error)}$"):
        Meaning(text, "x.fizz").initial()
