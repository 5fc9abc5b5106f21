"""Fairness of some of an action's steps: as if the action were two, one fair and one not, in both deciders."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.products import examples
from workbench.checking.check import check
from workbench.kernel import ModelError, search
from workbench.kernel.meaning.lasso import verify_lasso
from workbench.language import *

LABELS, PLACES = (0, 1), 4


def walk(formula, **actions):
    """A walk in which somebody else may turn round."""

    class Walk(Model):
        labels = LABELS
        at = Variable(0)
        parity = Variable(0)

        @action
        def turn(self, s):
            s.parity = 1 - s.parity

        @liveness
        def Promise(self):
            return formula

    return type("Walk", (Walk,), actions)()


def together(edges, counted, fair, formula):
    """A walk whose steps with a label are one action, of which some steps are fair."""

    def step(self, s, label):
        s.at = choose([t for source, own, t in edges if (source, own) == (s.at, label)], "to")

    def counts(self, s, own, *, to):
        return (s.at, own, to) in counted

    return walk(formula, step=action(label="labels", fair=fair, fair_when=counts)(step))


def apart(edges, counted, fair, formula):
    """The same walk, with the fair steps as an action of their own."""

    def going(wanted):
        own = [edge for edge in edges if (edge in counted) == wanted]
        return lambda self, s, label: setattr(s, "at", choose([t for a, o, t in own if (a, o) == (s.at, label)], "to"))

    fair_step, other_step = action(label="labels", fair=fair)(going(True)), action(label="labels")(going(False))
    return walk(formula, fair_step=fair_step, other_step=other_step)


place = st.integers(0, PLACES - 1)
edge = st.tuples(place, st.sampled_from(LABELS), place)


@pytest.mark.slow
@examples(30)
@given(
    edges=st.lists(edge, min_size=1, max_size=9, unique=True),
    chance=st.sets(st.integers(0, 8)),
    fair=st.sampled_from(["weak", "strong"]),
    kind=st.sampled_from([eventually, eventually_always, None]),
    trigger=place,
    goal=place,
)
def test_as_if_the_fair_steps_were_an_action_of_their_own(edges, chance, fair, kind, trigger, goal):
    counted = {edge for number, edge in enumerate(edges) if number in chance}

    def reached(s):
        return s.at == goal

    formula = kind(reached) if kind else leads_to(lambda s: s.at == trigger, reached)
    one, two = together(edges, counted, fair, formula), apart(edges, counted, fair, formula)
    results = [engine(model) for model in (one, two) for engine in (search, check)]
    assert len({result["Promise"].word for result in results}) == 1
    assert len({result.distinct for result in results}) == 1
    for result in results:
        if result["Promise"].holds is False:
            verify_lasso(result["Promise"].trace, formula, result.model.fairness)


class Allocator(Model):
    """Clients ask for resources, get them one by one, and give back what they hold - all of it, one day."""

    clients = ("c1", "c2")
    resources = ("r1", "r2")
    unsatisfied = Variable(frozenset(), per="clients")
    held = Variable(frozenset(), per="clients")

    client = Process(per="clients")

    @action(client)
    def request(self, s, c):
        require(not s.unsatisfied[c] and not s.held[c])
        s.unsatisfied[c] = frozenset(self.resources)

    @action(client, r="resources", fair="strong")
    def allocate(self, s, c, r):
        require(r in s.unsatisfied[c])
        require(all(r not in s.held[other] for other in self.clients))
        require(all(q not in s.unsatisfied[c] for q in self.resources[: self.resources.index(r)]))
        s.unsatisfied[c] -= {r}
        s.held[c] |= {r}

    @action(
        client,
        fair="weak",
        fair_when=lambda self, s, c, *, what: not s.unsatisfied[c] and frozenset(what) == s.held[c],
    )
    def give_back(self, s, c):
        s.held[c] -= frozenset(
            choose([part for part in (("r1",), ("r2",), ("r1", "r2")) if set(part) <= s.held[c]], "what")
        )

    @liveness(c="clients")
    def Served(self, c):
        return leads_to(lambda s: bool(s.unsatisfied[c]), lambda s: not s.unsatisfied[c])


class Keeps(Allocator):
    """Nobody has to give anything back."""

    @action(Allocator.client, fair=False)
    def give_back(self, s, c):
        Allocator.give_back.function(self, s, c)


class GivesSome(Allocator):
    """Only giving back the first resource is fair."""

    @action(Allocator.client, fair="weak", fair_when=lambda self, s, c, *, what: what == ("r1",))
    def give_back(self, s, c):
        Allocator.give_back.function(self, s, c)


@pytest.mark.parametrize("model", [Allocator, Keeps, GivesSome])
def test_both_deciders_say_the_same_of_an_allocator(model):
    plain, fast = search(model()), check(model())
    assert (plain.levels, plain.generated) == (fast.levels, fast.generated)
    assert plain["Served"].word == fast["Served"].word == ("holds" if model is Allocator else "violated")


def test_of_an_action_of_a_fair_process():
    """Fairness of the process is of its other actions as ever, and of this one's steps that count."""

    class Counts(Model):
        n = Variable(0)
        p = Process(fair="weak")

        @action(p, fair_when=lambda self, s: s.n < self.enough)
        def up(self, s):
            require(s.n < 5)
            s.n += 1

        enough = 3

        @liveness
        def Three(self):
            return eventually(lambda s: s.n == 3)

        @liveness
        def Four(self):
            return eventually(lambda s: s.n == 4)

    for engine in (search, check):
        result = engine(Counts())
        assert [verdict.word for verdict in result.verdicts] == ["holds", "violated"]
        assert result["Four"].trace_states == 4


def acting(condition, **options):
    def act(self, s, k):
        s.n = choose([0, 1], "to")

    return type(
        "M", (Model,), {"n": Variable(0), "ks": (1,), "act": action(k="ks", fair_when=condition, **options)(act)}
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: acting(lambda self, s, k: True), "fair_when has no effect without fairness"),
        (lambda: acting(lambda self, s, k: True, fair=False), "fair_when has no effect without fairness"),
        (lambda: acting("n", fair="weak"), "act: fair_when = 'n' is not accepted; it takes a function (self, s, ...)"),
        (lambda: acting(lambda self, s: True, fair="weak"), "act: fair_when takes (self, s); it takes self, s and the"),
        (lambda: check(with_promise(lambda self, s, k: s.n)), "returned 0; it must return True or False"),
        (lambda: check(with_promise(lambda self, s, k: s.m)), "fair_when of act (test_fair_when.py:"),
        (lambda: search(with_promise(lambda self, s, k: s.m)), "fair_when of act (test_fair_when.py:"),
    ],
)
def test_misuse(make, message):
    with pytest.raises(ModelError) as caught:
        make()
    assert message in str(caught.value)


def with_promise(condition):
    base = acting(condition, fair="weak")
    return type("N", (base,), {"Promise": liveness(promise)})()


def promise(self):
    return eventually(lambda s: s.n == 1)


def test_a_step_without_the_named_choice_does_not_count():
    class Sometimes(Model):
        at = Variable(0)

        @initial
        def begin(self, s):
            s.at = choose([0, 1])

        @action(fair="weak", fair_when=lambda self, s, *, to: to == 2)
        def go(self, s):
            require(s.at < 2)
            s.at = 2 if s.at else choose([2, 3], "to")

        @liveness
        def Ends(self):
            return leads_to(lambda s: s.at == 0, lambda s: s.at == 2 or s.at == 3)

        @liveness
        def OneEnds(self):
            return leads_to(lambda s: s.at == 1, lambda s: s.at == 2)

    for engine in (search, check):
        assert [verdict.word for verdict in engine(Sometimes()).verdicts] == ["holds", "violated"]
