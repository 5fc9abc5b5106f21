"""A search that is given no more memory by the system: what it has found is told."""

import json

import pytest

from tests.command import python

pytestmark = pytest.mark.slow

MODEL = '''
from workbench.language import *

class Wide(Model):
    """Three counters."""
    Last = Constant(1500, range(1, 1501))
    i, j, k = Variable(0), Variable(0), Variable(0)

    @action
    def first(self, s):
        require(s.i < self.Last, "it is there")
        s.i += 1

    @action
    def second(self, s):
        require(s.j < self.Last, "it is there")
        s.j += 1

    @action
    def third(self, s):
        require(s.k < self.Last, "it is there")
        s.k += 1

    @invariant
    def Small(self, s):
        return s.i < 3

    @invariant
    def NotOver(self, s):
        return s.i <= self.Last

    @liveness
    def Ends(self):
        return eventually(lambda s: s.i == self.Last)
'''

#: Runs the command line with so many MiB more than it has after a statement.
LIMITED = """
import re, resource, sys
from pathlib import Path
from workbench.commands import cli
import workbench.checking.local.search
before, more, *words = sys.argv[1:]
exec(before)
has = int(re.search(r"VmSize:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024
resource.setrlimit(resource.RLIMIT_AS, (has + int(more) * 2**20,) * 2)
sys.exit(cli.main(words))
"""
LOADED = "workbench.checking.local.search.load_kernels()"


def check_with(tmp_path, before, more, *words):
    (tmp_path / "wide.py").write_text(MODEL)
    return python(LIMITED, before, more, "check", tmp_path / "wide.py:Wide", *words, "--json")


@pytest.mark.parametrize(("engine", "more"), [("local", 60), ("auto", 120), ("reference", 40)])
def test_a_search_without_memory_keeps_what_it_has_found(tmp_path, engine, more):
    done = check_with(tmp_path, LOADED, more, "--engine", engine)
    answer = json.loads(done.stdout)
    assert done.returncode == 1, done.stderr
    assert (answer["complete"], answer["stopped"]) == (False, "memory is used up")
    told = {one["name"]: (one["holds"], one["trace_states"]) for one in answer["properties"]}
    assert told == {"Small": (False, 4), "NotOver": (None, None), "Ends": (None, None)}
    assert answer["properties"][1]["why"] == "the search is incomplete: memory is used up"


def test_liveness_without_memory_is_unknown(tmp_path):
    """The whole space fits, and what liveness needs beside it does not."""
    done = check_with(tmp_path, LOADED, 180, "--set", "Last=110", "--engine", "local")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["distinct"]) == (1, 111**3), done.stderr
    assert {one["name"]: one["why"] for one in answer["properties"] if one["holds"] is None} == {
        "Ends": "memory is used up"
    }


@pytest.mark.parametrize(
    ("engine", "more"), [("auto", 60), ("auto", 140), ("auto", 217), ("auto", 225), ("local", 100)]
)
def test_where_kernels_find_no_room_a_search_goes_on_without_them(tmp_path, engine, more):
    """Whether Numba itself or the kernels are what there is no room for."""
    done = check_with(tmp_path, "pass", more, "--set", "Last=60", "--engine", engine)
    answer = json.loads(done.stdout)
    assert done.returncode == 1, done.stderr
    assert answer["complete"] or answer["stopped"] == "memory is used up"
    assert {one["name"]: one["trace_states"] for one in answer["properties"]}["Small"] == 4


def test_a_search_without_kernels_ends_when_memory_is_used_up(tmp_path):
    done = check_with(tmp_path, "pass", 60)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["complete"], answer["stopped"]) == (1, False, "memory is used up")
    assert {one["name"]: one["holds"] for one in answer["properties"]} == {
        "Small": False,
        "NotOver": None,
        "Ends": None,
    }
