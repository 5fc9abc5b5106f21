"""Expressions on the state: what they may say, how mistakes are told, and what they are along a trace."""

import html

import pytest

from workbench.checking.check import check
from workbench.formats.expression import Expression, example_of
from workbench.kernel import InputError, Model, Names, Trace, Variable, action, replay
from workbench.kernel.meaning.constants import Constant
from workbench.protocols.hudi.extended import HudiExtended
from workbench.registry import get_model, models
from workbench.showing.view import trace_page, trace_view, watch

LIMIT = 3


class Odd(Model):
    """Its variables hold what is no literal at first, and its module has names of its own."""

    Members = Constant(2, Names("m", range(1, 4)), "members")
    pairs = Variable(frozenset(), per="combinations")
    queue = Variable((), per="Members")
    s = Variable(0)

    def validate(self):
        self.combinations = tuple((m, frozenset({m})) for m in self.Members)

    def busy(self, s, m):
        return len(s.queue[m]) > 1

    @action(m="Members")
    def put(self, s, m):
        if len(s.queue[m]) < LIMIT:
            s.queue[m] = (*s.queue[m], m)
            s.s += 1


@pytest.fixture(scope="module")
def trace() -> Trace:
    return replay(Odd(), 0, [(0, 0), (0, 0), (1, 0)])


def reading(model: Model, text: str) -> str:
    return Expression(model, text).read(model.initial_states()[0]).text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("s.s", "0"),
        (" s.s + 1\n", "1"),
        ("s.queue['m1']", "()"),
        ("s.queue", "{m1: (), m2: ()}"),
        ("{m: self.busy(s, m) for m in self.Members}", "{m1: FALSE, m2: FALSE}"),
        ("[(m, n) for m in Members for n in Members if s.queue[m] == s.queue[n] and m < n]", "((m1, m2))"),
        ("[s.queue[m] for m in Members] and {len(s.queue[n]) for n in Members}", "{0}"),
        ("all(any(s.s < LIMIT for _ in Members) for m in Members)", "TRUE"),
        ("(lambda n: n + s.s)(LIMIT)", "3"),
        ("None", "-"),
        ("s", "a state"),
        ("s.queue.values()", "((), ())"),
        ("{m: 1 for m in Members}.items()", "((m1, 1), (m2, 1))"),
        ("range(2)", "(0, 1)"),
        ("self.busy", "a method"),
        ("(m for m in Members)", "a generator"),
        ("1 / 2", "0.5"),
        ("(total := s.s + 2) * total", "4"),
    ],
)
def test_what_an_expression_may_say(text: str, shown: str) -> None:
    assert reading(Odd(), text) == shown


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("s.s ==", "invalid syntax; it takes a Python expression over s, self and the constants"),
        ("", "invalid syntax; it takes a Python expression over s, self and the constants"),
        ("import os", "invalid syntax; it takes a Python expression over s, self and the constants"),
        ("s.s = 1", "it takes a Python expression over s, self and the constants"),
        ("1) or (2", "it takes a Python expression over s, self and the constants"),
        ("(yield 1)", "'yield' outside function; it takes a Python expression over s, self and the constants"),
        ("'\0'", "it takes a Python expression over s, self and the constants"),
        ("(" * 300 + ")" * 300, "it takes a Python expression over s, self and the constants"),
        ("s.quue", "unknown variable 'quue' (did you mean queue?); known: pairs, queue, s"),
        ("[s.quue for m in Members]", "unknown variable 'quue' (did you mean queue?); known: pairs, queue, s"),
        ("Member", "unknown name 'Member' (did you mean Members?); known: Members, s, self"),
        ("s.queue['x']", "in the initial state, queue has no index 'x'; it has m1, m2"),
        ("s.s / 0", "in the initial state, ZeroDivisionError: division by zero"),
        ("self.buzy(s)", "in the initial state, AttributeError: 'Odd' object has no attribute 'buzy'"),
        ("{s: 1}", "in the initial state, what an action or a property sees of a state cannot be a key"),
        ("exit('now')", "in the initial state, SystemExit: now"),
    ],
)
def test_a_mistake_is_told_in_a_line(text: str, why: str) -> None:
    with pytest.raises(InputError) as refused:
        Expression(Odd(), text)
    said = str(refused.value)
    assert said.startswith("expression ")
    assert why in said
    assert "\n" not in said
    assert len(said) < 400


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("s.s == 0", None),
        ("any(s.queue.values())", None),
        ("True", "does not depend on the state s: as a condition it is always true"),
        ("LIMIT > 5", "does not depend on the state s: as a condition it is always false"),
        ("s.queue", "has a value for each index: as a condition it is always true"),
        ("s", "is a state: as a condition it is always true"),
        ("s.queue.values", "is a function, which is not called: as a condition it is always true"),
        ("(s.s == m for m in Members)", "is a generator: as a condition it is always true; any(...) or all(...)"),
        ("s.s == 0, s.s == 1", "has a fixed number of members: as a condition it is always true"),
        ("{'now': s.s}", "has a fixed number of members: as a condition it is always true"),
        (
            "{m: s.queue[m] for m in Members}",
            "is not true or false but a mapping: as a condition it is true unless it is e",
        ),
        ("s.queue['m1']", "is not true or false but a sequence: as a condition it is true unless it is empty"),
        ("s.s", "is not true or false but a number: as a condition it is true unless it is 0"),
        ("None if s.s == 0 else 1", "is not true or false but nothing here"),
    ],
)
def test_a_condition_that_is_none_is_remarked_on(text: str, remark: str | None) -> None:
    found = Expression(Odd(), text).remark
    assert found is None if remark is None else found is not None and remark in found


def test_what_fails_later_is_shown_there(trace: Trace) -> None:
    one = watch(trace, "1 // (1 - s.s)")
    first, wrong, *others = [reading.text for reading in one.readings]
    assert wrong.startswith("error: ZeroDivisionError: ")
    assert [first, *others] == ["1", "-1", "-1"]
    assert one.true == [0, 2, 3]


def test_a_condition_can_be_jumped_to(trace: Trace) -> None:
    odd = watch(trace, "s.s % 2 == 1")
    assert [reading.text for reading in odd.readings] == ["FALSE", "TRUE", "FALSE", "TRUE"]
    assert (odd.first(), odd.last()) == (1, 3)
    assert [odd.next(index) for index in range(4)] == [1, 3, 3, None]
    assert [odd.previous(index) for index in range(4)] == [None, None, 1, 1]
    never = watch(trace, "s.s > 9")
    assert (never.first(), never.last(), never.next(0), never.previous(3)) == (None, None, None, None)


def test_two_expressions_at_a_time_do_not_meet(trace: Trace) -> None:
    one, other = Expression(trace.model, "s.s"), Expression(trace.model, "[s.s for _ in Members][0]")
    assert [one(trace.last), other(trace.states[0]), one(trace.states[1])] == [3, 0, 1]


class Custom(Odd):
    first_of_all = Variable(None, per="Members")


@pytest.mark.slow
@pytest.mark.parametrize("model", [*(get_model(name) for name in models()), Odd, Custom], ids=lambda model: model.name)
def test_the_example_works_for_every_model(model: type[Model]) -> None:
    made = model()
    expression = Expression(made, example_of(made))
    assert expression(made.initial_states()[0]) is True
    assert expression.remark is None


def test_a_view_has_its_watches(trace: Trace) -> None:
    texts = ["s.s", "{m: len(s.queue[m]) for m in self.Members}", "s.s"]
    view = trace_view(trace, watches=texts)
    assert view.as_dict()["watches"] == [
        {
            "expression": "s.s",
            "values": ["0", "1", "2", "3"],
            "changed": [1, 2, 3],
            "true": [1, 2, 3],
            "remark": "s.s is not true or false but a number: as a condition it is true unless it is 0",
            "asked": True,
        },
        {
            "expression": texts[1],
            "values": ["{m1: 0, m2: 0}", "{m1: 1, m2: 0}", "{m1: 2, m2: 0}", "{m1: 2, m2: 1}"],
            "changed": [1, 2, 3],
            "true": [0, 1, 2, 3],
            "remark": f"{texts[1]} is not true or false but a mapping: as a condition it is true unless it is empty",
            "asked": True,
        },
    ]
    assert view.permalink.endswith(
        "&watch=s.s&watch=%7Bm%3A%20len%28s.queue%5Bm%5D%29%20for%20m%20in%20self.Members%7D"
    )
    assert view.text().endswith(" 3  put(m1)        * 2  * {m1: 2, m2: 0}\n  4  put(m2)        * 3  * {m1: 2, m2: 1}")
    assert '<code class="wb-new">{m1: 2, m2: 1}</code>' in view.step_html(3)
    assert '<code class="wb-new">' not in trace_view(trace, watches=["self.Members"]).step_html(0)
    page = html.unescape(trace_page(view))
    assert all(f">{text}<" in page for text in ("{m: len(s.queue[m]) for m in self.Members}", "{m1: 1, m2: 0}"))


def test_a_view_without_watches_is_as_before(trace: Trace) -> None:
    view = trace_view(trace)
    assert "wb-watches" not in view.html()
    assert view.text() == repr(trace)
    assert "watch" not in view.permalink


def test_what_is_watched_cannot_inject_markup(trace: Trace) -> None:
    assert "<i>" not in trace_view(trace, watches=["'<i>' * s.s"]).html()


def test_watches_on_a_counterexample() -> None:
    trace = check(HudiExtended(ConcurrencyControl=0, Keys=1, FileGroupCount=1))["ConsistentRead"].trace
    assert trace is not None
    collided = watch(trace, "sum(s.completed[x] is not None for x in self.stamps) == 2")
    assert collided.true == [len(trace) - 1]
