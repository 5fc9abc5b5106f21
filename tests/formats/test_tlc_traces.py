"""Traces that TLC wrote are read, and replayed by the module."""

import json
import re
import time
from pathlib import Path

import pytest

from tests.tlaplus.trees import module_of
from tests.toys import Steps
from workbench.checking.following.validate import validate
from workbench.commands import cli
from workbench.commands.output.recorded import read_trace
from workbench.formats import tlc_json
from workbench.formats.tlc_states import is_dump, parse_tlc
from workbench.kernel import InputError
from workbench.kernel.meaning.values import Map, Name
from workbench.registry import get_model
from workbench.tlaplus.machine.specification import module_of_text

FOLDER = Path(__file__).parent / "tlc"
MODELS = {name: get_model(str(FOLDER / f"{name}.tla")) for name in ("Mail", "Halt")}
WRITTEN = ["Mail.txt", "Mail.tool.txt", "Mail.json", "Mail_dumped.tla", "Halt.txt", "Halt.tool.txt", "Halt.json"]


def read(file, edit=lambda text: text, model=None):
    """The report on a file, whose text is edited before."""
    changed = Path(file.name)
    changed.write_text(edit((FOLDER / file.name).read_text()))
    model = model or MODELS[re.split("[._]", file.name)[0]]
    recording = read_trace(model, str(changed)).record(model())
    return recording, validate(model(), recording)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", [*WRITTEN, "Mail_explored.tla"])
def test_a_trace_of_tlc_is_a_behaviour_of_its_module(name):
    recording, report = read(FOLDER / name)
    assert report.holds
    assert report.states == len(recording.states) == (6 if "Mail" in name else 2)
    assert recording.loop == {"Mail": 3, "Halt": 1}[name[:4]] or "explored" in name
    shown = [*map(str, report.trace.steps[-1].state.lines())]
    letters = [f'[from |-> {writer}, number |-> 1, text |-> "a letter"]' for writer in ("p1", "p2")]
    mail = ["count: (p1 :> 2 @@ p2 :> 2)", f"sent: {{{', '.join(letters)}}}", "last: <<p2, 1>>"]
    assert shown == (["x: 1"] if "Halt" in name else mail)


@pytest.mark.parametrize(
    ("name", "edit", "why"),
    [
        (
            "Mail.txt",
            ("<<p2, 1>>", "<<p2, 2>>"),
            "no step leads from state 2 to state 3 by Send(p2): it is enabled, but",
        ),
        ("Mail.txt", ("Send(p1)", "Send(p2)"), "no step leads from state 4 to state 5 by Send(p2): it is enabled, but"),
        ("Mail.txt", ('"no ', '"a '), "state 1 is not an initial state of Mail"),
        ("Mail.txt", ("Back to state 4", "Back to state 1"), "no step leads from state 6 back to state 1"),
        ("Mail.tool.txt", ("4: Back to", "5: Back to"), "no step leads from state 6 back to state 5"),
        ("Mail.json", ('"last":["p2",1]', '"last":["p2",2]'), "no step leads from state 2 to state 3 by Send: it is"),
        ("Mail.json", ('{"p1":0,"p2":0}', '{"p1":0,"p2":1}'), "state 1 is not an initial state of Mail"),
        ("Mail_dumped.tla", ("<<p2, 1>>", '<<"p2", 1>>'), "no step leads from state 2 to state 3 by Send: it is"),
    ],
)
def test_a_step_that_the_module_does_not_have_is_said_with_its_number(name, edit, why):
    report = read(FOLDER / name, lambda text: text.replace(*edit))[1]
    assert report.holds is False
    assert report.why.startswith(why)


@pytest.mark.parametrize(
    ("name", "edit", "why"),
    [
        ("Halt.txt", ("x = 0", "y = 0"), "unknown variable of Halt, at line 5, 'y'; known: x"),
        ("Halt.txt", ("x = 0", "x = 0 +"), "x, in the state at line 5, is '0 +', which is not a value of TLA+"),
        ("Halt.txt", ("x = 0", "x = 0 + 1"), "x, in the state at line 5, is '0 + 1', which is not a value of TLA+"),
        ("Halt.txt", ("x = 0", "zero"), "the state at line 5 is 'zero'; it takes lines such as '/\\ x = 1'"),
        (
            "Halt.txt",
            ("State 2", "State 1"),
            "the state at line 8 has the number 1; it takes one behaviour, from state 1",
        ),
        ("Halt.txt", ("State", "Sate"), "and has no state of TLC, such as 'State 1: <Initial predicate>'"),
        ("Mail.txt", ("state 4", "state 7"), "it returns to state 7; it has states 1 to 6"),
        ("Halt.json", ('"state":[[1,', '"state":[["a",'), "the state at state a has the number a; it takes one"),
        ("Halt.json", ('"action"', '"actions"'), "the trace is {"),
        ("Halt.json", ('"name":"', '"name":5,"was":"'), "the trace is {"),
        ("Halt.json", ('"x":0', f'"x":{"[" * 380}{"]" * 380}'), "has a value that is nested more than 100 deep"),
        ("Halt.txt", ("State 1:", f"State {'1' * 5000}:"), "the state at line 8 has the number 2; it takes one"),
        ("Mail_dumped.tla", ("state |->", "states |->"), "the definition of CounterExample is no behaviour"),
    ],
)
def test_what_tlc_does_not_write_is_one_line(name, edit, why):
    with pytest.raises(InputError, match=re.escape(why)):
        read(FOLDER / name, lambda text: text.replace(*edit))


@pytest.mark.parametrize(
    "text",
    [
        "State 1: <" + " line 1" * 100_000,
        "---- MODULE M ----\nEXTENDS M\ntrace ==" + " \n" * 100_000,
        "---- MODULE M ----\nEXTENDS M\ntrace ==\n" * 20_000,
        "State 1: <Initial predicate>\n" + "a" * 100_000,
    ],
)
def test_what_is_almost_a_trace_is_refused_at_once(text):
    began = time.process_time()
    assert not is_dump(text)
    with pytest.raises(InputError):
        parse_tlc(text)
    assert time.process_time() - began < 5


def test_a_trace_of_tlc_is_one_of_a_module():
    for name in ("Halt.txt", "Halt.json"):
        with pytest.raises(InputError, match="read for a TLA\\+ module; steps is none"):
            read(FOLDER / name, model=Steps)


def test_a_list_of_json_is_what_the_steps_of_the_module_make_it():
    text = r"""---- MODULE Pairs ----
EXTENDS Naturals
VARIABLES s, k
Init == (k = 0 /\ s = <<<<1, 2>>>>) \/ (k = 1 /\ s = <<{1, 2}>>)
Next == k = 1 /\ s' = <<>> /\ k' = 2
===="""
    model = module_of_text(text, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE")
    states = [[1, {"s": [[1, 2]]}], [2, {"s": []}]]
    Path("pairs.json").write_text(json.dumps({"counterexample": {"action": [], "state": states}, "vars": ["s"]}))
    recording = read_trace(model, "pairs.json").record(model())
    assert [state.cells for state in recording.states] == [{0: (frozenset({1, 2}),)}, {0: ()}]


def test_a_state_of_json_that_may_be_any_of_very_many_is_refused(monkeypatch):
    monkeypatch.setattr(tlc_json, "_MOST_STATES", 8)
    text = module_of("EXTENDS Naturals", "VARIABLE s", "Init == s = {}", "Next == s' \\in SUBSET (1..4)")
    model = module_of_text(text, "INIT Init\nNEXT Next")

    def recorded(*states):
        example = {"action": [], "state": [*enumerate(states, start=1)]}
        Path("s.json").write_text(json.dumps({"counterexample": example}))
        return read_trace(model, "s.json").record(model())

    assert len(recorded({}, {"s": [2, 1]}, {"s": [1]}).states) == 3
    with pytest.raises(InputError, match=r"^state 2 of the trace agrees with more than 8 states of M; it takes"):
        recorded({}, {})


def test_a_module_that_tlc_dumped_is_a_trace_and_not_a_model(capsys):
    assert cli.main(["validate", str(FOLDER / "Mail.tla"), str(FOLDER / "Mail_dumped.tla")]) == 0
    assert capsys.readouterr().out == "a behaviour of the model: 6 states\n"


@pytest.mark.parametrize(
    "text",
    [
        "EXTENDS Sequences\n\ntrace ==\n  <<1, 2>>",
        "EXTENDS Sequences\ntrace ==\n  <<[a |-> 1]>>",
        "EXTENDS Sequences\nVARIABLE x\ntrace ==\n  <<([a |-> 1])>>",
        "LOCAL INSTANCE TLC\nCounterExample ==\n  [state |-> {}]",
    ],
)
def test_a_model_may_define_what_a_dump_defines(text):
    assert not is_dump(f"---- MODULE M ----\n{text}\n====")


def test_a_list_is_json_and_no_trace():
    Path("list.json").write_text("[1]")
    with pytest.raises(InputError, match="the trace is a JSON list; an ITF document is an object"):
        read_trace(Steps, "list.json")


WORD, STRING = Name("a"), '"a"'
#: Documents with a model value and the string of its name, which TLC spells alike and we do not; values; whether they
#: agree.
ALIKE = [
    (["a", "a"], frozenset({WORD, STRING}), True),
    (["a", '"a"'], frozenset({WORD, STRING}), True),
    (['"a"', '"a"'], frozenset({WORD, STRING}), False),
    ([["a"], ["a"]], frozenset({(WORD,), (STRING,)}), True),
    ([["a"], ['"a"']], frozenset({(WORD,), (STRING,)}), True),
    ([['"a"'], ["a"]], frozenset({(WORD,), (STRING,)}), True),
    ([['"a"'], ['"a"']], frozenset({(WORD,), (STRING,)}), False),
    ({"a": 1, '"a"': 2}, Map({WORD: 1, STRING: 2}), True),
    ({"a": 2, '"a"': 1}, Map({WORD: 1, STRING: 2}), False),
]


@pytest.mark.parametrize(("document", "value", "expected"), ALIKE)
def test_a_model_value_and_the_string_of_its_name_are_told_apart_in_any_order(document, value, expected):
    assert tlc_json.agrees(document, value) is expected
