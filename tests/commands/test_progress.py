"""How far a command is: plain lines on standard error where there is no terminal, and not too many of them."""

import json
import signal
import sys
import threading
from io import StringIO
from math import comb

import pytest

from workbench.checking.check import check
from workbench.commands.cli import main
from workbench.commands.output import progress
from workbench.commands.output.progress import SECONDS_PER_LINE, SparseLines, progress_text
from workbench.kernel import Model, Variable, action, choose, initial, require
from workbench.kernel.meaning.budget import Decided, Limits, Progress, Stop, Watch
from workbench.kernel.meaning.properties import DEADLOCK


class Wide(Model):
    """One level of 5,000 states, for each of which the model's Python is called."""

    n = Variable(0)
    done = Variable(False)

    @initial
    def begin(self, s):
        s.n = choose(range(5000))

    @action
    def finish(self, s):
        require(not s.done and s.n >= 0, "done")
        s.done = True


def test_a_line_every_few_seconds_and_none_at_once(capsys):
    now = 100.0
    lines = SparseLines(lambda: now)
    for step in (0, SECONDS_PER_LINE - 1, 1, 1, SECONDS_PER_LINE, 0):
        now += step
        lines(f"at {now - 100:g}")
    assert capsys.readouterr().err.splitlines() == [f"at {SECONDS_PER_LINE:g}", f"at {2 * SECONDS_PER_LINE + 1:g}"]


def test_a_line_says_where_the_search_is():
    assert progress_text(Progress(3, 1200, 400, 2.0, 0)) == "level 3: 1,200 states, 400 to expand, 600 states/s, 2 s"
    assert progress_text(Progress(1, 1, 1, 0.0, 0)) == "level 1: 1 state, 1 to expand, 0 s"
    assert progress_text(Progress(1, 1, 1, 60.0, 0)) == "level 1: 1 state, 1 to expand, 60 s"  # and not 0 states/s
    levels = tuple(comb(12, members) for members in range(9))
    assert progress_text(Progress(9, 3797, 495, 1.0, 0, levels=levels)) == (
        "level 9: 3,797 states, 495 to expand, 3,797 states/s, 1 s\n  about 4,100 in all, 0 s more"
    )


def test_a_terminal_makes_only_the_texts_that_it_shows(monkeypatch):
    """Its own thread does: a search may report thousands of times a second."""
    terminal, makers = StringIO(), []
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")

    def told(number):
        makers.append(threading.current_thread())
        return f"at {number}"

    with progress.progress_line(text=told) as line:
        line(7)
        assert threading.main_thread() not in makers
    assert "at 7" in terminal.getvalue()


@pytest.fixture
def always(monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_PER_LINE", 0)


def test_standard_output_stays_clean(always, capsys):
    assert main(["check", "bakery", "--set", "Writers=2", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["complete"]
    assert "level 1: " in err
    assert not {"\r", "\x1b"} & set(err)


def test_lines_of_configurations_say_which(always, capsys):
    path = "specs/bakery/documented_v1.toml"
    assert main(["check", path]) == 0
    out, err = capsys.readouterr()
    assert f"{path}: level 1: " in err
    assert f"1/1 {path}" in err
    assert "level" not in out


def test_quick_commands_are_silent(capsys):
    assert main(["check", "bakery", "--set", "Writers=2"]) == 0
    assert capsys.readouterr().err == ""


SAID = "Inv is violated after 4 steps; the search goes on (Ctrl-C ends it)"


def interrupt_at(fact, lines):
    """Have Ctrl-C pressed once the lines on standard error say it."""

    def text(at):
        if fact in lines(at):
            signal.raise_signal(signal.SIGINT)
        return lines(at)

    return text


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_violation_is_said_once_while_the_search_goes_on(always, capsys, growing, options):
    assert main(["check", growing, "--max-states", "40", *options]) == 1
    out, err = capsys.readouterr()
    assert err.splitlines().count(SAID) == 1
    assert "level 30: " in err.partition(SAID)[2]
    assert "Inv is violated" not in out


def test_control_c_then_gives_the_verdict_with_its_trace(always, monkeypatch, capsys, growing):
    monkeypatch.setattr("workbench.commands.check.findings", interrupt_at(SAID, progress.findings))
    assert main(["check", growing]) == 1
    out, err = capsys.readouterr()
    assert SAID in err
    assert "INCOMPLETE: interrupted" in out
    assert "violated (5 states)      Inv" in out
    assert "f[0]: 3 -> 4" in out


def test_configurations_say_which_of_them_is_violated(always, capsys, growing, tmp_path):
    one = tmp_path / "one.toml"
    one.write_text(f'model = "{growing}"\nproperties = ["Inv"]\n')
    assert main(["check", str(one), "--max-states", "40"]) != 0
    assert [line for line in capsys.readouterr().err.splitlines() if SAID in line] == [f"{one}: {SAID}"]


def test_a_quick_check_says_a_violation_with_its_verdicts_alone(capsys, growing):
    assert main(["check", growing, "--max-states", "40"]) == 1
    out, err = capsys.readouterr()
    assert (err, "violated (5 states)      Inv" in out) == ("", True)


def test_a_terminal_shows_what_is_found_beside_the_progress(monkeypatch):
    terminal = StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress.progress_line(text=progress_text, findings=progress.findings) as line:
        line(Progress(5, 5, 1, 0.0, 0, (Decided(DEADLOCK, 4),)))
    assert SAID.replace("Inv", "Deadlock") in terminal.getvalue()


@pytest.mark.slow
def test_progress_is_told_and_budgets_are_kept_also_while_much_is_learnt():
    reports = []
    whole = check(Wide(), watch=Watch(on_progress=reports.append), engine="local")
    assert whole.levels == [5000, 5000]
    assert sum(at.level == 1 for at in reports) >= 5
    again = []
    stopped = check(Wide(), watch=Watch(should_stop=lambda: len(again) >= 24, on_progress=again.append), engine="local")
    assert stopped.stopped == "stopped on request"
    assert 5000 < stopped.distinct < 10000


def test_a_search_that_begins_again_is_not_stopped_before_it_is_as_far():
    """Else what it had found would be lost, if the stop comes while kernels are loaded."""
    stopping, told = [], []
    limits = Limits(watch=Watch(told.append, lambda: bool(stopping)))
    limits.check(3, 20, 1, lambda: 0)
    stopping.append(True)
    limits.restart()
    limits.check(1, 10, 1, lambda: 0)
    with pytest.raises(Stop, match="stopped on request"):
        limits.check(3, 20, 1, lambda: 0)
    assert [at.states for at in told] == [20, 20]
