"""What is said of a search that a constraint, or a VIEW, has cut wherever a verdict is told.

What engines do is in ``test_conformance.py``.
"""

import json
from xml.etree import ElementTree

import pandas as pd
import pytest

from workbench import check, search, state_space
from workbench.checking.following.scenario import scenario
from workbench.checking.following.validate import validate
from workbench.checking.questions.explain import explain
from workbench.checking.questions.witness_search import seek
from workbench.commands import cli
from workbench.formats.itf import parse_itf, read_itf
from workbench.formats.junit import suite_of, to_junit
from workbench.formats.tlc_cfg import apply_cfg, read_cfg
from workbench.kernel import Constant, InputError, Model, ModelError, Variable, action, constraint, invariant, reachable
from workbench.registry import configurations
from workbench.showing.session.stepper import Stepper
from workbench.showing.view.charts.charts import verdict_map
from workbench.showing.view.pages.overview import model_view, result_view
from workbench.showing.view.pages.pages import report
from workbench.showing.view.trace.tables import headline, what_changed
from workbench.tlaplus.machine.specification import module_of_text

MODEL = '''
from workbench import Constant, Model, Variable, action, constraint, invariant, reachable

class Counter(Model):
    """Counts for ever, two at a time where it jumps."""

    Most = Constant(3, range(1, 100), "numbers that are explored")
    Jumps = Constant(False, bool, "it may leave out a number")

    n = Variable(0)

    @action
    def up(self, s):
        """Count."""
        s.n += 1

    @action(when="Jumps")
    def jump(self, s):
        """Leave out a number."""
        s.n += 2

    @constraint
    def Short(self, s):
        """No more than Most."""
        return s.n <= self.Most

    @invariant
    def Small(self, s):
        """The number stays below 5."""
        return s.n < 5 or f"{s.n} is too large"

    @reachable
    def Four(self, s):
        """It can come to 4."""
        return s.n == 4

    @reachable
    def Nine(self, s):
        """It can come to 9."""
        return s.n == 9
'''
WITHIN = "within the constraint"


@pytest.fixture(scope="module")
def counter(tmp_path_factory):
    path = tmp_path_factory.mktemp("counter") / "counter.py"
    path.write_text(MODEL)
    return path


@pytest.fixture(scope="module")
def Counter(counter):
    from workbench import get_model

    return get_model(f"{counter}:Counter")


def test_a_verdict_says_within_what_it_holds(Counter):
    result = check(Counter())
    assert [v.word for v in result.verdicts] == [f"holds {WITHIN}", "reached", f"not reached {WITHIN}"]
    assert [v.within for v in result.verdicts] == ["the constraint Short", None, "the constraint Short"]
    assert (result.within, result.outside) == ("the constraint Short", 1)
    assert repr(result).splitlines()[0].endswith("local engine, within the constraint Short")
    jumping = check(Counter(Jumps=True))
    assert (jumping["Small"].word, jumping["Small"].trace_states) == ("violated", 4)


def test_the_command_line_says_so(counter, capsys):
    assert cli.main(["check", f"{counter}:Counter", "--property", "Small"]) == 0
    out = capsys.readouterr().out
    assert "5 generated (1 outside the constraint Short)" in out
    assert f"holds {WITHIN} Small: beyond the constraint Short nothing is known" in " ".join(out.split())
    assert cli.main(["check", f"{counter}:Counter", "--json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed["outside"] == 1
    assert [p["within"] for p in printed["properties"]] == ["the constraint Short", None, "the constraint Short"]
    assert cli.main(["list", f"{counter}:Counter"]) == 0
    assert "constraint  No more than Most." in capsys.readouterr().out


@pytest.mark.spark
def test_a_sweep_says_so(counter, capsys):
    assert cli.main(["sweep", f"{counter}:Counter", "--grid", "Jumps=false,true", "--property", "Small"]) == 1
    out = capsys.readouterr().out
    assert f"(\N{CHECK MARK}) and (\N{BALLOT X}) are verdicts {WITHIN} of the model; beyond it nothing is known" in out
    assert "(\N{CHECK MARK})" in next(line for line in out.splitlines() if line.startswith("false"))


@pytest.mark.parametrize(
    ("expected", "differences"),
    [
        (f'Small = "holds {WITHIN}"', []),
        ('Small = "holds"', [f"Small: expected holds, found holds {WITHIN}"]),
        ("", [f"Small: expected that it holds, since nothing is said, found holds {WITHIN}"]),
    ],
)
def test_a_configuration_has_to_expect_it(counter, tmp_path, expected, differences):
    path = tmp_path / "one.toml"
    head = f'model = "{counter}:Counter"\nproperties = ["Small"]\n[expect]\noutside = 1\n[expect.verdicts]\n'
    path.write_text(head + expected)
    one = configurations.configuration(path)
    assert one.differences(check(one.model, one.properties)) == differences


def test_junit_says_so(Counter):
    root = ElementTree.fromstring(to_junit([suite_of("counter", search(Counter(), ["Small", "Nine"]))]))
    small, nine = root.iter("testcase")
    assert small.findtext("system-out") == f"Small holds {WITHIN}: beyond the constraint Short nothing is known"
    assert f"Nine is not reached {WITHIN}" in nine.find("failure").get("message")
    assert {p.get("name"): p.get("value") for p in root.iter("property")}["outside"] == "1"


def test_pages_and_tables_say_so(Counter):
    result = check(Counter(), ["Small"])
    told = result_view(result)
    assert f"(\N{CHECK MARK}) holds {WITHIN}" in told.text()
    assert "note: explored within the constraint Short: 1 of 5 generated states lie outside" in told.text()
    assert "1 outside the constraint Short" in report(result)
    assert "No more than Most." in model_view(Counter()).html()
    within, without = (check(Counter(Most=n), ["Four"]) for n in (2, 3))
    assert what_changed(without, within).endswith(f"Four is no longer reached {WITHIN}")


def test_grids_and_rules_say_so():
    table = pd.DataFrame({"Jumps": [False, True], "Small": [f"holds {WITHIN}", "violated"]})
    assert f"holds {WITHIN}" in verdict_map(table).html()
    explained = explain(table, "Small")
    assert (str(explained.rule), explained.exact()) == (
        "not Jumps",
        f"exact on 2 settings, in 1 of them {WITHIN} alone",
    )


COUNTING = r"""---- MODULE Counting ----
EXTENDS Naturals
VARIABLES n, hidden
Init == n = 0 /\ hidden = 0
Next == n < 2 /\ n' = n + 1 /\ hidden' \in {0, n}
Small == hidden < 1
Low == n < 1
Seen == n
Half == n \div 2
All == <<n, hidden>>
More == <<n, n + hidden, hidden>>
===="""
WITHIN_VIEW = "within the VIEW"


def viewed(more, invariant="Small"):
    cfg = f"INIT Init NEXT Next INVARIANT {invariant} CHECK_DEADLOCK FALSE {more}"
    return module_of_text(COUNTING, cfg)()


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("view", ["VIEW Seen", "VIEW Half"])
def test_what_holds_within_a_view_says_so(view, engine):
    """Small is false in a state that has the same VIEW as one before it: nobody looks at it, and TLC finds no error."""
    result = check(viewed(view), engine=engine)
    small = result["Small"]
    assert (small.word, small.within) == (f"holds {WITHIN_VIEW}", f"the {view}")
    assert small.why == f"beyond the {view} nothing is known"
    assert (result.holds, result.within, result.outside) == (True, f"the {view}", 0)
    assert repr(result).splitlines()[0].endswith(f"{engine} engine, within the {view}")


@pytest.mark.parametrize("view", ["VIEW All", "VIEW More", ""])
def test_a_view_that_shows_every_variable_bounds_nothing(view):
    result = check(viewed(view, "Small"))
    assert (result["Small"].word, result.within) == ("violated", None)
    assert check(viewed(view, "Low"))["Low"].within is None


def test_a_violation_that_a_view_shows_is_one():
    verdict = check(viewed("VIEW Seen", "Low"))["Low"]
    assert (verdict.summary, verdict.within) == ("violated (2 states)", None)


def test_a_view_beside_a_constraint_is_named_with_it():
    result = check(viewed("VIEW Seen CONSTRAINT Low"))
    assert result["Small"].word == f"holds {WITHIN}"
    assert result["Small"].why == "beyond the constraint Low and the VIEW Seen nothing is known"
    assert "(1 outside the constraint Low)" in result.counts


def test_the_command_line_says_within_which_view(tmp_path, capsys):
    (tmp_path / "Counting.tla").write_text(COUNTING)
    (tmp_path / "Counting.cfg").write_text("INIT Init NEXT Next INVARIANT Small CHECK_DEADLOCK FALSE VIEW Seen")
    assert cli.main(["check", str(tmp_path / "Counting.tla")]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"holds {WITHIN_VIEW} Small: beyond the VIEW Seen nothing is known" in out
    assert "outside" not in out
    assert cli.main(["check", str(tmp_path / "Counting.tla"), "--json"]) == 0
    assert [p["within"] for p in json.loads(capsys.readouterr().out)["properties"]] == ["the VIEW Seen"]


def test_configurations_tables_and_pages_say_within_which_view(tmp_path):
    result = check(viewed("VIEW Seen"))
    (tmp_path / "Counting.tla").write_text(COUNTING)
    (tmp_path / "Counting.cfg").write_text("INIT Init NEXT Next INVARIANT Small CHECK_DEADLOCK FALSE VIEW Seen")
    path = tmp_path / "one.toml"
    for words, differences in (("", [f"Small: expected holds, found holds {WITHIN_VIEW}"]), (f" {WITHIN_VIEW}", [])):
        path.write_text(f'model = "{tmp_path}/Counting.tla"\n[expect.verdicts]\nSmall = "holds{words}"\n')
        assert configurations.configuration(path).differences(result) == differences
    assert f"(\N{CHECK MARK}) holds {WITHIN_VIEW}" in result_view(result).text()
    assert "everything holds within the VIEW Seen" in headline(result)
    assert f"holds {WITHIN_VIEW}" in report(result)
    assert what_changed(check(viewed("")), result).endswith(f"Small now holds {WITHIN_VIEW}")
    root = ElementTree.fromstring(to_junit([suite_of("counting", result)]))
    assert f"Small holds {WITHIN_VIEW}: beyond the VIEW Seen" in next(root.iter("testcase")).findtext("system-out")
    table = pd.DataFrame({"N": [1, 2], "Small": [f"holds {WITHIN_VIEW}", "violated"]})
    assert f"holds {WITHIN_VIEW}" in verdict_map(table).html()
    assert explain(table, "Small").exact() == f"exact on 2 settings, in 1 of them {WITHIN_VIEW} alone"
    with pytest.raises(InputError, match="no such state can be reached from the beginning within the VIEW Seen"):
        Stepper(viewed("VIEW Seen")).go("s.hidden == 1", anew=True)


def test_a_state_that_is_sought_is_sought_within(Counter):
    trace, result = seek(Counter(), lambda s: s.n == 7)
    assert (trace, result.within) == (None, "the constraint Short")
    trace, _ = seek(Counter(), lambda s: s.n == 4)
    assert len(trace) == 5
    with pytest.raises(InputError, match="no such state can be reached from the beginning within the constraint Short"):
        Stepper(Counter()).go("s.n == 7", anew=True)


def test_a_state_space_ends_at_the_constraint(Counter):
    space = state_space(Counter())
    assert (len(space), space.sources.tolist(), space.targets.tolist()) == (4, [0, 1, 2], [1, 2, 3])


def test_recordings_and_scenarios_know_no_constraint(Counter):
    assert len(scenario(Counter(), "s.n == 7").trace) == 8
    states = [{"#meta": {"index": n}, "n": n} for n in range(8)]
    recording = read_itf(Counter(), parse_itf(json.dumps({"vars": ["n"], "states": states})))
    assert validate(Counter(), recording).holds is True


# TLC's configurations ------------------------------------------------------------------------------------------------


class Cycle(Model):
    n = Variable(0)

    @action
    def up(self, s):
        s.n = (s.n + 1) % 3

    @constraint
    def Short(self, s):
        return s.n < 9

    @constraint
    def Known(self, s):
        return s.n >= 0


def test_constraints_of_a_configuration_are_taken_by_their_names():
    applied = apply_cfg(read_cfg("CONSTRAINT Short"), Cycle)
    assert "Known: cycle is explored within it, though the file does not name it" in applied.remarks
    with pytest.raises(InputError, match=r"line 1: unknown constraint of cycle 'Shrt' \(did you mean Short\?\)"):
        apply_cfg(read_cfg("CONSTRAINTS Shrt"), Cycle)


# Mistakes ------------------------------------------------------------------------------------------------------------


def test_what_is_no_constraint(Counter):
    def refused(match, **declared):
        with pytest.raises(ModelError, match=match):
            check(type("Wrong", (Counter,), declared)())

    def texts(self, s):
        return "it is too long"

    def assigns(self, s):
        s.n = 0
        return True

    refused("constraint texts .* returned 'it is too long'; it must return True or False", texts=constraint(texts))
    refused("only an action may assign", assigns=constraint(assigns))
    refused("when = 'Mst' is not accepted", Short=constraint(when="Mst")(texts))
    refused("no constraint may be called 'symmetry'", symmetry=constraint(texts))


def test_a_constraint_is_no_property(Counter):
    with pytest.raises(InputError, match="unknown property of counter 'Short'"):
        check(Counter(), ["Short"])


def test_a_constraint_may_be_switched_off_or_replaced(Counter):
    class Wider(Counter):
        Bounded = Constant(True, bool, "whether there is a bound")

        @constraint(when="Bounded")
        def Short(self, s):
            return s.n <= 5

        @action
        def up(self, s):
            s.n = min(s.n + 1, 7)

        @invariant
        def Small(self, s):
            return True

        @reachable
        def Nine(self, s):
            return True

    assert [check(Wider(Bounded=b)).distinct for b in (True, False)] == [6, 8]
    assert check(Wider(Bounded=False)).within is None
