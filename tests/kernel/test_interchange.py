"""A wrong claim of symmetry is noticed, whatever tells the names apart, and ends no check with "holds"."""

import pytest

from tests.toys import SAFE, Steps
from workbench import check
from workbench.checking.contract import Spark
from workbench.kernel import ModelError, machine_of
from workbench.language import *

ENGINES = ["reference", "local"]


class Two(Model):
    """Each of two walkers goes one step; the same is true of both."""

    symmetry = ("Walkers",)
    Walkers = Constant(2, Names("w", range(1, 3)), "who walks")
    gone = Variable(False, per="Walkers")

    def may_walk(self, s, w):
        return not s.gone[w]

    def is_alone(self, s, w):
        return s.gone[w] and not all(s.gone.values())

    @action(w="Walkers")
    def walk(self, s, w):
        require(self.may_walk(s, w))
        s.gone[w] = True


class OfInvariant(Two):
    @invariant
    def Differs(self, s):
        return not self.is_alone(s, "w2")


class OfReachable(Two):
    @reachable
    def Differs(self, s):
        return self.is_alone(s, "w2")


class OfStep(Two):
    @step
    def Differs(self, s, t):
        return not self.is_alone(s, "w2") or t.gone["w1"] == s.gone["w1"]


class OfAction(Two):
    def may_walk(self, s, w):
        return not s.gone[w] and not self.is_alone(s, "w2")

    @invariant
    def Holds(self, s):
        return len(s.gone) == 2


class OfDeadlock(Two):
    @action
    def rest(self, s):
        require(all(s.gone.values()))

    def may_walk(self, s, w):
        return not s.gone[w] and not self.is_alone(s, "w2")


class OfConstraint(Two):
    @constraint
    def NotTheSecondAlone(self, s):
        return not self.is_alone(s, "w2")

    @invariant
    def Holds(self, s):
        return len(s.gone) == 2


class OfError(Two):
    @invariant
    def Differs(self, s):
        return not self.is_alone(s, "w2") or 1 // 0


WRONG = {
    OfInvariant: "Differs is true in one of them only",
    OfReachable: "Differs is true in one of them only",
    OfStep: "walk(w1) does in one of them what no step does in the other",
    OfAction: "walk(w2) does in one of them what no step does in the other",
    OfDeadlock: "Deadlock is true in one of them only",
    OfConstraint: "the constraint is true in one of them only",
    OfError: "a step or a property goes wrong in one of them only",
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_claim_is_no_verdict(wrong, engine):
    names = [*machine_of(wrong).declared.properties] or ["Deadlock"]
    try:
        result = check(wrong(), names, symmetry=True, engine=engine)
    except ModelError as error:
        told = str(error)
    else:
        told = result.stopped
        assert all(verdict.holds is not True for verdict in result.verdicts)
    assert told == (
        f"symmetry over Walkers: the names are not interchangeable: of two states that differ in them alone, "
        f"{WRONG[wrong]}; check without symmetry"
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_right_claim_stands(engine):
    result = check(Steps(), SAFE, symmetry=True, engine=engine)
    assert result.stopped is None
    assert result.distinct == 6


@pytest.mark.spark
def test_a_wrong_claim_is_noticed_on_spark(spark, tmp_path):
    with pytest.raises(ModelError, match="Differs is true in one of them only; check without symmetry"):
        check(OfInvariant(), ["Differs"], symmetry=True, engine=Spark(spark, tmp_path / "run"))


def test_what_was_found_before_stays():
    class Found(OfInvariant):
        @invariant
        def Nobody(self, s):
            return not any(s.gone.values())

    result = check(Found(), ["Nobody", "Differs"], symmetry=True)
    assert [verdict.holds for verdict in result.verdicts] == [False, None]
    assert result.stopped.startswith("an error of the model: symmetry over Walkers: the names are not interchangeable")


def test_states_that_no_behaviour_reaches_are_not_asked_about():
    class OneGoes(OfInvariant):
        def may_walk(self, s, w):
            return w == "w1" and not s.gone[w]

    assert check(OneGoes(), ["Differs"], symmetry=True).verdicts[0].holds is True
