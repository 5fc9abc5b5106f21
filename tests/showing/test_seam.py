"""What a notebook takes from a panel and gives to it: traits, and the panel's parts as widgets of their own."""

from collections.abc import Iterator
from typing import Any

import ipywidgets
import pytest
from traitlets import TraitError

from tests.showing.panels import Every, Kernel, choose_state, click, drawn, enter, everything, find, playing, use
from workbench import check, state_space, sweep
from workbench.kernel import InputError, replay
from workbench.protocols.bakery.model import Bakery
from workbench.showing import view
from workbench.showing.panel import Compare, StateGraph, Switches, TracePlayer, VerdictMap, Verdicts, Workbench


def told(shown: Any, *names: str) -> list[tuple[str, Any, Any]]:
    """What observers of these traits hear from now on."""
    heard: list[tuple[str, Any, Any]] = []
    shown.observe(lambda change: heard.append((change.name, change.old, change.new)), list(names))
    return heard


# Switches ------------------------------------------------------------------------------------------------------------


def test_switches_have_the_constants_as_the_model_takes_them() -> None:
    shown = Switches(Every, "On", "Actors", "Kind", Kind="a")
    assert shown.value == {"On": True, "Actors": ("a1", "a2", "a3"), "Kind": "a"}
    heard = told(shown, "value")
    click(shown, "On")
    enter(shown, "Actors", 2)
    assert shown.value == {"On": False, "Actors": ("a1", "a2"), "Kind": "a"}
    assert [new for _, _, new in heard][-1] == shown.value
    assert [old["On"] for _, old, _ in heard] == [True, False]
    shown.value = {"Kind": 3}
    assert find(shown, "Kind").value == 3
    assert shown.value == {"On": False, "Actors": ("a1", "a2"), "Kind": 3}
    assert all(f">{text}<" in everything(shown) for text in ("a switch", "a choice"))


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"Kind": "z"}, "Kind = 'z' is not accepted"),
        ({"Knid": 3}, r"unknown constant of every 'Knid' \(did you mean Kind\?\)"),
    ],
)
def test_switches_refuse_what_the_model_refuses(value: dict[str, Any], says: str) -> None:
    shown = Switches(Every)
    before = shown.value
    with pytest.raises(TraitError, match=says):
        shown.value = value
    assert shown.value == before


def test_a_person_who_types_what_does_not_fit_is_told_and_the_value_stays() -> None:
    shown = Switches(Every, "Actors", "Parts")
    enter(shown, "Parts", "a1 | a1")
    assert "Parts" in everything(shown.content.children[1])
    assert shown.value["Parts"] != "a1 | a1"
    enter(shown, "Parts", "")
    assert everything(shown.content.children[1]) == ""


def test_an_unknown_switch_is_one_line() -> None:
    with pytest.raises(InputError, match="unknown constant of every 'Off'; known: Actors"):
        Switches(Every, "Off")


def test_switches_drive_what_is_interactive() -> None:
    shown, results = Switches("bakery", "LazyReap", Writers=2), []
    output = ipywidgets.interactive_output(
        lambda constants: results.append(check(Bakery(Writers=2, **constants)).holds), {"constants": shown}
    )
    click(shown, "LazyReap")
    assert results == [True, False]
    output.close()


# The panel's traits --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bakery() -> Any:
    panel = Workbench("bakery", Writers=2, LazyReap=False)
    panel.wait(300)
    yield panel
    panel.close()


def test_a_panels_traits_say_what_it_shows(bakery: Any) -> None:
    assert (bakery.constants["Writers"], bakery.constants["LazyReap"]) == (("w1", "w2"), False)
    assert bakery.verdicts == {one.name: one.word for one in bakery.result.verdicts}
    assert bakery.selected == "NonCrashedProgress"
    assert bakery.step == bakery.session.stepper().at == 5
    heard = told(bakery, "step", "selected")
    bakery.step = 2
    assert bakery.session.stepper().at == 2
    bakery.selected = "SomeoneCommits"
    assert bakery.session.selected == "SomeoneCommits"
    assert heard[0] == ("step", 5, 2)
    assert ("selected", "NonCrashedProgress", "SomeoneCommits") in heard
    bakery.selected = "NonCrashedProgress"


@pytest.mark.slow
def test_constants_that_are_set_are_checked_and_the_verdicts_follow(bakery: Any) -> None:
    heard = told(bakery, "constants", "verdicts")
    bakery.constants = {"LazyReap": True}
    assert (bakery.constants["LazyReap"], bakery.constants["Writers"]) == (True, ("w1", "w2"))
    assert set(bakery.verdicts.values()) == {"checking"}
    bakery.wait(300)
    assert bakery.verdicts["NonCrashedProgress"] == "holds"
    assert [name for name, _, _ in heard] == ["constants", "verdicts", "verdicts"]
    bakery.apply(LazyReap=False)
    bakery.wait(300)
    assert bakery.verdicts["NonCrashedProgress"] == "violated"


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("constants", {"LazyReap": 3}, "LazyReap = 3 is not accepted; it takes true or false"),
        ("constants", {"LazyRape": True}, "did you mean LazyReap"),
        ("selected", "Nothing", "unknown verdict 'Nothing'"),
        ("step", 99, r"step 99 is not accepted; the trace has states 0 to \d"),
        ("step", -1, "step -1 is not accepted"),
        ("verdicts", {}, "read-only"),
    ],
)
def test_what_a_panel_does_not_accept_is_a_trait_error(bakery: Any, name: str, value: Any, says: str) -> None:
    before = getattr(bakery, name)
    with pytest.raises(TraitError, match=says):
        setattr(bakery, name, value)
    assert getattr(bakery, name) == before


def test_a_panel_and_switches_can_be_linked(bakery: Any) -> None:
    shown = Switches("bakery", "LazyReap", LazyReap=False)
    link = ipywidgets.link((shown, "value"), (bakery, "constants"))
    click(shown, "LazyReap")
    assert bakery.constants["LazyReap"] is True
    bakery.apply(LazyReap=False)
    assert shown.value == {"LazyReap": False}
    bakery.wait(300)
    link.unlink()


# Its parts -----------------------------------------------------------------------------------------------------------


def test_verdicts_of_a_result_are_shown_and_selected(bakery: Any) -> None:
    shown = Verdicts(bakery.result)
    assert shown.selected == "NonCrashedProgress"
    heard = told(shown, "selected")
    click(shown, "UniqueTickets")
    assert heard == [("selected", "NonCrashedProgress", "UniqueTickets")]
    with pytest.raises(TraitError, match="unknown verdict 'x'"):
        shown.selected = "x"
    shown.selected = "NonCrashedProgress"
    assert 'data-send="NonCrashedProgress" aria-pressed="true"' in everything(shown)


def test_a_trace_player_has_its_step_as_a_trait(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = replay(Bakery(Writers=2), 0, [(0, 0), (2, 0)])
    player: Any = TracePlayer(trace)
    heard = told(player, "step")
    number = playing(player).number
    sent: list[Any] = []
    monkeypatch.setattr(player, "send", sent.append)
    player._handle_custom_msg({"part": number, "set": {"step": 1}, "click": 7}, [])
    assert (player.step, heard) == (1, [("step", 2, 1)])
    (answer,) = sent
    assert answer["heard"] == (number, 7)
    assert "step" not in answer["values"][str(number)], "the page knows what it has set"
    assert answer["values"][str(number)]["picture"][0] == 1
    for wrong in ({"step": 3}, {"step": "x"}, {"step": None}, {"room": "wide"}, {"chosen": {"reader": 5}}, {"x": 1}):
        player._handle_custom_msg({"part": number, "set": wrong, "click": 8}, [])
    assert (player.step, playing(player).chosen) == (1, {})
    player.step = 0
    assert drawn(player, "picture")[0] == 0
    with pytest.raises(TraitError, match="step 3 is not accepted; the trace has states 0 to 2"):
        player.step = 3


def test_a_graph_and_a_map_say_what_was_clicked() -> None:
    graph: Any = StateGraph(state_space(Bakery(Writers=1)), variables=["pc"])
    assert (graph.state, graph.static() is None) == (None, False)
    use(graph.content, "3")
    assert graph.state == 3
    sent: list[Any] = []
    whole: Any = StateGraph(state_space(Bakery(Writers=1)))
    assert "bakery_published: 10 states, 11 steps" in everything(whole)
    whole.send = lambda content, buffers=None: sent.append(content)
    for state, by_hand, told in ((4, False, None), (4, True, 4), (10, True, 4)):
        choose_state(whole.content, state, by_hand)
        assert whole.state == told
    assert [(message["state"], "<svg" in message["picture"]) for message in sent if "picture" in message] == [
        (4, True),
        (4, True),
    ]
    table = sweep(Bakery, {"Writers": [1, 2], "LazyReap": [True, False]}, ["NonCrashedProgress"])
    shown = VerdictMap(table)
    assert shown.row == {}
    cells = [number for number in range(len(table)) if f'data-send="{number}"' in everything(shown)]
    assert cells == [0, 1, 2, 3]
    use(shown.content, "1")
    assert shown.row == table.iloc[1].to_dict()


def test_two_runs_have_a_step_that_is_heard_and_set() -> None:
    one, other = (check(Bakery(Writers=2, LazyReap=value), ["NonCrashedProgress"]) for value in (False, True))
    shown: Any = Compare(one, other)
    pane, last = shown.content, shown.step
    assert shown.summary == "Both runs take the same steps; then LazyReap off stops for ever"
    heard = told(shown, "step")
    shown._received(shown, {"part": pane.number, "set": {"step": 1}, "click": 1}, [])
    shown.step = 2
    assert (heard, pane.page_values()) == ([("step", last, 1), ("step", 1, 2)], {"step": 2})
    for wrong in (-1, last + 1):
        with pytest.raises(TraitError, match=rf"step {wrong} is not there; the runs have steps 0 to {last}"):
            shown.step = wrong
        shown._received(shown, {"part": pane.number, "set": {"step": wrong}, "click": 2}, [])
    assert shown.step == 2
    assert 'data-at="2"' in shown.static().html(), "what a notebook keeps stands there, too"
    with pytest.raises(InputError, match="there is no trace of a property that both have judged"):
        Compare(other, other)


@pytest.mark.parametrize("kind", [Verdicts, TracePlayer, StateGraph, VerdictMap])
def test_a_part_takes_what_it_shows_or_a_panel(kind: Any, bakery: Any) -> None:
    with pytest.raises(InputError, match=rf"{kind.__name__} takes what it shows, or panel= and a Workbench"):
        kind()
    with pytest.raises(InputError, match="give one of them"):
        kind(bakery.result, panel=bakery)


@pytest.mark.slow
def test_parts_follow_a_panel_and_lead_it(bakery: Any) -> None:
    verdicts, player = Verdicts(panel=bakery), TracePlayer(panel=bakery)
    graph, table = StateGraph(panel=bakery), VerdictMap(panel=bakery)
    assert player.trace.steps == bakery.result["NonCrashedProgress"].trace.steps
    bakery.step = 1
    assert player.step == 1
    player.step = 3
    assert bakery.step == 3
    click(verdicts, "SomeoneCommits")
    bakery.deliver()
    assert bakery.selected == "SomeoneCommits"
    assert player.trace.steps == bakery.result["SomeoneCommits"].trace.steps
    assert bakery.session.settle(300)
    assert "wb-graph" in everything(graph)
    assert "<rect" in everything(table)
    bakery.apply(MaxCrashes=0)
    bakery.wait(300)
    assert verdicts.result is bakery.result
    for part in (verdicts, player, graph, table):
        part.close()
    bakery.apply(MaxCrashes=Bakery().MaxCrashes)
    bakery.wait(300)
    bakery.selected = "NonCrashedProgress"


# What leaves for a page ---------------------------------------------------------------------------------------------


def texts(given: Any) -> Iterator[str]:
    """All texts in something like JSON."""
    if isinstance(given, str):
        yield given
    elif isinstance(given, dict):
        yield from texts([*given, *given.values()])
    elif isinstance(given, list | tuple):
        for one in given:
            yield from texts(one)


@pytest.mark.slow
def test_what_leaves_for_a_page_is_plain_text(bakery: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Marimo's encoder makes an empty object of markup, which inherits from text."""
    sent: list[Any] = []
    monkeypatch.setattr(bakery, "_send", lambda message, buffers=None: sent.append(message))
    bakery.apply(LazyReap=True)
    bakery.wait(300)
    for at in range(len(bakery.tabs)):
        bakery._tabs.open(at)
        assert bakery.session.settle(300)
    bakery._tabs.open(0)
    number = playing(bakery).number
    for what in ("pictures", "page", "animation", "lanes"):
        bakery._handle_custom_msg({"part": number, "ask": {"want": what}}, [])
    bakery._handle_custom_msg({"want": "parts"}, [])
    bakery.apply(LazyReap=False)
    bakery.wait(300)
    leaves = [sent, bakery.get_state(), view.levels_chart(bakery.result).bundle(), bakery._repr_mimebundle_()[0]]
    for one in leaves:
        seen = list(texts(one))
        assert {type(text) for text in seen} == {str}
        assert any("svg" in text for text in seen)


# In a notebook -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_one_cell_sets_is_one_check_and_observers_run_where_the_cell_did(kernel: Kernel) -> None:
    kernel.run("made", "panel = Workbench('bakery', Writers=2)\npanel.wait()")
    kernel.run(
        "set",
        "import threading\nseen, before = [], panel.session.number\n"
        "def hear(change):\n"
        "    seen.append((threading.current_thread() is threading.main_thread(), panel.session.lock._is_owned()))\n"
        "panel.observe(hear, ['constants', 'verdicts'])\n"
        "panel.constants = {'LazyReap': False}\npanel.constants = {'MaxCrashes': 0}",
    )
    kernel.run("wait", "panel.wait()")
    assert kernel.run("number", "print(panel.session.number - before)") == "1"
    assert kernel.run("seen", "print(len(seen) >= 3, set(seen))") == "True {(True, False)}"


@pytest.mark.slow
def test_what_stands_in_a_box_ends_with_its_cell_and_leaves_a_copy(kernel: Kernel) -> None:
    before = kernel.alive()
    cell = "ipywidgets.HBox([Switches('bakery', 'LazyReap'), ipywidgets.Tab([Workbench('bakery', Writers=1)])])"
    for _ in range(3):
        kernel.run("boxed", f"import ipywidgets\n{cell}")
    (copy,) = kernel.displayed
    assert kernel.alive() == before + 2
    assert "wb-kept" in copy["text/html"]
    assert "NoLakekeeperConflict" in copy["text/plain"]
    assert "LazyReap" in copy["text/plain"]
