"""Mistakes in models: which are made, that they reach whoever inherits, and that configurations notice them."""

import os
import subprocess
import sys
import tomllib
from types import SimpleNamespace

import mutants
import pytest
from mutations import mutations

from tests.places import ROOT
from workbench.checking.check import check
from workbench.protocols.bakery import catalog
from workbench.protocols.bakery.catalog import Snapshot
from workbench.protocols.bakery.model import Bakery, Claim

pytestmark = pytest.mark.slow

BAKERY = ROOT / "workbench" / "protocols" / "bakery" / "model.py"


def made(source, **constants):
    """What each mistake in a source makes of what."""
    return [(m.function, m.before, m.after) for m in mutations(source, constants)]


WORDS = {"COMMITTED": "committed", "CONFLICT": "lk_409"}


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("return s.n < s.m", {"s.n <= s.m", "s.n >= s.m"}),
        ("return s.n == 5", {"s.n != 5", "6", "4"}),
        ("return s.a and s.b", {"s.a or s.b", "s.a", "s.b"}),
        ("return not s.a", {"s.a"}),
        ("return any(s.a)", {"all(s.a)"}),
        ("return max(s.a, s.b)", {"min(s.a, s.b)"}),
        ("return s.claims | s.news", {"s.claims & s.news", "s.claims", "s.news"}),
        ("return s.claims - s.news", {"s.claims & s.news", "s.claims"}),
        ("return s.a if s.b else s.c", {"s.a", "s.c"}),
        ("return (x for x in s.a if x in s.b)", {"(x for x in s.a)", "x not in s.b"}),
        ("return s.pc in ('A', 'B')", {"s.pc not in ('A', 'B')", "s.pc in ('A',)", "s.pc in ('B',)", "'A'", "'B'"}),
        ("return list(zip(s.a, s.b, strict=True))", set()),
        ("return s.n > s.m or Fault(f'{s.n < 3}', Place('n', 1))", {"s.n >= s.m", "s.n <= s.m", "and"}),
        ("s.n += 1", {"", "s.n -= 1", "2", "0"}),
        ("s.claims |= s.news", {"", "s.claims -= s.news", "s.claims &= s.news"}),
        ("s.a = s.b = s.c", {"", "s.a = s.c", "s.b = s.c"}),
        ("s.a, s.b = s.c, s.d", {"s.a, = (s.c,)", "s.b, = (s.d,)"}),
        ("s.done = COMMITTED", {"", "CONFLICT"}),
        ("s.n = choose(s.options, 'a')", {""}),
        ("self.leave(s)", {""}),
        ("require(s.a, f'{w} is not {s.b != 1}')", {"", "not s.a"}),
        ("if s.a:\n        s.leave()", {"True", "not s.a", ""}),
        ("for x in s.a:\n        s.leave()", {"list(s.a)[1:]", ""}),
        ("if s.a:\n        raise InputError('a word')", set()),
        ("while s.a:\n        s.leave()", {"not s.a", ""}),
        ("with self.lock:\n        s.n = s.m", {""}),
        ("with self.lock:\n        return s.n < s.m", {"s.n <= s.m", "s.n >= s.m"}),
        ("try:\n        s.n += 1\n    except KeyError:\n        s.leave()", {"", "s.n -= 1", "2", "0"}),
        ("try:\n        pass\n    except KeyError:\n        s.leave()", {""}),
        ("try:\n        pass\n    except KeyError:\n        pass\n    else:\n        s.leave()", {""}),
    ],
)
def test_mistakes_that_are_made(line, wrong):
    found = made(f"def f(self, s, w):\n    {line}", **WORDS)
    assert {"and" if "Fault" in after else after for _, _, after in found} == wrong
    assert all(function == "f" for function, _, _ in found)


DECLARED = '''
class M(Model):
    """A model."""

    Size = Constant(2, range(1, 5), "a size")
    pc = Variable("A", per="writers", doc="a word")
    writer = Process(per="writers", fair="weak")

    @action(writer, when="Size", w="writers")
    def step(self, s, w):
        """Take 1 step."""
        s.pc[w] = "B"

    def helper(self):
        pass
'''


def test_mistakes_in_what_a_class_declares():
    assert made(DECLARED) == [
        ("M.pc", "'A'", "'B'"),
        ("M.writer", "fair='weak'", ""),
        ("M", "def step", ""),
        ("M.step", "when='Size'", ""),
        ("M.step", "s.pc[w] = 'B'", ""),
        ("M.step", "'B'", "'A'"),
    ]


def test_places_that_read_alike_are_told_apart():
    source = "def f(s):\n    s.leave()\n    s.leave()"
    assert [m.nth for m in mutations(source, {})] == [1, 2]


def noticed(function, before, after="", specs=("v1_no_crash", "v1_no_crash_liveness")):
    """What notices a mistake in the bakery, in processes of their own."""
    bench = mutants.prepare([BAKERY], [ROOT / "specs" / "bakery" / f"{name}.toml" for name in specs])
    chosen = [m for m in bench.mutants if m.key[1:4] == (function, before, after)]
    (outcome,) = mutants.judge(bench, chosen, mutants.Equivalents(frozenset(), frozenset()), jobs=1)
    return outcome[1]


def test_a_mistake_in_a_published_model_is_noticed_in_the_one_that_extends_it():
    assert noticed("Bakery.begin_claim", "s.next_ticket += 1").startswith("v1_no_crash: ")


def test_a_mistake_that_no_configuration_sees_is_not_noticed():
    assert noticed("Bakery.node_startup", "s.claims = frozenset((c for c in s.claims if c.writer != w))") is None


def test_the_models_of_this_process_stay_as_they_are():
    assert check(Bakery(MaxCrashes=0), ["UniqueTickets"]).distinct > 0
    assert sys.modules[Bakery.__module__].Bakery is Bakery


# Judges of what no configuration violates ----------------------------------------------------------------------------


def test_a_ticket_that_two_writers_have_is_seen():
    claims = {Claim(1, "w1"), Claim(2, "w2"), Claim(1, "w3")}
    assert catalog.unique_tickets(claims) == "ticket 1 belongs to w1 and to w3"
    assert catalog.unique_tickets(claims - {Claim(1, "w3")}) is True


@pytest.mark.parametrize("judge", [catalog.rollback_leaves_nothing, catalog.rollback_leaves_nothing_of_its_ticket])
def test_a_snapshot_of_a_writer_that_rolled_back_is_seen(judge):
    model = Bakery()
    history = (Snapshot(None, 0, 0), Snapshot("w2", 1, 1))
    for decision, ok in ((catalog.ROLLED_BACK, False), (catalog.CONFLICT, True), (catalog.COMMITTED, True)):
        s = SimpleNamespace(iceberg=history, decision={"w1": None, "w2": decision, "w3": None}, my_ticket={"w2": 1})
        assert (judge(model, s) is True) == ok


# The list of those that are no mistakes ------------------------------------------------------------------------------


def test_all_that_is_listed_is_there_and_has_a_reason():
    every = mutants.prepare([], [ROOT / "specs"]).mutants
    assert mutants.Equivalents.read(mutants.EQUIVALENT).unknown(every) == []
    for entry in tomllib.loads(mutants.EQUIVALENT.read_text())["equivalent"]:
        assert entry["why"].endswith("."), entry


# The command ---------------------------------------------------------------------------------------------------------

COUNTER = """
from workbench import Constant, Model, Variable, action, reachable, require

class Counter(Model):
    Most = Constant(3, range(1, 9), "how far it counts")
    n = Variable(0)

    @action
    def count(self, s):
        require(s.n < self.Most, "enough")
        s.n += 1

    @reachable
    def Full(self, s):
        return s.n >= self.Most
"""


def run(*arguments, cwd):
    command = [sys.executable, ROOT / "scripts" / "mutants.py", *arguments, "--jobs", "2"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def test_a_model_of_ones_own(tmp_path):
    (tmp_path / "counter.py").write_text(COUNTER)
    configuration = tmp_path / "counter.toml"
    configuration.write_text('model = "counter.py:Counter"\n[expect]\ndistinct = 4\n')
    ended = run("counter.py", "--specs", "counter.toml", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (1, "")
    *survivors, counts, last = ended.stdout.splitlines()
    told = "survives: counter.py:15 Counter.Full: s.n >= self.Most -> "
    assert set(survivors) == {told + "s.n < self.Most"}
    assert (counts, last) == ("counter.py: 11 noticed, 0 equivalent, 1 survived", "1 to look at")


def test_what_is_not_accepted(tmp_path):
    (tmp_path / "counter.py").write_text(COUNTER)
    ended = run("counter.py", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "'counter.py' is not mutated, since no configuration is of a model that uses it\n"


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["bakery", "classics", "delta", "hudi", "iceberg", "paimon"])
def test_a_sample_of_all_mistakes_is_noticed(protocol):
    ended = run("--sample", "5", "--specs", f"specs/{protocol}", cwd=ROOT)
    assert ended.returncode == 0, ended.stdout + ended.stderr
