"""The classics: what each switch breaks, and that the pages show what is found."""

import lessons
import pytest

from tests.places import ROOT
from workbench.checking.check import check
from workbench.kernel import InputError
from workbench.kernel.meaning.domains import OneOf
from workbench.registry import configurations, get_model, protocols

FOLDER = ROOT / "specs" / "classics"


CLASSICS = protocols()["classics"].models


def load(name):
    return configurations.configuration(FOLDER / f"{name}.toml")


# Lessons -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLASSICS)
def test_as_it_should_be_everything_holds(name):
    one = load(name)
    assert (type(one.model.author), one.model.name, one.model.differing()) == (get_model(name), name, {})
    declared = one.model.select(one.properties)
    assert declared == one.model.select()
    assert {"invariant", "reachable"} <= {p.kind for p in declared}
    assert [p.name for p in declared if "violated" in one.expect["verdicts"][p.name]] == []


FINAL = ["DecisionsAreFinal", "IsTransactionCommit"]
#: Each switch, the configuration with the lesson, and what is violated there.
LESSONS = {
    ("two_phase_commit", "LosesPatience"): ("two_phase_commit_impatient", ["Agreement", *FINAL]),
    ("two_phase_commit", "MajorityCommits"): ("two_phase_commit_majority", ["Agreement", "NobodyIsForced", *FINAL]),
    ("two_phase_commit", "CoordinatorCrashes"): ("two_phase_commit_blocks", ["EveryoneDecides"]),
    ("paxos", "MeetingQuorums"): ("paxos_quorums", ["Agreement"]),
    ("paxos", "AdoptsVotes"): ("paxos_votes", ["Agreement"]),
    ("paxos", "KeepsPromises"): ("paxos_promises", ["Agreement", "PromisesLast"]),
    ("raft_election", "PersistsVote"): ("raft_election_vote", ["OneLeaderPerTerm", "OneVotePerTerm"]),
    ("raft_election", "PersistsTerm"): ("raft_election_term", ["OneLeaderPerTerm", "OneVotePerTerm", "TermsNeverFall"]),
    ("chang_roberts", "PassesOnSmaller"): ("chang_roberts_smaller", ["LargestLeads", "LeadersStay", "SomebodyLeads"]),
    ("chang_roberts", "UniqueNumbers"): ("chang_roberts_twins", ["OneLeader"]),
    ("ewd998", "MachinesBlacken"): ("ewd998_white", ["NoFalseAlarm", "TerminationIsDetected"]),
    ("ewd998", "CountsMessages"): ("ewd998_uncounted", ["NoFalseAlarm"]),
    ("peterson", "LevelFirst"): ("peterson_last_first", ["MutualExclusion", "EachLevelHoldsOneBack"]),
    ("peterson", "LeavesLevels"): ("peterson_stays", ["WhoWantsEnters"]),
    ("readers_writers", "ReadersOvertake"): ("readers_writers_starve", ["WritersWrite"]),
    ("readers_writers", "WritersWaitForReaders"): ("readers_writers_together", ["WritersAreAlone"]),
    ("allocator", "Schedules"): ("allocator_simple", ["ClientsObtain", "ClientsAreSatisfied"]),
    ("allocator", "GivesBackEarly"): ("allocator_deadlock", ["Deadlock"]),
}


def test_every_switch_has_its_lesson():
    switches = {
        (n, c) for n in CLASSICS for c, d in get_model(n).declared.constants.items() if d.domain.kind == "switch"
    }
    assert switches == set(LESSONS)
    for (name, switch), (lesson, broken) in LESSONS.items():
        one = load(lesson)
        assert one.model.name == name
        assert switch in one.model.differing()
        expected = one.expect["verdicts"]
        assert [p for p, wanted in expected.items() if "violated" in wanted] == broken


def test_a_level_less_lets_two_get_through():
    one = load("peterson_level_less")
    assert one.model.constants["LevelsLeftOut"] == 1
    assert "violated" in one.expect["verdicts"]["MutualExclusion"]
    with pytest.raises(InputError, match=r"^LevelsLeftOut = 1 is not accepted; at least one level must be left"):
        get_model("peterson")(Processes=2, LevelsLeftOut=1)


def test_numbers_that_fall_along_the_ring_make_more_messages():
    falling, rising = load("chang_roberts"), load("chang_roberts_rising")
    assert isinstance(rising.model.declared.constants["Order"].domain, OneOf)
    assert rising.expect["depth"] < falling.expect["depth"]


@pytest.mark.parametrize("name", lessons.names_on())
def test_the_page_shows_the_trace_that_is_found(name):
    assert (FOLDER / "pictures" / f"{name}.svg").read_text() == lessons.drawn(load(name)) + "\n", (
        "run scripts/lessons.py"
    )


def test_every_protocol_has_a_picture():
    assert {load(name).model.name for name in lessons.names_on()} == set(CLASSICS)
    assert {path.stem for path in (FOLDER / "pictures").iterdir()} == set(lessons.names_on())


def test_a_ring_that_runs_the_other_way_is_one_on_which_numbers_rise():
    model = get_model("chang_roberts")
    turned = check(model(Ring=[["p1", "p3"], ["p3", "p2"], ["p2", "p1"]]))
    rising = load("chang_roberts_rising").expect
    assert (turned.distinct, turned.generated, turned.depth) == tuple(
        map(rising.get, ("distinct", "generated", "depth"))
    )


@pytest.mark.parametrize("ring", ["line", "star", "complete", "none", "p1->p2, p2->p3, p3->p2", "p1->p2, p2->p1"])
def test_what_is_no_ring_is_refused(ring):
    with pytest.raises(InputError, match=r"^Ring=.* is not accepted; it takes one ring through all 3 Processes$"):
        get_model("chang_roberts")(Ring=ring)
