"""The machine of a text beside the interpreter: the same states, verdicts and shortest traces, on every engine."""

import json
import pickle
import re

import pytest

from tests.command import python
from tests.fizzbee.test_fizz_meaning import TEXTS, quiet
from workbench import check
from workbench.checking.contract import Local, Spark
from workbench.checking.spaces.space import explore
from workbench.fizzbee.machine.specification import machines_of
from workbench.fizzbee.meaning.search import search
from workbench.fizzbee.meaning.steps import Meaning
from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.state import row_of
from workbench.kernel.meaning.trace import replay
from workbench.kernel.meaning.values import identity
from workbench.showing.panel import Workbench
from workbench.showing.pictures.drawing import picture
from workbench.showing.view.trace.trace import trace_view


def of_interpreter(text):
    result = search(Meaning(text, "Cell.fizz"))
    found = {name: len(trace) for name, trace in (result.violated | result.reached).items()}
    temporal = {a.name for a in Meaning(text, "Cell.fizz").text.assertions.values() if "eventually" in a.operators}
    return result.states, {name: None if name in temporal else steps for name, steps in found.items()}, result.undecided


def of_engine(text, engine, symmetry=None):
    """The states, what is violated or reached in how many states, and what is not decided."""
    machine = machines_of(text)()
    result = check(machine, symmetry=symmetry, engine=engine)
    found = {}
    for verdict in result.verdicts:
        if verdict.holds is False or verdict.kind == "reachable":
            name = "Deadlock" if verdict.name == "OnlyCrashes" else verdict.name
            found[name] = None if verdict.kind == "liveness" else len(verdict.trace or ())
    undecided = [verdict.name for verdict in result.verdicts if verdict.holds is None]
    return states_of(machine) if machine.begun is not None else result.distinct, found, undecided


def states_of(machine):
    """The states of a text that bounds its actions, without their number."""
    seen, queue = set(), [row_of(state) for state in machine.initial_states()]
    while queue:
        row = queue.pop()
        if identity(row) not in seen:
            seen.add(identity(row))
            for instance in machine.instances:
                queue += [row_of(state) for _, state in machine.outcomes(instance, machine.state(row))]
    return len({tuple(part for at, part in enumerate(row) if at != machine.begun) for row in seen})


@pytest.mark.parametrize("engine", ["reference", "local"])
@pytest.mark.parametrize("text", [row[-1] for row in TEXTS], ids=[row[0] for row in TEXTS])
def test_the_engines_say_what_the_interpreter_says(text, engine):
    assert of_engine(quiet(text), engine) == of_interpreter(quiet(text))


LOCK = """---
deadlock_detection: false
---
ROUNDS = 1
STRICT = True
NAME = "lock"
SIZES = [1, 2]
role Client:
    action Init:
        self.held = False
    atomic action Take:
        require not lock.taken or not STRICT
        require self.held == False
        lock.taken = True
        self.held = True
    atomic action Give:
        require self.held
        self.held = False
        lock.taken = False
action Init:
    lock = record(taken = False)
    seen = {"a": (1, None)}
    clients = [Client(), Client()]
atomic action Note:
    any key in ["b", "c"]:
        require key not in seen and len(seen) <= ROUNDS
        seen[key] = 1.5
always assertion Exclusive:
    return len([c for c in clients if c.held]) < 2
exists assertion Held:
    return any([c.held for c in clients])
"""


@pytest.fixture
def lock(tmp_path):
    (tmp_path / "lock.fizz").write_text(LOCK)
    return tmp_path / "lock.fizz"


@pytest.mark.slow
def test_a_file_is_checked_with_its_constants(run, lock):
    answer = run("check", lock, "--engine", "local")
    assert answer.status == 0
    assert "9 distinct states" in answer.out
    answer = run("check", lock, "--set", "STRICT=false", "--engine", "local")
    assert answer.status == 1
    assert "STRICT=off" in answer.out
    assert "Client#1.Take" in answer.out
    assert 'seen: {"a": (1, None)}' in answer.out
    assert "clients: [Client#0, Client#1]" in answer.out
    assert "lock: record(taken = False)" in answer.out
    assert run("check", lock, "--set", "ROUNDS=2", "--engine", "local").out.count("15 distinct states") == 1


@pytest.mark.parametrize("grid", ["ROUNDS=1,2", "NAME=lock,other"])
def test_settings_are_compared(run, lock, grid):
    answer = run("sweep", lock, "--grid", grid)
    assert answer.status == 0
    assert "2 settings" in answer.out


@pytest.mark.slow
def test_a_page_and_a_panel_are_made(run, lock, tmp_path):
    assert run("check", lock, "--set", "STRICT=false", "-o", tmp_path / "lock.html").status == 1
    assert "Client#1.Take" in (tmp_path / "lock.html").read_text()
    panel = Workbench(str(lock), STRICT=False)
    assert panel.session.settle(300)
    assert panel.result["Exclusive"].holds is False
    panel.close()


@pytest.mark.parametrize("words", ["list", "walk --walks 20"])
def test_a_file_is_listed_and_walked(run, lock, words):
    command, *options = words.split()
    answer = run(command, lock, *options)
    assert answer.status == 0
    assert "Exclusive" in answer.out


@pytest.mark.parametrize(
    ("setting", "error"),
    [
        ("ROUNDS=many", "ROUNDS = 'many' is not accepted; it takes an integer"),
        ("SIZES=1", "SIZES = 1 is not accepted; it takes a list of texts, integers, true and false, such as [1, 2]"),
        ("SIZE=1", "unknown constant of lock 'SIZE'"),
    ],
)
def test_settings_are_refused(run, lock, setting, error):
    answer = run("check", lock, "--set", setting)
    assert answer.status == 2
    assert error in answer.err


SET = """---
deadlock_detection: false
---
Mode = enum("COPY", "MERGE")
MODE = Mode.MERGE
KEYS = ["jack", "sarah"]
action Init:
    seen = []
atomic action See:
    any key in KEYS:
        require key not in seen
        seen.append(key)
always assertion Merges:
    return MODE == Mode.MERGE
always assertion Writable:
    return [key for key in KEYS] + [1] != KEYS
"""


@pytest.mark.parametrize(
    ("settings", "states", "merges"),
    [
        ([], 5, True),
        (['KEYS=["jack"]'], 2, True),
        (['KEYS=["a","b","c"]', "MODE=COPY"], 16, False),
        (["KEYS=[]"], 1, True),
    ],
)
def test_a_list_and_a_member_of_an_enum_are_set(run, tmp_path, settings, states, merges):
    (tmp_path / "keys.fizz").write_text(SET)
    options = [part for setting in settings for part in ("--set", setting)]
    answer = run("check", tmp_path / "keys.fizz", *options, "--engine", "reference", "--json")
    result = json.loads(answer.out)
    assert (result["distinct"], result["properties"][0]["holds"]) == (states, merges)


@pytest.mark.parametrize(
    ("setting", "error"),
    [
        ("MODE=COP", "MODE = 'COP' is not accepted; it takes one of COPY, MERGE"),
        ("KEYS=jack", "KEYS = 'jack' is not accepted; it takes a list"),
        ("KEYS=[1.5]", "KEYS = [1.5] is not accepted; it takes a list"),
        ("KEYS=[[1]]", "KEYS = [[1]] is not accepted; it takes a list"),
    ],
)
def test_what_is_no_list_or_no_member_is_refused(run, tmp_path, setting, error):
    (tmp_path / "keys.fizz").write_text(SET)
    answer = run("check", tmp_path / "keys.fizz", "--set", setting)
    assert (answer.status, error in answer.err) == (2, True)


def test_mistakes_have_their_place(run, lock):
    lock.write_text(LOCK.replace("require self.held\n", "require (self.held\n"))
    answer = run("check", lock)
    assert answer.status == 2
    assert "lock.fizz:18:9: ')' is expected" in answer.err
    lock.write_text(LOCK.replace("ROUNDS = 1", "ROUNDS = 1 // 0"))
    answer = run("check", lock)
    assert answer.status == 2
    assert "lock.fizz:4:12: division by zero" in answer.err
    answer = run("check", f"{lock}:other.cfg")
    assert answer.status == 2
    assert "lock.fizz takes neither a configuration nor folders" in answer.err


def test_a_hostile_file_is_refused(run, lock, tmp_path):
    reach = "().__class__.__base__.__subclasses__()[0]"
    lock.write_text(LOCK.replace("ROUNDS = 1", f"ROUNDS = {reach}"))
    answer = run("check", lock)
    assert answer.status == 2
    assert "names that begin with __ are not read: __class__" in answer.err
    assert [file.name for file in tmp_path.iterdir()] == ["lock.fizz"]


def test_what_disables_a_step_is_said_in_the_words_of_the_text():
    machine = machines_of(LOCK, "lock")()
    (start,) = machine.initial_states()
    give = next(instance for instance in machine.instances if instance.label == "Client#0.Give")
    assert machine.why_disabled(give, start) == "require self.held (lock.fizz:17:9)"
    note = next(instance for instance in machine.instances if instance.label == "Note")
    assert [note.label_with(outcome.choices) for outcome, _ in machine.outcomes(note, start)] == [
        'Note(key="b")',
        'Note(key="c")',
    ]
    assert (give.lane, note.lane) == ("Client#0", "")


REASONS = r"""
always assertion Member:
  for a in accounts:
    if accounts[a] < 0:
      return False
  return True
# accounts[a] < 0 is true for a = "y": accounts[a] is -1 (Cell.fizz:3:8)

always assertion Part:
  return moved >= 0 and accounts["x"] + moved <= LIMIT
# accounts["x"] + moved <= LIMIT is false: accounts["x"] + moved is 7, LIMIT is 4 (Cell.fizz:2:25)

always assertion All:
  return all([accounts[a] >= 0 for a in accounts])
# accounts[a] >= 0 is false for a = "y": accounts[a] is -1 (Cell.fizz:2:15)

always assertion Any:
  return any([accounts[a] > 6 for a in accounts])
# any([accounts[a] > 6 for a in accounts]) is false: accounts is {"x": 1, "y": 1} (Cell.fizz:2:10)

always assertion Otherwise:
  total = 0
  for a in accounts:
    for b in [a]:
      total += accounts[b]
      if total < 0:
        pass
      elif not (moved > 1 and total == 4):
        continue
      else:
        return moved if total == 9 else None
  return True
# total == 9 is false for a = "y", b = "y": total is 4 (Cell.fizz:11:25)

always assertion Branch:
  if moved == 0:
    return True
  elif moved == 1:
    return True
  else:
    return False
# moved == 0 is false: moved is 2 (Cell.fizz:2:6); moved == 1 is false: moved is 2 (Cell.fizz:4:8)

always assertion Other:
  low = accounts["y"]
  if low < 0:
    low = 1
    return False
  return True
# it ends here (Cell.fizz:5:5)

always assertion Nothing:
  if moved < 2:
    return True
# it ends without a return (Cell.fizz:1:18)

transition assertion Step(was, now):
  return now.accounts["y"] - was.moved > -2
# now.accounts["y"] - was.moved > -2 is false for was.moved = 1: now.accounts["y"] - was.moved is -2 (Cell.fizz:2:10)
"""
INIT = """
action Init:
  accounts = {"x": 1, "y": 1}
  LIMIT = 4
  moved = 0

atomic action Move:
  require moved < 2
  accounts["x"] += 2
  accounts["y"] -= 1
  moved += 1
"""


@pytest.mark.parametrize("row", REASONS.strip().split("\n\n"), ids=lambda row: row.split(":")[0].split()[2])
def test_why_an_assertion_is_false_is_said_in_the_words_of_the_text(row):
    text, _, expected = row.partition("\n# ")
    machine = machines_of(f"{text}\n{INIT}", "Cell")()
    (verdict,) = check(machine, [re.match(r"\w+ assertion (\w+)", text)[1]]).verdicts
    assert verdict.why.removeprefix("Move: ") == expected


CHANGES = """
action Init:
  r = record(kind="A", files=[1], by={"x": 1, "y": 2}, seen=set([1]))
  b = [0]
  name = "a"

atomic action Change:
  r.kind = "B"
  r.by["x"] = 3
  r.seen.add(2)
  r.files = b

atomic action Turn:
  r.by = {"y": 2, "x": 1}
"""


CHOSEN = """
role Node:
    action Init:
        self.first = record(at = 1)
        self.other = record(at = 1)
        self.none = 0
        self.seen = 0
    atomic action Look:
        one = any [self.none, self.first, self.other] if one != 0
        self.seen = one.at
action Init:
    node = Node()
"""


def test_a_chosen_record_is_named_by_what_holds_it_and_a_role_has_its_fields():
    machine = machines_of(CHOSEN, "chosen")()
    (look,) = machine.instances
    (start,) = machine.each_initial_state()
    labels = [look.label_with(outcome.choices) for outcome, _ in machine.outcomes(look, start)]
    assert labels == ["Node#0.Look(one=self.first)", "Node#0.Look(one=self.other)"]
    declared = machine.declared.variables
    assert [declared[name].per for name in ("node", "Node_seen", "threads")] == [None, "Node", None]


def test_a_change_is_told_by_fields_keys_and_members():
    machine = machines_of(CHANGES, "changes")()
    (start,) = machine.initial_states()
    changes = {
        instance.label: [str(part) for change in start.changes_to(state) for part in change.parts]
        for instance in machine.instances
        for _, state in machine.outcomes(instance, start)
    }
    assert changes == {
        "Change": [
            'r.by["x"]: 1 -> 3',
            "r.files: [1] -> [0]",
            'r.kind: "A" -> "B"',
            "r.seen: + 2",
            "sharing[r]: + one object: r/1, b",
            "sharing[b]: + one object: r/1, b",
        ],
        "Turn": ['r.by: {"x": 1, "y": 2} -> {"y": 2, "x": 1}'],
    }
    assert explore(machine).table()["name"][0] == '"a"', "a table has the text's words, too"


def test_what_is_one_object_is_told_where_nothing_else_changes():
    text = """---
deadlock_detection: false
---
action Init:
  a = [1]
  b = [1]

atomic action Join:
  require len(a) == 1
  b = a

atomic action Part:
  require len(a) == 1
  a = [1, 2]
  b = a

always assertion Short:
  return len(b) == 1
"""
    machine = machines_of(text)()
    joined = check(machine, properties=["Short"])["Short"].trace
    assert str(joined).splitlines()[-2:] == ["       a: + 2", "       b: + 2"]
    assert "one object" not in str(joined)
    [join] = [i.number for i in machine.instances if i.label == "Join"]
    told = str(replay(machine, 0, [(join, 0)])).splitlines()
    assert told[-2:] == ["       sharing[a]: + one object: a, b", "       sharing[b]: + one object: a, b"]
    drawn = picture(machine, joined.last, joined.states[0]).svg
    assert ("2. 2" in drawn, "sharing" in drawn) == (True, False)
    views = trace_view(replay(machine, 0, [(join, 0)])), trace_view(joined), trace_view(joined, variables=["sharing"])
    changes = [[str(change.cell) for change in view.steps[1].changes] for view in views]
    assert changes == [["sharing[a]", "sharing[b]"], ["a", "b"], ["sharing[a]", "sharing[b]"]]


def test_an_error_with_another_constant_leaves_the_answer(run, tmp_path):
    path = tmp_path / "wrong.fizz"
    path.write_text(
        "WRONG = False\naction Init:\n  n = 0\natomic action Go:\n  require n < 2\n  if WRONG:\n    n = None + 1\n"
        "  n = n + 1\nalways assertion Low:\n  return n < 2\n"
    )
    status, out, _ = run("check", str(path))
    assert status == 1
    assert "Low" in out


def test_roles_that_come_or_go_are_refused():
    text = LOCK.replace("any key in", "clients.append(Client())\n    any key in")
    with pytest.raises(ModelError, match=r"lock\.fizz:24:15: Client#2 is created after Init, where it has no cells"):
        check(machines_of(text, "lock"), engine="reference")
    text = LOCK.replace("any key in", "clients.pop()\n    any key in")
    with pytest.raises(ModelError, match=r"nothing leads to Client#1 any more"):
        check(machines_of(text, "lock"), engine="reference")


def test_a_machine_is_opened_again_elsewhere():
    machine = machines_of(LOCK, "lock")(STRICT=False)
    again = pickle.loads(pickle.dumps(machine))
    assert type(again) is type(machine)
    assert again.constants == machine.constants
    code = f"import pickle; m = pickle.loads({pickle.dumps(machine)!r}); print(m, m.constants['ROUNDS'])"
    assert python(code).stdout.strip() == "lock(STRICT=False) 1"


@pytest.mark.spark
def test_it_is_searched_on_spark(spark, tmp_path):
    machine = machines_of(LOCK, "lock")(STRICT=False)
    local, there = (check(machine, engine=engine) for engine in (Local(), Spark(spark, tmp_path / "run")))
    assert local.distinct == there.distinct
    assert [(v.name, v.holds) for v in local.verdicts] == [(v.name, v.holds) for v in there.verdicts]


@pytest.mark.slow
def test_a_cell_of_a_notebook(tmp_path):
    code = f"""
from IPython.testing.globalipapp import start_ipython
shell = start_ipython()
import workbench
shell.run_cell_magic("fizz", "Lock", {LOCK!r})
print(shell.user_ns["Lock"](STRICT=False))
"""
    assert "Lock(STRICT=False)" in python(code).stdout
