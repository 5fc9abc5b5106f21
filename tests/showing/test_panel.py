"""Panels without a browser: what they compute, show and send."""

import base64
import csv
import gzip
import html
import io
import json
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from math import comb
from pathlib import Path
from threading import Event
from typing import Any

import ipywidgets
import pytest
from jupyter_client.manager import start_new_kernel

from tests.places import ROOT
from workbench.checking.check import check
from workbench.formats.permalink import parse_permalink, permalink
from workbench.kernel import Result, replay
from workbench.kernel.budget import Progress
from workbench.language import *
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.hudi.model import Hudi
from workbench.registry import get_model, models
from workbench.showing.panel import Simulator, TracePlayer, Workbench, head, lifetime
from workbench.showing.panel.controls import Controls
from workbench.showing.panel.player import WIDTH
from workbench.showing.panel.tab import Working
from workbench.showing.session import kept, session, start_from
from workbench.showing.session.kept import explore

BakeryV2 = get_model("bakery_v2")
STALE: dict[str, Any] = {"Writers": 2, "AsyncParquet": True, "RestampPatch": False}
WIDGET = "application/vnd.jupyter.widget-view+json"


def settle(shown: Workbench) -> None:
    """Wait until neither the check nor a tab is at work."""
    assert shown.session.settle(300)


def panel(*given: Any, **constants: Any) -> Workbench:
    """A panel that has checked what it opens on."""
    shown = Workbench(*given, **constants)
    settle(shown)
    return shown


#: The parts of the map.
PARTS = {"What if": "what_if", "Grid": "grid", "Compare": "compare"}


def select(shown: Workbench, title: str) -> Any:
    """Open a tab of a panel, or the map for one of its parts; returns the tab, or the part."""
    titles = [tab.title for tab in shown.tabs]
    shown._tabs.selected_index = titles.index("Map" if title in PARTS else title)
    tab = shown.tabs[shown._tabs.selected_index]
    if title == "Compare":
        tab.further.unfold()
    return getattr(tab, PARTS[title]) if title in PARTS else tab


def opened(shown: Workbench, title: str) -> Any:
    """The same, once everything in it is there."""
    tab = select(shown, title)
    settle(shown)
    return tab


def everything(widget: object) -> str:
    """All the HTML in a widget and in those inside it."""
    own = getattr(widget, "html", "")
    return own + "".join(map(everything, getattr(widget, "children", ())))


# Controls ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", models())
def test_controls_give_back_what_a_model_has(name: str) -> None:
    model = get_model(name)
    controls = Controls(model, lambda: pytest.fail("nobody changed anything"))
    controls.assign(model().constants)
    assert model(**controls.values()).constants == model().constants


class Every(Model):
    """A constant of each kind."""

    On = Constant(True, bool, "a switch")
    Count = Constant(4, range(2, 9, 2), "an integer")
    Kind = Constant("b", ("a", "b", 3), "a choice")
    Actors = Constant(3, Names("a", range(1, 6)), "a set")
    Parts = Constant(None, Partition("Actors"), "a partition")

    n = Variable(0)

    @action
    def up(self, s):
        require(s.n < self.Count, "at the end")
        s.n += 1

    @invariant
    def Small(self, s):
        return s.n < 6


def test_a_control_is_made_for_each_kind_of_constant() -> None:
    changed: list[dict[str, Any]] = []
    controls = Controls(Every, lambda: changed.append(controls.values()))
    controls.assign(Every(Actors=["x", "y"], Parts=[["x", "y"]]).constants)
    widgets = {name: control.widget for name, control in controls._controls.items()}
    assert [type(widget).__name__ for widget in widgets.values()] == [
        "BoundedIntText",
        "Dropdown",
        "BoundedIntText",
        "Text",
    ]
    assert (widgets["Count"].min, widgets["Count"].max, widgets["Count"].step) == (2, 8, 2)
    tooltips = {**dict(controls.switches.titles), **{name: widget.tooltip for name, widget in widgets.items()}}
    assert all(declared.doc in tooltips[name] for name, declared in Every.declared.constants.items())
    assert controls.values()["Actors"] == ("x", "y"), "names given by hand are kept"
    widgets["Actors"].value = 3
    widgets["Parts"].value = "a1 a2 | a3"
    widgets["Kind"].value = 3
    assert changed[-1] == {"On": True, "Count": 4, "Kind": 3, "Actors": 3, "Parts": [["a1", "a2"], ["a3"]]}
    assert len(changed) == 3
    controls.switches.flip("On", False)
    assert (changed[-1]["On"], len(changed)) == (False, 4)
    assert Every(**changed[-1]).Parts == (("a1", "a2"), ("a3",))


class Named(Every):
    """Constants about names."""

    Ring = Constant("ring", Relation("Actors"), "who is next")
    Wire = Constant("none", Relation("Actors", directed=False), "who is wired")
    Owns = Constant("none", Relation("Actors", "Tools"), "who has what")
    Tools = Constant(1, Names("t", range(1, 3)), "tools")


def test_what_is_about_names_has_a_table_to_click() -> None:
    changed: list[dict[str, Any]] = []
    controls = Controls(Named, lambda: changed.append(controls.values()))
    controls.assign(Named().constants)
    assert Named(**controls.values()).constants == Named().constants

    def click(name: str, what: str) -> Any:
        control = controls._controls[name]
        assert f'data-send="{what}"' in control._table.html
        control._clicked(what)
        return Named(**changed[-1]).constants[name]

    assert controls._controls["Ring"]._table.html.count('aria-pressed="true"') == 3
    assert click("Ring", "a3 a1") == (("a1", "a2"), ("a2", "a3"))
    assert click("Ring", "a3 a2") == (("a1", "a2"), ("a2", "a3"), ("a3", "a2"))
    assert click("Wire", "a3 a1").edges == (("a1", "a3"),)
    assert click("Wire", "a1 a3") == ()
    assert click("Owns", "a2 t1") == (("a2", "t1"),)
    controls._controls["Ring"]._clicked("a1 a1")  # as no page sends it
    controls._controls["Ring"]._clicked("nobody a1")
    assert len(changed) == 5


def test_a_table_follows_the_names_and_what_is_typed() -> None:
    controls = Controls(Named, lambda: None)
    controls.assign(Named().constants)
    ring = controls._controls["Ring"]
    controls._controls["Actors"].widget.value = 4
    assert ring._table.html.count('aria-pressed="true"') == 4
    ring.field.value = "a1->a4"
    assert ring._table.html.count('aria-pressed="true"') == 1
    controls._controls["Actors"].widget.value = 2
    assert ring._table.html == "", "an edge of nobody: there is nothing to show until it is gone"
    ring.field.value = "line"
    model = Named(**controls.values())
    assert model.Ring == (("a1", "a2"),)


# The panel -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def stale() -> Workbench:
    """A panel in which the staged files are not restamped: a 409."""
    return panel("bakery_v2", **STALE)


def test_a_panel_shows_the_verdicts_of_a_check(stale: Workbench) -> None:
    expected = check(BakeryV2(**STALE))
    assert [(v.name, v.word, v.trace_states) for v in stale.result.verdicts] == [
        (v.name, v.word, v.trace_states) for v in expected.verdicts
    ]
    verdict = everything(stale.verdicts)
    assert f"{len(expected.violated)} of {len(expected.verdicts)} violated" in verdict
    assert stale.selected == expected.violated[0].name
    assert expected["NoLakekeeperConflict"].why in verdict.replace("&#x27;", "'")
    assert expected["NoLakekeeperConflict"].why in stale.tabs[0].simulator.player.states[-1].replace("&#x27;", "'")


def test_a_flipped_switch_is_checked_and_the_difference_told(stale: Workbench) -> None:
    stale._side.controls.told.flip("RestampPatch", True)
    settle(stale)
    assert stale.result["NoLakekeeperConflict"].holds
    assert "RestampPatch on: NoLakekeeperConflict now holds" in stale.change
    assert "RestampPatch on" in everything(stale.verdicts)
    assert "everything holds" in everything(stale.verdicts)
    stale.apply({"RestampPatch": False})
    settle(stale)
    assert stale.selected == "NoLakekeeperConflict", "what has just broken is selected"


def test_bad_constants_are_one_line_and_the_old_verdict_is_greyed(stale: Workbench) -> None:
    parts = stale._side.controls._controls["NodeParts"].widget
    parts.value = "w1 | w9"
    settle(stale)
    assert "NodeParts" in stale.verdicts.status.html
    assert "must hold each of w1, w2 exactly once" in stale.verdicts.status.html
    assert "Traceback" not in stale.verdicts.status.html
    assert "wb-stale" in everything(stale.verdicts)
    parts.value = "w1 w2"
    settle(stale)
    assert stale.result.model.NodeParts == (("w1", "w2"),)
    assert "wb-stale" not in everything(stale.verdicts)
    assert stale.verdicts.status.html == ""


def test_after_a_long_check_a_change_waits_for_the_button(stale: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "LIVE_STATES", 0)
    stale.run()
    settle(stale)
    before = stale.result
    stale._side.controls.told.flip("RestampPatch", True)
    settle(stale)
    assert stale.result is before
    assert "press Run" in stale.verdicts.progress.html
    assert "wb-stale" in everything(stale.verdicts)
    stale.verdicts.run.click()
    settle(stale)
    assert stale.result["NoLakekeeperConflict"].holds


def test_stop_keeps_what_was_found() -> None:
    shown = panel("bakery_v2", Writers=2)
    shown.apply({"Writers": 4, "MaxCrashes": 2})
    while "level" not in shown.verdicts.progress.html:
        time.sleep(0.01)
    assert "states/s" in shown.verdicts.progress.html
    assert "wb-stale" in everything(shown.verdicts)
    assert "checking" in shown.verdicts.headline.html
    known = shown.session.progress.states
    shown.verdicts.stop.click()
    result = shown.wait(300)
    assert not result.complete
    assert result.distinct >= known > 1
    assert "not decided" in everything(shown.verdicts)
    assert "stopped on request" in shown.verdicts.progress.html


def test_a_long_check_says_how_large_its_space_will_become() -> None:
    shown = panel("bakery_v2", Writers=2)
    levels = tuple(comb(12, members) for members in range(9))
    shown.session.progress = Progress(9, 3797, 495, 1.0, levels=levels)
    shown.verdicts.draw()
    assert "1 s \N{MIDDLE DOT} about 4,100 in all" in shown.verdicts.progress.html


def test_a_change_cancels_the_running_check() -> None:
    shown = Workbench("bakery_v2", Writers=4, MaxCrashes=2)
    shown.apply({"Writers": ("w1", "w2"), "MaxCrashes": 0})
    settle(shown)
    assert shown.result.complete
    assert shown.result.model.constants == BakeryV2(Writers=2).constants
    assert shown.before is None


def tick(shown: Workbench, *wanted: str) -> None:
    """Tick the properties called so, and no others, one by one."""
    properties = shown._side.properties
    for name in dict(properties.titles):
        if (name in properties.on) is not (name in wanted):
            properties.flip(name, name in wanted)


def checked(shown: Workbench) -> list[str]:
    settle(shown)
    return [verdict.name for verdict in shown.result.verdicts]


def test_until_somebody_chooses_the_properties_are_those_that_the_constants_ask_for() -> None:
    shown = Workbench("bakery", Writers=2)
    assert checked(shown)[-1] == "NonCrashedProgress"
    assert "RestartsHeal" in shown._side.properties.disabled
    shown._side.properties.flip("RestartsHeal", True)
    assert "RestartsHeal" not in shown._side.properties.on, "what does not apply cannot be asked for"
    assert "6 of 11 properties checked" in shown._side.more.line
    shown.apply({"MaxCrashes": 0})
    assert checked(shown)[-1] == "EventualProgress"
    shown.apply({"MaxCrashes": 1, "MaxRestarts": 1})
    assert checked(shown)[-3:] == ["NonCrashedProgress", "RestartedWriterCommits", "RestartsHeal"]


def test_once_somebody_has_chosen_the_properties_stay_as_far_as_there_are_such() -> None:
    shown = Workbench("bakery", Writers=2, MaxRestarts=1)
    tick(shown, "UniqueTickets", "RestartsHeal")
    shown.run()
    assert checked(shown) == ["UniqueTickets", "RestartsHeal"]
    shown.apply({"MaxRestarts": 0})
    assert checked(shown) == ["UniqueTickets"]
    assert shown.tabs[0].simulator.player.trace.model.MaxRestarts == 0, "drawn without what no longer applies"
    shown.apply({"MaxRestarts": 1})
    assert checked(shown) == ["UniqueTickets", "RestartsHeal"]


def test_a_named_configuration_sets_everything_and_is_as_expected(stale: Workbench) -> None:
    name = next(name for name in stale._side.presets if name.startswith("v2_async "))
    stale._side.preset.value = name
    settle(stale)
    one = start_from("v2_async")
    assert one.configuration is not None
    assert stale.result.model.constants == one.constants
    assert [v.name for v in stale.result.verdicts] == one.configuration.properties
    assert stale.result.symmetry == ("Writers",)
    assert stale.result.distinct == one.configuration.expect["distinct"]
    assert one.configuration.title in stale.verdicts.headline.html
    assert stale.verdicts.status.html == ""
    stale.apply({"RestampPatch": False, "SafeAcks": False})
    settle(stale)
    assert stale._side.preset.value == head.BY_HAND
    assert one.configuration.title not in stale.verdicts.headline.html
    stale._side.preset.value = head.DEFAULTS
    settle(stale)
    assert stale.result.model.constants == BakeryV2().constants
    assert [v.name for v in stale.result.verdicts] == [p.name for p in BakeryV2().select()]


@pytest.mark.parametrize("keep", [True, False])
def test_what_is_unknown_or_missing_is_not_as_expected(keep: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_last(*arguments: Any, **options: Any) -> Result:
        result = check(*arguments, **options)
        last = replace(result.verdicts[-1], holds=None, trace=None, why="for a reason")
        return replace(result, verdicts=[*result.verdicts[:-1], *([last] if keep else [])])

    monkeypatch.setattr(session, "check", without_last)
    shown = panel("v1_no_crash")
    assert "Not as v1_no_crash.toml expects" in shown.verdicts.status.html
    assert ("for a reason" if keep else "found no verdict") in shown.verdicts.status.html
    assert ("everything holds" in everything(shown.verdicts)) is not keep


def test_where_nothing_is_checked_nothing_is_said_to_hold(stale: Workbench) -> None:
    tick(stale)
    settle(stale)
    assert "nothing is checked" in everything(stale.verdicts)
    assert "holds" not in everything(stale.verdicts)
    assert stale.verdicts.list.html.count("<button") == 0


def test_a_constant_may_be_called_like_a_parameter() -> None:
    for name in ("self", "what"):
        with pytest.raises(InputError, match=f"unknown constant of bakery '{name}'"):
            Workbench("bakery", **{name: 1})


def test_what_has_no_sentence_has_no_colon_either() -> None:
    class Silent(Model):
        Switch = Constant(False, bool)
        n = Variable(0)

        @action
        def step(self, s):
            require(s.n < 2, "n is 2")
            s.n += 1

        @invariant
        def NothingLost(self, s):
            return s.n < 2

    shown = panel(Silent)
    assert ">NothingLost<" in shown.verdicts.headline.html
    assert dict(shown._side.properties.titles)["NothingLost"] == "check this invariant"


def test_a_verdict_reads_as_what_it_says() -> None:
    def rows(name: str) -> list[str]:
        parts = panel(name).verdicts.list.html.split("</button>")
        return [" ".join(re.sub("<[^>]*>", " ", row).split()) for row in parts]

    without, with_one = rows("classics/allocator_no_deadlock"), rows("classics/allocator_deadlock")
    assert {"\N{CHECK MARK} no Deadlock", "\N{CHECK MARK} TwoAreServed reached"} <= {*without}
    assert {"\N{BALLOT X} Deadlock", "\N{CHECK MARK} Exclusive"} <= {*with_one}


def test_properties_can_be_left_out(stale: Workbench) -> None:
    tick(stale, "UniqueTickets")
    settle(stale)
    assert [v.name for v in stale.result.verdicts] == ["UniqueTickets"]
    assert stale.selected == "UniqueTickets"


def test_a_model_from_a_cell_gets_a_panel() -> None:
    shown = panel(Every, Count=8)
    assert shown.result["Small"].trace_states == 7
    for tab in shown.tabs:
        opened(shown, tab.title)
    assert shown.static() is not None


# Its tabs ------------------------------------------------------------------------------------------------------------


def test_a_tab_is_filled_when_it_is_opened(stale: Workbench) -> None:
    chart = next(tab for tab in stale.tabs if tab.title == "Numbers")
    assert everything(chart) == ""
    assert "no such result yet" in everything(opened(stale, "Compare"))


def test_the_story_is_that_of_the_selected_property(stale: Workbench) -> None:
    player = opened(stale, "Story").simulator.player
    assert len(player.trace) == stale.result["NoLakekeeperConflict"].trace_states
    stale._select("RollbackNoIceberg")
    assert len(player.trace) == 1, "nothing breaks it: one may step from the beginning"
    stale._select("EveryoneCommits")
    assert player.trace.last == stale.result["EveryoneCommits"].trace.last


def test_a_click_on_a_verdict_leads_to_its_trace(stale: Workbench) -> None:
    tab = opened(stale, "Numbers")
    stale.verdicts.list._received(None, {"send": "EveryoneCommits"}, [])
    assert stale.tabs[stale._tabs.selected_index].title == "Story"
    assert stale.tabs[0].simulator.trace == stale.result["EveryoneCommits"].trace
    tab = opened(stale, "Graph")
    stale.verdicts.list._received(None, {"send": "NoLakekeeperConflict"}, [])
    assert stale.tabs[stale._tabs.selected_index] is tab, "which is about it too"


def test_one_may_leave_a_story_at_any_step(stale: Workbench) -> None:
    simulator = opened(stale, "Story").simulator
    story, player = simulator.trace, simulator.player
    player.step = 5
    assert simulator.at == 5
    taken = story.steps[6].label
    assert re.search(rf'data-take="[^"]*" aria-current="step"><code>{re.escape(html.escape(taken))}<', player.moves)
    other = next(step for options in simulator.stepper.options() for step in options.steps if step.label != taken)
    player._asked(None, {"take": f"{other.move.instance}.{other.move.outcome} {other.label}"}, [])
    assert [step.label for step in simulator.trace.steps[:7]] == [s.label for s in story.steps[:6]] + [other.label]
    assert len(list(simulator.stepper.history.leaves())) == 2, "the story is a branch that one can go back to"


def test_a_step_names_the_line_of_its_action(stale: Workbench) -> None:
    player = stale.tabs[0].simulator.player
    name, _, line = player.sources[-1].partition(":")
    lines = (ROOT / "workbench" / "protocols" / name).read_text().splitlines()
    assert "@action" in lines[int(line) - 1]
    assert player.sources[0] == "", "no action leads to the initial state"


def test_a_story_that_is_found_again_stays_at_the_step_that_was_looked_at(stale: Workbench) -> None:
    player = opened(stale, "Story").simulator.player
    player.step = 3
    stale.run()
    settle(stale)
    assert player.step == 3
    stale.apply({"MaxTickets": stale.result.model.MaxTickets + 1})
    settle(stale)
    assert player.step == len(player.trace) - 1


def test_the_story_begins_anew_with_other_constants(stale: Workbench) -> None:
    simulator = opened(stale, "Story").simulator
    stale._select("RollbackNoIceberg")
    simulator.walk(5, seed=1)
    stale._side.properties.flip("UniqueTickets", False)
    settle(stale)
    assert sorted(leaf.depth for leaf in simulator.stepper.history.leaves()) == [5, 17], "the constants are the same"
    stale.apply({"RestampPatch": True})
    settle(stale)
    assert simulator.model.RestampPatch
    assert len(list(simulator.stepper.history.leaves())) == 1


def test_a_named_model_opens_on_its_first_story_and_others_are_chosen() -> None:
    shown = panel("paimon")
    assert not shown.result.model.PUT_IF_ABSENT
    assert shown.selected == "ConsistentRead"
    assert re.findall(r'aria-pressed="true">([^<]*)<', shown._head.html) == ["Overwritten snapshot"]
    shown._head._received(None, {"send": "As it should be"}, [])
    settle(shown)
    assert shown.result.holds
    assert re.findall(r'aria-pressed="true">([^<]*)<', shown._head.html) == ["As it should be"]


def test_a_story_that_one_comes_back_to_is_lit_again() -> None:
    shown = panel("bakery_v2")
    told, preset = shown._side.controls.told, shown._side.preset.value
    for on, lit, settings in ((False, [], head.BY_HAND), (True, ["Stale files"], preset)):
        told.flip("SafeAcks", on)
        settle(shown)
        assert re.findall(r'aria-pressed="true">([^<]*)<', shown._head.html) == lit
        assert shown._side.preset.value == settings


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("name", ["bakery_v2", "paimon", "hudi", "delta", "iceberg"])
def test_on_a_busy_machine_the_switches_say_it_too(name: str) -> None:
    shown = Workbench(name)
    settle(shown)
    assert "good" in {kind for _, kind in shown._side.controls.told.hints.values()}
    assert shown.session.live
    shown.close()


def test_switches_say_what_flipping_them_would_do(stale: Workbench) -> None:
    told = stale._side.controls.told
    assert told.hints["RestampPatch"] == ("on \N{RIGHTWARDS ARROW} everything holds", "good")
    assert told.hints["SafeAcks"] == ("off \N{RIGHTWARDS ARROW} breaks EventualProgress", "bad")
    told.flip("RestampPatch", True)
    settle(stale)
    assert told.hints["RestampPatch"] == ("off \N{RIGHTWARDS ARROW} breaks NoLakekeeperConflict", "bad")


def test_choices_in_sight_have_their_sentence_and_say_what_each_other_value_would_do() -> None:
    shown = panel("iceberg")
    controls = shown._side.controls
    assert list(controls.about) == ["CatalogSwap", "Isolation", "UpdateMode", "DeleteMode", "RemoveOrphans"]
    for name, words in controls.about.items():
        assert shown.result.model.declared.constants[name].doc in html.unescape(words.html)
    assert "blind \N{RIGHTWARDS ARROW} breaks" in controls.about["CatalogSwap"].html
    assert "cow \N{RIGHTWARDS ARROW}" in controls.about["UpdateMode"].html


@pytest.mark.parametrize("mode", ["trace and alternatives", "whole graph", "around a state", "seen through variables"])
def test_the_graph_tab_draws_every_mode(stale: Workbench, mode: str) -> None:
    tab = opened(stale, "Graph")
    tab._mode.value = mode
    settle(stale)
    page = everything(tab)
    assert "<svg" in page
    assert "wb-wrong" not in page


def test_the_graph_tab_shows_states_as_pictures_where_somebody_asks(stale: Workbench) -> None:
    tab = opened(stale, "Graph")
    tab._around("0")
    settle(stale)
    assert "data-picture=" not in everything(tab)
    tab._pictures.flip("pictures", True)
    settle(stale)
    assert 'data-picture="bakery_v2"' in everything(tab)


def test_a_click_on_a_state_shows_what_is_around_it(stale: Workbench) -> None:
    tab = opened(stale, "Graph")
    tab._mode.value = "whole graph"
    settle(stale)
    assert 'data-send="3"' in everything(tab)
    tab._picture._received(None, {"send": "3"}, [])
    settle(stale)
    assert "State 3 of bakery_v2" in everything(tab)


def test_a_graph_that_cannot_be_drawn_says_why(stale: Workbench) -> None:
    tab = opened(stale, "Graph")
    tab._variables.value = ()
    tab._mode.value = "seen through variables"
    settle(stale)
    assert "at least one variable" in everything(tab)
    stale._select("RollbackNoIceberg")
    tab._mode.value = "trace and alternatives"
    settle(stale)
    assert "takes a property with a trace" in everything(tab)


def test_the_charts_are_there_at_once_and_plotly_where_somebody_asks(stale: Workbench) -> None:
    tab = opened(stale, "Numbers")
    assert everything(tab).count("<svg") == 3
    assert tab._output.outputs == ()
    tab._interactive.value = True
    redrawn: list[Any] = []
    tab._output.observe(redrawn.append, "outputs")
    tab._show_access(tab._charts[2])
    assert not redrawn, "somebody may have zoomed in"
    shown = [output["data"] for output in (*tab._output.outputs, *tab._late.outputs)]
    assert len(shown) == 3
    assert all({"application/vnd.plotly.v1+json", "image/svg+xml", "text/plain"} <= data.keys() for data in shown)
    assert "<svg" not in everything(tab)


def test_what_if_lists_what_flips_a_verdict_and_applies_it(stale: Workbench) -> None:
    tab = opened(stale, "What if")
    flipping = [attempt.changes for attempt in tab._attempts.values() if attempt.flipped]
    assert {"RestampPatch": True} in flipping
    assert {"AsyncParquet": False} in flipping
    tab._repair.click()
    settle(stale)
    page = tab._sets.html
    assert "RestampPatch=on" in page
    assert "AsyncParquet=off" in page
    assert 'data-send="RestampPatch=on"' in tab._single.html
    tab._single._received(None, {"send": "RestampPatch=MAYBE"}, [])  # of a table that has become another one
    assert not stale.result.model.RestampPatch
    drawn: list[Any] = []
    tab._single.observe(lambda change: drawn.append("wb-stale" in change["new"]), "html")
    tab._single._received(None, {"send": "RestampPatch=on"}, [])
    settle(stale)
    settle(stale)  # what the new result asks for
    assert drawn[0] is True, "the table stays in sight until there is another one"
    assert not any(drawn[1:])
    assert stale.result.model.RestampPatch
    assert stale.result["NoLakekeeperConflict"].holds


def test_compare_shows_another_result_beside_this_one(stale: Workbench) -> None:
    tab = opened(stale, "Compare")
    tab._keep()
    stale.apply({"RestampPatch": True})
    settle(stale)
    assert "RestampPatch on: NoLakekeeperConflict now holds" in everything(tab)
    preset = next(name for name in tab._presets if name.startswith("v2_two_writers_wedge "))
    tab._other.value = preset
    settle(stale)
    assert "SafeAcks" in everything(tab)


def test_each_button_of_the_map_says_what_it_stops(stale: Workbench) -> None:
    parts = [part for name in ("What if", "Grid") for part in select(stale, name).children]
    said = [part._stop.description for part in parts if isinstance(part, Working)]
    assert said == ["Stop the repairs", "Stop the single changes", "Stop the grid", "Stop the explanation"]


def test_what_if_goes_on_while_another_tab_is_open(stale: Workbench) -> None:
    select(stale, "What if")
    aside = stale.session.aside("flips")
    assert aside.running
    select(stale, "Graph")
    assert stale.session.aside("graph").wait(300)
    tab = opened(stale, "What if")
    assert {"RestampPatch": True} in [attempt.changes for attempt in tab._attempts.values() if attempt.flipped]
    assert "RestampPatch=on" in everything(tab)
    assert tab._flips._stop.layout.display == "none"


def test_what_if_shows_that_it_is_at_work_when_one_comes_back() -> None:
    shown = panel("bakery_v2")
    go = threading.Event()
    shown.session.aside("flips").start((shown.session.number, False), "Checking", lambda job: go.wait(300) and [])
    for title in ("What if", "Story", "What if"):
        tab = select(shown, title)
    assert "Checking" in everything(tab)
    assert tab._flips._stop.layout.display == ""
    go.set()
    settle(shown)
    assert tab._flips._stop.layout.display == "none"


def test_a_configuration_with_one_symmetric_set_is_as_expected(tmp_path: Path) -> None:
    model = get_model("hudi")(Values=1, FileGroupCount=2)
    wanted = check(model, ["ConsistentRead"], symmetry=["Keys"])
    path = tmp_path / "keys.toml"
    path.write_text(
        'title = "Keys alone"\nmodel = "hudi"\nsymmetry = ["Keys"]\nproperties = ["ConsistentRead"]\n'
        "[constants]\nValues = 1\nFileGroupCount = 2\n"
        f'[expect]\ndistinct = {wanted.distinct}\nverdicts = {{ConsistentRead = "holds"}}\n'
    )
    shown = panel(path)
    assert "Keys alone" in shown.verdicts.headline.html
    assert shown.verdicts.status.html == ""
    assert shown._side.symmetry.on == ("Keys",)
    shown._side.symmetry.flip("Values", True)
    settle(shown)
    assert shown.result.symmetry == ("Keys", "Values")


class Broken(Every):
    """Its first step fails."""

    @action
    def wrong(self, s):
        raise ValueError("on purpose")


def test_a_model_whose_first_check_fails_says_so_in_one_line() -> None:
    shown = Workbench(Broken)
    with pytest.raises(InputError, match="on purpose"):
        shown.wait(300)
    assert "on purpose" in repr(shown)
    assert "\n" not in repr(shown)
    assert "still checking" not in repr(shown)
    assert "on purpose" in shown.verdicts.status.html
    data, _ = shown._repr_mimebundle_()
    assert "on purpose" in data["text/plain"]


def test_graph_and_charts_search_the_states_of_a_result_once(stale: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[Any] = []

    def counting(*asked: Any, **options: Any) -> Any:
        searches.append(asked)
        return explore(*asked, **options)

    monkeypatch.setattr(kept, "explore", counting)
    for title in ("Graph", "Numbers", "Graph"):
        assert everything(opened(stale, title))
    assert len(searches) == 1


def test_compare_names_what_it_compares(stale: Workbench) -> None:
    stale.apply({"RestampPatch": True})
    settle(stale)
    tab = opened(stale, "Compare")
    assert "before: RestampPatch = off" in everything(tab)
    assert "now: RestampPatch = on" in everything(tab)
    tab._other.value = next(name for name in tab._presets if name.startswith("v2_two_writers_wedge "))
    settle(stale)
    assert "<th>v2_two_writers_wedge</th><th>now</th>" in everything(tab)


# The grid ------------------------------------------------------------------------------------------------------------


def filled(shown: Workbench, *names: str) -> Any:
    """The grid tab, with a grid over these constants."""
    tab = opened(shown, "Grid")
    tab._values.tick(names)
    tab._fill()
    settle(shown)
    return tab


def test_a_verdict_map_is_filled_and_a_click_on_a_cell_sets_the_panel(stale: Workbench) -> None:
    tab = filled(stale, "AsyncParquet", "RestampPatch")
    assert "4 settings" in tab._note.html
    assert sorted(re.findall(r'data-send="([0-9]+)"', tab._map.html)) == ["0", "1", "2", "3"]
    assert "<b>NoLakekeeperConflict</b> over AsyncParquet" in tab._map.html
    assert "with Writers = " in tab._map.html
    assert re.findall(r'data-send="([0-9]+)" aria-current', tab._map.html) == ["2"], "what is set at present"
    tab._map._received(None, {"send": "3"}, [])
    settle(stale)
    assert stale.result.model.constants == {**BakeryV2(**STALE).constants, "RestampPatch": True}
    assert stale.selected == "NoLakekeeperConflict"
    assert "RestampPatch = on</code> is set in the panel" in tab._loaded.html
    assert re.findall(r'data-send="([0-9]+)" aria-current', tab._map.html) == ["3"]
    assert sorted(re.findall(r'data-send="([0-9]+)"', tab._map.html)) == ["0", "1", "2", "3"], "the map stays"


def test_a_grid_is_explained_with_a_counterexample_for_each_failing_cell(stale: Workbench) -> None:
    tab = filled(stale, "AsyncParquet", "RestampPatch")
    tab._actions._received(None, {"send": "explain"}, [])
    settle(stale)
    assert 'holds where <code class="wb-rule">not AsyncParquet or RestampPatch</code>' in tab._rule.html
    assert re.findall(r'data-send="([0-9]+)"', tab._rule.html) == ["2"]
    tab._map._received(None, {"send": "0"}, [])
    settle(stale)
    assert stale.verdict.trace is None
    tab._rule._received(None, {"send": "2"}, [])
    settle(stale)
    assert stale.result.model.constants == BakeryV2(**STALE).constants
    assert stale.verdict.trace_states == 18


def test_a_grid_is_copied_as_code_and_saved_as_a_table(stale: Workbench) -> None:
    tab = filled(stale, "AsyncParquet", "RestampPatch")
    (code,) = re.findall(r'data-copy="([^"]*)"', tab._actions.html)
    found: dict[str, Any] = {}
    exec(html.unescape(code), found)
    words = ["holds", "holds", "violated", "holds"]
    assert found["filled"].table["NoLakekeeperConflict"].to_list() == words
    saved: list[Any] = []
    tab._actions.send = saved.append
    tab._actions._received(None, {"send": "csv"}, [])
    (file,) = (message["save"] for message in saved)
    assert (file["name"], file["type"]) == ("bakery_v2-NoLakekeeperConflict.csv", "text/csv")
    rows = list(csv.DictReader(io.StringIO(file["content"])))
    assert [row["NoLakekeeperConflict"] for row in rows] == words


def test_the_property_of_a_grid_is_the_selected_one_until_somebody_chooses(stale: Workbench) -> None:
    tab = opened(stale, "Grid")
    assert tab._property.value == "NoLakekeeperConflict"
    stale._select("UniqueTickets")
    assert tab._property.value == "UniqueTickets"
    tab._property.value = "TicketOrderPreserved"
    stale._select("NoLakekeeperConflict")
    assert tab._property.value == "TicketOrderPreserved"


def test_three_constants_make_a_map_for_each_value_of_one(stale: Workbench) -> None:
    tab = opened(stale, "Grid")
    tab._values.tick(["AsyncParquet", "Writers", "RestampPatch"])
    tab._values._ranges["Writers"].value = (1, 2)
    tab._fill()
    settle(stale)
    assert len(re.findall(r'data-send="[0-9]+"', tab._map.html)) == 8
    assert "RestampPatch = off</text>" in tab._map.html
    assert "Writers = 2, RestampPatch = off" in tab._map.html.replace("AsyncParquet = on, ", ""), "also on hovering"


def test_a_grid_goes_on_while_another_tab_is_open_and_can_be_stopped(stale: Workbench) -> None:
    tab = opened(stale, "Grid")
    tab._values.tick(["AsyncParquet", "RestampPatch", "SafeAcks", "MaxCrashes"])
    tab._fill()
    working = next(
        part for part in tab.children if isinstance(part, Working) and part.aside is stale.session.grid.filling
    )
    assert working._stop.layout.display == ""
    stale._tabs.selected_index = 0
    while not stale.session.grid.cells:
        time.sleep(0.01)
    select(stale, "Grid")
    working._stop.click()
    settle(stale)
    done = len(stale.session.grid.cells)
    assert 0 < done < 8 * len(tab._values.get()["MaxCrashes"])
    assert len(re.findall(r'data-send="[0-9]+"', tab._map.html)) == done
    assert working._stop.layout.display == "none"


def test_what_a_grid_does_not_take_is_one_line(stale: Workbench) -> None:
    tab = opened(stale, "Grid")
    assert set(stale.session.grid.asked.values) == {"SafeAcks", "AsyncParquet"}, "it opens filled"
    stale.session.grid.cancel()
    tab._map.html = ""
    tab._values.tick(["AsyncParquet"])
    assert "Tick 2 to 4 constants" in tab._note.html
    tab._fill()
    assert "1 constants are not accepted; a grid takes 2 to 4" in tab._note.html
    tab._values.tick(["AsyncParquet", "RestampPatch", "SafeAcks", "MaxCrashes", "Writers"])
    assert "5 constants are not accepted" in tab._note.html
    assert stale.session.grid.asked is None
    assert tab._map.html == ""
    tab._values.tick(["MaxTickets", "MaxIcebergLen"])
    for slider in tab._values._ranges.values():
        slider.value = (1, 20)
    assert "400 settings, each checked up to 2,000,000 states." in tab._note.html
    tab._values.tick(["MaxTickets", "MaxIcebergLen", "MaxCrashes"])
    for slider in tab._values._ranges.values():
        slider.value = (slider.min, slider.max)
    assert "1,600 settings are too many; a grid takes up to 1,024" in tab._note.html


# How long it lives ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_closed_panel_leaves_nothing_behind() -> None:
    before = ipywidgets.Widget.get_manager_state()["state"].keys()
    shown = panel("bakery_v2", **STALE)
    for tab in shown.tabs:
        opened(shown, tab.title)
    values = opened(shown, "Grid")._values
    for names in (["Writers", "MaxCrashes"], ["Writers"]):
        values.tick(names)
    assert ipywidgets.Widget.get_manager_state()["state"].keys() > before
    shown.close()
    assert ipywidgets.Widget.get_manager_state()["state"].keys() == before


def test_a_panel_is_small_beside_the_trace_that_it_shows_until_its_tabs_are_opened() -> None:
    before = ipywidgets.Widget.get_manager_state()["state"].keys()
    shown = panel("v2_async")
    state = ipywidgets.Widget.get_manager_state()["state"]
    own = {name: one for name, one in state.items() if name not in before}
    # There is a control for each constant that is no switch, and one lists the model's configurations.
    controls = [one for one in own.values() if one["model_name"] in ("DropdownModel", "BoundedIntTextModel")]
    assert len(own) - len(controls) < 85
    player = own[shown.tabs[0].simulator.player.model_id]["state"]
    trace = sum(len(json.dumps(player[name])) for name in ("states", "lanes", "picture", "texts"))
    rest = len(json.dumps(own)) - trace - len(json.dumps(controls))
    assert rest < 210_000  # more than half of it are scripts, each there once or in a few panes
    assert sum(one["state"].get("_css", "") != "" for one in own.values()) == 1
    shown.close()


class Kernel:
    """A kernel that runs cells as a notebook has it do, each under the name of its cell."""

    def __init__(self) -> None:
        self.manager, self.client = start_new_kernel(kernel_name="python3")

    def run(self, cell: str, code: str) -> str:
        """What a cell prints."""
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
        message = self.client.session.msg("execute_request", content, metadata={"cellId": cell})
        self.client.shell_channel.send(message)
        printed = ""
        while True:
            said = self.client.get_iopub_msg(timeout=300)
            if said["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            assert said["msg_type"] != "error", said["content"]["traceback"]
            if said["msg_type"] == "stream":
                printed += said["content"]["text"]
            if said["msg_type"] == "status" and said["content"]["execution_state"] == "idle":
                return printed.strip()

    def alive(self) -> int:
        """How many panels, and simulators on their own, the kernel keeps."""
        return int(
            self.run(
                "count",
                "from ipywidgets import Widget; print(sum('wb-panel' in one['state'].get("
                "'_dom_classes', ()) for one in Widget.get_manager_state()['state'].values()))",
            )
        )


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    kernel = Kernel()
    kernel.run("imports", "from workbench.showing.panel import Simulator, TracePlayer, Workbench")
    yield kernel
    kernel.client.stop_channels()
    kernel.manager.shutdown_kernel(now=True)


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


# Without a kernel ----------------------------------------------------------------------------------------------------


def test_a_saved_panel_shows_verdicts_and_a_picture(stale: Workbench) -> None:
    data, _ = stale._repr_mimebundle_()
    assert WIDGET in data
    assert "NoLakekeeperConflict" in data["text/html"]
    assert "<img" in data["text/html"], "the lanes"
    assert "NoLakekeeperConflict" in data["text/plain"]


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
    ((update, late),) = shown[2:]
    assert update
    assert "Small" in late["text/html"]
    assert "violated" in late["text/plain"]
    made.run()
    settle(made)
    assert len(shown) == 3, "it is sent once"


# The trace player ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def conflict() -> Any:
    """The trace to a 409."""
    return check(BakeryV2(**STALE))["NoLakekeeperConflict"].trace


def test_a_player_holds_every_state_so_that_it_needs_no_kernel(conflict: Any) -> None:
    player = TracePlayer(conflict)
    assert player.step == len(conflict) - 1
    assert player.labels == [step.label for step in conflict.steps]
    assert len(player.states) == len(conflict)
    assert all(player.states)
    assert player.permalink.startswith("workbench:bakery_v2?Writers=")
    data, _ = player._repr_mimebundle_()
    assert {WIDGET, "text/html"} <= data.keys()


def test_a_player_shows_only_the_chosen_variables(conflict: Any) -> None:
    player = TracePlayer(conflict)
    everywhere = player.lanes
    player.variables = ["iceberg"]
    assert "iceberg" in player.lanes
    assert "next_ticket" in everywhere
    assert "next_ticket" not in player.lanes


def test_the_lanes_fit_beside_a_file_browser() -> None:
    player = TracePlayer(check(BakeryV2(AsyncParquet=True), ["EveryoneCommits"])["EveryoneCommits"].trace)
    for room in (WIDTH, 700, 1400):
        player.room = room
        width = re.search(r'<svg [^>]*width="([0-9.]+)"', player.lanes)
        assert width is not None
        assert float(width[1]) == room


def test_a_player_has_the_picture_of_its_step_and_the_others_where_the_page_asks(conflict: Any) -> None:
    player = TracePlayer(conflict)
    at, svg = player.picture
    assert at == player.step
    assert 'data-picture="bakery_v2"' in svg
    assert "data-fault=" in svg
    assert player.packed == ""
    player.step = 3
    assert player.picture[0] == 3
    assert player.picture[1] != svg
    player._asked(None, {"want": "pictures"}, [])
    pictures = json.loads(gzip.decompress(base64.b64decode(player.packed)))
    assert len(pictures) == len(player.states)
    assert (pictures[-1], pictures[3]) == (svg, player.picture[1])


def test_the_pictures_of_a_long_trace_are_no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are drawn here; a run of `dot` for each of them would take seconds."""
    trace = check(BakeryV2(), ["EveryoneCommits"])["EveryoneCommits"].trace
    assert trace is not None
    player = TracePlayer(trace)
    monkeypatch.setenv("PATH", "")
    player._asked(None, {"want": "pictures"}, [])
    assert len(json.loads(gzip.decompress(base64.b64decode(player.packed)))) == len(trace)


def test_a_reader_can_be_chosen_for_the_picture() -> None:
    player = TracePlayer(replay(Hudi(Keys=1, Values=1, OpLimit=2), 0, []))
    assert player.options == {"reader": ["1", "2"]}
    before = player.picture
    player.chosen = {"reader": 1}
    assert player.picture != before
    assert "reader at timestamp 2" in player.picture[1]
    player.show(replay(BakeryV2(), 0, []))
    assert player.chosen == {}


def test_a_trace_is_saved_as_a_page_of_its_own(conflict: Any) -> None:
    player = TracePlayer(conflict)
    sent: list[dict[str, str]] = []
    player.send = sent.append
    player._asked(None, {"want": "page"}, [])
    (page,) = (message["page"] for message in sent)
    assert page.startswith("<!DOCTYPE html>")
    assert "data-pictures=" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "src=" not in page.partition("<script>")[0]


def watched(player: TracePlayer, *typed: str) -> list[str]:
    """Type expressions into a player; what it watches then."""
    for text in typed:
        player._asked(None, {"watch": text}, [])
    return [watch["expression"] for watch in player.watched]


def test_a_person_watches_expressions_and_a_mistake_is_one_line(conflict: Any) -> None:
    player = TracePlayer(conflict, watches=["len(s.iceberg)"])
    assert player.example == "s.next_ticket == 1"
    assert watched(player, " s.next_ticket > 1 ", "len(s.iceberg)") == ["len(s.iceberg)", "s.next_ticket > 1"]
    assert parse_permalink(player.permalink).watches == player.watches == ("len(s.iceberg)", "s.next_ticket > 1")
    assert "number" in player.watched[0]["remark"]
    assert player.watched[1]["true"] == list(range(player.watched[1]["true"][0], len(player.states)))
    assert player.watch_table.count("<tr>") == len(player.states) + 1
    assert watched(player, "s.icebreg") == ["len(s.iceberg)", "s.next_ticket > 1"]
    assert "did you mean" in player.mistake
    assert "\n" not in player.mistake
    player._asked(None, {"unwatch": "len(s.iceberg)"}, [])
    assert watched(player, "s.next_ticket == 2") == ["s.next_ticket > 1", "s.next_ticket == 2"]
    assert player.mistake == ""


def test_what_the_page_says_is_watched_is_not_run() -> None:
    player = TracePlayer(replay(Bakery(Writers=2), 0, [(0, 0)]))
    assert "watches" not in player.get_state()
    player.set_state({"watches": ["1 / 0"], "watched": [{"expression": "1 / 0"}]})
    assert player.watches == ()


def test_a_watch_of_another_model_is_kept_and_its_reason_told() -> None:
    player = TracePlayer(replay(BakeryV2(Writers=3), 0, []), watches=['s.pc["w3"]'])
    with pytest.raises(InputError, match="w3"):
        TracePlayer(replay(BakeryV2(Writers=2), 0, []), watches=['s.pc["w3"]'])
    player.show(replay(BakeryV2(Writers=2), 0, []))
    assert player.watched == []
    assert "w3" in player.mistake
    player.show(replay(BakeryV2(Writers=3), 0, []))
    assert len(player.watched) == 1
    assert player.mistake == ""


def test_the_player_and_the_session_share_their_watches(stale: Workbench) -> None:
    player = opened(stale, "Story").simulator.player
    assert watched(player, "s.next_ticket") == ["s.next_ticket"]
    assert list(stale.session.watches) == ["s.next_ticket"]
    stale.session.watch(["len(s.iceberg)"])
    assert [watch["expression"] for watch in player.watched] == ["len(s.iceberg)"]


def test_a_player_gives_lanes_for_lessons_and_an_animated_picture(conflict: Any) -> None:
    player = TracePlayer(conflict)
    sent: list[dict[str, Any]] = []
    player.send = sent.append
    for wanted in ("lanes", "animation"):
        player._asked(None, {"want": wanted}, [])
    widths = [float(re.search(r'<svg [^>]*width="([0-9.]+)"', svg).group(1)) for svg in sent[0]["lanes"]]
    assert widths == sorted(widths)
    assert len(set(widths)) == len(widths) > 1
    assert "@keyframes" in sent[1]["animation"]


def test_what_can_be_found_in_a_step_is_its_label_its_sentence_and_its_changes() -> None:
    player = TracePlayer(replay(Bakery(Writers=2), 0, [(0, 0), (2, 0)]))
    assert "begin_claim(w1)" in player.texts[2]
    assert "Take the next ticket" in player.texts[2]
    assert "my_ticket[w1]" in player.texts[2]
    assert "my_ticket" not in player.texts[1]


def test_a_player_shows_the_loop_of_a_lasso() -> None:
    verdict = check(BakeryV2(Writers=2, MaxCrashes=1), ["EventualProgress"])["EventualProgress"]
    assert verdict.trace.loop is not None
    assert "for ever" in TracePlayer(verdict.trace).lanes


def test_a_lazy_player_fills_in_the_state_it_steps_to() -> None:
    player = TracePlayer()
    player.show(replay(Bakery(Writers=2), 0, [(0, 0), (1, 0)]), 0, lazy=True)
    assert [bool(state) for state in player.states] == [True, False, False]
    player.step = 2
    assert [bool(state) for state in player.states] == [True, False, True]


# The simulator -------------------------------------------------------------------------------------------------------


def test_enabled_steps_are_buttons_and_the_others_say_why() -> None:
    simulator = Simulator(BakeryV2(Writers=2))
    moves, _, greyed = simulator.player.moves.partition("<details")
    assert 'data-take="0.0 start(w1)"' in moves
    assert "start(w1)" in moves
    assert "stage(w1)" not in moves
    assert "stage(w1)" in greyed
    assert "w1 is not at Stage" in greyed
    assert "data-take" not in greyed


def test_a_crasher_with_nothing_to_do_is_no_move_unless_it_is_the_only_one() -> None:
    model = BakeryV2(Writers=2, SafeAcks=False)
    simulator = Simulator(check(model, ["EventualProgress"])["EventualProgress"].trace)
    assert "No step is possible" in simulator.player.moves
    simulator.jump(0)
    assert "start(w1)" in simulator.player.moves
    assert 'data-take="' in simulator.player.moves
    assert not re.search('data-take="[^"]*crasher_done', simulator.player.moves)
    simulator.jump(len(simulator.trace) - 2)
    assert re.search('data-take="[^"]*crasher_done', simulator.player.moves)
    assert "No step is possible" not in simulator.player.moves


def test_steps_are_taken_undone_and_jumped_to() -> None:
    simulator = Simulator("bakery_v2")
    simulator.player._asked(None, {"take": "0.0 start(w1)"}, [])
    simulator.player._asked(None, {"take": "0.0 start(w1)"}, [])
    assert "start(w1)&#x27; is not enabled" in simulator._message.html, "the click was on its way"
    simulator.take("stage(w1)")
    assert simulator.state.pc["w1"] == "BeginClaim"
    simulator.undo()
    assert simulator.state.pc["w1"] == "Stage"
    assert len(simulator.trace) == 3, "what was undone stays in sight"
    simulator._player.step = 0
    assert simulator.state == simulator.trace.steps[0].state
    simulator.take("start(w2)")
    assert [step.label for step in simulator.trace.steps] == ["initial state", "start(w2)"]
    with pytest.raises(InputError, match=r"'commit\(w1\)' is not enabled"):
        simulator.take("commit(w1)")


def test_an_initial_state_is_chosen_by_what_is_different_in_it() -> None:
    simulator = Simulator("ewd998")
    chooser = simulator._start
    assert len(chooser.options) == 64
    assert dict(chooser.options)["active: m1, m3; black: m2"] == 38
    assert chooser.layout.display == ""
    simulator.walk(3, seed=1)
    before = simulator.trace
    chooser.value = 38
    assert (simulator.state.active["m3"], simulator.state.black["m1"], len(simulator.trace)) == (True, False, 1)
    assert simulator._player.permalink == "workbench:ewd998#38/"
    simulator.walk(2, seed=1)
    assert chooser.value == 38
    simulator.begin(0)
    assert (chooser.value, simulator.trace) == (0, before)
    simulator.start(replay(simulator.model, 7, []))
    assert chooser.value == 7


def test_one_initial_state_is_no_choice() -> None:
    simulator = Simulator("ewd998")
    simulator.start("bakery")
    assert simulator._start.layout.display == "none"
    assert simulator._start.value == 0


def test_a_random_walk_is_a_behaviour_and_ends_where_nothing_is_possible() -> None:
    simulator = Simulator(Every(Count=4))
    simulator.walk(500)
    assert simulator.state.n == 4
    assert "No step is possible" in simulator.player.moves
    again = Simulator(BakeryV2())
    again.walk(12, seed=7)
    assert len(again.trace) == 13
    assert replay(again.model, 0, again.trace.moves).last == again.state


def test_one_is_taken_to_a_state_along_a_shortest_way() -> None:
    simulator = Simulator(BakeryV2(Writers=2))
    simulator.take("start(w2)")
    simulator.go('s.decision["w1"] == "committed"')
    assert simulator.trace.steps[1].label == "start(w2)"
    assert simulator.state.decision["w1"] == "committed"
    along = len(simulator.trace)
    simulator.go(lambda s: s.decision["w1"] == "committed", anew=True)
    assert len(simulator.trace) < along
    with pytest.raises(InputError, match="no such state can be reached"):
        simulator.go("len(s.iceberg) > 3")
    with pytest.raises(InputError, match="not accepted"):
        simulator.go("s.iceberg >")


def test_the_search_of_the_panel_runs_in_a_thread() -> None:
    simulator = Simulator(BakeryV2(Writers=2))
    simulator.further.unfold()
    simulator._condition.value = "len(s.iceberg) == 3"
    simulator._find()
    assert simulator.stepper.search.wait(300)
    assert len(simulator.state.iceberg) == 3
    simulator._condition.value = "s.nothing"
    simulator._find()
    assert simulator.stepper.search.wait(300)
    assert "unknown variable" in everything(simulator._searching)


def test_a_scenario_is_typed_into_the_simulator() -> None:
    simulator = Simulator(BakeryV2(Writers=2))
    simulator.further.unfold()
    assert "a step or a condition per line" in simulator._story.placeholder
    simulator._story.value = "commit(w2)\nlen(s.iceberg) == 3"
    simulator._tell()
    assert simulator.stepper.search.wait(300)
    assert (simulator.at, len(simulator.state.iceberg)) == (len(simulator.trace) - 1, 3)
    assert "commit(w2); state " in simulator._message.html
    simulator._story.value = "commit(w2)\ncommit(w2)"
    simulator._tell()
    assert simulator.stepper.search.wait(300)
    assert "impossible: line 2: commit(w2): w2 is not at Decide" in everything(simulator._searching)
    simulator.tell("commit(w1)")
    assert simulator.trace.steps[-1].label == "commit(w1)"


def test_a_simulator_begins_at_any_step_of_a_violation(conflict: Any) -> None:
    simulator = Simulator(conflict, 4)
    assert simulator.state.values == conflict.steps[4].state.values
    data, _ = simulator._repr_mimebundle_()
    assert "text/html" in data
    lasso = check(BakeryV2(Writers=2, MaxCrashes=1), ["EventualProgress"])["EventualProgress"].trace
    assert lasso is not None
    assert len(Simulator(lasso).trace) == len(lasso)


def test_a_thin_tree_leads_back_to_abandoned_branches_and_compares_two() -> None:
    simulator = Simulator(BakeryV2(Writers=2))
    history = simulator._history
    assert history.layout.display == "none", "there is nothing to go back to"
    for label in ("start(w1)", "stage(w1)"):
        simulator.take(label)
    simulator.jump(1)
    simulator.take("start(w2)")
    assert history.layout.display == ""
    assert [f'data-send="go {number}"' in history._tree.html for number in range(4)] == [True] * 4
    history._name.value = " the other first "
    assert "the other first" in history._tree.html
    history._tree._received(None, {"send": "go 2"}, [])
    assert (simulator.at, simulator.trace.steps[-1].label, history._name.value) == (2, "stage(w1)", "")
    for number in (2, 3):
        history._tree._received(None, {"send": f"tick {number} on"}, [])
    page = history._pictures.html
    assert "<b>branch to stage(w1)</b> and <b>the other first</b> part after 2 states in common" in page
    assert page.count("<svg") == 2
    assert page.count('data-change="differs"') > 0
    history._tree._received(None, {"send": "tick 2 off"}, [])
    assert history._pictures.html == ""
    simulator.start("bakery_v2")
    assert "tick" not in history._tree.html


def test_the_line_of_a_search_is_an_example_of_its_model_and_what_it_finds_is_remarked_on() -> None:
    for model in (BakeryV2(Writers=2), Every()):
        simulator = Simulator(model)
        simulator.further.unfold()
        example = simulator._condition.placeholder.removeprefix("such as  ")
        simulator.walk(2, seed=1)
        simulator.go(example, anew=True)
        assert simulator.at == 0
    simulator.go("s.n")
    assert "s.n is not true or false but a number" in simulator._message.html
    simulator.take("up")
    assert simulator._message.html == ""


def test_a_pasted_permalink_is_opened_and_its_watches_are_run_once_somebody_agrees(conflict: Any) -> None:
    simulator = Simulator("bakery_v2")
    simulator.further.unfold()
    paste = simulator.paste
    paste.line.value = permalink(conflict, ["len(s.iceberg)", "s.nothing"])
    assert permalink(simulator.trace) == permalink(conflict)
    assert "len(s.iceberg)" in everything(paste)
    assert simulator.player.watched == []
    assert (paste._agree.layout.display, simulator.watches) == ("", ())
    paste._agree.click()
    assert simulator.watches == ("len(s.iceberg)", "s.nothing")
    assert [one["expression"] for one in simulator.player.watched] == ["len(s.iceberg)"]
    assert "unknown variable" in simulator.player.mistake
    assert paste._agree.layout.display == "none"
    paste.line.value = "workbench:hudi#0/"
    assert "is for model hudi; give one for bakery_v2" in everything(paste)
    assert permalink(simulator.trace) == permalink(conflict)
    paste.line.value = ""
    assert everything(paste) == ""


def test_a_permalink_pasted_in_a_panel_sets_it(stale: Workbench) -> None:
    trace = stale.result["NoLakekeeperConflict"].trace
    assert trace is not None
    line = permalink(trace, ["len(s.iceberg)"])
    shown = panel("bakery_v2")
    simulator = opened(shown, "Story").simulator
    simulator.further.unfold()
    paste = simulator.paste
    paste.line.value = line
    settle(shown)
    assert shown.result.model.constants == BakeryV2(**STALE).constants
    assert permalink(simulator.trace) == line.partition("&watch")[0]
    paste._agree.click()
    assert shown.session.watches == ("len(s.iceberg)",)
    assert [one["expression"] for one in simulator.player.watched] == ["len(s.iceberg)"]


def test_a_simulator_copies_its_trace_as_code() -> None:
    simulator = Simulator(BakeryV2(Writers=2))
    simulator.take("start(w1)")
    simulator.further.unfold()
    (code,) = re.findall(r'data-copy="([^"]*)"', simulator._code.html)
    found: dict[str, Any] = {}
    exec(html.unescape(code), found)
    assert permalink(found["trace"]) == permalink(simulator.trace)
