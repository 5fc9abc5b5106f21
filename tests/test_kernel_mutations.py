"""Would the figures notice a mistake in a protocol? Bakeries with one mistake each, held against the configurations."""

import dataclasses
from pathlib import Path

import pytest

from workbench import configurations
from workbench.engines.check import check
from workbench.kernel import action, require
from workbench.models import iceberg_catalog as catalog
from workbench.models.bakery import Bakery, Claim
from workbench.models.bakery_v2 import BakeryV2

SPECS = Path(__file__).parent.parent / "specs" / "bakery"


class NoWitness(Bakery):
    """A claim needs nobody else to be alive."""

    @action(Bakery.writer)
    def begin_claim(self, s, w):
        self.at(s, w, "BeginClaim")
        s.my_ticket[w] = s.next_ticket
        s.claims |= {Claim(s.next_ticket, w)}
        s.next_ticket += 1
        s.pc[w] = "BakeryWait"


class TicketTwice(Bakery):
    """The increment of the ticket counter is lost."""

    @action(Bakery.writer)
    def begin_claim(self, s, w):
        ticket = s.next_ticket
        Bakery.begin_claim.function(self, s, w)
        s.next_ticket = ticket


class NoQueue(Bakery):
    """Whoever has a claim goes on at once."""

    @action(Bakery.writer)
    def bakery_wait(self, s, w):
        self.at(s, w, "BakeryWait")
        s.pc[w] = "Prepare"


class ReapsTheLiving(Bakery):
    """A waiting writer removes the smallest claim, whoever holds it."""

    @action(Bakery.writer)
    def bakery_wait(self, s, w):
        self.at(s, w, "BakeryWait")
        require(s.claims, "nothing to wait for")
        first = min(s.claims)
        if first == Claim(s.my_ticket[w], w):
            s.pc[w] = "Prepare"
        else:
            s.claims -= {first}


class KeepsTheClaim(Bakery):
    """A writer that has decided stays in the queue."""

    def leave(self, s, w):
        s.pc[w] = "Done"


class CrashesForFree(Bakery):
    """A crash does not use up the budget of crashes."""

    @action(Bakery.crasher, w="Writers")
    def crash(self, s, w):
        require(s.pc_crasher == "Crash" and s.crash_budget > 0, "no budget")
        require(not s.crashed[w], "crashed already")
        s.crashed[w] = True


class SwapsBlindly(BakeryV2):
    """The catalog takes every commit, whatever it was built on."""

    @action(BakeryV2.writer)
    def commit(self, s, w):
        self.at(s, w, "Decide")
        s.parent_seen[w] = len(s.iceberg)
        catalog.swap(s, w)
        self.decided(s, w)


class ForgetsOneView(BakeryV2):
    """A release leaves the claim in one node's view."""

    def release_claim(self, s, w):
        for node in self.nodes[1:]:
            s.claims[node] -= {(s.my_ticket[w], w)}
        s.pc[w] = "DrainForward"


class AcksAtOnce(BakeryV2):
    """A node acks every claim, also one that its own comes before."""

    def answer(self, s, node, ticket, defer, behind):
        s.acks[ticket] |= {node}


class NeverForwards(BakeryV2):
    """Deferred acks are dropped instead of sent."""

    def forward_acks(self, s, w):
        s.pc[w] = "DrainDelete"


class KeepsDeferrals(BakeryV2):
    """Deferrals that have been served are not forgotten."""

    def delete_deferrals(self, s, w):
        s.pc[w] = "Done"


class LosesTickets(BakeryV2):
    """The increment of the ticket counter is lost."""

    @action(BakeryV2.writer, witness="Writers")
    def begin_claim(self, s, w, witness):
        ticket = s.next_ticket
        BakeryV2.begin_claim.function(self, s, w, witness)
        s.next_ticket = ticket


class WaitsForTheDead(BakeryV2):
    """A writer waits for the acks of dead nodes too."""

    def node_alive(self, s, node):
        return True


class WitnessesItself(BakeryV2):
    """A writer may be its own witness."""

    @action(BakeryV2.writer, witness="Writers")
    def begin_claim(self, s, w, witness):
        others = next(p for p in self.Writers if p != w)
        BakeryV2.begin_claim.function(self, s, w, others if witness == w else witness)


def noticed(mutant, name):
    """The expectations of a configuration that the mutant misses."""
    one = configurations.load(SPECS / f"{name}.toml")
    safety = [p.name for p in one.model.select(one.properties) if p.kind != "liveness"]
    constants = {n: v for n, v in one.model.constants.items() if n in mutant.declared_constants}  # not of extensions
    expect = {**one.expect, "verdicts": {n: v for n, v in one.expect["verdicts"].items() if n in safety}}
    broken = dataclasses.replace(one, model=mutant(**constants), properties=safety, expect=expect)
    result = check(broken.model, safety, symmetry=broken.symmetry)
    return {line.split(":")[0] for line in broken.differences(result)}


MISTAKES = [
    (TicketTwice, "v1_no_crash", {"UniqueTickets"}),
    (NoQueue, "v1", {"distinct", "TicketOrderPreserved", "NoLakekeeperConflict"}),
    (ReapsTheLiving, "v1", {"distinct", "depth", "TicketOrderPreserved", "NoLakekeeperConflict"}),
    (KeepsTheClaim, "v1", {"distinct", "depth"}),
    (CrashesForFree, "v1", {"distinct", "depth"}),
    (SwapsBlindly, "v2_race", {"distinct", "NoLakekeeperConflict"}),
    (ForgetsOneView, "v2", {"distinct", "depth", "generated", "EveryoneCommits"}),
    (AcksAtOnce, "documented_v2", {"distinct", "generated", "TicketOrderPreserved", "NoLakekeeperConflict"}),
    (NeverForwards, "v2", {"distinct", "generated"}),
    (KeepsDeferrals, "documented_v2", {"distinct", "generated"}),
    (LosesTickets, "v2_two_writers_crash", {"distinct", "UniqueTickets", "NoLakekeeperConflict"}),
    (WaitsForTheDead, "v2_two_writers_crash", {"distinct", "EveryoneCommits"}),
    (WitnessesItself, "v2", {"generated"}),  # no state is new, but there is one way more to each
]


@pytest.mark.parametrize(("mutant", "name", "missed"), MISTAKES, ids=lambda x: getattr(x, "__name__", None))
def test_a_mistake_is_noticed(mutant, name, missed):
    assert noticed(mutant, name) == missed


@pytest.mark.parametrize("name", sorted({name for _, name, _ in MISTAKES}))
def test_without_a_mistake_nothing_is_missed(name):
    sound = configurations.load(SPECS / f"{name}.toml").model
    assert noticed(type(sound), name) == set()


def test_a_claim_without_a_witness_is_noticed_where_nobody_could_be_one():
    """With two writers or more, a claim before the others' crash leads to the same states as one after it."""
    assert check(Bakery(Writers=1), ["SomeoneCommits"])["SomeoneCommits"].word == "not reached"
    assert check(NoWitness(Writers=1), ["SomeoneCommits"])["SomeoneCommits"].word == "reached"
    assert check(NoWitness(), ["UniqueTickets"]).distinct == check(Bakery(), ["UniqueTickets"]).distinct == 4806
