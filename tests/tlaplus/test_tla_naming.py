"""Steps that choose from a set of the state: their names, the processes that they are about, and their counts."""

import pytest

from tests.tlaplus.trees import module_of
from workbench.checking.check import check
from workbench.checking.following.names import is_named
from workbench.checking.spaces.dataset import describe_steps
from workbench.checking.spaces.space import explore
from workbench.formats.mermaid import to_mermaid
from workbench.kernel import replay
from workbench.kernel.meaning.trace import options
from workbench.showing.view.trace.possible import possible_steps
from workbench.showing.view.trace.trace import trace_view
from workbench.tlaplus.config import closures
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.meaning import turns
from workbench.tlaplus.names.alternatives import Alternatives

CFG = "CONSTANT P = {p1, p2} V = {v1} SPECIFICATION Spec INVARIANT Inv PROPERTY Live CHECK_DEADLOCK FALSE"
MESSAGES = r"""
EXTENDS Naturals
CONSTANTS P, V
VARIABLES msgs, seen, log
vars == <<msgs, seen, log>>
Init == /\ msgs = {[from |-> a, to |-> b, val |-> v] : a \in P, b \in P, v \in V}
        /\ seen = [p \in P |-> 0] /\ log = 0
Arrive(m) == seen[m.to] = 0 /\ seen' = [seen EXCEPT ![m.to] = 1] /\ msgs' = msgs \ {m} /\ UNCHANGED log
Drop(m) == msgs' = msgs \ {m} /\ UNCHANGED <<seen, log>>
Count(p, n) == log' = (log + n) % 2 /\ UNCHANGED <<msgs, seen>>
Keep(set) == msgs' = set /\ UNCHANGED <<seen, log>>
Next == \/ \E m \in msgs : m.val \in V /\ Arrive(m)
        \/ \E m \in msgs : LET k == m.to IN IF seen[k] = 0 THEN \/ Arrive(m) \/ Drop(m) ELSE Count(k, 1)
        \/ \E m \in msgs : \/ log' = 1 - log /\ UNCHANGED <<msgs, seen>>
                           \/ msgs' = {m} /\ UNCHANGED <<seen, log>>
        \/ \E p \in P : \E m \in msgs : m.to = p /\ Keep({m})
Spec == Init /\ [][Next]_vars /\ WF_vars(\E m \in msgs : m.val \in V /\ Arrive(m))
Inv == \E p \in P : seen[p] = 0
Live == <>(\A p \in P : seen[p] = 1 \/ msgs = {})
"""
#: How often each action is enabled, and what it generates.
ACTIONS = {
    **{"Arrive": (6, 8), "Arrive_2": (6, 8), "Drop": (6, 8), "Count": (4, 4)},
    **{"Next": (10, 24), "Next_2": (10, 12)},
}
TO_P2 = "[from |-> p1, to |-> p2, val |-> v1]"


@pytest.fixture(scope="module")
def model():
    return module_of_text(module_of(MESSAGES), CFG)()


def test_a_step_is_named_after_the_definition_that_is_applied_to_what_it_chooses(model):
    labels = [instance.label for instance in model.instances]
    assert labels == ["Arrive", "Arrive_2", "Drop", "Count", "Next", "Next_2(p1)", "Next_2(p2)"]
    (state,) = model.initial_states()
    steps = {step.label: step.lane for option in options(model, state) for step in option.steps}
    assert (steps[f"Arrive({TO_P2})"], steps[f"Next_2(p2, m={TO_P2})"]) == ("p2", "p2")
    assert (steps[f"Next(m={TO_P2})"], steps[f"Drop({TO_P2})"]) == ("", "")
    assert model.instances[0].action.place == " (M.tla:9:14)"


def test_the_process_of_a_step_is_the_one_whose_part_it_changes_or_the_only_one_that_is_named(model):
    (state,) = model.initial_states()
    after = options(model, state)[0].steps[0]
    assert (after.lane, after.label) == ("p1", "Arrive([from |-> p1, to |-> p1, val |-> v1])")
    counts = options(model, after.state)[3].steps
    assert [(step.label, step.lane) for step in counts] == [
        ("Count(p1, 1, m=[from |-> p2, to |-> p1, val |-> v1])", "p1")
    ]


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_states_and_verdicts_are_those_of_tlc(engine):
    """Each definition has steps of its own, and together they are TLC's (tlaplus/tlaplus cc6b616cf)."""
    cfg = CFG.replace("{p1, p2}", "{p1}").replace("{v1}", "{v1, v2}")
    result = check(module_of_text(module_of(MESSAGES), cfg)(), engine=engine)
    assert (result.distinct, result.generated, result.depth) == (14, 65, 4)
    assert (result["Inv"].holds, result["Live"].holds) == (False, True)
    assert {count.name: (count.enabled, count.generated) for count in result.actions} == ACTIONS


CHOOSING = r"""
EXTENDS Integers
VARIABLES msgs, n
Init == msgs = {1, 2, 3} /\ n = 0
A(m) == n < 6 /\ n' = (n + m) % 7 /\ UNCHANGED msgs
B(m) == n < 6 /\ n' = (n + 5 - m) % 7 /\ UNCHANGED msgs
C(k, m) == n' = (n + k * m) % 7 /\ UNCHANGED msgs
D(m, S) == n' \in {n, m} /\ msgs' = S \ {m}
Apart == \E m \in msgs : A(m) \/ B(m) \/ D(m, {})
Guarded == \E m \in msgs : A(m) \/ (n # 3 /\ B(m)) \/ (m > n /\ D(m, msgs))
Chosen == \E m \in msgs : LET k == m + 1 IN IF \E i \in msgs : n > i THEN A(m) \/ B(k) ELSE B(m) \/ D(m, msgs)
Keys == \E k \in {1, 2}, m \in msgs : C(k, m) \/ B(m) \/ (k = m /\ D(m, msgs))
Order == \E k \in {1, 2}, l \in {3, 4} : l - 1 \in msgs /\ n < 6 /\ n' = n + k + l - 4 /\ msgs' = {k, l}
Many == \E k \in 0 .. 4 : C(k, 1) \/ B(k)
V == n
"""
#: TLC's distinct and generated states, and its depth, without and with a VIEW (tlaplus/tlaplus cc6b616cf).
OF_TLC = {
    "Apart": ((14, 76, 4), (7, 76, 3)),
    "Guarded": ((53, 181, 5), (7, 46, 3)),
    "Chosen": ((52, 163, 6), (7, 38, 3)),
    "Keys": ((28, 261, 4), (7, 105, 3)),
    "Order": ((25, 45, 6), (8, 21, 6)),
    "Many": ((7, 66, 3), (7, 66, 3)),
}


@pytest.mark.parametrize("name", OF_TLC)
def test_engines_find_states_in_the_same_order(name, monkeypatch):
    """With the VIEW, the first state of each n stands for all: so it has to be TLC's first one too."""
    for module in (closures, turns):
        monkeypatch.setattr(module, "MOST_CASES", 4)
    for view, figures in zip(("", "VIEW V"), OF_TLC[name], strict=True):
        model = module_of_text(module_of(CHOOSING), f"INIT Init NEXT {name} {view} CHECK_DEADLOCK FALSE")()
        local, reference = (check(model, engine=engine) for engine in ("local", "reference"))
        assert (local.distinct, local.generated, local.depth) == figures
        assert (reference.distinct, reference.generated, reference.depth) == figures
        assert local.actions == reference.actions


def test_with_a_view_a_single_alternative_still_names_its_steps():
    cfg = "INIT Init NEXT Next VIEW V CHECK_DEADLOCK FALSE"
    text = CHOOSING + "Next == Keys \\/ \\E m \\in msgs : n = 0 /\\ A(m)"
    model = module_of_text(module_of(text), cfg)()
    assert [instance.label for instance in model.instances] == ["Keys", "A"]


def test_an_alternative_that_is_lost_is_noted_and_leaves_the_plain_search_as_it_is(monkeypatch):
    of = Alternatives.of
    monkeypatch.setattr(Alternatives, "of", lambda *asked: of(*asked)[:-1])
    model = module_of_text(module_of(CHOOSING), "INIT Init NEXT Apart CHECK_DEADLOCK FALSE")()
    result = check(model, engine="reference")
    assert (result.distinct, result.generated, result.depth) == OF_TLC["Apart"][0]
    assert (result.actions, "the machine's next states differ" in str(result.notes)) == ([], True)


def test_names_of_the_last_version_are_read(model):
    (state,) = model.initial_states()
    (step,) = (step for step in options(model, state)[0].steps if TO_P2 in step.label)
    for name in ("Arrive", f"Arrive({TO_P2})", "Next", f"Next(m={TO_P2})"):
        assert is_named(name)(step.instance, step.choices), name
    assert not is_named("Drop")(step.instance, step.choices)


def test_pictures_have_the_lane_of_the_step(model):
    (state,) = model.initial_states()
    move = next(step.move for step in options(model, state)[0].steps if TO_P2 in step.label)
    trace = replay(model, 0, [move])
    view = trace_view(trace)
    assert view.steps[1].lane == "p2"
    assert "p2" not in view.steps[1].effects
    assert "    participant p0 as p2\n" in to_mermaid(trace)
    assert "<b>p2</b>" in str(possible_steps(model, state))


def test_a_disabled_alternative_says_why_its_part_of_an_if_is_not_taken(model):
    (state,) = model.initial_states()
    (count,) = (instance for instance in model.instances if instance.label == "Count")
    assert model.why_disabled(count, state) == "seen[k] = 0 is true; seen[k] = 0 is true"


def test_what_passes_on_a_part_of_the_message_names_the_step_and_a_new_record_does_not():
    text = r"""
CONSTANT P
VARIABLES msgs, at
Init == msgs = {[to |-> p] : p \in P} /\ at = [p \in P |-> 0]
Send(m) == msgs' = msgs \cup {m} /\ UNCHANGED at
Visit(p, n) == at' = [at EXCEPT ![p] = n] /\ UNCHANGED msgs
Next == \/ \E m \in msgs : Send([from |-> m.to])
        \/ \E m \in msgs : "to" \in DOMAIN m /\ Visit(m.to, 1)
"""
    model = module_of_text(module_of(text), "CONSTANT P = {p1} INIT Init NEXT Next")()
    (state,) = model.initial_states()
    steps = [(step.label, step.lane) for option in options(model, state) for step in option.steps]
    assert steps == [("Next(m=[to |-> p1])", ""), ("Visit(p1, 1, m=[to |-> p1])", "p1")]


def test_what_is_applied_to_an_operator_or_to_a_state_is_named_after_what_is_chosen():
    text = r"""
EXTENDS Naturals
VARIABLES x, s
Init == x = 0 /\ s = {2}
Twice(n) == 2 * n
Go(n) == x' = n % 5 /\ UNCHANGED s
By(f(_), n) == Go(f(n))
Next == (\E m \in s : Go(m)) \/ (\E m \in s : By(Twice, m)) \/ (\E m \in s : Go(x + m))
"""
    model = module_of_text(module_of(text), "INIT Init NEXT Next")()
    (state,) = model.initial_states()
    labels = [step.label for option in options(model, state) for step in option.steps]
    assert labels == ["Go(2)", "By(m=2)", "Next(m=2)"]


def test_a_step_that_leads_back_has_its_lane_too():
    text = r"""
CONSTANT P
VARIABLES msgs, seen
Init == msgs = {[to |-> p] : p \in P} /\ seen = [p \in P |-> FALSE]
Arrive(m) == seen[m.to] /\ seen' = [seen EXCEPT ![m.to] = FALSE] /\ UNCHANGED msgs
Next == (\E m \in msgs : Arrive(m)) \/ (seen' = [p \in P |-> TRUE] /\ UNCHANGED msgs)
"""
    model = module_of_text(module_of(text), "CONSTANT P = {p1} INIT Init NEXT Next")()
    arrive, reset = (instance.number for instance in model.instances)
    view = trace_view(replay(model, 0, [(reset, 0), (arrive, 0)], 0))
    assert (view.lanes, view.back.lane) == (["environment", "p1", "shared state"], "p1")


def test_a_dataset_has_the_process_of_a_step_where_the_step_alone_tells_it():
    text = r"""
CONSTANT P
VARIABLES msgs, seen
Init == msgs = {[from |-> p, to |-> q] : p \in P, q \in P \cup {"all"}} /\ seen = [p \in P |-> 0]
Arrive(m) == m.to \in P /\ seen' = [p \in P |-> IF p = m.to THEN 1 ELSE 0] /\ UNCHANGED msgs
Resend(m) == m.to \notin P /\ msgs' = msgs \ {m} /\ UNCHANGED seen
Next == \E m \in msgs : Arrive(m) \/ Resend(m)
"""
    model = module_of_text(module_of(text), "CONSTANT P = {p1, p2} INIT Init NEXT Next")()
    space = explore(model)
    texts = describe_steps(model, space.steps, space.move, lambda number: space.state(int(space.sources[number])))
    told = set[str]()
    for number, process in enumerate(texts["process"].to_pylist()):
        source, move = space.state(int(space.sources[number])), space.move(number)
        step = next(one for option in options(model, source) for one in option.steps if one.move == move)
        assert process is None or process == step.lane
        told.add(f"{step.instance.action.name}: {process}")
    assert told == {"Arrive: None", "Arrive: p1", "Arrive: p2", "Resend: p1", "Resend: p2"}
