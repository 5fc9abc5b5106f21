"""The hash of a model changes with what the model does, and with nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

from workbench.kernel import Model
from workbench.models import MODELS, get_model
from workbench.storage.digest import model_digest

SOURCE = """
import re
from typing import NamedTuple

from workbench.kernel import Constant, Model, Variable, action, invariant, require

LIMIT = 3
STATES = frozenset({"a", "b", "c", "d"})


class Pair(NamedTuple):
    one: int
    two: int


def step(n):
    return n + 1


def bound(limit):
    def within(n):
        return n < limit
    return within


class Counter(Model):
    '''Counts.'''

    Size = Constant(2, range(1, 5), "how far it counts")
    n = Variable(0)
    within = staticmethod(bound(LIMIT))

    @action
    def count(self, s):
        require(self.within(s.n), "at its end")
        s.n = min(step(s.n), self.Size)

    @invariant
    def Small(self, s):
        return s.n in {0, 1, 2} and Pair(s.n, 0).one < len(STATES)
"""


def digest_of(folder: Path, source: str, name: str = "counter") -> str:
    path = folder / f"{name}.py"
    path.write_text(source)
    return model_digest(get_model(f"{path}:Counter"))


def test_it_is_the_same_in_every_process(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(SOURCE)
    script = (
        "from workbench.storage.digest import model_digest; from workbench.models import MODELS, get_model;"
        f"print([model_digest(get_model(m)) for m in [*MODELS, {str(tmp_path / 'counter.py:Counter')!r}]])"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1


def test_every_model_has_its_own() -> None:
    digests = {model_digest(get_model(name)) for name in MODELS}
    assert len(digests) == len(MODELS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'''Counts.'''", "'''Counts up to a bound.'''"),
        ("import re\n", "import re  # comments do not matter\n\n"),
    ],
)
def test_words_about_the_model_and_its_place_do_not_matter(tmp_path: Path, old: str, new: str) -> None:
    changed = SOURCE.replace(old, new)
    assert changed != SOURCE
    assert digest_of(tmp_path, SOURCE) == digest_of(tmp_path, changed, "elsewhere")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("s.n in {0, 1, 2}", "s.n in {0, 1}"),
        ("min(step", "max(step"),
        ("return n + 1", "return n + 2"),
        ("return n < limit", "return n <= limit"),
        ("LIMIT = 3", "LIMIT = 4"),
        ('"c", "d"}', '"c"}'),
        ("Constant(2,", "Constant(3,"),
        ("range(1, 5)", "range(1, 6)"),
        ("Variable(0)", "Variable(1)"),
        ("    one: int\n    two: int", "    two: int\n    one: int"),
        ("    @action\n", "    @action(fair='weak')\n"),
        ("def count(", "def count_up("),
    ],
)
def test_what_the_model_does_matters(tmp_path: Path, old: str, new: str) -> None:
    changed = SOURCE.replace(old, new)
    assert changed != SOURCE
    assert digest_of(tmp_path, SOURCE) != digest_of(tmp_path, changed)


def test_a_module_of_helpers_matters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = SOURCE.replace("import re\n", "import helpers_of_counter\n").replace(
        "step(s.n)", "helpers_of_counter.up(s.n)"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # the bodies differ in less than what a cache would notice
    found = []
    for body in ("n + 1", "n + 2", "n + 1"):
        (tmp_path / "helpers_of_counter.py").write_text(
            f"def up(n):\n    return {body}\n\n\ndef unused(n):\n    return {body}\n"
        )
        sys.modules.pop("helpers_of_counter", None)
        found.append(digest_of(tmp_path, source))
    assert found[0] == found[2] != found[1]


def test_a_model_by_inheritance_is_another_one() -> None:
    bakery: type[Model] = get_model("bakery")

    class Changed(bakery):  # type: ignore[misc, valid-type]
        name = "bakery"

        def waiting(self, s, w):
            return False

    assert model_digest(Changed) != model_digest(bakery)
