"""The hash of a model changes with what the model does, and with nothing else."""

import importlib
import sys
from pathlib import Path

import pytest

from tests.command import python
from workbench.kernel import Model, ModelError, machine_of
from workbench.registry import get_model, models
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


@pytest.mark.slow
def test_it_is_the_same_in_every_process(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(SOURCE)
    script = (
        "from workbench.storage.digest import model_digest; from workbench.registry import get_model, models;"
        f"print([model_digest(get_model(m)) for m in [*models(), {str(tmp_path / 'counter.py:Counter')!r}]])"
    )
    found = {python(script, check=True, PYTHONHASHSEED=seed).stdout for seed in ("1", "2", "3")}
    assert len(found) == 1


def test_it_stays_the_same_when_a_value_of_the_models_is_pickled(tmp_path: Path) -> None:
    """Python then notes something in the value's class."""
    before = digest_of(tmp_path, SOURCE)
    model = get_model(f"{tmp_path / 'counter.py'}:Counter")
    sys.modules[model.__module__].Pair(1, 2).__reduce_ex__(2)
    assert model_digest(model) == before


@pytest.mark.slow
def test_every_model_has_its_own() -> None:
    digests = {model_digest(get_model(name)) for name in models()}
    assert len(digests) == len(models())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'''Counts.'''", "'''Counts up to a bound.'''"),
        ("import re\n", "import re  # comments do not matter\n\n"),
        ("def step(n):\n", "def step(n):\n    'One more.'\n"),
        ("def count(self, s):\n", "def count(self, s):\n        'Count once.'\n"),
        ("def within(n):\n", "def within(n):\n        'Not yet there.'\n"),
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
        ("def step(n):", "def step(n, /):"),
        ("def step(n):", "def step(n=0):"),
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


USES = """
import datetime, decimal, enum, functools, operator, re, threading, {module}
from collections import OrderedDict, deque
from dataclasses import dataclass
from functools import cache, cached_property, partial
import numpy as np
from workbench.kernel import Map, Model, Variable, action


class Colour(enum.Enum):
    RED = 1


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 2


class Slots:
    __slots__ = ("x", "y")

    def __init__(self, x):
        self.x = x


def f(n):
    return n


def g(n):
    return -n


USED = {used}


class Counter(Model):
    n = Variable(0)

    @action
    def count(self, s):
        s.n = len(str(USED)) % 2
"""


def digest_using(folder: Path, used: str) -> str:
    return digest_of(folder, USES.format(used=used, module="math"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("re.compile('a')", "re.compile('b')"),
        ("re.compile('a')", "re.compile('a', re.I)"),
        ("partial(f, 1)", "partial(f, 2)"),
        ("partial(f, 1)", "partial(g, 1)"),
        ("partial(f, n=1)", "partial(f, n=2)"),
        ("slice(1, 2)", "slice(1, 3)"),
        ("np.array([1, 2])", "np.array([1, 3])"),
        ("np.array([1, 2])", "np.array([[1, 2]])"),
        ("np.array([1], np.int32)", "np.array([1], np.int64)"),
        ("np.int64(1)", "np.int64(2)"),
        ("np.add", "np.subtract"),
        ("operator.itemgetter(1)", "operator.itemgetter(2)"),
        ("datetime.date(2020, 1, 1)", "datetime.date(2020, 1, 2)"),
        ("decimal.Decimal('1')", "decimal.Decimal('1.0')"),
        ("deque([1])", "deque([2])"),
        ("OrderedDict(a=1)", "OrderedDict(a=2)"),
        ("Colour.RED", "Colour"),
        ("Point(1)", "Point(2)"),
        ("Point(1)", "Point(1, 3)"),
        ("Slots(1)", "Slots(2)"),
        ("cache(f)", "cache(g)"),
        ("property(f)", "property(g)"),
        ("cached_property(f)", "cached_property(g)"),
        ("'a'.join", "'b'.join"),
        ("str.join", "str.split"),
        ("len", "max"),
        ("Slots(f)", "Slots(g)"),
        ("{f}", "{g}"),
        ("Map({1: 2})", "{1: 2}"),
        ("[1, 2]", "(1, 2)"),
        ("1", "True"),
        ("1", "1.0"),
        ("0.0", "-0.0"),
        ("b'1'", "'1'"),
        ("'\\ud800'", "'\\ud801'"),
    ],
)
def test_what_the_code_uses_is_described(tmp_path: Path, one: str, other: str) -> None:
    assert digest_using(tmp_path, one) == digest_using(tmp_path, one) != digest_using(tmp_path, other)


@pytest.mark.parametrize(
    ("used", "kind"),
    [
        ("threading.Lock()", "_thread.lock"),
        ("open('/dev/null')", "TextIOWrapper"),
        ("(n for n in [])", "generator"),
        ("Slots(threading.Lock())", "_thread.lock"),
        ("[{1: threading.Lock()}]", "_thread.lock"),
    ],
)
def test_what_cannot_be_described_is_an_error_that_says_where(tmp_path: Path, used: str, kind: str) -> None:
    with pytest.raises(ModelError) as error:
        digest_using(tmp_path, used)
    assert "model counter: Counter.count." in str(error.value)
    assert ".USED" in str(error.value)
    assert kind in str(error.value)
    assert "\n" not in str(error.value)


def test_objects_that_refer_to_themselves_are_described(tmp_path: Path) -> None:
    loop = "[f, g]\nUSED.append(USED)\nf.friends = frozenset({f, g})"
    assert digest_using(tmp_path, loop) == digest_using(tmp_path, loop) != digest_using(tmp_path, "[f, g]")


def test_an_installed_model_is_described_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code of its authors is, that is; of what else is installed, the version."""
    site = tmp_path / "site-packages"
    (site / "protocols" / "helpers").mkdir(parents=True)
    monkeypatch.syspath_prepend(site)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for package in ("protocols", "protocols/helpers"):
        (site / package / "__init__.py").write_text("")
    source = SOURCE.replace("import re\n", "import protocols.helpers.steps\n")
    source = source.replace("min(step(", "min(protocols.helpers.steps.step(")
    digests = []
    for body, limit in (("n + 1", "3"), ("n + 2", "3"), ("n + 1", "4"), ("n + 1", "3")):
        (site / "protocols" / "helpers" / "steps.py").write_text(f"def step(n):\n    return {body}\n")
        (site / "protocols" / "counter.py").write_text(source.replace("LIMIT = 3", f"LIMIT = {limit}"))
        for name in [name for name in sys.modules if name.partition(".")[0] == "protocols"]:
            monkeypatch.delitem(sys.modules, name)
        digests.append(model_digest(importlib.import_module("protocols.counter").Counter))
    assert digests[0] == digests[3]
    assert len(set(digests)) == 3


@pytest.mark.slow
def test_using_a_model_does_not_change_it() -> None:
    for name in models():
        before = model_digest(get_model(name))
        model = machine_of(get_model(name))
        model.outcomes(model.instances[0], model.initial_states()[0])
        assert model_digest(get_model(name)) == before
