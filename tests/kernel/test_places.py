"""Every mistake in a model's code is said with its file, and a line of it, in every engine."""

from textwrap import dedent, indent

import pytest

from workbench.checking.check import check
from workbench.kernel import InputError, Model, ModelError, Variable, action
from workbench.registry import get_model
from workbench.storage.digest import model_digest

HEAD = "from workbench import *\nfrom workbench.kernel.domains import *\n\n"
#: A model without mistakes, in the lines of its own; a mistake stands before or after them.
BODY = """
    n = Variable(0)

    @action
    def up(self, s):
        require(s.n < 2, "enough")
        s.n += 1
"""

# What Python carries out when it reads the class; the line that is said is marked.
DECLARED = {
    "a domain that is none": 'C = Constant(1, "abc", "")  # <-',
    "a prefix that is none": 'C = Constant(1, Names("", range(1, 3)), "")  # <-',
    "a word twice": 'C = Constant(1, {1: "one", 2: "one"}, "")  # <-',
    "a fairness that is none": 'p = Process(fair="very")  # <-',
    "a process that is none": "@action(7)  # <-\ndef other(self, s):\n    pass",
    "an action that takes nothing": "@action  # <-\ndef other(self):\n    pass",
    "a parameter without a domain": "@action  # <-\ndef other(self, s, w):\n    pass",
    "a domain without a parameter": '@invariant(w="some")  # <-\ndef Other(self, s):\n    return True',
    "a generator": "@invariant  # <-\ndef Other(self, s):\n    yield True",
    "no function": "Other = invariant(3)  # <-",
    "a process without a member": 'p = Process(per="some")\n\n@action(p)  # <-\ndef other(self, s):\n    pass',
    "an initial that takes nothing": "@initial  # <-\ndef begin(self):\n    pass",
    "a step of one state": "@step  # <-\ndef Other(self, s):\n    return True",
}

# What is wrong with the class as a whole: the line is that of the class, which is marked in the frame below.
WHOLE = {
    "a name of Model's": "def members(self):\n    return ()",
    "a reserved name": "layout = Variable(0)",
    "a variable called like a method of states": "values = Variable(0)",
    "a default that is not accepted": 'C = Constant(9, range(3), "")',
    "a set that is none": 'symmetry = ("Nobody",)',
    "a condition that is none": '@invariant(when="Nothing")\ndef Other(self, s):\n    return True',
    "two beginnings": "@initial\ndef one(self, s):\n    pass\n\n@initial\ndef two(self, s):\n    pass",
    "indices that nothing has": 'x = Variable(0, per="nobody")',
    "members that are none": 'nobody = 3\nx = Variable(0, per="nobody")',
    "a member twice": 'twice = (1, True)\nx = Variable(0, per="twice")',
    "a member that is no value": 'lists = ([],)\nx = Variable(0, per="lists")',
    "an initial value that is none": "x = Variable([])",
    "parameters over nothing": '@invariant(w="nobody")\ndef Other(self, s, w):\n    return True',
    "an iterator": "once = iter((1, 2))",
}

# What goes wrong while the model runs.
RUN = {
    "an action that fails": "@action\ndef other(self, s):\n    s.n = 1 // 0  # <-",
    "a value that is none": "@action\ndef other(self, s):\n    s.n = []  # <-",
    "a variable that is not declared": "@action\ndef other(self, s):\n    s.m = 1  # <-",
    "an assignment to the model": "@action\ndef other(self, s):\n    self.seen = s.n  # <-",
    "an action that is no function": (
        "import itertools\n_count = itertools.count().__next__\n\n"
        "@action  # <-\ndef other(self, s):\n    s.n = self._count()"
    ),
    "an invariant that fails": "@invariant\ndef Other(self, s):\n    return s.n // 0  # <-",
    "an invariant that answers nothing": "@invariant  # <-\ndef Other(self, s):\n    pass",
    "a property that assigns": "@invariant\ndef Other(self, s):\n    s.n = 1  # <-",
    "a reachable property that answers with a text": "@reachable  # <-\ndef Other(self, s):\n    return 'yes'",
    "a formula that is none": "@liveness  # <-\ndef Other(self):\n    return True",
    "a formula without a function": "@liveness\ndef Other(self):\n    return eventually(3)  # <-",
    "a predicate that answers nothing": "@liveness\ndef Other(self):\n    return eventually(lambda s: None)  # <-",
    "a step that answers nothing": "@step  # <-\ndef Other(self, s, t):\n    pass",
    "no initial state": '@initial  # <-\ndef begin(self, s):\n    require(False, "never")',
    "a beginning that fails": "@initial\ndef begin(self, s):\n    s.n = 1 // 0  # <-",
    "an initial value that fails": "x = Variable(lambda model: 1 // 0)  # <-",
    "a validation that fails": "def validate(self):\n    1 // 0  # <-",
    "a condition that fails": "@invariant(when=lambda model: 1 // 0)  # <-\ndef Other(self, s):\n    return True",
    "a choice in a property": "@invariant\ndef Other(self, s):\n    return choose([True])  # <-",
    "members that fail": 'def some(self):\n    return 1 // 0  # <-\n\nx = Variable(0, per="some")',
}


def said_of(source, tmp_path, engine="reference"):
    """What is said of the model in a file with `source`, and the marked lines."""
    file = tmp_path / "toy.py"
    file.write_text(source)
    marked = [number for number, line in enumerate(source.splitlines(), 1) if "# <-" in line]
    with pytest.raises((ModelError, InputError)) as caught:
        check(get_model(f"{file}:Toy")(), engine=engine)
    said = str(caught.value)
    assert "\n" not in said
    return said, marked


def a_model(inside, mark=""):
    return f"{HEAD}class Toy(Model):{mark}{BODY}\n{indent(dedent(inside), '    ')}\n"


def assert_placed(said, marked):
    assert any(f"(toy.py:{line})" in said for line in marked), said
    assert said.count("(toy.py:") == 1, said


@pytest.mark.parametrize("engine", ["reference", "local"])
@pytest.mark.parametrize("inside", (DECLARED | RUN).values(), ids=DECLARED | RUN)
def test_what_is_declared_and_what_runs(inside, engine, tmp_path):
    assert_placed(*said_of(a_model(inside), tmp_path, engine))


@pytest.mark.parametrize("inside", WHOLE.values(), ids=WHOLE)
def test_the_class_as_a_whole(inside, tmp_path):
    assert_placed(*said_of(a_model(inside, mark="  # <-"), tmp_path))


def test_a_model_without_anything(tmp_path):
    assert_placed(*said_of(f"{HEAD}class Toy(Model):  # <-\n    pass\n", tmp_path))


def test_what_is_no_model_at_all(tmp_path):
    said, _ = said_of(f"{HEAD}1 / 0\n", tmp_path)
    assert said.endswith("ZeroDivisionError: division by zero (toy.py:4)")
    said, _ = said_of("class Toy(:\n", tmp_path)
    assert "line 1" in said


def test_what_cannot_be_stored(tmp_path):
    (tmp_path / "toy.py").write_text(a_model("import threading\nlock = threading.Lock()", mark="  # <-"))
    with pytest.raises(ModelError, match=r"cannot be described.*\(toy.py:4\)"):
        model_digest(get_model(f"{tmp_path}/toy.py:Toy"))


def test_in_a_notebook_the_line_is_that_of_the_cell():
    code = compile("def up(self, s):\n    s.n = 1 / 0\n", "/tmp/ipykernel_12/3456.py", "exec")
    found: dict[str, object] = {"__name__": "__main__"}
    exec(code, found)
    model = type("Mine", (Model,), {"n": Variable(0), "up": action(found["up"])})
    with pytest.raises(ModelError, match=r"^action up \(line 2 of its cell\) raised ZeroDivisionError"):
        check(model())
