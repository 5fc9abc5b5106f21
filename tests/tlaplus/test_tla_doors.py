"""Machines of modules come in by every door, as models do."""

import pickle
import re

import pytest

from tests.command import python
from tests.tlaplus.test_tla_machine import HEAD, LOCK, TURNS
from tests.tlaplus.trees import module_of
from workbench import check, tla
from workbench.checking.contract import Local, Spark
from workbench.checking.runs import resume
from workbench.checking.spaces.dataset import load
from workbench.formats.code import check_as_code, trace_as_code
from workbench.kernel import InputError
from workbench.registry import completed
from workbench.showing.panel import Workbench
from workbench.tlaplus.layout import sample
from workbench.tlaplus.machine.specification import module_of_cell, open_module


@pytest.fixture(params=[0, 4], ids=["one cell each", "spread"])
def lock(tmp_path, monkeypatch, request):
    """A file of Python that opens a module, as commands name it."""
    monkeypatch.setattr(sample, "MOST_STATES", request.param)
    (tmp_path / "M.tla").write_text(module_of(LOCK))
    (tmp_path / "Turns.tla").write_text(TURNS)
    cfg = f"{HEAD} SPECIFICATION Fair INVARIANTS Exclusive Small PROPERTY Served SYMMETRY Symmetric"
    (tmp_path / "M.cfg").write_text(cfg)
    imported = "from workbench.tlaplus.machine.specification import open_module\n"
    opened = f"{imported}Lock = open_module({str(tmp_path / 'M.tla')!r})\n"
    (tmp_path / "lock.py").write_text(opened)
    return f"{tmp_path / 'lock.py'}:Lock"


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["auto", "local", "reference"])
def test_it_is_checked(run, lock, engine):
    answer = run("check", lock, "--set", "Procs={p1, p2}", "--engine", engine)
    assert answer.status == 1
    assert "holds" in answer.out
    assert "--property Small" in answer.out


@pytest.mark.slow
def test_its_settings_are_compared(run, lock):
    assert "2 settings" in run("sweep", lock, "--grid", "Limit=1,2").out


@pytest.mark.slow
def test_its_traces_are_read_back(run, lock, tmp_path):
    file = tmp_path / "small.itf.json"
    run("check", lock, "--property", "Small", "-o", file)
    assert "a behaviour of the model: 7 states" in run("validate", lock, file).out


@pytest.mark.slow
@pytest.mark.parametrize("command", [("walk",), ("list",), ("export", "-o", "lock.dot"), ("check", "-o", "lock.html")])
def test_it_is_walked_listed_exported_and_shown(run, lock, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first, *more = command
    answer = run(first, lock, *more)
    assert "unexpected" not in answer.err
    assert answer.status in (0, 1)


def test_it_follows_a_scenario(run, lock, tmp_path):
    (story := tmp_path / "story.txt").write_text("Ask(p2)\nEnter(p2)\n")
    assert "found" in run("scenario", lock, story).out


@pytest.mark.slow
def test_a_panel_opens_on_it(lock, tmp_path):
    panel = Workbench(open_module(tmp_path / "M.tla"))
    assert panel.session.settle(300)
    assert (panel.result["Exclusive"].holds, panel.result["Small"].holds) == (True, False)
    panel.close()


@pytest.mark.slow
def test_it_is_the_same_in_another_process(lock, tmp_path):
    machine = open_module(tmp_path / "M.tla")(Limit=2)
    (tmp_path / "M.tla").unlink()  # it is rebuilt from its texts
    script = f"""
import pickle
from workbench import check
machine = pickle.loads({pickle.dumps(machine)!r})
print(machine.layout.cells, check(machine).distinct)
"""
    printed = {python(script, check=True, PYTHONHASHSEED=seed).stdout for seed in ("1", "2")}
    assert printed == {f"{machine.layout.cells} {check(machine).distinct}\n"}
    assert type(pickle.loads(pickle.dumps(machine))) is type(machine)


@pytest.mark.spark
def test_it_is_searched_on_spark(spark, lock, tmp_path):
    model = open_module(tmp_path / "M.tla")
    asked = ["Exclusive", "Small", "Served"]
    run = tmp_path / "run"
    local, there = (check(model(), asked, engine=engine) for engine in (Local(), Spark(spark, run)))
    assert (there.distinct, there.depth, there.generated) == (local.distinct, local.depth, local.generated)
    for name in asked:
        assert there[name].word == local[name].word
    assert len(there["Small"].trace) == len(local["Small"].trace)
    assert resume(run, model, spark=spark).distinct == local.distinct


@pytest.mark.spark
def test_its_settings_are_compared_on_spark(spark, run, lock):
    assert "2 settings" in run("sweep", lock, "--grid", "Limit=1,2", "--spark").out


@pytest.mark.spark
def test_its_space_is_stored(spark, run, lock, tmp_path):
    assert run("export", lock, "-o", tmp_path / "space").status == 0
    states = check(open_module(tmp_path / "M.tla"), [], symmetry=False).distinct
    assert f"{states} states" in repr(load(tmp_path / "space", spark))


def test_it_is_a_model_with_constants_by_the_name_of_its_file(lock, tmp_path):
    made = tla(f"{tmp_path / 'M.tla'}:M.cfg", Limit=2)
    assert type(made) is open_module(tmp_path / "M.tla")
    assert (made.constants["Limit"], repr(made)) == (2, "M(Limit=2)")
    with pytest.raises(InputError, match="unknown constant of M 'Limits'"):
        tla(str(tmp_path / "M.tla"), Limits=2)


@pytest.mark.parametrize("name", ["bakery", "M.py:Lock", "M.cfg", 3])
def test_what_is_no_file_of_a_module_is_refused(name):
    with pytest.raises(
        InputError, match=r"^module .* is not accepted; it takes the name of a file such as 'Hudi.tla'$"
    ):
        tla(name)


UP = "Up(n) == IF n < 2 THEN n + 1 ELSE 0"


@pytest.fixture
def counter(tmp_path, monkeypatch):
    """The folder of a module whose other module is in the folder lib beside it; seen from the folder of both."""
    for folder in ("here", "lib"):
        (tmp_path / folder).mkdir()
    text = module_of("EXTENDS Up", "VARIABLE x", "Init == x = 0", "Next == x' = Up(x)", "Low == x < 2", name="Counter")
    (tmp_path / "here" / "Counter.tla").write_text(text)
    (tmp_path / "here" / "Low.cfg").write_text("INIT Init NEXT Next INVARIANT Low")
    (tmp_path / "lib" / "Up.tla").write_text(module_of("EXTENDS Naturals", UP, name="Up"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "here"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("check",), "3 distinct states"),
        (("check", "--cfg", "here/Low.cfg"), "/here/Low.cfg:{0}/here:{0}/lib --property Low -o Counter.html"),
        (("walk", "--walks", "1"), "walk"),
        (("sweep", "--grid", "N=1"), "unknown constant of Counter 'N'"),
        (("scenario", "story.txt"), "found"),
        (("export", "-o", "counter.dot"), "counter.dot"),
        (("list",), "Counter\n\nConstants\n"),
        (("validate", "trace.itf.json"), "a behaviour of the model"),
        (("validate", "here/Counter.tla"), "nothing maps Counter to Counter"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_modules_are_searched_for_in_more_folders(run, counter, tmp_path, command, said):
    (tmp_path / "story.txt").write_text("Next\n")
    run("check", "here/Counter.tla:Low.cfg:../lib", "-o", "trace.itf.json")
    first, *more = command
    named = "here/Counter.tla::../lib" if more[:1] == ["here/Counter.tla"] else "here/Counter.tla"
    assert "there is no module Up" in run(first, named, *more).err
    answer = run(first, named, *more, "--path", "here", "--path", "lib")
    assert said.format(tmp_path) in answer.out + answer.err


@pytest.mark.parametrize(
    ("name", "folders", "why"),
    [
        ("bakery", ["lib"], r"'.*/lib' is not accepted with 'bakery'; it goes with a module, such as Hudi.tla"),
        ("here/Counter.tla", ["lib", "no"], "there is no folder .*/no"),
        ("here/Counter.tla:Low.cfg:lib", [], "there is no folder here/lib"),
    ],
)
def test_folders_that_cannot_be_searched_are_refused(run, counter, name, folders, why):
    answer = run("check", name, *(word for folder in folders for word in ("--path", folder)))
    assert answer.status == 2
    assert re.fullmatch(f"workbench: {why}\n", answer.err)


def test_what_is_seen_from_here_is_added_to_a_name(counter, tmp_path):
    assert completed("here/M.tla:M.cfg:../lib") == "here/M.tla:M.cfg:../lib"
    assert completed("here/M.tla::../lib", None, ["more"]) == f"here/M.tla::../lib:{tmp_path}/more"
    assert completed("here/M.tla:M.cfg:../lib", "N.cfg") == f"here/M.tla:{tmp_path}/N.cfg:../lib"
    assert completed("here/M.tla", "N.cfg", ["lib"]) == f"here/M.tla:{tmp_path}/N.cfg:{tmp_path}/lib"


def test_code_opens_it_again_in_any_folder(counter, tmp_path, monkeypatch):
    model = tla("here/Counter.tla:Low.cfg:../lib")
    monkeypatch.chdir(counter)
    for code in (check_as_code(model), trace_as_code(check(model)["Low"].trace)):
        space = {}
        exec(code, space)
        assert type(space["model"] if "model" in space else space["trace"].model) is type(model)
    of_a_cell = module_of_cell(module_of("VARIABLE x", "Init == x = 0", "Next == x' = x"))
    space = {"M": of_a_cell}
    exec(check_as_code(of_a_cell()), space)
    assert space["result"].distinct == 1
