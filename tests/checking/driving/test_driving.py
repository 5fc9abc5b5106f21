"""Driving: real processes take the steps of a trace in its order, and whatever they do, nothing false comes of it."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench.checking import driving
from workbench.checking.driving import ActorError, Compared, Processes, StepRequest, covering, drive, follow, traces
from workbench.kernel import InputError, Model, Process, Variable, action, machine_of, replay, require
from workbench.kernel.meaning.text import Styled

#: A clerk who adds to a number in a file, notes what was done in another one, and holds a pipe open while it lives.
CLERK = """
import json, os, pathlib, sys
for line in sys.stdin:
    request = json.loads(line)
    folder = pathlib.Path(request["folder"])
    if request["do"] == "begin":
        pipe = open(folder / "alive", "w")
        answer = {"verdict": "done", "said": "good morning"}
    elif request["do"] == "read":
        seen = int((folder / "number").read_text())
        answer = {"verdict": "done", "said": f"it has read {seen}", "pid": os.getpid()}
    elif request["how"] != "done":
        answer = {"verdict": request["how"], "said": "it will not"}
    else:
        (folder / "number").write_text(str(seen + 1))
        answer = {"verdict": "done", "said": f"it has written {seen + 1}"}
    with (folder / "log").open("a") as log:
        print(request["do"], request["who"], file=log)
    print(json.dumps(answer), flush=True)
"""
#: A clerk who is there, and then does something else when it is to read.
BEGINS = """
import json, os, pathlib, sys, time, signal, subprocess
request = json.loads(sys.stdin.readline())
pipe = open(pathlib.Path(request["folder"]) / "alive", "w")
def say(text):
    print(text, flush=True)
say('{"verdict": "done", "said": "good morning"}')
if not sys.stdin.readline():
    sys.exit()
"""


class Pipe:
    """A named pipe, which is at its end when nobody holds it any more."""

    def __init__(self, path):
        os.mkfifo(path)
        self.file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def read(self):
        """What somebody writes to it next, or nothing at its end; a process that never ends would hold up the tests."""
        assert select.select([self.file], [], [], 60)[0], "it is still held"
        return os.read(self.file, 100).decode()


class LostUpdate(Model):
    """Two clerks add one to a number."""

    clerks = ("c1", "c2")
    clerk = Process(per="clerks")
    number = Variable(0)
    pc = Variable("Read", per="clerks")
    seen = Variable(0, per="clerks")

    @action(clerk)
    def read(self, s, c):
        require(s.pc[c] == "Read", f"{c} has read")
        s.seen[c] = s.number
        s.pc[c] = "Write"

    @action(clerk)
    def write(self, s, c):
        require(s.pc[c] == "Write", f"{c} has nothing to write")
        s.number = s.seen[c] + 1
        s.pc[c] = "Done"


class Clerks:
    """Drives the clerks; `how` the last one is to answer to its write, and what the model says of that."""

    name = "clerks"

    def __init__(self, program=CLERK, how="done", foretold="done", number=None):
        self.program, self.how, self.foretold, self.number = program, how, foretold, number

    def command(self):
        return [sys.executable, "-c", self.program]

    def course(self, trace, folder):
        return Day(self, trace, folder)


class Day:
    def __init__(self, driver, trace, folder):
        self.driver, self.folder, self.actors = driver, folder, trace.model.author.clerks
        self.pids = {}

    def begin(self, ask):
        (self.folder / "number").write_text("0")
        self.alive = Pipe(self.folder / "alive")
        for actor in self.actors:
            ask(actor, {"do": "begin", "who": actor, "folder": str(self.folder)})
        Day.latest = self

    def request(self, before, step):
        do = step.label.partition("(")[0]
        is_last = before.pc[step.lane] == "Write" and sorted(before.pc.values()) == ["Done", "Write"]
        how, foretold = (self.driver.how, self.driver.foretold) if is_last else ("done", "done")
        return StepRequest(step.lane, {"do": do, "who": step.lane, "folder": str(self.folder), "how": how}, foretold)

    def compare(self, step, answer):
        if "pid" in answer.facts:
            self.pids[step.lane] = answer.facts["pid"]
        number = self.driver.number or int((self.folder / "number").read_text())
        yield driving.compared("the number", step.state.number, number)

    def conclude(self, trace):
        yield driving.compared("the number", trace.last.number, int((self.folder / "number").read_text()))

    def everybody_is_gone(self):
        """Wait until no process holds the pipe."""
        return self.alive.read() == ""


def trace_of(*labels):
    """The behaviour that takes these steps."""
    model = machine_of(LostUpdate())
    numbers = {instance.label: instance.number for instance in model.instances}
    return replay(model, 0, [(numbers[label], 0) for label in labels])


LOST = trace_of("read(c1)", "read(c2)", "write(c2)", "write(c1)")


def test_processes_of_their_own_take_the_steps_in_the_order_of_the_trace(tmp_path):
    driven = drive(LOST, Clerks(), keep=tmp_path / "kept")
    assert driven.holds is True
    assert [(step.label, step.verdict, step.said) for step in driven.steps] == [
        ("read(c1)", "done", "it has read 0"),
        ("read(c2)", "done", "it has read 0"),
        ("write(c2)", "done", "it has written 1"),
        ("write(c1)", "done", "it has written 1"),
    ]
    assert driven.compared == (Compared("the number", "1", "1", True),)
    log = (tmp_path / "kept" / "log").read_text().splitlines()
    assert log == ["begin c1", "begin c2", "read c1", "read c2", "write c2", "write c1"]
    pids = Day.latest.pids
    assert len({os.getpid(), *pids.values()}) == 3
    assert Day.latest.everybody_is_gone()
    json.dumps(driven.as_dict())


@pytest.mark.slow
@pytest.mark.parametrize("verdict", ["refused", "impossible"])
def test_what_the_system_does_not_do_is_as_foretold_only_if_the_model_foretells_it(verdict):
    unforeseen = drive(LOST, Clerks(how=verdict))
    assert unforeseen.holds is False
    assert unforeseen.why == f"not as predicted: step 4, write(c1), is {verdict}: it will not"
    styles = [line.style for line in unforeseen.styled() if isinstance(line, Styled)]
    assert styles == [None, "yes", "yes", "yes", "no", None, "yes"]
    assert drive(LOST, Clerks(how=verdict, foretold=verdict)).holds is True
    assert drive(LOST, Clerks(how="done", foretold=verdict)).why.startswith("not as predicted: step 4")


def test_the_drive_ends_with_what_is_not_as_foretold(tmp_path):
    driven = drive(LOST, Clerks(number=7), keep=tmp_path)
    assert driven.why == "not as predicted: after step 1, read(c1), the number is 7, not 0"
    assert (tmp_path / "log").read_text().splitlines()[2:] == ["read c1"]
    assert driven.as_dict()["not_tried"] == ["read(c2)", "write(c2)", "write(c1)"]
    assert driven.compared == (Compared("the number", "0", "0", True),)


def test_what_is_refused_is_compared_with_the_state_before(tmp_path):
    driven = drive(LOST, Clerks(how="refused"))
    assert driven.compared == (Compared("the number", "1", "1", True),)
    first = drive(trace_of("read(c1)", "write(c1)", "read(c2)", "write(c2)"), Clerks(how="refused"))
    assert first.compared == (Compared("the number", "1", "1", True),)  # and not 2, which is the trace's end


def test_one_set_of_processes_follows_many_traces(tmp_path):
    driver = Clerks()
    with Processes(driver.command()) as processes:
        seen = set()
        for number, labels in enumerate([["read(c1)"], ["read(c1)", "read(c2)"], ["read(c1)", "write(c1)"]]):
            (folder := tmp_path / str(number)).mkdir()
            assert follow(trace_of(*labels), driver, processes, folder).holds is True
            seen.add(Day.latest.pids["c1"])
    assert len(seen) == 1
    assert Day.latest.everybody_is_gone()


def test_after_a_trace_that_was_not_decided_the_next_one_has_new_processes(tmp_path):
    before = "    print(json.dumps(answer)"
    ends = "    if folder.name == 'first' and request['do'] == 'read':\n        sys.exit()\n"
    driver = Clerks(CLERK.replace(before, ends + before))
    with Processes(driver.command()) as processes:
        for name, decided in (("first", None), ("second", True)):
            (tmp_path / name).mkdir()
            assert follow(LOST, driver, processes, tmp_path / name).holds is decided


# Processes that misbehave --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("does", "why"),
    [
        ("sys.exit(3)", "c1 has ended with status 3"),
        (
            "raise LookupError('no such\\x1b[31m table')",
            "c1 has ended with status 1: LookupError: no such\\x1b[31m table",
        ),
        ("os.kill(os.getpid(), signal.SIGKILL)", "c1 has ended by signal 9"),
        ("os.close(1); time.sleep(1000)", "c1 has closed its standard output"),
        ("say('hello\\x1b[31m'); time.sleep(1000)", "c1 says hello\\x1b[31m: the answer is not JSON"),
        ("say('[1]'); time.sleep(1000)", "c1 says [1]; it takes an object with 'verdict', done, refused or impossible"),
        (
            """say('{"verdict": "perhaps", "said": ""}'); time.sleep(1000)""",
            'c1 says {"verdict": "perhaps", "said": ""}',
        ),
        ("""say('{"verdict": "done", "said": 1}'); time.sleep(1000)""", 'c1 says {"verdict": "done", "said": 1}; it'),
        ("""say('{"verdict": "done"}'); time.sleep(1000)""", 'c1 says {"verdict": "done"}; it takes'),
        ("os.write(1, b'\\xff\\n'); time.sleep(1000)", "c1 says \N{REPLACEMENT CHARACTER}"),
        ("\nwhile True: os.write(1, b'x' * 1000)", "c1 says more than 65,536 bytes in a line"),
    ],
)
def test_from_a_process_that_misbehaves_nothing_follows(does, why):
    driven = drive(LOST, Clerks(BEGINS + does))
    assert driven.holds is None
    assert driven.stopped.startswith(why)
    assert driven.why == f"not decided: {driven.stopped}"
    assert driven.steps == driven.compared == ()
    assert Day.latest.everybody_is_gone()


@pytest.mark.slow
def test_a_process_that_takes_too_long_is_ended():
    driven = drive(LOST, Clerks(BEGINS + "time.sleep(1000)"), time_limit=2)
    assert driven.holds is None
    assert driven.stopped == "c1 has not answered within the time limit"
    assert Day.latest.everybody_is_gone()


def test_a_process_that_has_ended_before_it_is_asked_is_no_broken_pipe():
    with Processes([sys.executable, "-c", ""]) as processes:
        actor = processes["c1"]
        os.waitid(os.P_PID, actor.pid, os.WEXITED | os.WNOWAIT)
        with pytest.raises(ActorError, match=r"^c1 has ended with status 0$"):
            actor.ask({"do": "read"}, time.monotonic() + 60)


def test_the_last_words_of_a_process_are_heard():
    driven = drive(trace_of("read(c1)"), Clerks(BEGINS + """say('{"verdict": "impossible", "said": "farewell"}')"""))
    assert driven.why == "not as predicted: step 1, read(c1), is impossible: farewell"


def test_what_is_said_elsewhere_keeps_nobody_waiting():
    says = (
        'os.write(2, b\'x\' * 5_000_000); say(\'{"verdict": "done", "said": "' + "y" * 5000 + "\"}'); time.sleep(1000)"
    )
    driven = drive(trace_of("read(c1)"), Clerks(BEGINS + says))
    assert driven.holds is True
    assert driven.steps[0].said == "y" * 300 + "..."


def test_what_a_process_has_started_ends_with_it():
    starts = "subprocess.Popen(['sleep', '1000'], pass_fds=[pipe.fileno()])\npipe.close()\nsys.exit()"
    driven = drive(LOST, Clerks(BEGINS + starts))
    assert driven.stopped == "c1 has ended with status 0"  # although there is somebody who could still answer
    assert Day.latest.everybody_is_gone()


#: Drives clerks of whom the first never answers, in a process of its own.
SILENT = """
import sys
sys.path.insert(0, {tests!r})
from test_driving import BEGINS, LOST, Clerks
from workbench.checking.driving import drive
asked = "pipe = open({pipe!r}, 'w'); pipe.write('asked'); pipe.flush(); sys.stdin.read()"
print(drive(LOST, Clerks(BEGINS + asked), keep={kept!r}).why)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("number", "said"), [(signal.SIGINT, "not decided: interrupted\n"), (signal.SIGKILL, "")])
def test_with_the_driver_its_processes_end(number, said, tmp_path):
    """Whoever is killed ends nobody; but then there is nobody any more whom an actor could read from."""
    pipe = Pipe(tmp_path / "pipe")
    folders = {"pipe": str(tmp_path / "pipe"), "kept": str(tmp_path / "kept")}
    script = SILENT.format(tests=str(Path(__file__).parent), **folders)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert pipe.read() == "asked"
        process.send_signal(number)
        assert pipe.read() == ""
        assert process.communicate()[0] == said


# What is not driven --------------------------------------------------------------------------------------------------


def test_what_cannot_be_driven_is_refused(tmp_path):
    (tmp_path / "something").touch()
    with pytest.raises(InputError, match="is not empty; give a new folder"):
        drive(LOST, Clerks(), keep=tmp_path)
    with pytest.raises(InputError, match="cannot be used: "):
        drive(LOST, Clerks(), keep=tmp_path / "something")
    absent = Clerks()
    absent.command = lambda: ["/no/such/program"]
    with pytest.raises(InputError, match=r"^'/no/such/program' cannot be started: No such file or directory$"):
        drive(LOST, absent)


class Forth(Model):
    """Goes to and fro."""

    n = Variable(0)

    @action
    def step(self, s):
        s.n = 1 - s.n


def test_a_trace_that_goes_round_for_ever_is_refused():
    with pytest.raises(InputError, match="goes round for ever cannot be driven; give one that ends"):
        drive(replay(Forth(), 0, [(0, 0), (0, 0)], loop=0), Clerks())


# Traces that are worth driving ---------------------------------------------------------------------------------------


def labels(trace):
    return [step.label for step in trace.steps[1:]]


def test_traces_of_each_action_and_of_each_pair_that_is_in_conflict():
    """Two clerks may read in any order, and also write; who reads before the other writes, reads something else."""
    assert {names: labels(trace) for names, trace in covering(LostUpdate()).items()} == {
        ("read",): ["read(c1)"],
        ("write",): ["read(c1)", "write(c1)"],
        ("write", "read"): ["read(c1)", "write(c1)", "read(c2)"],
        ("read", "write"): ["read(c1)", "read(c2)", "write(c1)"],
    }


def test_a_space_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(traces, "MOST_STATES", 3)
    with pytest.raises(InputError, match=r"^lost_update has more than 3 states; choose smaller constants$"):
        covering(LostUpdate())
