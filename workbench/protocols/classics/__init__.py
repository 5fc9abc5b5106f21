"""Protocols that every textbook has, in small models to learn from; ``specs/classics/README.md`` has the lessons."""

from workbench.registry import Protocol

PROTOCOL = Protocol(
    __name__,
    models={
        "two_phase_commit": "two_phase_commit:TwoPhaseCommit",
        "paxos": "paxos:Paxos",
        "raft_election": "raft_election:RaftElection",
        "chang_roberts": "chang_roberts:ChangRoberts",
        "ewd998": "ewd998:Ewd998",
        "peterson": "peterson:Peterson",
        "readers_writers": "readers_writers:ReadersWriters",
        "allocator": "allocator:Allocator",
    },
    is_gallery=True,
    stories={
        "two_phase_commit": {
            "Out of patience": "classics/two_phase_commit_impatient",
            "The coordinator crashes": "classics/two_phase_commit_blocks",
            "A majority decides": "classics/two_phase_commit_majority",
            "As it should be": "classics/two_phase_commit",
        },
        "paxos": {
            "Quorums that never meet": "classics/paxos_quorums",
            "A broken promise": "classics/paxos_promises",
            "Votes ignored": "classics/paxos_votes",
            "As it should be": "classics/paxos",
        },
        "raft_election": {
            "A vote forgotten": "classics/raft_election_vote",
            "A term forgotten": "classics/raft_election_term",
            "Split votes": "classics/raft_election_split",
            "As it should be": "classics/raft_election",
        },
        "chang_roberts": {
            "Twins": "classics/chang_roberts_twins",
            "The smallest gets through": "classics/chang_roberts_smaller",
            "As it should be": "classics/chang_roberts",
        },
        "ewd998": {
            "A message nobody counted": "classics/ewd998_uncounted",
            "Woken behind the token": "classics/ewd998_white",
            "As it should be": "classics/ewd998",
        },
        "peterson": {
            "A level too few": "classics/peterson_level_less",
            "Two lines exchanged": "classics/peterson_last_first",
            "A level never left": "classics/peterson_stays",
            "As it should be": "classics/peterson",
        },
        "readers_writers": {
            "Together in the room": "classics/readers_writers_together",
            "The writer starves": "classics/readers_writers_starve",
            "As it should be": "classics/readers_writers",
        },
        "allocator": {
            "Deadlock": "classics/allocator_deadlock",
            "Some wait for ever": "classics/allocator_simple",
            "As it should be": "classics/allocator",
        },
    },
)
