"""How models get to Spark's workers: from wherever they stand, with what they import; and what is said if not."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from tests.command import python
from workbench.checking.check import check
from workbench.checking.contract import Auto, Spark
from workbench.checking.questions.sweep import sweep
from workbench.checking.runs import resume, save_run
from workbench.checking.shipping import NotReceived, receive, ship
from workbench.checking.spaces.dataset import load
from workbench.checking.spark.driver import engine, entry
from workbench.kernel import Constant, InputError, Model, Variable, action, invariant, machine_of, require
from workbench.kernel.meaning.budget import Budget
from workbench.registry import get_model

MODEL = """
import helpers
from helpers import LIMIT
from workbench.kernel import Constant, Model, Variable, action, invariant, require

class Counter(Model):
    Step = Constant(1, range(1, 5), "how far a step goes")
    n = Variable(0)

    @action
    def count(self, s):
        require(helpers.below(s.n), "at its end")
        s.n += self.Step

    @invariant
    def Low(self, s):
        return s.n < LIMIT
"""
HELPERS = """
import more

LIMIT = 3

def below(n):
    return n < LIMIT and more.allowed(n)
"""
MORE = """
import helpers  # they import each other

def allowed(n):
    return n < helpers.LIMIT + 10
"""


DOOR = """
import sys
from workbench.checking.shipping import ship
from workbench.language import *

class Door(Model):
    open = Variable(False)

    @action
    def push(self, s):
        require(not s.open, "it is open")
        s.open = True

    @ends
    def shut(self, s):
        return not s.open

sys.stdout.buffer.write(ship(Door(), "door"))
"""
JUDGED = """
import sys
from tests.command import python
from workbench import WalkRule, check, simulate
from workbench.checking.shipping import receive

door = receive(sys.stdin.buffer.read())
checked, walked = check(door, ["Deadlock"], engine="local"), simulate(door, ["Deadlock"], rule=WalkRule(walks=3))
print(checked.verdicts[0].word, walked.verdicts[0].word)
"""


@pytest.mark.slow
def test_the_end_of_a_model_that_was_shipped_is_still_an_end():
    """Its property is then another object than the one that every model has."""
    sent = subprocess.run([sys.executable, "-c", DOOR], stdout=subprocess.PIPE, check=True).stdout
    done = subprocess.run([sys.executable, "-c", JUDGED], input=sent, stdout=subprocess.PIPE, check=True)
    assert done.stdout.split() == [b"violated", b"violated"]


@pytest.fixture
def model_file(tmp_path, monkeypatch):
    """A model's file with modules beside it, which this process can import and a worker cannot."""
    folder = tmp_path / "mine"
    folder.mkdir()
    for name, text in (("counter", MODEL), ("helpers", HELPERS), ("more", MORE)):
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(folder)
    yield folder / "counter.py"
    for name in ("helpers", "more"):
        sys.modules.pop(name, None)


class Here(Model):
    """A worker cannot import the module that this stands in."""

    Size = Constant(2, range(1, 10), "how far it counts")
    n = Variable(0)

    @action
    def count(self, s):
        require(s.n < self.Size, "at its end")
        s.n += 1

    @invariant
    def Low(self, s):
        return s.n < 2


# By value ------------------------------------------------------------------------------------------------------------

ELSEWHERE = """
import sys
from workbench.checking.shipping import receive
from workbench.kernel.meaning.search import search

result = search(receive(sys.stdin.buffer.read()))
assert "helpers" not in sys.modules
print(result.distinct, result["Low"].trace_states)
"""


@pytest.mark.slow
def test_a_model_comes_with_all_that_its_authors_wrote(model_file, tmp_path):
    """Modules that import each other travel whole; another process, elsewhere, has none of them."""
    sent = ship(get_model(f"{model_file}:Counter")(Step=2), "counter")
    ended = subprocess.run([sys.executable, "-c", ELSEWHERE], input=sent, cwd=tmp_path, capture_output=True, check=True)
    assert ended.stdout == b"3 3\n"


def test_what_is_installed_is_imported_there():
    sent = ship((check, InputError), "counter")
    assert len(sent) < 200
    assert receive(sent) == (check, InputError)


def test_what_cannot_be_sent_is_said(tmp_path):
    said = "counter cannot be sent to other processes: PicklingError: "
    with open(tmp_path / "file", "w") as file, pytest.raises(InputError, match=said):
        ship(file, "counter")


def test_what_cannot_be_received_is_said(model_file):
    sent = ship(Here(), "here").replace(b"workbench.kernel", b"workbench.kornel")
    with pytest.raises(NotReceived, match=r"ModuleNotFoundError: No module named 'workbench.kornel'"):
        receive(sent)


# On Spark ------------------------------------------------------------------------------------------------------------


@pytest.mark.spark
def test_a_search_of_a_file_is_resumed_and_saved(spark, model_file, tmp_path):
    run, name = tmp_path / "run", f"{model_file}:Counter"
    part = check(get_model(name)(), engine=Spark(session=spark, run_dir=run), budget=Budget(states=2))
    assert part.distinct == 2
    result = resume(run, name, spark=spark)
    assert (result.distinct, result["Low"].trace_states) == (4, 4)
    assert load(save_run(run, tmp_path / "data", name, spark), spark).sql("SELECT n FROM states").count() == 4


@pytest.mark.spark
def test_a_file_is_loaded_where_it_is_named_and_a_model_that_has_changed_is_refused(spark, model_file, tmp_path):
    run, name = tmp_path / "run", f"{model_file}:Counter"
    check(get_model(name)(Step=2), engine=Spark(session=spark, run_dir=run), budget=Budget(states=1))
    marker = tmp_path / "loaded"
    text = model_file.read_text()
    model_file.write_text(text + f"\nopen({str(marker)!r}, 'w').close()\n")
    with pytest.raises(
        InputError, match=r"is of the model 'counter', which is none of the published ones; give its class"
    ):
        resume(run, spark=spark)
    assert not marker.exists()
    for changed in (text.replace("s.n += self.Step", "s.n += 1"), text.replace("range(1, 5)", "range(1, 2)")):
        model_file.write_text(changed)
        with pytest.raises(InputError, match=r"is not of this check: the model.* has changed since"):
            resume(run, name, spark=spark)
    model_file.write_text(text)
    with pytest.raises(InputError, match=r"is of the model 'counter' \(.*counter.py:Counter\), and not of 'here'"):
        resume(run, Here, spark=spark)
    assert resume(run, name, spark=spark).distinct == 3


@pytest.mark.spark
def test_a_file_and_a_test_module(spark, model_file):
    for model in (get_model(f"{model_file}:Counter")(), Here()):
        for on_spark in (Spark(spark), Auto(session=spark, hand_over_states=1)):
            result = check(model, engine=on_spark)
            assert (result.engine, result["Low"].holds) == ("spark", False)
            assert result.levels == check(model, engine="reference").levels


@pytest.mark.spark
def test_a_sweep_of_a_file(spark, model_file):
    assert sweep(get_model(f"{model_file}:Counter"), {"Step": [1, 2]}, spark=spark)["distinct"].tolist() == [4, 3]


NOTEBOOK = """
from workbench import Auto, Spark, check, spark_session
from workbench.kernel import Model, Variable, action, require

{model}

spark = spark_session("local[1]")
for engine in (Spark(spark), Auto(session=spark, hand_over_states=1)):
    print(check(Counter(), engine=engine).distinct)
"""


@pytest.mark.spark
def test_a_model_of_a_notebook(model_file, tmp_path):
    """As in a cell: the class is in the main module, and its helpers can be imported by the driver alone."""
    model = textwrap.dedent(MODEL)
    environment = {**os.environ, "HERE": str(model_file.parent)}
    script = "import os, sys\nsys.path.insert(0, os.environ['HERE'])\n" + NOTEBOOK.format(model=model)
    ended = subprocess.run(
        [sys.executable, "-"], input=script, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert ended.stdout == "4\n4\n"


@pytest.mark.spark
def test_a_search_that_cannot_move_is_not_lost(spark, tmp_path):
    """What stands in the way is said, and what the search in this process has seen is its result."""
    (tmp_path / "mine.txt").write_text("keep")
    result = check(Here(Size=9), engine=Auto(session=spark, hand_over_states=3, run_dir=tmp_path))
    assert (result.engine, result.complete, result["Low"].holds) == ("local", False, False)
    assert result.distinct >= 4
    assert result.stopped.startswith("more than 3 states, and it cannot move to Spark: ")
    assert "holds 'mine.txt', which no run directory has" in result.stopped


@pytest.mark.parametrize("on_its_way", [entry.ready_session, engine.write_search])
def test_a_search_that_is_interrupted_on_its_way_is_not_lost(spark, monkeypatch, on_its_way):
    def interrupted(*arguments):
        signal.raise_signal(signal.SIGINT)
        return on_its_way(*arguments)

    for module in (entry, engine):
        if hasattr(module, on_its_way.__name__):
            monkeypatch.setattr(module, on_its_way.__name__, interrupted)
    result = check(Here(Size=9), engine=Auto(session=spark, hand_over_states=3))
    assert (result.complete, result.interrupted, result["Low"].holds) == (False, True, False)
    assert result.distinct == sum(result.levels) >= (4 if result.engine == "local" else 3)  # of completed levels
    assert result.stopped.endswith("interrupted")


class Unpicklable(Here):
    """It refers to what cannot be sent."""

    def validate(self):
        assert LOCK


LOCK = __import__("threading").Lock()


@pytest.mark.spark
def test_a_model_that_cannot_be_sent(spark):
    said = "model unpicklable: Unpicklable.validate.LOCK is an object of type _thread.lock, which cannot be described"
    with pytest.raises(InputError, match=said):
        check(Unpicklable(), engine=Spark(session=spark))
    result = check(Unpicklable(Size=9), engine=Auto(session=spark, hand_over_states=3))
    assert said in result.stopped
    assert result["Low"].holds is False


def only_on_the_driver():
    if os.environ.get("ONLY_ON_THE_DRIVER") is None:
        raise ModuleNotFoundError("No module named 'only_here'")
    return "loaded"


class OnlyHere:
    def __reduce__(self):
        return only_on_the_driver, ()


class NotInstalled(Here):
    """Stands for a model whose package workers lack."""

    package = OnlyHere()


@pytest.mark.spark
def test_workers_that_cannot_load_a_model(spark, monkeypatch, tmp_path):
    monkeypatch.setenv("ONLY_ON_THE_DRIVER", "1")  # after Spark has started, so that workers do not have it
    monkeypatch.setattr("workbench.checking.spark.search.narrow_levels.MOST_STATES", 0)  # or they would not be needed
    said = "Spark's workers cannot load not_installed: ModuleNotFoundError: No module named 'only_here'"
    with pytest.raises(InputError, match=said):
        check(NotInstalled(), engine=Spark(session=spark))
    result = check(NotInstalled(Size=9), engine=Auto(session=spark, hand_over_states=3))
    assert said in result.stopped
    assert result["Low"].holds is False


@pytest.mark.slow
def test_a_class_keeps_the_name_that_it_gives_itself():
    class Local(Model):
        name = "of its own"
        n = Variable(0)

        @action
        def count(self, s):
            require(s.n < 2)
            s.n += 1

    sent = ship(machine_of(Local), "Local")
    ask = f"from workbench.checking.shipping import receive; print(receive({sent!r}).name)"
    assert python(ask, check=True).stdout == "of its own\n"
