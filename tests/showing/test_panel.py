"""Panels without a browser: every tab draws, every click calls; what is drawn where, the tests in a browser show."""

import base64
import csv
import gzip
import html
import io
import json
import re
import threading
from dataclasses import replace
from math import comb
from threading import Event
from typing import Any

import ipywidgets
import pytest

from tests.places import ROOT
from tests.relay import Relay
from tests.showing.panels import (
    Every,
    Kernel,
    ask,
    choose_state,
    click,
    drawn,
    enter,
    everything,
    find,
    parts,
    playing,
    switches,
    take,
    use,
)
from tests.toys import DECIDED, Growing, Steps
from workbench.checking.check import check
from workbench.formats.permalink import parse_permalink, permalink
from workbench.kernel import Result, machine_of, replay
from workbench.kernel.meaning.budget import Progress
from workbench.language import *
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.hudi.model import Hudi
from workbench.registry import addresses, get_model, models
from workbench.showing.lessons import predict
from workbench.showing.panel import Simulator, TracePlayer, Workbench, lifetime
from workbench.showing.panel.bundle import SCRIPT
from workbench.showing.panel.controls import Controls
from workbench.showing.panel.history import HistoryView
from workbench.showing.panel.parts import Tabs
from workbench.showing.panel.player import WIDTH
from workbench.showing.panel.stepping import goes_on
from workbench.showing.panel.verdicts import CheckBar
from workbench.showing.panel.whole import GraphPane
from workbench.showing.session import Session, opening, result_cache, session
from workbench.showing.session.jobs import Job
from workbench.showing.session.result_cache import explore
from workbench.showing.view.base.wording import clause, told_change
from workbench.tlaplus.machine.specification import module_of_text

BakeryV2 = get_model("bakery_v2")
STALE: dict[str, Any] = {"Writers": 2, "AsyncParquet": True, "RestampPatch": False}
WIDGET = "application/vnd.jupyter.widget-view+json"


def settle(shown: Workbench) -> None:
    """Wait until neither the check nor a tab is at work, and a kernel would have nothing to do."""
    assert shown.session.settle(300)
    shown.deliver()


def panel(*given: Any, **constants: Any) -> Workbench:
    """A panel that has checked what it opens on."""
    shown = Workbench(*given, **constants)
    settle(shown)
    return shown


def select(shown: Workbench, title: str) -> Any:
    """Open a tab of a panel."""
    (tabs,) = (part for part in parts(shown) if isinstance(part, Tabs))
    at = [tab.title for tab in shown.tabs].index(title)
    use(tabs, str(at))
    return shown.tabs[at]


def opened(shown: Workbench, title: str) -> Any:
    """The same, once everything in it is there."""
    tab = select(shown, title)
    settle(shown)
    return tab


def in_sight(shown: Workbench) -> str:
    """The tab that is open."""
    return re.search('aria-selected="true">([^<]*)<', everything(shown))[1]


@pytest.fixture
def stale() -> Workbench:
    """A panel in which the staged files are not restamped: a 409."""
    return panel("bakery_v2", **STALE)


# Controls ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", models())
def test_controls_give_back_what_a_model_has(name: str) -> None:
    model = get_model(name)
    controls = Controls(model, lambda: pytest.fail("nobody changed anything"))
    controls.assign(model().constants)
    assert model(**controls.values()).constants == model().constants


def test_a_control_is_made_for_each_kind_of_constant() -> None:
    changed: list[dict[str, Any]] = []
    controls = Controls(Every, lambda: changed.append(controls.values()))
    controls.assign(Every(Actors=["x", "y"], Parts=[["x", "y"]]).constants)
    widgets = {name: find(controls, name) for name in Every.declared.constants if name != "On"}
    kinds = {name: type(widget).__name__ for name, widget in widgets.items()}
    assert kinds == {"Count": "Number", "Kind": "Choice", "Actors": "Number", "Parts": "Typed"}
    assert 'min="2" max="8" step="2" value="4"' in widgets["Count"].markup()
    tooltips = {**controls.switches.titles, **{name: widget.tip for name, widget in widgets.items()}}
    assert all(declared.doc in tooltips[name] for name, declared in Every.declared.constants.items())
    assert controls.values()["Actors"] == ("x", "y"), "names given by hand are kept"
    for name, value in {"Actors": 3, "Parts": "a1 a2 | a3", "Kind": "3"}.items():
        enter(controls, name, value)
    click(controls, "On")
    assert len(changed) == 4
    assert changed[-1] == {"On": False, "Count": 4, "Kind": 3, "Actors": 3, "Parts": [["a1", "a2"], ["a3"]]}
    assert Every(**changed[-1]).Parts == (("a1", "a2"), ("a3",))


class Named(Every):
    """Constants about names."""

    Ring = Constant("ring", Relation("Actors"), "who is next")
    Wire = Constant("none", Relation("Actors", directed=False), "who is wired")
    Owns = Constant("none", Relation("Actors", "Tools"), "who has what")
    Tools = Constant(1, Names("t", range(1, 3)), "tools")


def test_what_is_about_names_has_a_table_to_click_which_follows_what_is_typed() -> None:
    changed: list[dict[str, Any]] = []
    controls = Controls(Named, lambda: changed.append(controls.values()))
    controls.assign(Named().constants)
    assert Named(**controls.values()).constants == Named().constants

    def table(name: str) -> Any:
        return next(part for part in parts(controls) if f'aria-label="{name}"' in getattr(part, "html", ""))

    def clicked(name: str, what: str) -> Any:
        click(table(name), what)
        return Named(**changed[-1]).constants[name]

    def pressed() -> int:
        return table("Ring").html.count('aria-pressed="true"')

    assert pressed() == 3
    assert clicked("Ring", "a3 a1") == (("a1", "a2"), ("a2", "a3"))
    assert clicked("Ring", "a3 a2") == (("a1", "a2"), ("a2", "a3"), ("a3", "a2"))
    assert clicked("Wire", "a3 a1").edges == (("a1", "a3"),)
    assert clicked("Wire", "a1 a3") == ()
    assert clicked("Owns", "a2 t1") == (("a2", "t1"),)
    ring = table("Ring")
    for sent in ("a1 a1", "nobody a1"):  # as no page sends it
        use(ring, sent)
    assert len(changed) == 5
    enter(controls, "Ring", "ring")
    enter(controls, "Actors", 4)
    assert pressed() == 4
    enter(controls, "Ring", "a1->a4")
    assert pressed() == 1
    enter(controls, "Actors", 2)
    assert ring.html == "", "an edge of nobody: there is nothing to show until it is gone"
    enter(controls, "Ring", "line")
    assert Named(**controls.values()).Ring == (("a1", "a2"),)


# The panel -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_panel_shows_verdicts_and_what_a_flip_has_changed(stale: Any) -> None:
    why = stale.result["NoLakekeeperConflict"].why
    assert f"1 of {len(stale.result.verdicts)} violated" in everything(stale.bar)
    assert why in html.unescape(everything(stale.bar))
    assert why in html.unescape(drawn(stale, "states")[-1])
    near = switches(stale, "RestampPatch")
    assert near.hints["RestampPatch"] == ("on \N{RIGHTWARDS ARROW} everything holds", "good")
    assert near.hints["SafeAcks"] == ("off \N{RIGHTWARDS ARROW} breaks EventualProgress", "bad")
    saved, _ = stale._repr_mimebundle_()
    assert WIDGET in saved
    assert all("NoLakekeeperConflict" in saved[kind] for kind in ("text/html", "text/plain"))
    assert "<img" in saved["text/html"], "the lanes"
    click(stale, "RestampPatch")
    settle(stale)
    assert stale.result.model.author.RestampPatch
    assert stale.change == "RestampPatch on: NoLakekeeperConflict now holds"
    assert stale.change in everything(stale.bar)
    assert "everything holds" in everything(stale.bar)
    assert near.hints["RestampPatch"] == ("off \N{RIGHTWARDS ARROW} breaks NoLakekeeperConflict", "bad")
    assert goes_on(stale.session.retold).html() in drawn(stale, "states")[-1]
    assert "on-trace" in everything(opened(stale, "Graph")), "the story is in the graph"
    stale.step = 0
    assert "wb-remarked" not in drawn(stale, "states")[0]


def test_a_choice_in_sight_has_its_sentence_and_says_what_each_other_value_would_do() -> None:
    shown = panel(Every, Count=8)
    about = next(part.html for part in parts(shown) if "a choice" in getattr(part, "html", ""))
    hints = re.findall('class="wb-hint wb-([a-z]+)">([^<]*)<', about)
    assert hints == [
        ("good", "a \N{RIGHTWARDS ARROW} everything holds"),
        ("idle", "3 \N{RIGHTWARDS ARROW} changes nothing"),
    ]


def test_a_number_that_is_not_what_was_typed_says_why() -> None:
    controls = Controls(Every, lambda: None)
    actors = find(controls, "Actors")
    for typed, value, said in ((99, 5, "99 is not accepted; it takes 1 to 5"), (0, 1, "0 is not accepted"), (3, 3, "")):
        enter(controls, "Actors", typed)
        assert (actors.value, actors.warning[: len(said)]) == (value, said)
        assert bool(said) == ("not accepted" in actors.markup())


def test_bad_constants_are_said_in_one_line_and_the_old_verdict_is_greyed() -> None:
    shown = panel(Every)
    enter(shown, "Parts", "a1 | a9")
    settle(shown)
    assert "must hold each of a1, a2, a3 exactly once" in shown.bar.status.html
    assert "wb-stale" in everything(shown.bar)
    enter(shown, "Parts", "a1 | a2 a3")
    settle(shown)
    assert shown.result.model.author.Parts == (("a1",), ("a2", "a3"))
    assert (shown.bar.status.html, "wb-stale" in everything(shown.bar)) == ("", False)


def test_after_a_long_check_a_change_waits_for_the_button(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "LIVE_STATES", 0)
    shown = panel(Every, Count=8)
    click(shown, "On")
    settle(shown)
    assert "press Run" in shown.bar.progress.html
    assert "wb-primary" in shown.parts[str(shown.bar.run.number)], "the page has heard that it is to be pressed now"
    assert "wb-stale" in everything(shown.bar)
    click(shown, "Run")
    settle(shown)
    assert not shown.result.model.author.On


def test_a_long_check_says_how_far_it_is_and_how_large_its_space_will_become() -> None:
    shown = panel(Every)
    shown.session.progress = Progress(9, 3797, 495, 1.0, 0, levels=tuple(comb(12, members) for members in range(9)))
    shown.bar.look()
    said = "level 9 \N{MIDDLE DOT} 3,797 states \N{MIDDLE DOT} 3,797 states/s \N{MIDDLE DOT} 1 s \N{MIDDLE DOT} "
    assert f"{said}about 4,100 in all" in shown.bar.progress.html
    assert "checking" in shown.bar.headline.html


def test_what_a_check_has_found_is_said_while_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "PROGRESS_SECONDS", 0.0)
    shown, found = Workbench(Growing), Event()

    def note() -> None:
        if shown.session.progress is not None and len(shown.session.progress.decided) == len(DECIDED):
            found.set()

    shown.session.on("check", note)
    assert found.wait(300)
    with shown.session.lock:
        shown.bar.look()
        assert "checking" in shown.bar.headline.html
        assert "\N{BALLOT X} Short is violated after 4 steps" in shown.bar.headline.html
        assert "\N{CHECK MARK} Three is reached after 3 steps" in shown.bar.headline.html
        click(shown, "Stop")
    settle(shown)
    assert (shown.result.stopped, shown.result["Short"].trace_states) == ("stopped on request", 5)
    assert "Short is" not in shown.bar.headline.html


class Ends(Model):
    """Counts to two, and stops."""

    n = Variable(0)

    @action
    def count(self, s):
        require(s.n < 2, "enough")
        s.n += 1

    @invariant
    def Small(self, s):
        return s.n < 3


def test_deadlock_is_a_switch_beside_the_properties() -> None:
    shown = panel(Ends)
    assert "1 of 1 properties checked" in everything(shown)
    properties = switches(shown, "Deadlock")
    assert (properties.on, properties.disabled) == (("Small",), ())
    click(properties, "Deadlock")
    settle(shown)
    assert {v.name: v.word for v in shown.result.verdicts} == {"Small": "holds", "Deadlock": "violated"}
    assert "2 of 2 properties checked" in everything(shown)
    click(properties, "Deadlock")
    settle(shown)
    assert [verdict.name for verdict in shown.result.verdicts] == ["Small"]


@pytest.mark.slow
def test_what_the_constants_switch_off_is_neither_offered_nor_drawn() -> None:
    shown = panel("bakery", Writers=2)
    properties = switches(shown, "RestartsHeal")
    assert "RestartsHeal" in properties.disabled
    click(properties, "RestartsHeal")
    assert "RestartsHeal" not in properties.on
    assert "6 of 11 properties checked" in everything(shown)
    shown.apply(MaxRestarts=1)
    assert ("RestartsHeal" in properties.disabled, "RestartsHeal" in properties.on) == (False, True)


@pytest.mark.slow
def test_where_nothing_is_checked_nothing_is_said_to_hold() -> None:
    shown = panel(Every)
    for name in ("Small", "AtTwo"):
        click(switches(shown, name), name)
        settle(shown)
    assert "nothing is checked" in everything(shown.bar)
    assert "holds" not in everything(shown.bar)
    assert "<button" not in shown.bar.list.html


@pytest.mark.slow
def test_a_named_configuration_sets_everything() -> None:
    shown = Workbench("bakery_v2", **STALE)
    chooser = find(shown, "settings")
    enter(shown, "settings", next(name for name in chooser.options if name.startswith("v2_async ")))
    result, one = shown.wait(300), shown.session.settings.configuration
    assert result is not None
    assert one.as_expected(result)
    assert one.title in shown.bar.headline.html
    assert shown.bar.status.html == ""
    (symmetry,) = (part for part in parts(shown) if getattr(part, "before", "") == "symmetry over ")
    assert symmetry.on == shown.result.symmetry == ("Writers",)
    click(symmetry, "Writers")
    shown.wait(300)
    assert shown.result.symmetry == ()
    assert chooser.value == "settings made by hand"
    assert one.title not in shown.bar.headline.html
    enter(shown, "settings", "the model's defaults")
    shown.wait(300)
    assert shown.result.model.constants == BakeryV2().constants
    assert [v.name for v in shown.result.verdicts] == [p.name for p in machine_of(BakeryV2).select()]
    shown.close()


@pytest.mark.slow
def test_a_named_model_opens_on_its_first_story_and_one_that_one_comes_back_to_is_lit_again() -> None:
    shown = Workbench("bakery_v2")
    chooser = find(shown, "settings")
    first = chooser.value

    def lit() -> list[str]:
        shown.wait(300)
        return re.findall(r'class="wb-story"[^>]* aria-pressed="true">([^<]*)<', everything(shown))

    assert lit() == ["The ack that never comes"]
    assert shown.selected == "EventualProgress"
    for told, settings in (([], "settings made by hand"), (["The ack that never comes"], first)):
        click(shown, "SafeAcks")
        assert (lit(), chooser.value) == (told, settings)
    click(shown, "As it should be")
    assert lit() == ["As it should be"]
    assert shown.result.holds
    shown.close()


@pytest.mark.slow
@pytest.mark.parametrize("keep", [True, False])
def test_what_is_unknown_or_missing_is_not_as_expected(keep: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_last(*arguments: Any, **options: Any) -> Result:
        result = check(*arguments, **options)
        last = replace(result.verdicts[-1], holds=None, trace=None, why="for a reason")
        return replace(result, verdicts=[*result.verdicts[:-1], *([last] if keep else [])])

    monkeypatch.setattr(session, "check", without_last)
    shown = panel("v1_no_crash")
    assert "Not as v1_no_crash.toml expects" in shown.bar.status.html
    assert ("for a reason" if keep else "found no verdict") in shown.bar.status.html
    assert ("everything holds" in everything(shown.bar)) is not keep


def test_a_constant_may_be_called_like_a_parameter() -> None:
    for name in ("self", "what"):
        with pytest.raises(InputError, match=f"unknown constant of bakery '{name}'"):
            Workbench("bakery", **{name: 1})


@pytest.mark.slow
def test_a_verdict_reads_as_what_it_says() -> None:
    def rows(name: str) -> list[str]:
        parts = panel(name).bar.list.html.split("</button>")
        return [" ".join(re.sub("<[^>]*>", " ", row).split()) for row in parts]

    without, with_one = rows("classics/allocator_no_deadlock"), rows("classics/allocator_deadlock")
    assert {"\N{CHECK MARK} no Deadlock", "\N{CHECK MARK} TwoAreServed reached"} <= {*without}
    assert {"\N{BALLOT X} Deadlock", "\N{CHECK MARK} Exclusive"} <= {*with_one}
    silent = panel(Every, Count=8)
    assert ">Small: it is false<" in silent.bar.headline.html, "the reason, where there is no sentence"
    titles = switches(silent, "Small").titles
    assert titles == {
        "Small": "check this invariant",
        "AtTwo": "check this reachable: Two is counted.",
        "Deadlock": "check that behaviours end only where they may",
    }


class Broken(Every):
    """Its first step fails."""

    @action
    def wrong(self, s):
        raise ValueError("on purpose")


def test_a_model_whose_first_check_fails_says_so_in_one_line() -> None:
    shown = Workbench(Broken)
    with pytest.raises(InputError, match="on purpose"):
        shown.wait(300)
    assert repr(shown).startswith("Workbench, error: ")
    data, _ = shown._repr_mimebundle_()
    for told in (repr(shown), shown.bar.status.html, data["text/plain"]):
        assert "on purpose" in told
    assert "\n" not in repr(shown)


# Its tabs ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_tab_draws_when_it_is_opened_and_a_closed_panel_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[Any] = []

    def counting(*asked: Any, **options: Any) -> Any:
        searches.append(asked)
        return explore(*asked, **options)

    monkeypatch.setattr(result_cache, "explore", counting)
    before = ipywidgets.Widget.get_manager_state()["state"].keys()
    shown = panel(Every, Count=8)
    assert [tab.title for tab in shown.tabs] == ["Story", "Compare", "Map", "Graph", "Numbers"]
    for tab in shown.tabs[1:]:
        assert everything(tab) == ""
        assert "<" in everything(opened(shown, tab.title))
    assert everything(shown.tabs[-1]).count("<svg") == 3, "the charts"
    assert len(searches) == 1, "the graph and the charts share the states"
    for tick in ("Actors", "Count", "Count"):
        click(opened(shown, "Map"), tick)
    assert ipywidgets.Widget.get_manager_state()["state"].keys() > before
    shown.close()
    left = ipywidgets.Widget.get_manager_state()["state"]
    assert {name: one for name, one in left.items() if name not in before} == {}


@pytest.mark.slow
def test_a_click_on_a_verdict_leads_to_its_trace(stale: Any) -> None:
    player = stale
    assert len(playing(player).trace) == stale.result["NoLakekeeperConflict"].trace_states
    opened(stale, "Numbers")
    click(stale.bar, "EveryoneCommits")
    assert in_sight(stale) == "Story"
    assert playing(player).trace == stale.result["EveryoneCommits"].trace
    click(stale.bar, "RollbackNoIceberg")
    assert len(playing(player).trace) == 1, "nothing breaks it: one may step from the beginning"
    opened(stale, "Graph")
    click(stale.bar, "NoLakekeeperConflict")
    assert in_sight(stale) == "Graph", "which is about it too"


@pytest.mark.slow
def test_one_may_leave_a_story_at_any_step(stale: Any) -> None:
    player, stepper = stale, stale.session.stepper()
    story = stepper.trace
    player.step = 5
    assert stepper.at == 5
    taken = story.steps[6].label
    assert re.search(
        rf'data-take="[^"]*" aria-current="step"><code>{re.escape(html.escape(taken))}<', drawn(player, "moves")
    )
    other = next(step.label for one in stepper.options() for step in one.steps if step.label != taken)
    words, change = clause(story.steps[6]), told_change(stepper.state.changes_to(story.steps[6].state)[0])
    title = html.escape(f"{words}\n{change}")
    assert re.search(rf'title="{re.escape(title)}[^"]*" data-take="[^"]* {re.escape(taken)}"', drawn(player, "moves"))
    take(player, other)
    assert stepper.trace.steps[6].label == other
    assert "You have left the story at state 6." in drawn(player, "left")
    ask(player, take="back")
    assert (stepper.trace.steps, stepper.at, drawn(player, "left")) == (story.steps, 5, "")
    player.step = 3
    stale.run()
    settle(stale)
    assert player.step == 3, "a story that is found again stays at the step that was looked at"
    ask(player, take="another")
    settle(stale)
    assert (stepper.trace.steps[-1].label, len(list(stepper.history.leaves()))) == ("commit(w1)", 3)
    ask(player, take="another")
    settle(stale)
    assert "there is no other behaviour" in everything(stale)


def test_what_a_switch_would_do_is_tried_at_once_or_at_the_press_of_a_button(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.showing.session.hints.QUICK_STATES", 1)
    shown = panel(Every, Count=8)
    near, said = switches(shown, "On"), list[Any]()
    shown.session.aside("hints").on_change(lambda: said.append(near.hints))
    assert near.hints == {}
    click(shown, "Try the switches")
    settle(shown)
    assert said[0] == dict.fromkeys(near.titles, ("trying ...", "idle"))
    assert near.hints["On"] == ("off \N{RIGHTWARDS ARROW} everything holds", "good")
    assert "Try the switches" not in everything(shown)


@pytest.mark.slow
def test_what_is_too_large_for_a_graph_is_a_density_that_leads_the_stepper(
    stale: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.showing.view.graph.whole.MOST_STATES", 9)
    tab = opened(stale, "Graph")
    use(find(tab, "what is drawn"), "whole graph")
    settle(stale)
    page = everything(tab)
    assert 'class="wb-density"' in page
    assert "is not drawn whole; that takes at most 9" in page
    assert f"{stale.result.distinct:,} states by depth" in page
    last = stale.result.distinct - 1
    choose_state(next(part for part in parts(tab) if isinstance(part, GraphPane)), last)
    way = explore(stale.result.model).trace_to(last)
    assert stale.session.stepper().trace.states == way.states
    assert stale.session.stepper().at == len(way) - 1


@pytest.mark.slow
def test_the_graph_is_drawn_in_every_mode_or_says_why_not(stale: Any) -> None:
    tab = opened(stale, "Graph")

    def drawn(mode: str = "") -> str:
        if mode:
            use(modes, mode)
        settle(stale)
        return everything(tab)

    modes = find(tab, "what is drawn")
    assert modes.value == "trace and alternatives"
    for mode in modes.options:
        assert {"whole graph": 'class="wb-whole"', "density": 'class="wb-density"'}.get(mode, "<svg") in drawn(mode)
        assert "wb-wrong" not in drawn()
    enter(tab, "variables", [])
    assert "at least one variable" in drawn()
    stale.session.stepper().jump(4)
    center = stale.session.stepper().state
    page = drawn("around a state")
    number = find(tab, "state").value
    assert (f"State {number} of bakery_v2" in page, number > 0) == (True, True), "the state in sight"
    assert explore(stale.result.model).state(number) == center
    whole = drawn("whole graph")
    assert f"bakery_v2: {stale.result.distinct:,} states, " in whole
    assert "data-pictures" not in whole, "the page asks for them"
    choose_state(next(part for part in parts(tab) if isinstance(part, GraphPane)), 3)
    assert find(tab, "state").value == 3
    page = drawn("around a state")
    assert ("State 3 of bakery_v2" in page, "data-picture=" in page) == (True, False)
    click(tab, "state 3")
    assert "State 3 of bakery_v2" in drawn()
    click(tab, "pictures")
    assert 'data-picture="bakery_v2"' in drawn()
    click(stale.bar, "RollbackNoIceberg")
    assert "takes a property with a trace" in drawn("trace and alternatives")
    assert find(opened(panel(Ends), "Graph"), "variables").value == ("n",), "without a story"


@pytest.mark.slow
def test_what_if_lists_what_flips_a_verdict_and_applies_it() -> None:
    shown = panel(Every, Count=8)
    tab = opened(shown, "Map")
    click(tab, "Find repairs")
    settle(shown)
    (repairs, single) = (part for part in parts(tab) if "<code>On=off</code>" in getattr(part, "html", ""))
    for listed in (repairs, single):
        assert re.findall('data-send="(Kind=[^"]*|On=[^"]*)"', listed.html)[:2] == ["On=off", "Kind=a"]
    use(single, "On=maybe")  # of a table that has become another one
    assert shown.result.model.author.On
    drawn: list[bool] = []
    single.draw = lambda: drawn.append("wb-stale" in single.html)
    click(single, "On=off")
    settle(shown)
    settle(shown)  # what the new result asks for
    assert drawn[0], "the table stays in sight until there is another one"
    assert not any(drawn[1:])
    del single.draw
    assert shown.result["Small"].holds
    assert find(tab, "Find repairs").disabled
    shown.apply(On=True)
    settle(shown)
    click(tab, "Find repairs")
    settle(shown)
    click(repairs, "Kind=a")
    settle(shown)
    assert (shown.result.model.author.Kind, shown.result.holds) == ("a", True)


def test_each_button_of_the_map_says_what_it_stops_and_is_there_while_that_is_at_work() -> None:
    shown, stopped = panel(Every), list[bool]()

    def work(job: Job) -> list[Any]:
        job.pause(60)
        stopped.append(job.should_stop())
        return []

    shown.session.aside("flips").start((shown.session.number, False), "Checking", work)
    for title in ("Map", "Story", "Map"):
        tab = select(shown, title)
    stops = {part.text: part for part in parts(tab) if getattr(part, "text", "").startswith("Stop")}
    assert [*stops] == ["Stop the repairs", "Stop the single changes", "Stop the grid", "Stop the explanation"]
    assert "Checking" in everything(tab)
    click(tab, "Stop the single changes")
    settle(shown)
    assert stopped == [True]
    assert {stop.shown for stop in stops.values()} == {False}


@pytest.mark.slow
def test_compare_shows_another_result_beside_this_one_and_names_both(stale: Any) -> None:
    tab = opened(stale, "Compare")
    assert "no such result yet" in everything(tab)
    click(tab, "Keep this result")
    click(stale, "RestampPatch")
    settle(stale)
    for other in ("the result that was kept", "the result before this one"):
        enter(tab, "compare with", other)
        assert "RestampPatch on: NoLakekeeperConflict now holds" in everything(tab)
        assert "<th>RestampPatch off</th><th>RestampPatch on</th>" in everything(tab)
        assert "(RestampPatch off leaves iceberg alone" in everything(tab)
    chooser = find(tab, "compare with")
    enter(tab, "compare with", next(name for name in chooser.options if name.startswith("v2_two_writers_wedge ")))
    settle(stale)
    assert "SafeAcks" in everything(tab)
    assert "<th>v2_two_writers_wedge</th><th>now</th>" in everything(tab)


# The grid ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_grid_is_filled_explained_and_kept_and_its_cells_set_the_panel(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = panel(Every, Count=8)
    tab = opened(shown, "Map")
    (cells,) = (part for part in parts(tab) if "Click a cell" in getattr(part, "html", ""))

    def present() -> list[str]:
        assert sorted(re.findall(r'data-send="([0-9]+)"', cells.html)) == ["0", "1", "2", "3", "4", "5"]
        return re.findall(r'data-send="([0-9]+)" aria-current', cells.html)

    assert "<b>Small</b> over On \N{MULTIPLICATION SIGN} Kind, with Count = 8." in cells.html
    assert present() == ["4"], "what is set at present"
    click(cells, "violated: On = on, Kind = 3")
    settle(shown)
    assert (shown.result.model.author.Kind, present()) == (3, ["5"])
    assert "Kind = 3</code> is set in the panel" in everything(tab)
    click(tab, "Explain")
    settle(shown)
    (rule,) = (part for part in parts(tab) if "wb-rule" in getattr(part, "html", ""))
    assert re.findall(r'data-send="([0-9]+)"', rule.html) == ["4", "5"]
    assert 'holds where <code class="wb-rule">' in rule.html
    click(rule, "Load")
    settle(shown)
    assert (shown.result.model.author.Kind, shown.verdict.trace_states) == ("b", 7)

    words = ["holds"] * 4 + ["violated"] * 2
    (code,) = re.findall(r'data-copy="([^"]*Small[^"]*)"', everything(tab))
    assert "grid = {" in code
    (actions,) = (part for part in parts(tab) if "Save as CSV" in getattr(part, "html", ""))
    saved: list[Any] = []
    monkeypatch.setattr(shown, "send", saved.append)
    click(actions, "Save as CSV")
    (file,) = (message["save"] for message in saved if "save" in message)
    assert (file["name"], file["type"]) == ("every-Small.csv", "text/csv")
    assert [row["Small"] for row in csv.DictReader(io.StringIO(file["content"]))] == words


@pytest.mark.slow
def test_a_grid_that_is_copied_as_code_is_the_same() -> None:
    shown = panel("bakery", Writers=2)
    (code,) = re.findall(r'data-copy="([^"]*grid = [^"]*)"', everything(opened(shown, "Map")))
    found: dict[str, Any] = {}
    exec(html.unescape(code), found)
    grid = shown.session.grid
    assert found["filled"].table[shown.selected].to_list() == [grid.word(grid.cells[at]) for at in range(4)]


@pytest.mark.slow
def test_the_property_of_a_grid_is_the_selected_one_until_somebody_chooses() -> None:
    shown = panel(Every)
    chooser = find(opened(shown, "Map"), "property")
    for name in ("AtTwo", "Small"):
        click(shown.bar, name)
        select(shown, "Map")
        assert chooser.value == name
    enter(opened(shown, "Map"), "property", "AtTwo")
    click(shown.bar, "Small")
    select(shown, "Map")
    assert chooser.value == "AtTwo"


@pytest.mark.slow
def test_three_constants_make_a_map_for_each_value_of_one_and_what_a_grid_does_not_take_is_one_line() -> None:
    shown = panel(Named)
    tab = opened(shown, "Map")

    def tick(*names: str) -> str:
        for name in ("On", "Kind", "Count", "Actors", "Tools"):
            enter(tab, name, name in names)
        return everything(tab)

    assert "Tick 2 to 4 constants" in tick("On")
    click(tab, "Fill")
    assert "1 constants are not accepted; a grid takes 2 to 4" in everything(tab)
    assert "54 settings, each checked up to 2,000,000 states." in tick("On", "Kind", "Count", "Actors")
    for name, least, most in (("Count", 2, 8), ("Actors", 1, 5)):
        low = find(tab, f"{name} from")
        enter(tab, f"{name} from", least)
        use(next(high for high in parts(tab) if high.number == low.number + 1), "to", str(most))
    assert "120 settings" in everything(tab)
    assert "5 constants are not accepted" in tick("On", "Kind", "Count", "Actors", "Tools")
    tick("On", "Kind", "Actors")
    enter(tab, "Actors from", 1)
    enter(tab, "to", 2)
    click(tab, "Fill")
    settle(shown)
    assert len(re.findall(r'data-send="[0-9]+"', everything(tab))) >= 12
    assert "Actors = 2</text>" in everything(tab)


# How long it lives ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_panel_is_small_beside_the_trace_that_it_shows_until_its_tabs_are_opened() -> None:
    before = ipywidgets.Widget.get_manager_state()["state"].keys()
    shown = panel("v2_async")
    state = ipywidgets.Widget.get_manager_state()["state"]
    own = {name: one for name, one in state.items() if name not in before}
    (one,) = (one["state"] for one in own.values() if one["model_name"] == "AnyModel")
    (values,) = one["values"].values()
    assert len(own) == 2, "the panel and its layout"
    trace = sum(len(json.dumps(values[name])) for name in ("states", "lanes", "picture", "texts"))
    assert len(json.dumps(one["parts"])) < 40_000
    assert len(json.dumps(own)) - trace < 212_000  # most of it are a style sheet and scripts, a third of them graphs'
    shown.close()


@pytest.mark.slow
def test_a_panel_is_closed_when_its_cell_is_run_again(kernel: Kernel) -> None:
    before = kernel.alive()
    for _ in range(3):
        kernel.run("one", "panel = Workbench('bakery', Writers=2)\npanel")
    assert kernel.alive() == before + 1
    for _ in range(2):
        kernel.run("two", "Simulator('bakery')")
    assert kernel.alive() == before + 2
    assert kernel.run("three", "print(panel.wait(300).holds)") == "True"
    kernel.run("one", "panel.result")
    assert kernel.alive() == before + 2, "nothing has replaced it"


@pytest.mark.slow
def test_a_panel_stays_while_another_cell_shows_it(kernel: Kernel) -> None:
    before = kernel.alive()
    kernel.run("make", "shown = Workbench('bakery', Writers=2)")
    kernel.run("list", "shown")
    kernel.run("list", "shown")
    assert kernel.alive() == before + 1
    kernel.run("make", "shown = Workbench('bakery', Writers=2)")
    assert kernel.alive() == before + 2, "the old one is in sight"
    kernel.run("list", "shown")
    assert kernel.alive() == before + 1


@pytest.mark.slow
def test_the_script_of_all_panels_is_sent_once(kernel: Kernel) -> None:
    def opened(code: str = "") -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """A panel that a cell makes, and the other widgets that it opens."""
        kernel.run("cell", f"from workbench.showing.lessons import predict\n{code}\npredict('Is 1 < 2?', 'yes', 'no')")
        (panel,) = (state for state in kernel.opened if "wb-panel" in state.get("_dom_classes", ()))
        return panel, [state for state in kernel.opened if state is not panel]

    every = "import ipywidgets; ipywidgets.Widget.close_all()"
    first, others = opened(every)
    assert [state["script"] for state in others if "script" in state] == [SCRIPT]
    second, layout = opened()
    assert second["bundle"] == first["bundle"]
    assert len(json.dumps([second, *layout])) < 8_000
    name = second["bundle"].removeprefix("IPY_MODEL_")
    saved = kernel.run("saved", f"print('script' in ipywidgets.Widget.get_manager_state()['state']['{name}']['state'])")
    assert saved == "True", "a notebook that keeps its widgets keeps it once"
    third, others = opened(every)
    assert third["bundle"] != first["bundle"], "that one is closed"
    assert any("script" in state for state in others)


def test_outside_of_a_kernel_each_panel_has_the_script() -> None:
    """Servers that serve several pages from one process do not share widgets between them."""
    shown = predict("Is 1 < 2?", "yes", "no")
    assert (shown.bundle, shown._esm) == (None, SCRIPT)
    shown.close()


# Without a kernel ----------------------------------------------------------------------------------------------------


class Held(Model):
    """Its check waits for the test; steps by hand do not."""

    let_go = Event()
    n = Variable(0)

    @action
    def step(self, s):
        if threading.current_thread() is not threading.main_thread():
            Held.let_go.wait()
        require(s.n == 0, "it is done")
        s.n = 1

    @invariant
    def Small(self, s):
        return s.n == 0


@pytest.mark.slow
def test_a_panel_is_there_before_its_first_result_and_its_static_copy_comes_with_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However long the check takes: a notebook that is saved later opens with what it found."""
    shown: list[tuple[bool, Any]] = []
    record = lambda data, update=False, **_: shown.append((update, data))  # noqa: E731
    monkeypatch.setattr(lifetime, "display", record)
    monkeypatch.setattr("IPython.core.display_functions.display", record)
    monkeypatch.setattr("workbench.showing.panel.panel.PATIENCE_SECONDS", 0.0)
    Held.let_go.clear()
    made = Workbench(Held)
    made._ipython_display_()
    (_, view), (_, early) = shown
    assert set(view) == {WIDGET}
    assert WIDGET not in early
    assert "goes on" in early["text/html"]
    Held.let_go.set()
    settle(made)
    kept = made._kept
    assert kept.wait(300)
    assert all(update for update, _ in shown[2:])
    _, late = shown[-1]
    assert "Small" in late["text/html"]
    assert "violated" in late["text/plain"]
    assert 'data-at="1"' in late["text/html"]
    stepper = made.session.stepper()
    stepper.undo()
    assert kept.wait(300)
    _, later = shown[-1]
    assert 'data-at="0"' in later["text/html"], "the state that is in sight"
    stepper.jump(1)
    made.close()
    assert kept.wait(300)
    assert shown[-1][1] is later, "a closed panel keeps nothing more"


@pytest.mark.slow
def test_what_is_done_takes_few_bytes_and_the_copy_follows_once_when_nobody_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    copies: list[int] = []
    sent: list[int] = []
    record = lambda data, **_: copies.append(len(json.dumps(data)))  # noqa: E731
    monkeypatch.setattr(lifetime, "display", record)
    monkeypatch.setattr("IPython.core.display_functions.display", record)
    made = panel("paimon")
    monkeypatch.setattr(made, "_send", lambda message, buffers=None: sent.append(len(json.dumps(message))))
    made._ipython_display_()
    copies.clear()

    def say(**content: Any) -> None:
        made._handle_custom_msg(content, [])

    say(attended=True)
    flips, steps = [], []
    for _ in range(3):
        sent.clear()
        click(made, "PUT_IF_ABSENT")
        settle(made)
        flips.append(sum(sent))
    sent.clear()
    say(part=playing(made).number, ask={"want": "pictures"})
    packed = sum(sent)
    for step in (3, 2, 1):
        sent.clear()
        say(part=playing(made).number, set={"step": step}, click=step)
        steps.append(sum(sent))
    assert made._kept.wait(300)
    assert copies == []
    say(attended=False)
    assert made._kept.wait(300)
    made.close()
    print(f"bytes of flips {flips}, of all states {packed}, of steps {steps}, of the copy {copies}")
    assert max(flips) < 110_000, "the story, and the state that is shown"
    assert packed < 40_000, "the others"
    assert max(steps) < 10_000, "what is possible there"
    assert len(copies) == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Simulator, TracePlayer])
def test_a_player_and_a_simulator_keep_the_state_in_sight(
    kind: Any, conflict: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Any] = []
    record = lambda data, **_: shown.append(data.get("text/html", ""))  # noqa: E731
    monkeypatch.setattr(lifetime, "display", record)
    monkeypatch.setattr("IPython.core.display_functions.display", record)
    made = kind(conflict, 4)
    made._ipython_display_()
    made._ipython_display_()  # as where its cell is run again
    assert 'data-at="4"' in shown[-1]
    before = len(shown)
    playing(made).step = 2
    kept = made._kept
    assert kept.wait(300)
    assert 'data-at="2"' in shown[-1]
    assert len(shown) == before + 1, "the copy that is in sight, and none that is gone"
    made.close()


# The trace player ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def conflict() -> Any:
    """The trace to a 409."""
    return check(BakeryV2(**STALE))["NoLakekeeperConflict"].trace


def pictures(player: TracePlayer) -> list[str]:
    """Those of all states, and then the states in full, which the page asks for."""
    ask(player, want="pictures")
    unpacked: list[str] = json.loads(gzip.decompress(base64.b64decode(drawn(player, "packed"))))
    return unpacked


@pytest.mark.slow
def test_a_link_begins_with_the_site_that_opens_it(conflict: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the site is published, and has the model."""
    mine = replay(Steps(), 0, [(0, 0)])
    assert drawn(TracePlayer(conflict), "opens") == ""
    monkeypatch.setattr(addresses, "SITE", "https://tables.example/")
    assert drawn(TracePlayer(conflict), "opens") == "https://tables.example/playground.html#"
    assert drawn(TracePlayer(mine), "opens") == ""


@pytest.mark.slow
def test_a_player_holds_every_state_so_that_it_needs_no_kernel(conflict: Any) -> None:
    player = TracePlayer(conflict)
    assert player.step == len(conflict) - 1
    assert drawn(player, "labels") == [step.label for step in conflict.steps]
    assert [bool(state) for state in drawn(player, "states")] == [False] * (len(conflict) - 1) + [True]
    assert len(pictures(player)) == 2 * len(conflict), "a picture for each state, and the states in full"
    assert all(pictures(player))
    assert drawn(player, "permalink") == permalink(conflict)
    assert {WIDGET, "text/html"} <= player._repr_mimebundle_()[0].keys()
    assert drawn(player, "sources")[0] == "", "no action leads to the initial state"
    name, _, line = drawn(player, "sources")[-1].partition(":")
    assert "@action" in (ROOT / "workbench" / "protocols" / name).read_text().splitlines()[int(line) - 1]
    assert "next_ticket" in drawn(player, "lanes")
    playing(player).variables = ["iceberg"]
    assert ("iceberg" in drawn(player, "lanes"), "next_ticket" in drawn(player, "lanes")) == (True, False)


@pytest.mark.slow
def test_the_lanes_fit_beside_a_file_browser_and_show_the_loop_of_a_lasso() -> None:
    witness: Any = check(BakeryV2(AsyncParquet=True), ["EveryoneCommits"])["EveryoneCommits"].trace
    player = TracePlayer(witness)
    for room in (WIDTH, 700, 1400):
        playing(player).room = room
        assert float(re.search(r'<svg [^>]*width="([0-9.]+)"', drawn(player, "lanes"))[1]) == room
    lasso: Any = check(BakeryV2(Writers=2, MaxCrashes=1), ["EventualProgress"])["EventualProgress"].trace
    playing(player).show(lasso)
    assert "for ever" in drawn(player, "lanes")


def test_a_player_has_the_picture_of_its_step_and_the_others_where_the_page_asks(
    conflict: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")  # a run of `dot` for each of them would take seconds
    player = TracePlayer(conflict)
    at, last = drawn(player, "picture")
    assert at == player.step
    assert 'data-picture="bakery_v2"' in last
    assert "data-fault=" in last
    player.step = 3
    assert (drawn(player, "picture")[0], drawn(player, "packed")) == (3, "")
    every = pictures(player)
    assert (every[at], every[3]) == (last, drawn(player, "picture")[1])
    assert last != drawn(player, "picture")[1]


def test_a_reader_can_be_chosen_for_the_picture() -> None:
    player = TracePlayer(replay(Hudi(Keys=1, Values=1, OpLimit=2), 0, []))
    assert drawn(player, "options") == {"reader": ["1", "2"]}
    before = drawn(player, "picture")
    playing(player).chosen = {"reader": 1}
    assert drawn(player, "picture") != before
    assert "reader at timestamp 2" in drawn(player, "picture")[1]
    playing(player).show(replay(BakeryV2(), 0, []))
    assert playing(player).chosen == {}


@pytest.mark.slow
def test_a_player_gives_a_page_of_its_own_lanes_for_lessons_and_an_animated_picture(conflict: Any) -> None:
    player = TracePlayer(conflict)
    (page,) = (answer["page"] for answer in ask(player, want="page"))
    assert page.startswith("<!DOCTYPE html>")
    assert "data-pictures=" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "src=" not in page.partition("<script>")[0]
    (lanes,) = (answer["lanes"] for answer in ask(player, want="lanes"))
    widths = [float(re.search(r'<svg [^>]*width="([0-9.]+)"', svg)[1]) for svg in lanes]
    assert widths == sorted({*widths})
    assert len(widths) > 1
    (answer,) = ask(player, want="animation")
    assert "@keyframes" in answer["animation"]


def watched(player: TracePlayer, *typed: str) -> list[str]:
    """Type expressions into a player; what it watches then."""
    for text in typed:
        ask(player, watch=text)
    return [watch["expression"] for watch in drawn(player, "watched")]


def test_a_person_watches_expressions_and_a_mistake_is_one_line(conflict: Any) -> None:
    player = TracePlayer(conflict, watches=["len(s.iceberg)"])
    assert drawn(player, "example") == "Python, such as  s.next_ticket == 1"
    assert watched(player, " s.next_ticket > 1 ", "len(s.iceberg)") == ["len(s.iceberg)", "s.next_ticket > 1"]
    assert (
        parse_permalink(drawn(player, "permalink")).watches
        == playing(player).watches
        == ("len(s.iceberg)", "s.next_ticket > 1")
    )
    assert "number" in drawn(player, "watched")[0]["remark"]
    assert drawn(player, "watched")[1]["true"] == list(
        range(drawn(player, "watched")[1]["true"][0], len(drawn(player, "states")))
    )
    assert drawn(player, "watch_table").count("<tr>") == len(drawn(player, "states")) + 1
    assert watched(player, "s.icebreg") == ["len(s.iceberg)", "s.next_ticket > 1"]
    assert "did you mean" in drawn(player, "mistake")
    assert "\n" not in drawn(player, "mistake")
    ask(player, unwatch="len(s.iceberg)")
    assert watched(player, "s.next_ticket == 2") == ["s.next_ticket > 1", "s.next_ticket == 2"]
    assert drawn(player, "mistake") == ""
    assert "watches" not in player.values[str(playing(player).number)]
    says = {"watches": ["1 / 0"], "watched": [{"expression": "1 / 0"}]}
    player._handle_custom_msg({"part": playing(player).number, "set": says, "click": 1}, [])
    assert playing(player).watches == ("s.next_ticket > 1", "s.next_ticket == 2"), "what the page says is not run"


def test_a_watch_of_another_model_is_kept_and_its_reason_told() -> None:
    three, two = (replay(BakeryV2(Writers=writers), 0, []) for writers in (3, 2))
    player = TracePlayer(three, watches=['s.pc["w3"]'])
    with pytest.raises(InputError, match="w3"):
        TracePlayer(two, watches=['s.pc["w3"]'])
    playing(player).show(two)
    assert drawn(player, "watched") == []
    assert "w3" in drawn(player, "mistake")
    playing(player).show(three)
    assert len(drawn(player, "watched")) == 1
    assert drawn(player, "mistake") == ""


def test_the_player_and_the_session_share_their_watches() -> None:
    shown = panel(Every)
    player = shown
    assert watched(player, "s.n") == ["s.n"]
    assert shown.session.watches == ("s.n",)
    shown.session.watch(["s.n > 1"])
    assert watched(player) == ["s.n > 1"]


def test_a_player_tells_each_step_and_has_the_state_that_it_steps_to() -> None:
    trace = replay(Bakery(Writers=2), 0, [(0, 0), (2, 0)])
    player = TracePlayer(trace)
    playing(player).show(trace, 0, lazy=True)
    label, sentence, *changes = drawn(player, "texts")[2].split("\n")
    assert label == "begin_claim(w1)"
    assert "Take the next ticket" in sentence
    assert any("my_ticket[w1]" in change for change in changes)
    assert "my_ticket" not in drawn(player, "texts")[1]
    assert [bool(state) for state in drawn(player, "states")] == [True, False, False]
    player.step = 2
    assert [bool(state) for state in drawn(player, "states")] == [False, False, True]


# The simulator -------------------------------------------------------------------------------------------------------


def test_enabled_steps_are_buttons_and_the_others_say_why() -> None:
    simulator: Any = Simulator(BakeryV2(Writers=2))
    moves, _, greyed = drawn(simulator, "moves").partition("<details")
    assert "start(w1)" in moves
    assert "stage(w1)" not in moves
    assert "w1 is not at Stage" in greyed
    assert "data-take" not in greyed
    take(simulator, "start(w1)")
    assert simulator.state.pc["w1"] == "Stage"
    ask(simulator, take="0.0 start(w1)")
    assert "start(w1)' is not enabled" in html.unescape(everything(simulator)), "the click was on its way"
    click(simulator, "Undo")
    assert (simulator.at, len(simulator.trace)) == (0, 2), "what was undone stays in sight"
    playing(simulator).step = 1
    assert simulator.state.pc["w1"] == "Stage"


def test_a_crasher_with_nothing_to_do_is_no_move_unless_it_is_the_only_one() -> None:
    simulator: Any = Simulator(
        check(BakeryV2(Writers=2, SafeAcks=False), ["EventualProgress"])["EventualProgress"].trace
    )
    assert "No step is possible" in drawn(simulator, "moves")
    simulator.jump(0)
    assert 'data-take="' in drawn(simulator, "moves")
    assert not re.search('data-take="[^"]*crasher_done', drawn(simulator, "moves"))
    simulator.jump(len(simulator.trace) - 2)
    assert re.search('data-take="[^"]*crasher_done', drawn(simulator, "moves"))
    assert "No step is possible" not in drawn(simulator, "moves")


def test_an_initial_state_is_chosen_by_what_is_different_in_it() -> None:
    simulator: Any = Simulator("ewd998")
    chooser = find(simulator, "Begin with")
    assert len(chooser.options) == 64
    assert dict(chooser.options)["active: m1, m3; black: m2"] == 38
    assert chooser.shown
    enter(simulator, "Begin with", "active: m1, m3; black: m2")
    assert (simulator.state.active["m3"], simulator.state.black["m1"], len(simulator.trace)) == (True, False, 1)
    assert drawn(simulator, "permalink").startswith("workbench:ewd998#38/&of=")
    simulator.start(replay(simulator.model, 7, []))
    assert chooser.value == 7
    simulator.start("bakery")
    assert (chooser.shown, chooser.value) == (False, 0), "one initial state is no choice"


@pytest.mark.slow
def test_one_is_taken_to_a_state_walks_at_random_and_tells_a_scenario() -> None:
    simulator: Any = Simulator(BakeryV2(Writers=2))
    condition, story = find(simulator, "A state where"), find(simulator, "A scenario")

    def search(button: str, field: Any, text: str) -> str:
        use(field, "value", text)
        click(simulator, button)
        assert simulator.stepper.search.wait(300)
        return html.unescape(everything(simulator))

    assert "a number" in search("Take me there", condition, "len(s.iceberg)")
    search("Take me there", condition, "len(s.iceberg) == 3")
    assert len(simulator.state.iceberg) == 3
    assert "unknown variable" in search("Take me there", condition, "s.nothing")
    example = condition.placeholder.removeprefix("Python, such as  ")
    simulator.go(example, anew=True)
    assert simulator.at == 0
    click(simulator, "Random walk")
    assert simulator.at == 10
    assert "commit(w2); state " in search("Run scenario", story, "commit(w2)\nlen(s.iceberg) == 3")
    assert simulator.at == simulator.trace.end
    said = search("Run scenario", story, "commit(w2)\ncommit(w2)")
    assert "impossible: line 2: commit(w2): w2 is not at Decide" in said
    simulator.tell("commit(w1)")
    assert simulator.trace.steps[-1].label == "commit(w1)"
    (code,) = re.findall(r'data-copy="(from workbench[^"]*)"', everything(simulator))
    found: dict[str, Any] = {}
    exec(html.unescape(code), found)
    assert permalink(found["trace"]) == permalink(simulator.trace)
    simulator.start(Every())
    assert condition.placeholder == "Python, such as  s.n == 0"
    assert "such as  up" in story.placeholder


def test_a_simulator_begins_at_any_step_of_a_violation(conflict: Any) -> None:
    simulator: Any = Simulator(conflict, 4)
    assert simulator.state.values == conflict.steps[4].state.values
    assert "text/html" in simulator._repr_mimebundle_()[0]
    assert repr(simulator).startswith("Simulator at state 5 of\n")


@pytest.mark.slow
def test_no_copy_is_drawn_while_hints_are_on_their_way() -> None:
    panel = Workbench(Steps)
    assert panel.session.settle(300)
    trying: list[bool] = []
    panel._when_other(lambda: trying.append(panel._hints.trying))
    panel.apply(Last=1)
    assert panel.session.settle(300)
    assert trying
    assert not any(trying)


def test_a_panel_says_from_its_first_moment_that_a_check_runs() -> None:
    bar = CheckBar(Session(opening(BakeryV2, {})), lambda name: None)
    assert ("Checking" in bar.progress.html, bar.run.shown, bar.stop.shown) == (True, False, False)


def test_a_thin_tree_leads_back_to_abandoned_branches_and_compares_two() -> None:
    simulator: Any = Simulator(BakeryV2(Writers=2))
    view: Any = next(part for part in parts(simulator) if isinstance(part, HistoryView))
    name = view.children[1]
    assert not view.shown, "there is nothing to go back to"
    for label in ("start(w1)", "stage(w1)"):
        simulator.take(label)
    simulator.jump(1)
    simulator.take("start(w2)")
    assert view.shown
    assert [f'data-send="go {number}"' in everything(view) for number in range(4)] == [True] * 4
    use(name, "value", " the other first ")
    assert 'aria-label="state 3: start(w2) (the other first)"' in everything(view)
    click(view, "state 3: stage(w1)")
    assert (simulator.at, simulator.trace.steps[-1].label, name.value) == (2, "stage(w1)", "")
    for end in ("stage(w1)", "start(w2)"):
        click(view, f"compare the branch that ends at state 3 with {end}")
    page = everything(view)
    assert "<figcaption>w1: Write data files - only branch to stage(w1) takes it</figcaption>" in page
    assert page.count("data-picture=") == 2
    assert 'data-change="differs"' in page
    click(view, "compare the branch that ends at state 3 with stage(w1)")
    assert "<svg" not in everything(view)
    simulator.start("bakery_v2")
    assert "tick" not in everything(view)


@pytest.mark.slow
def test_a_pasted_permalink_is_opened_and_its_watches_are_run_once_somebody_agrees(conflict: Any) -> None:
    shown = panel("bakery_v2", Writers=2)
    ones: list[Any] = [Simulator("bakery_v2"), shown]
    for one in ones:
        line, agree = find(one, "Open a permalink"), find(one, "Watch these")
        use(line, "value", permalink(conflict, ["len(s.iceberg)", "s.nothing"]))
        settle(shown)
        assert permalink(playing(one).trace) == permalink(conflict)
        assert "The permalink says to watch <code>len(s.iceberg)</code>" in everything(one)
        assert (agree.shown, playing(one).watches, drawn(one, "watched")) == (True, (), [])
        use(agree, "Watch these")
        assert playing(one).watches == ("len(s.iceberg)", "s.nothing")
        assert watched(one) == ["len(s.iceberg)"]
        assert "unknown variable" in drawn(one, "mistake")
        assert not agree.shown
        use(line, "value", "workbench:hudi#0/")
        assert "is for model hudi; give one for bakery_v2" in everything(one)
        assert permalink(playing(one).trace) == permalink(conflict)
        use(line, "value", "")
        assert "is for model hudi" not in everything(one)
    assert shown.result.model.constants == BakeryV2(**STALE).constants
    assert shown.session.watches == ("len(s.iceberg)", "s.nothing")


@pytest.mark.slow
def test_a_machine_that_no_language_made_has_a_panel() -> None:
    """Every tab, a flip there and back, and steps by hand."""
    shown = panel(Relay)
    assert shown.verdicts == {"OneRuns": "violated", "Arrives": "unknown"}
    for tab in shown.tabs:
        assert everything(opened(shown, tab.title))
    shown.apply(Early=False)
    settle(shown)
    assert shown.verdicts["OneRuns"] == "holds within the constraint"
    assert shown.session.retold is not None
    assert shown.session.retold.why == "another one has the baton"
    shown.apply(Early=True)
    settle(shown)
    assert shown.verdicts["OneRuns"] == "violated"
    stepper = shown.session.stepper()
    stepper.start(shown.result.model)
    stepper.take("ring")
    shown.deliver()
    assert "rung" in shown.static().html()


def test_a_step_stands_in_the_lane_of_the_process_that_a_message_names() -> None:
    text = r"""---- MODULE Mail ----
CONSTANT P
VARIABLES msgs, seen
Init == msgs = {[to |-> p] : p \in P} /\ seen = [p \in P |-> FALSE]
Arrive(m) == seen' = [seen EXCEPT ![m.to] = TRUE] /\ msgs' = msgs \ {m}
Next == \E m \in msgs : Arrive(m)
===="""
    player = Simulator(module_of_text(text, "CONSTANT P = {p1, p2} INIT Init NEXT Next"))
    assert re.findall(r"<b>(p\d)</b>", drawn(player, "moves")) == ["p1", "p2"]
    take(player, "Arrive([to |-> p2])")
    assert "p2" in re.findall(r"<text[^>]*>(p\d)</text>", drawn(player, "lanes"))
