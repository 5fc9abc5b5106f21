r"""Which text of a module with PlusCal is checked: the translation that stands in it, or a fresh one in memory."""

import pickle
from dataclasses import replace

import pytest

from tests.showing.panels import everything
from tests.tlaplus.trees import module_of
from workbench import check
from workbench.checking.following.port import Port, follow_text
from workbench.checking.following.scenario import scenario
from workbench.checking.following.settings import accepted_under
from workbench.checking.following.validate import validate
from workbench.checking.questions.constant_grid import fill
from workbench.checking.questions.whatif import Attempt, Repairs
from workbench.checking.spaces.space import again
from workbench.checking.walks.result import WalkRule
from workbench.checking.walks.simulate import simulate
from workbench.formats.recording import Observation, Recording
from workbench.kernel import InputError, ModelError, machine_of, replay
from workbench.kernel.meaning.result import Verdict
from workbench.kernel.meaning.state import row_of
from workbench.kernel.meaning.translation import IS_STALE
from workbench.pluscal.module import find
from workbench.showing.panel import Simulator
from workbench.showing.view import compare, result_view, trace_page, trace_view
from workbench.showing.view.graph.graph import notes_on
from workbench.showing.view.pages.pages import report
from workbench.tlaplus.machine.specification import module_of_text, open_module, translating

ALGORITHM = "(* --algorithm Counts {\nvariables n = 0;\n{ a: while (n < 2) { n := n + 1 }\n} } *)"
#: What pcal of tlaplus/tlaplus cc6b616 writes for it.
TRANSLATION = r"""\* BEGIN TRANSLATION (chksum(pcal) = "e8a2008c" /\ chksum(tla) = "ef2db08a")
VARIABLES pc, n

vars == << pc, n >>

Init == (* Global variables *)
        /\ n = 0
        /\ pc = "a"

a == /\ pc = "a"
     /\ IF n < 2
           THEN /\ n' = n + 1
                /\ pc' = "a"
           ELSE /\ pc' = "Done"
                /\ n' = n

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == pc = "Done" /\ UNCHANGED vars

Next == a
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(pc = "Done")

\* END TRANSLATION """
EDITED = TRANSLATION.replace("n + 1", "n + 2")
EMPTY = "\\* BEGIN TRANSLATION\n\n\\* END TRANSLATION"
CFG = "SPECIFICATION Spec"


def opened(*lines, cfg=CFG):
    return module_of_text(module_of("EXTENDS Naturals", *lines), cfg)


def test_a_module_with_its_algorithm_runs_and_says_nothing():
    for text in (TRANSLATION, TRANSLATION.replace("\n", "\r\n")):
        result = check(opened(ALGORITHM, text)(), engine="reference")
        assert (result.distinct, result.notes, result.translation) == (4, [], "fresh")


BY_HAND = "M.tla: the translation in lines 8-32 was changed by hand after pcal wrote it"
STALE = (
    "M.tla: the translation in lines 8-32 is stale: by the algorithm in lines 3-6 a would differ "
    "(check --translate checks that)"
)
IN_STALE = "it is a behaviour, in a stale translation"
SUMS = '(chksum(pcal) = "e8a2008c" /\\ chksum(tla) = "ef2db08a")'
NEXT = ALGORITHM.replace("n + 1", "n + 2")


@pytest.mark.parametrize(
    ("algorithm", "translation", "notes", "state", "holds"),
    [
        (ALGORITHM, EDITED, [BY_HAND], "edited", True),
        (NEXT, TRANSLATION, [STALE], "stale", None),
        (ALGORITHM, EDITED.replace(SUMS, ""), [STALE], "stale", None),
        (ALGORITHM, EDITED.replace('= "ef2db08a"', "\\in STRING"), [], "fresh", True),
        (ALGORITHM, EDITED.replace(SUMS, SUMS.replace("e8", "e9")), [BY_HAND, STALE], "stale", None),
        (ALGORITHM, TRANSLATION.replace(SUMS, ""), [], "fresh", True),
        ("", EDITED, [], None, True),
        (
            ALGORITHM.replace("n + 1", "(n + 1;"),
            TRANSLATION,
            ["M.tla:5:27: ( is not closed before ;; so the translation is not compared with the algorithm"],
            None,
            True,
        ),
    ],
    ids=["by hand", "stale", "older", "switched off", "stale by hand", "older fresh", "no algorithm", "a mistake"],
)
def test_a_result_says_which_text_is_checked(algorithm, translation, notes, state, holds):
    result = check(opened(algorithm, translation, cfg=f"{CFG} CHECK_DEADLOCK TRUE")(), engine="reference")
    assert (result.notes, result.translation, result.holds) == (notes, state, holds)
    assert result.as_dict()["translation"] == state
    assert ("STALE: what is checked" in result.text()) == (state == "stale")


def test_what_is_violated_in_a_stale_translation_is_violated():
    result = check(opened(NEXT, TRANSLATION, "Small == n < 2", cfg=f"{CFG} INVARIANT Small")(), engine="reference")
    assert (result.holds, result.why) == (False, "Small violated (3 states), in a stale translation")


def test_the_fresh_translation_is_checked_where_it_is_asked_for():
    stale = opened(NEXT, TRANSLATION)
    for model in (translating(stale), pickle.loads(pickle.dumps(translating(stale)))):
        result = check(model(), engine="reference")
        note = "M.tla: the algorithm in lines 3-6 is translated in memory, instead of lines 8-32"
        assert (result.distinct, result.notes, result.translation, result.holds) == (3, [note], "in memory", True)
    assert check(stale(), engine="reference").distinct == 4
    with pytest.raises(InputError, match=r"^M\.tla: there is no algorithm to translate$"):
        translating(opened(TRANSLATION))


@pytest.mark.parametrize(
    ("lines", "cfg"),
    [
        ((ALGORITHM,), CFG),
        ((ALGORITHM, EMPTY), CFG),
        ((ALGORITHM, EMPTY, 'Ended == pc = "Done"'), f"{CFG} PROPERTY Termination INVARIANT Small"),
        ((ALGORITHM.replace("} } *)", "} }\n\nThat was { an algorithm. *)"), EMPTY), CFG),
    ],
)
def test_a_missing_translation_is_made_in_memory(lines, cfg):
    model = opened(*lines, "Small == n < 3", cfg=cfg)
    for copy in (model, pickle.loads(pickle.dumps(model))):
        assert list(copy().oversights())[:1] == [
            "M.tla: the algorithm in lines 3-6 is translated in memory, since it has no translation"
        ]
        assert (copy().declared.translation, check(copy(), [], engine="reference").distinct) == ("in memory", 4)


def with_a_constant():
    """A stale translation; what it counts to is a constant."""
    text = module_of("EXTENDS Naturals", "CONSTANT Most", ALGORITHM.replace("< 2", "< Most"))
    fresh = find(text, "M").translate().module
    return module_of_text(fresh.replace("n := n + 1", "n := n + 2"), f"{CFG} CONSTANT Most = 2")


def test_a_sweep_a_rule_and_a_page_say_that_a_translation_is_stale():
    stale = with_a_constant()
    filled = fill(stale, {"Most": [1, 2]})
    assert (filled.holds, filled.why) == (
        None,
        "2 settings: everything holds in 2, something is violated in 0, in a stale translation",
    )
    assert filled.as_dict()["translation"] == "stale"
    assert (str(IS_STALE) in filled.text(), len(filled.as_dict()["notes"])) == (True, 1)
    rule = filled.explain("Deadlock")
    assert (rule.holds, rule.why, rule.as_dict()["translation"]) == (
        None,
        "Deadlock: always, in a stale translation",
        "stale",
    )
    assert rule.text().startswith(f"{IS_STALE}\n")
    result = check(stale(), engine="local")
    assert "everything holds, in a stale translation" in report(result)
    assert str(IS_STALE) in notes_on(again(result))
    for shown in (result_view(result), compare(result, result)):
        assert (str(IS_STALE) in shown.html(), str(IS_STALE) in shown.text()) == (True, True)


def test_walks_and_scenarios_in_a_stale_translation_say_so():
    stale = opened(NEXT, TRANSLATION, "Two == n = 2")()
    seen = simulate(stale, rule=WalkRule(walks=1, depth=1))
    assert (seen.why.endswith(", in a stale translation"), seen.notes, seen.as_dict()["translation"]) == (
        True,
        [STALE],
        "stale",
    )
    assert str(seen).splitlines()[1] == str(IS_STALE)
    story = scenario(stale, ["a", "Two"])
    assert (story.holds, story.why, len(story.trace)) == (None, "it is found, in a stale translation", 3)
    assert (scenario(stale, ["n = 9"]).holds, scenario(opened(TRANSLATION)(), ["n = 2"]).holds) == (False, True)
    assert str(IS_STALE) in trace_page(story.trace)


def test_what_is_stepped_by_hand_in_a_stale_translation_says_so():
    simulator = Simulator(opened(NEXT, TRANSLATION)())
    simulator.tell("n = 2")
    assert (simulator.at, str(IS_STALE) in everything(simulator)) == (2, True)
    with pytest.raises(InputError, match=r"^impossible: line 1: n = 9: "):
        simulator.tell("n = 9")


def test_a_repair_of_a_stale_translation_is_none():
    model = with_a_constant()(Most=1)
    before = replace(check(model, engine="reference"), verdicts=[Verdict("Small", "invariant", False)])
    found = Repairs("Small", [Attempt(before, {"Most": 2}, None)], 1, True, before.translation)
    assert (found.holds, found.why, found.as_dict()["translation"]) == (
        None,
        "Small holds with Most=2, in a stale translation",
        "stale",
    )
    assert found.text().startswith(f"{IS_STALE}\n")


def test_a_recording_is_no_behaviour_of_the_algorithm_by_a_stale_translation():
    """A translation that is the algorithm's decides; nothing but a difference is known of a stale one."""
    fresh, stale = machine_of(opened(ALGORITHM, TRANSLATION)()), machine_of(opened(NEXT, TRANSLATION)())
    start = next(fresh.each_initial_state())
    same_twice = [Recording([Observation(dict(enumerate(row_of(start))))] * states) for states in (1, 2)]
    known = [[validate(model, recording).holds for recording in same_twice] for model in (fresh, stale)]
    assert known == [[True, False], [None, False]]
    report = validate(stale, same_twice[0])
    assert (report.translation, report.why, report.remarks) == ("stale", IN_STALE, [STALE])
    assert report.text().startswith("STALE: what is checked is not the translation of the algorithm\n")
    assert report.as_dict()["translation"] == "stale"


def test_settings_of_a_stale_translation_are_not_decided_in_one_line():
    model = machine_of(with_a_constant()(Most=1))
    beyond = Recording([Observation({model.layout.positions["n"]: n}) for n in (0, 1, 2)])
    tried = accepted_under(model, lambda made: beyond, changes=[("Most", 3), ("Most", 4)])
    assert str(tried).splitlines() == [
        "not decided with Most=3 (it is 1), or with Most=4 (it is 1)",
        "accepted with none of 2 other settings that differ in one constant",
    ]


@pytest.mark.parametrize("is_text", [True, False])
def test_a_stale_translation_is_the_same_as_nothing(is_text):
    plain, stale = opened(TRANSLATION), opened(NEXT, TRANSLATION)
    port = Port(lambda model: {}, lambda model, s: {"n": s.n, "pc": s.pc})
    model, text = (plain, stale) if is_text else (stale, plain)
    sameness = follow_text(machine_of(model()), text, port)
    assert (sameness.holds, sameness.remarks) == (None, [STALE])
    assert sameness.why == "the same: 4 states and 3 steps of M and M.tla, in a stale translation"
    assert sameness.text().startswith("STALE: what is checked is not the translation of the algorithm\n? the same: ")
    assert follow_text(machine_of(plain()), opened(ALGORITHM, TRANSLATION), port).holds
    other = Port(port.constants, lambda model, s: {"n": -s.n, "pc": s.pc})
    assert follow_text(machine_of(model()), text, other).holds is False


@pytest.mark.parametrize(
    ("processes", "cfg", "lanes"),
    [
        (
            "process (p \\in 1..N) { a: n := self; b: skip }",
            "CONSTANT N = 2",
            ["1: a(1)", "1: b(1)", "2: a(2)", "2: b(2)"],
        ),
        ("process (p \\in N) { a: n := 1 }", "CONSTANT N = {v, w}", ["v: a(v)", "w: a(w)"]),
        ("process (p = 0) { a: n := 1; b: skip }", "CONSTANT N = 2", ["p: a", "p: b"]),
        (
            "process (p = 0) { a: while (TRUE) { n := 1 } } process (q = N) { b: while (TRUE) { n := 2 } }",
            "CONSTANT N = 2",
            ["p: p", "q: q"],
        ),
        (
            'process (p \\in {"x"}) { a: n := 1 } process (q = "y") { b: n := 2 }',
            "CONSTANT N = 2",
            ["q: b", '"x": a("x")'],
        ),
    ],
    ids=["integers", "names", "alone", "endless", "strings"],
)
def test_each_process_has_a_lane_and_its_actions_are_labels(processes, cfg, lanes):
    algorithm = f"(* --algorithm Lanes {{ variables n = 0;\n{processes} }} *)"
    model = opened("CONSTANT N", algorithm, cfg=f"{CFG} {cfg}")()
    steps = [instance for instance in model.instances if instance.action.name != "Terminating"]
    assert [f"{instance.lane}: {instance.label}" for instance in steps] == lanes
    assert trace_view(replay(model, 0, [(0, 0)])).lanes[-1] == "shared state"


def test_a_truth_value_is_no_process():
    """As Python has it, TRUE is 1."""
    algorithm = "(* --algorithm Lanes { variables n = 0; process (p \\in 0..1) { a: n := self } } *)"
    made = find(module_of("EXTENDS Naturals", algorithm), "M").translate().module.removesuffix("====\n")
    text = made + "Set(b) == n' = 2 /\\ b /\\ UNCHANGED pc\nAll == Next \\/ \\E b \\in BOOLEAN : Set(b)\n====\n"
    model = module_of_text(text, "INIT Init NEXT All")()
    assert {instance.lane for instance in model.instances if instance.action.name == "Set"} == {""}


def test_a_missing_translation_is_made_for_what_its_algorithm_defines():
    """Without it the module has no variables that INVARIANT could speak of."""
    algorithm = ALGORITHM.replace("{ a:", "define { Small == n < 3 }\n{ a:")
    model = opened(algorithm, cfg=f"{CFG} INVARIANT Small")
    result = check(model(), engine="local")
    assert (result.translation, result.distinct, result["Small"].holds) == ("in memory", 4, True)


def test_a_missing_translation_is_made_without_a_configuration_too(tmp_path):
    (tmp_path / "M.tla").write_text(module_of("EXTENDS Naturals", ALGORITHM))
    result = check(open_module(tmp_path / "M.tla")(), engine="reference")
    assert (result.distinct, result.translation) == (4, "in memory")


def test_a_mistake_in_an_algorithm_without_a_translation_is_told_in_its_place():
    with pytest.raises(InputError, match=r"^M\.tla:5:27: \( is not closed before ;$"):
        opened(ALGORITHM.replace("n + 1", "(n + 1;"))


PLACED = """(* --algorithm Counts {
variables n = 0;
{ a: n := 1;
  b: n := n + {2};
  c: assert n = 3
} } *)"""


@pytest.mark.parametrize("engine", ["reference", "local"])
@pytest.mark.parametrize("fresh", [False, True], ids=["in memory", "fresh"])
@pytest.mark.parametrize(
    ("written", "place", "states"), [("n + {2}", "M.tla:6:", 2), ("n + 1", "M.tla:7:", 3), ("m + 1", "M.tla:6:11", 0)]
)
def test_what_is_wrong_is_told_in_its_place_in_the_algorithm(written, place, states, engine, fresh):
    text = module_of("EXTENDS Naturals, TLC", PLACED.replace("n + {2}", written))
    text = find(text, "M").translate().module if fresh else text
    with pytest.raises((InputError, ModelError)) as caught:
        check(module_of_text(text, CFG)(), engine=engine)
    assert str(caught.value).startswith(place)
    assert states == 0 or len(caught.value.trace) == states


@pytest.mark.parametrize(
    ("head", "standing"),
    [("{", {"M.tla:6": "here"}), ("process (P \\in {5, 6}) {", {"M.tla:6": "5, 6"})],
    ids=["one", "two"],
)
def test_processes_stand_at_the_labels_of_the_algorithm(head, standing):
    algorithm = ALGORITHM.replace("{ a:", f"{head}\na:").replace(
        "} } *)", "} } } *)" if "process" in head else "} } *)"
    )
    model = opened(algorithm)()
    assert model.standing(model.initial_states()[0]) == standing
    assert opened(TRANSLATION)().standing(opened(TRANSLATION)().initial_states()[0]) == {}


@pytest.mark.parametrize("fresh", [False, True], ids=["in memory", "fresh"])
def test_why_something_is_false_is_told_in_its_place_in_the_module(fresh):
    text = module_of("EXTENDS Naturals, TLC", PLACED.replace("n + {2}", "n + 2"), "Small == n < 3")
    text = find(text, "M").translate().module if fresh else text
    result = check(module_of_text(text, CFG + " INVARIANT Small")(), engine="local")
    line = next(number for number, row in enumerate(text.splitlines(), 1) if row.startswith("Small"))
    assert result["Small"].why == f"n < 3 is false: n is 3 (M.tla:{line}:10)"


@pytest.mark.parametrize("cfg", [CFG, f"{CFG} CONSTANT defaultInitValue = 7"], ids=["by itself", "given"])
def test_a_variable_without_a_value_begins_with_a_model_value(cfg):
    model = opened(ALGORITHM.replace("n = 0;", "n = 0, unset;"), cfg=cfg)()
    value = model.initial_states()[0]
    assert ("unset: 7" in str(value)) == ("7" in cfg)
    assert check(model, engine="reference").distinct == 4


BEHAVIOUR = "VARIABLE x", "Init == x = 0", "Next == x' = 1 - x"


def test_an_algorithm_may_be_an_illustration():
    result = check(opened(ALGORITHM, *BEHAVIOUR, cfg="INIT Init NEXT Next")(), engine="reference")
    assert (result.distinct, result.translation, result.notes) == (2, None, [])
    with pytest.raises(InputError, match="unknown definition 'Tpyo'"):
        opened(ALGORITHM, *BEHAVIOUR, cfg="INIT Init NEXT Next INVARIANT Tpyo")
    with pytest.raises(InputError, match="unknown definition 'Tpyo'"):
        opened(ALGORITHM.replace("n + 1", "..."), *BEHAVIOUR, cfg="INIT Init NEXT Next INVARIANT Tpyo")
    with pytest.raises(InputError, match="unknown name pc"):
        opened(ALGORITHM.replace("--algorithm", "an algorithm"), "A == pc")
