"""An error that a state causes is shown like a violation: with the way there, wherever people look."""

import json
import re

import pytest

from tests.checking.failing import PARTS, failing, failing_late
from workbench import check, simulate
from workbench.checking.following.scenario import scenario
from workbench.checking.following.validate import validate
from workbench.checking.walks.result import WalkRule
from workbench.commands import cli
from workbench.formats.recording import Observation, Recording
from workbench.kernel import ModelError, replay
from workbench.showing.panel import Workbench
from workbench.showing.view import report, result_view, simulation_view, trace_view

FILE = """
from tests.checking.failing import failing

class Failing(failing("invariant")):
    pass

class Acting(failing("action")):
    pass
"""
SAID = r"property Fine \(failing.py:\d+\) raised ZeroDivisionError: .*division.* by zero"


def checked(error, last):
    """The trace that an error carries, which the model takes again, and which ends where `n` is `last`."""
    trace = error.value.trace
    assert replay(trace.model, trace.start, trace.moves).states == trace.states
    assert trace.last.n == last
    return trace


@pytest.mark.parametrize("part", [part for part in PARTS if part != "goal"])
def test_walks_show_how_they_got_there(part):
    with pytest.raises(ModelError, match="raised ZeroDivisionError") as error:
        simulate(failing(part)(), rule=WalkRule(walks=5), workers=1)
    assert len(checked(error, PARTS[part])) == PARTS[part] + 1


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("part", [part for part in PARTS if part != "goal"])
def test_walks_keep_what_they_have_met(part, workers):
    expect_walked(simulate(failing_late(part)(), rule=WalkRule(walks=5), workers=workers), part)


@pytest.mark.spark
def test_walks_on_spark_keep_what_they_have_met(spark):
    expect_walked(simulate(failing_late("action")(), rule=WalkRule(walks=5), workers=2, spark=spark), "action")


def expect_walked(seen, part):
    assert {v.name: v.summary for v in seen.verdicts if v.holds is not None} == {
        "Low": "violated (4 states)",
        "Slow": "violated (3 states)",
        "Two": "reached (3 states)",
    }
    assert {v.why for v in seen.undecided} == {f"an error of the model: {seen.error}"} == {seen.stopped}
    assert "raised ZeroDivisionError" in str(seen.error)
    assert seen.error.trace.last.n == PARTS[part]
    assert seen.as_dict()["error"] == str(seen.error)


def test_a_recording_and_a_scenario_show_how_they_got_there():
    recording = Recording([Observation({0: n}) for n in range(7)])
    with pytest.raises(ModelError) as error:
        validate(failing("action")(), recording)
    assert len(checked(error, 4)) == 5
    with pytest.raises(ModelError) as error:
        scenario(failing("action")(), "s.n == 6")
    assert len(checked(error, 4)) == 5


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(FILE)
    return f"{path}:Failing"


@pytest.mark.parametrize("command", [["check"], ["walk", "--walks", "5"]])
def test_the_terminal_and_files(own, command, tmp_path, capsys):
    html = tmp_path / "trace.html"
    assert cli.main([command[0], own, *command[1:], "-o", str(html)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert re.search(rf"^workbench: {SAID}$", printed.err, re.MULTILINE)
    assert "  6  up\n       n: 4 -> 5\n" in printed.err
    assert "the trace of the error, 6 states, is written to" in printed.err
    assert re.search(SAID, html.read_text())
    assert cli.main([command[0], own, *command[1:], "--json"]) == 2
    said = json.loads(capsys.readouterr().out)
    assert re.fullmatch(SAID, said["error"])
    assert said["trace_states"] == 6


def test_all_files_are_written_where_an_action_fails(own, tmp_path):
    files = [tmp_path / f"t{ending}" for ending in (".html", ".svg", ".itf.json", ".tlc.json", ".md", ".json")]
    given = [word for file in files for word in ("-o", str(file))]
    assert cli.main(["check", own.replace("Failing", "Acting"), *given]) == 2
    assert all(file.stat().st_size for file in files)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["invariant", "action"])
def test_the_panel_shows_it(part):
    panel = Workbench(failing(part))
    assert panel.session.ended(300)
    for html in (panel.bar.status.html, panel.static().html()):
        assert "raised ZeroDivisionError" in html
        assert trace_view(panel.session.led_to_error).html() in html
    assert str(panel.session.led_to_error.last.n) in panel.static().text()
    panel.close()


@pytest.mark.slow
@pytest.mark.parametrize("part", ["invariant", "action"])
def test_the_panel_shows_it_beside_what_was_found(part):
    panel = Workbench(failing_late(part))
    result = panel.session.wait(300)
    assert panel.session.selected == "Low"
    assert "incomplete: an error of the model" in panel.bar.progress.html
    for html in (panel.bar.status.html, panel.static().html()):
        assert trace_view(result.error.trace).html() in html
    assert "Low" in panel.bar.list.html
    assert panel.session.live
    panel.close()


def test_views_show_it_beside_what_was_found():
    result = check(failing_late("action")())
    for shown in (result_view(result).html(), result_view(result).text(), report(result), result.text(), repr(result)):
        assert "an error of the model: action up" in shown
    assert trace_view(result.error.trace).html() in report(result)
    seen = simulate(failing_late("action")(), rule=WalkRule(walks=5), workers=1)
    assert "an error of the model: action up" in simulation_view(seen).html()
