"""The public surface: what ``workbench`` offers, and that asking for the package alone loads next to nothing."""

import os
import sys
from pathlib import Path

import pytest

import workbench
from tests.command import python
from workbench import language


def test_the_list_is_sorted_and_without_repetitions():
    assert workbench.__all__ == sorted(set(workbench.__all__))


def test_the_list_is_complete():
    """All of the modelling language, and what is said to be elsewhere."""
    assert set(workbench.__all__) == set(language.__all__) | set(workbench._ELSEWHERE)
    assert set(workbench.__all__) <= set(dir(workbench))


def test_the_language_is_closed():
    """What a model's file gets with one line is what the package offers under the same names, and nothing else."""
    given: dict[str, object] = {}
    exec("from workbench.language import *", given)
    del given["__builtins__"]
    assert list(given) == language.__all__ == sorted(language.__all__)
    assert all(thing is getattr(workbench, name) for name, thing in given.items())


@pytest.mark.parametrize("name", workbench.__all__)
def test_a_name_is_there_and_documented(name):
    assert getattr(workbench, name).__doc__


def test_no_name_is_that_of_a_part_of_the_package():
    parts = {path.stem for folder in workbench.__path__ for path in Path(folder).iterdir()}
    assert parts.isdisjoint(workbench.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'workbench' has no attribute 'sweeep'"):
        workbench.sweeep  # noqa: B018 - to look is the point


def test_the_package_alone_and_a_model_load_nothing_heavy():
    script = (
        "import sys, workbench; workbench.get_model('hudi')(); print(*{name.split('.')[0] for name in sys.modules})"
    )
    ended = python(script, check=True)
    heavy = {"ipywidgets", "numba", "numpy", "pandas", "pyarrow", "pyspark", "rich", "scipy"}
    assert heavy.isdisjoint(ended.stdout.split())


COUNTER = """
from workbench import Model, Variable, action

class Counter(Model):
    n = Variable({start})

    @action
    def count(self, s):
        s.n += 1
"""


def test_a_model_in_a_file_is_the_one_that_stands_there_now(tmp_path, monkeypatch):
    """Python tells a compiled module that is out of date by the file's size and the second of its last change."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    path = tmp_path / "counter.py"
    for start in (1, 2):
        path.write_text(COUNTER.format(start=start))
        os.utime(path, (1_000_000_000, 1_000_000_000))
        (state,) = workbench.get_model(f"{path}:Counter")().initial_states()
        assert state.n == start
    assert [entry.name for entry in tmp_path.iterdir()] == ["counter.py"], "nothing is left beside it"
