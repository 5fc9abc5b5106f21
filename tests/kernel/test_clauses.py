"""Invariants of several clauses: judged one by one, and named by the verdict."""

import pytest

from workbench.checking.check import check
from workbench.kernel import ModelError
from workbench.language import *
from workbench.showing import pictures, view


class Election(Model):
    """Voters vote once each, and whoever has most votes may lead."""

    symmetry = ("Voters",)
    Voters = Constant(3, Names("v", range(1, 4)), "who votes, and may be voted for")
    Secret = Constant(False, bool, "nobody counts the votes")

    vote = Variable(None, per="Voters")
    leads = Variable(False, per="Voters")

    @action(v="Voters")
    def cast(self, s, v):
        require(s.vote[v] is None, f"{v} has voted")
        s.vote[v] = choose(self.Voters, "whom")

    @action(v="Voters")
    def lead(self, s, v):
        require(any(s.vote[w] == v for w in self.Voters), f"nobody votes for {v}")
        s.leads[v] = True

    def votes_are_for_voters(self, s):
        """Nobody votes for somebody else."""
        return all(vote is None or vote in self.Voters for vote in s.vote.values())

    def one_leads(self, s):
        """At most one leads."""
        leading = [v for v in self.Voters if s.leads[v]]
        return len(leading) < 2 or Fault(f"{' and '.join(leading)} lead", *(Place("leads", v) for v in leading))

    Safe = invariant(votes_are_for_voters, one_leads, when=lambda model: not model.Secret)

    def has_voted(self, s, v):
        return not s.leads[v] or s.vote[v] is not None

    def is_voted_for(self, s, v):
        return not s.leads[v] or v in s.vote.values()

    Leader = invariant(is_voted_for, has_voted, v="Voters", by_default=False)


def broken(**declared):
    with pytest.raises(ModelError) as caught:
        type("Broken", (Election,), declared)
    return str(caught.value)


@pytest.mark.parametrize("engine", ["reference", "local"])
@pytest.mark.parametrize("symmetry", [False, True])
def test_the_verdict_names_the_clause_that_fails(engine, symmetry):
    result = check(Election(), ["Safe", "Leader"], engine=engine, symmetry=symmetry)
    assert (result["Safe"].holds, result["Safe"].trace_states) == (False, 5)
    assert result["Safe"].why.startswith("one_leads: v")
    assert result["Safe"].why.endswith(" lead")
    assert (result["Leader"].holds, result["Leader"].why) == (False, "has_voted is false")
    assert result["Leader"].trace_states == 3


def test_clauses_are_judged_one_by_one_and_ask_python_less():
    """One tree for both is a path per vote and leader; a tree for each is a path per vote, and one per leader."""

    class Split(Election):
        def one_leads(self, s):
            return sum(s.leads.values()) < 4

    class Whole(Split):
        @invariant
        def Safe(self, s):
            return self.votes_are_for_voters(s) and self.one_leads(s)

    whole, split = check(Whole(), ["Safe"], engine="local"), check(Split(), ["Safe"], engine="local")
    assert whole.levels == split.levels
    assert whole.holds
    assert split.holds
    assert split.figures["python_calls"] < whole.figures["python_calls"]


def test_a_clause_is_an_instance_of_its_own():
    instances = Election().predicates("Leader")
    assert [(i.arguments, i.clause) for i in instances[:3]] == [
        (("v1",), "is_voted_for"),
        (("v1",), "has_voted"),
        (("v2",), "is_voted_for"),
    ]
    assert [i.clause for i in Election().predicates("Safe")] == ["votes_are_for_voters", "one_leads"]


def test_what_a_clause_says_is_wrong_keeps_its_places():
    model = Election()
    state = check(model, ["Safe"])["Safe"].trace.last
    (fault,) = pictures.drawing.faults(model, state, ["Safe"])
    assert str(fault).startswith("Safe: one_leads: v")
    assert {place.variable for place in fault.places} == {"leads"}
    assert len(fault.places) == 2


def test_the_truth_in_a_state_has_one_line_for_all_clauses():
    model = Election()
    state = check(model, ["Safe"])["Safe"].trace.last
    (truth,) = view.truths(model, state, ["Safe"])
    assert (truth.name, truth.word) == ("Safe", "violated")
    assert truth.why.startswith("one_leads: ")


def test_switches_apply_to_all_clauses():
    assert list(Election(Secret=True).properties) == ["Leader"]
    assert [p.name for p in Election().select()] == ["Safe"]


def test_a_subclass_replaces_a_clause_by_replacing_the_method():
    class Two(Election):
        def one_leads(self, s):
            return sum(s.leads.values()) < 3 or "everybody leads"

    class Anybody(Two):
        Safe = invariant(Election.votes_are_for_voters, Two.one_leads)

    for model in (Two(), Anybody()):
        assert check(model, ["Safe"])["Safe"].why == "one_leads: everybody leads"
    assert check(Election(), ["Safe"])["Safe"].why != "one_leads: everybody leads"


def test_a_clause_may_stand_outside_of_the_class():
    def nobody_leads(self, s):
        return not any(s.leads.values())

    class Outside(Election):
        Safe = invariant(Election.votes_are_for_voters, nobody_leads)

    assert check(Outside(), ["Safe"])["Safe"].why == "nobody_leads is false"


def test_called_like_a_function_they_are_a_conjunction():
    class Both(Election):
        @invariant
        def Safe(self, s):
            return Election.Safe.function(self, s)

    assert check(Both(), ["Safe"])["Safe"].why.startswith("one_leads: v")


def test_the_documentation_is_that_of_the_clauses():
    doc = Election.declared_properties["Safe"].doc
    assert doc == "votes_are_for_voters: Nobody votes for somebody else.\none_leads: At most one leads."
    assert Election.declared_properties["Leader"].doc == "is_voted_for\nhas_voted"


def test_what_is_no_clause_is_refused():
    def other(self, s, w):
        return True

    def plain(self, s):
        return True

    with pytest.raises(ModelError, match=r"other.*takes the parameters \(w\) but declares domains for \(\)"):
        invariant(plain, other)
    with pytest.raises(ModelError, match=r"clause <lambda> \(test_clauses.py:\d+\) is not accepted"):
        invariant(plain, lambda self, s: True)
    with pytest.raises(ModelError, match=r"clause plain \(test_clauses.py:\d+\) is not accepted"):
        invariant(plain, plain)
    with pytest.raises(ModelError, match="a clause is a method without a decorator"):
        invariant(plain, invariant(plain))


def test_a_clause_that_is_replaced_by_something_else_is_refused():
    assert "a method without a decorator" in broken(one_leads=invariant(lambda self, s: True))
    assert "takes the parameters (x)" in broken(one_leads=lambda self, s, x: True)


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_an_answer_that_is_none_is_told_with_the_clause_and_its_line(engine):
    class Silent(Election):
        def one_leads(self, s):
            pass

    wanted = r"invariant Safe.one_leads \(test_clauses.py:\d+\) returned None; it must return True"
    with pytest.raises(ModelError, match=wanted):
        check(Silent(), ["Safe"], engine=engine)
