"""Every mistake in a model's code is said with its file, and a line of it, in every engine."""

import re
from textwrap import dedent, indent

import pytest

from workbench.checking.check import check
from workbench.kernel import InputError, Model, ModelError, Variable, action
from workbench.registry import get_model
from workbench.storage.digest import model_digest

HEAD = "from workbench import *\nfrom workbench.kernel.meaning.domains import *\n\n"
#: A model without mistakes, in the lines of its own; a mistake stands before or after them.
BODY = """
    n = Variable(0)

    @action
    def up(self, s):
        require(s.n < 2, "enough")
        s.n += 1
"""

# What Python carries out when it reads the class; the line that is said is marked, and what is said of it.
DECLARED = {
    "a domain that is none": 'C = Constant(1, "abc", "")  # <- of a constant is not known; it takes bool, a range, a',
    "a prefix that is none": 'C = Constant(1, Names("", range(1, 3)), "")  # <- is not accepted; it takes a prefix',
    "a word twice": 'C = Constant(1, {1: "one", 2: "one"}, "")  # <- are not accepted; each needs a word of its own',
    "a fairness that is none": "p = Process(fair='very')  # <- fair = 'very' is not known; it takes 'weak', 'strong'",
    "a process that is none": "@action(7)  # <- 7 is not a Process: write @action(\ndef other(self, s):\n    pass",
    "an action that takes nothing": "@action  # <- other takes (self); it needs (self, s)\ndef other(self):\n    pass",
    "a parameter without a domain": "@action  # <- other takes the parameters (w)\ndef other(self, s, w):\n    pass",
    "a domain for nothing": '@invariant(w="some")  # <- declares domains for (w)\ndef Other(self, s):\n    return True',
    "a generator": "@invariant  # <- is a generator or async\ndef Other(self, s):\n    yield True",
    "no function": "Other = invariant(3)  # <- 3 declares no parameters; write them as in @action('a, b in Edges')",
    "a process of one": 'p = Process(per="some")\n\n@action(p)  # <- needs a parameter\ndef other(self, s):\n    pass',
    "an initial of nothing": "@initial  # <- begin takes (self); it needs (self, s)\ndef begin(self):\n    pass",
    "a step of one state": "@step  # <- takes (self, s); it needs (self, s, t)\ndef Other(self, s):\n    return True",
}

# What is said of the class as a whole: the line is that of the class, which is marked in the frame below.
WHOLE = {
    "Toy: constants belongs to Model": "def constants(self):\n    return ()",
    "Toy: no variable may be called 'validate'; reserved are names that begin with _ and": "validate = Variable(0)",
    "Toy: the default C = 9 is not accepted; it takes an integer from 0 to 2": 'C = Constant(9, range(3), "")',
    "Toy: symmetry names 'Nobody', which is not a set of names": 'symmetry = ("Nobody",)',
    "Other: when = 'Nothing' is not accepted;": '@invariant(when="Nothing")\ndef Other(self, s):\n    return True',
    "more than one @initial method": "@initial\ndef one(self, s):\n    pass\n\n@initial\ndef two(self, s):\n    pass",
    "Toy has no 'nobody' to range over": 'x = Variable(0, per="nobody")',
    "nobody is 3, which has no members to range over": 'nobody = 3\nx = Variable(0, per="nobody")',
    "twice is (1, True), which holds a member twice": 'twice = (1, True)\nx = Variable(0, per="twice")',
    "a list cannot be part of a state ([]); use None, bool, int, str,": 'lists = ([],)\nx = Variable(0, per="lists")',
    "the initial value of x: a list cannot be part of a state ([]); use None, bool": "x = Variable([])",
    "Toy has no 'somebody' to range over": '@invariant(w="somebody")\ndef Other(self, s, w):\n    return True',
    "Toy: once is an iterator, which its first user uses up; make it a tuple": "once = iter((1, 2))",
}

# What goes wrong while the model runs.
RUN = {
    "a failing action": "@action\ndef other(self, s):\n    s.n = 1 // 0  # <- action other raised ZeroDivision",
    "a value that is none": "@action\ndef other(self, s):\n    s.n = []  # <- action other: a list cannot be part of",
    "a variable that is not declared": "@action\ndef other(self, s):\n    s.m = 1  # <- undeclared variable 'm';",
    "an assignment to the model": "@action\ndef other(self, s):\n    self.seen = s.n  # <- self.seen may not be",
    "an action that is no function": (
        "import itertools\n_count = itertools.count().__next__\n\n"
        "@action  # <-\ndef other(self, s):\n    s.n = self._count()"
    ),
    "a failing invariant": "@invariant\ndef Other(self, s):\n    return s.n // 0  # <- property Other raised ZeroDiv",
    "an invariant of none": "@invariant  # <- invariant Other returned None; it must\ndef Other(self, s):\n    pass",
    "a property that assigns": "@invariant\ndef Other(self, s):\n    s.n = 1  # <- only an action may assign: n = 1",
    "a reachable text": "@reachable  # <- returned 'yes'; it must return True\ndef Other(self, s):\n    return 'yes'",
    "a formula that is none": "@liveness  # <- liveness Other returned True; use\ndef Other(self):\n    return True",
    "a formula without a function": "@liveness\ndef Other(self):\n    return eventually(3)  # <- takes functions of",
    "a predicate of none": "@liveness\ndef Other(self):\n    return eventually(lambda s: None)  # <- returned None;",
    "a step that answers nothing": "@step  # <- step Other returned None; it must\ndef Other(self, s, t):\n    pass",
    "no beginning": '@initial  # <- Toy has no initial state: never\ndef begin(self, s):\n    require(False, "never")',
    "a failing beginning": "@initial\ndef begin(self, s):\n    s.n = 1 // 0  # <- action initial raised Zero",
    "a failing value": "x = Variable(lambda model: 1 // 0)  # <- the initial value of x raised",
    "a validation that fails": "def validate(self):\n    1 // 0  # <- validate of Toy raised ZeroDivisionError",
    "a failing condition": "@invariant(when=lambda model: 1 // 0)  # <- when of\ndef Other(self, s):\n    return True",
    "a choice in a property": "@invariant\ndef Other(self, s):\n    return choose([True])  # <- only inside an action",
    "a formula that fails": "@liveness\ndef Other(self):\n    return 1 // 0  # <- property Other raised",
    "a formula of two": "@liveness\ndef Other(self):\n    return leads_to(lambda s: True, 3)  # <- leads_to takes",
    "a formula of one": "@liveness\ndef Other(self):\n    return always_eventually(3)  # <- always_eventually takes",
    "members that fail": 'def some(self):\n    return 1 // 0  # <- some of Toy raised\n\nx = Variable(0, per="some")',
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


def assert_said(message, said, marked):
    assert any(f"(toy.py:{line})" in said for line in marked), said
    assert said.count("(toy.py:") == 1, said
    assert message in re.sub(r" \(toy.py:\d+\)", "", said)


@pytest.mark.parametrize("engine", ["reference", "local"])
@pytest.mark.parametrize("inside", (DECLARED | RUN).values(), ids=DECLARED | RUN)
def test_what_is_declared_and_what_runs(inside, engine, tmp_path):
    [message] = re.findall("# <- ?(.*)", inside)
    assert_said(message, *said_of(a_model(inside), tmp_path, engine))


@pytest.mark.parametrize(("message", "inside"), WHOLE.items(), ids=WHOLE)
def test_the_class_as_a_whole(message, inside, tmp_path):
    assert_said(message, *said_of(a_model(inside, mark="  # <-"), tmp_path))


def test_a_model_without_anything(tmp_path):
    assert_said("Toy declares no action", *said_of(f"{HEAD}class Toy(Model):  # <-\n    pass\n", tmp_path))


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
