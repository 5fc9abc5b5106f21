"""What the parser reads, and what it refuses in one line with its place."""

import ast
from pathlib import Path

import pytest

from workbench import fizzbee
from workbench.fizzbee.syntax import tree
from workbench.fizzbee.syntax.parser import parse
from workbench.fizzbee.syntax.unparse import written
from workbench.kernel.meaning.errors import InputError


def shown(node):
    """An expression with all of its parentheses."""
    match node:
        case tree.Name(name=name):
            return name
        case tree.Literal(value=value):
            return repr(value)
        case tree.Listing(kind=kind, items=items):
            return f"{kind}({' '.join(map(shown, items))})"
        case tree.Mapping(pairs=pairs):
            return "{" + " ".join(f"{shown(key)}:{shown(value)}" for key, value in pairs) + "}"
        case tree.Unary(operator=operator, operand=operand):
            return f"({operator} {shown(operand)})"
        case tree.Binary(operator=operator, left=left, right=right):
            return f"({shown(left)} {operator} {shown(right)})"
        case tree.Conditional(condition=condition, then=then, otherwise=otherwise):
            return f"({shown(condition)} ? {shown(then)} : {shown(otherwise)})"
        case tree.Call(function=function, arguments=arguments):
            return f"{shown(function)}({' '.join(f'{a.name}={shown(a.value)}' for a in arguments)})"
        case tree.Attribute(owner=owner, name=name):
            return f"{shown(owner)}.{name}"
        case tree.Index(owner=owner, index=index):
            return f"{shown(owner)}[{shown(index)}]"
        case tree.Slice(owner=owner, bounds=bounds):
            return f"{shown(owner)}[{' : '.join('' if b is None else shown(b) for b in bounds)}]"
        case tree.Lambda(parameters=parameters, body=body):
            return f"(\\{' '.join(p.name for p in parameters)} {shown(body)})"
        case tree.Comprehension(kind=kind, element=element, clauses=clauses):
            parts = [f"{'if' if c.target is None else shown(c.target) + ' in'} {shown(c.value)}" for c in clauses]
            return f"{kind}<{shown(element)} | {' | '.join(parts)}>"
    raise AssertionError(node)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3 - 4", "((1 + (2 * 3)) - 4)"),
        ("not a in b and c or d", "(((not (a in b)) and c) or d)"),
        ("a not in b | c", "(a not in (b | c))"),
        ("-x.y[0](z)", "(- x.y[0](=z))"),
        ("a if b else c if d else e", "(b ? a : (d ? c : e))"),
        ("f(1, k = 2, *3)", None),
        ("x[1:]", "x[1 :  : ]"),
        ("x[::2]", "x[ :  : 2]"),
        ("x[a, b]", "x[tuple(a b)]"),
        ("[x for x in y if x for a, b in z]", "list<x | x in y | if x | tuple(a b) in z>"),
        ("{k: v for k, v in d}", "dict<tuple(k v) | tuple(k v) in d>"),
        ("all(x for x in y)", "all(=list<x | x in y>)"),
        ("{1: 2, 'a': 'b' \"c\"}", "{1:2 'a':'bc'}"),
        ("lambda x, y = 1: x % y", "(\\x y (x % y))"),
        ("(1,)", "tuple(1)"),
        ("()", "tuple()"),
        ("(a - (b - c)) * -(d + 1).e", "((a - (b - c)) * (- (d + 1).e))"),
        ("((a if b else c) or (not d)) < (x == y)", "(((b ? a : c) or (not d)) < (x == y))"),
        ("0x10 + 0o17 + 1.5", "((16 + 15) + 1.5)"),
        (r"r'\n' + '\n\x41'", r"('\\n' + '\nA')"),
        ("a < b < c", None),
        ("a.__class__", None),
        ("x ** 2", None),
        ("(" * 70 + "1" + ")" * 70, None),
        ("- " * 70 + "1", None),
    ],
)
def test_expressions(text, expected):
    if expected is None:
        with pytest.raises(InputError, match=r"^x\.fizz:1:\d+: "):
            parse(f"v = {text}\n", "x.fizz")
        return
    (assign,) = parse(f"v = {text}\n", "x.fizz").constants
    assert shown(assign.value) == expected
    (again,) = parse(f"v = {written(assign.value)}\n", "x.fizz").constants
    assert shown(again.value) == expected, "as it is written for people"


STATEMENTS = '''
---
deadlock_detection: false   # why
options:
    maxActions: 7
action_options:
    "R#.Go":
        max_actions: 1
---
"""Words."""
LIMIT = 3
@state(ephemeral=["e"])
role R:
    atomic fair<strong> action Go:
        `first` exists = any self.s if exists > 1
        fair any y in [1, 2]:
            require y == 1; pass
        any = 3
oneof func F(a: int, b=LIMIT):
    parallel for x in a: return
    if a:
        while b:
            break
          continue
    elif b: pass
    else: pass
always eventually assertion Good:
    return any(x for x in [True])
action Init:
    atomic:
        x = (1 +
  2)
'''


def test_declarations():
    text = parse(STATEMENTS, "x.fizz")
    options = text.options
    assert (options.max_actions, options.deadlock_detection, options.max_concurrent_actions) == (7, False, 2)
    assert options.of_action["R#.Go"].max_actions == 1
    assert (text.roles["R"].durable, text.roles["R"].ephemeral) == (None, frozenset({"e"}))
    go = text.roles["R"].actions["Go"]
    assert (go.fair, go.body.flow) == ("strong", "atomic")
    assigned, block, word = go.body.statements
    assert (assigned.name, assigned.body, shown(assigned.where)) == ("exists", None, "(exists > 1)")
    assert (block.fair, len(block.body.statements), word.target.name) == ("weak", 2, "any")
    loop, branching = text.functions["F"].body.statements
    assert (text.functions["F"].body.flow, loop.flow, len(branching.branches)) == ("oneof", "parallel", 3)
    assert [type(s).__name__ for s in branching.branches[0][1].statements] == ["While", "Word"], "a lenient dedent"
    assert text.assertions["Good"].operators == ("always", "eventually")
    assert text.actions["Init"].body.flow == "atomic"
    assert str(text.assertions["Good"].at) == "x.fizz:27:29"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a = 1 $ 2", "x.fizz:1:7: '$' begins nothing that FizzBee has"),
        ("a = __import__", "x.fizz:1:5: names that begin with __ are not read: __import__"),
        ("a = 'x", 'x.fizz:1:5: "\'" begins nothing that FizzBee has'),
        ("a = (1", "x.fizz:1:7: ')' is expected, not the newline"),
        ("  a = 1", "x.fizz:1:3: this line is indented more than the block"),
        ("f() = 1", "x.fizz:1:2: this cannot be assigned to"),
        ("symmetric action A:\n  pass", "x.fizz:1:1: 'action' is expected, not 'symmetric'"),
        ("a = b.__id__.__class__", "x.fizz:1:14: names that begin with __ are not read: __class__"),
        ("__id__ = 1", "x.fizz:1:1: names that begin with __ are not read: __id__"),
        ("action A:\n  pass\naction A:\n  pass", "x.fizz:3:8: A is already declared at x.fizz:1:8"),
        ("action A:\nb = 1", "x.fizz:2:1: an indented block is expected, not 'b'"),
        ("fair<odd> action A:\n  pass", "x.fizz:1:6: fairness is weak or strong, not odd"),
        ("---\nliveliness: true\n---\n", "x.fizz:2:1: there is no option liveliness"),
        (
            "---\nliveness: odd\n---\n",
            "x.fizz:2:1: liveness is strict, enabled, true, eventual or false, not 'odd'",
        ),
        ("---\noptions:\n  max_actions: -1\n---\n", "x.fizz:3:3: '-1' is no number of actions"),
        ("a = " + "9" * 401, "x.fizz:1:5: a number has at most 400 digits"),
        (
            "@state(durable=[1])\nrole R:\n  pass",
            "x.fizz:1:1: @state takes durable and ephemeral, which list names of fields",
        ),
    ],
)
def test_refused(text, error):
    with pytest.raises(InputError) as refusal:
        parse(text, "x.fizz")
    assert str(refusal.value) == error


def test_no_module_of_the_room_can_run_a_text():
    """No parser or evaluator of Python's is near, and no attribute is looked up by a text's name."""
    forbidden = {"ast", "eval", "exec", "compile", "getattr", "hasattr", "__import__", "importlib", "globals", "vars"}
    for module in Path(fizzbee.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_text())):
            names = {node.id} if isinstance(node, ast.Name) else set()
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {getattr(node, "module", "")}
            if module.parent.name == "compiler":  # it builds trees, and one module makes functions of them
                names -= {"ast", "exec", "compile"} if module.name == "program.py" else {"ast"}
                assert not (isinstance(node, ast.Attribute) and node.attr in {"parse", "literal_eval"}), module
            assert not names & forbidden, module


def test_deep_blocks_are_refused():
    with pytest.raises(InputError, match="more than 60 levels of nesting"):
        parse("action A:\n" + "".join(" " * (n + 1) + "if x:\n" for n in range(70)) + " " * 71 + "pass\n", "x.fizz")
