"""Published figures, and that a model with its extensions switched off is the published one: for all models at once."""

import functools
from typing import Any

import pytest

from tests.behaviours import steps_of
from tests.figures import Figure, Found, published
from tests.places import ROOT
from workbench.checking.check import check
from workbench.kernel import Model, action, choose, constraint, machine_of, require
from workbench.protocols.bakery.extended import BakeryExtended
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.protocols.bakery.v2_as_built import BakeryV2AsBuilt
from workbench.protocols.bakery.v2_extended import BakeryV2Extended
from workbench.protocols.classics.ewd998 import Ewd998
from workbench.protocols.classics.paxos import NEVER, Paxos, Promise, Propose
from workbench.protocols.hudi.extended import HudiExtended
from workbench.protocols.hudi.model import Hudi
from workbench.protocols.iceberg.model import COW
from workbench.protocols.paimon.extended import PaimonExtended
from workbench.protocols.paimon.published import PaimonPublished
from workbench.registry import configurations, get_model

SPECS = ROOT / "specs"

#: By the name of an extended model: itself, and the published one.
EXTENDED: dict[str, tuple[type[Model], type[Model]]] = {
    "bakery": (BakeryExtended, Bakery),
    "bakery_v2": (BakeryV2Extended, BakeryV2),
    "hudi": (HudiExtended, Hudi),
    "paimon": (PaimonExtended, PaimonPublished),
}


FIGURES = [*published("hudi"), *published("paimon")]

WHOLE_FILES = {"UpdateMode": COW, "DeleteMode": COW}
#: Of a port of the published Iceberg: operations and compactions, other constants, distinct states and depth, and the
#: states of ConsistentRead's trace.
PORTED: list[tuple[int, int, dict[str, Any], int, int, int | None]] = [
    (2, 0, {}, 221, 10, None),
    (2, 0, WHOLE_FILES, 221, 10, None),
    (2, 0, {"Col1": ["jack", "sarah"], "Col2": ["red"]}, 257, 11, None),
    (3, 0, {}, 2_861, 17, 15),
    (3, 0, {"DeleteChecksDeletes": True}, 2_741, 16, None),
    (3, 0, {"Isolation": "serializable"}, 2_801, 17, None),
    (3, 0, WHOLE_FILES, 2_741, 16, None),
    (3, 0, {**WHOLE_FILES, "Isolation": "serializable"}, 2_741, 16, None),
    (3, 0, {"UpdateMode": COW}, 2_477, 17, None),
    (3, 0, {"DeleteMode": COW}, 2_741, 16, None),
    (3, 0, {"AllowDeletes": False}, 785, 16, None),
    (3, 0, {"AllowUpdates": False}, 803, 17, None),
    (2, 1, {}, 1_383, 16, None),
    (2, 1, WHOLE_FILES, 1_547, 16, None),
    (2, 2, {"AllowUpdates": False}, 3_475, 22, None),
    (3, 1, {"DeleteChecksDeletes": True}, 23_231, 21, None),
]


def of_the_port(operations: int, compactions: int, constants: dict[str, Any], *found: Any) -> Figure:
    distinct, depth, states = found
    sizes = {"MaxWriteOps": operations, "MaxCompactions": compactions, "DeleteChecksDeletes": False}
    violated = {"ConsistentRead": states, "NoDanglingDeleteFiles": None, "LinearCommits": None}
    return Figure("iceberg", {**sizes, **constants}, Found(distinct, depth, violated))


def kinds(figure: Figure) -> tuple[type[Model], ...]:
    """The model that is published, and the one that extends it."""
    return EXTENDED[figure.model][::-1] if figure.model in EXTENDED else (get_model(figure.model),)


def named(figure: Figure) -> str:
    """A test's name: the constants that differ from the model's own."""
    published = machine_of(kinds(figure)[0](**figure.constants))
    return figure.name or ",".join(f"{n}={v}" for n, v in published.differing().items()) or "default"


def sized(figure: Figure) -> Any:
    large = (figure.found.distinct or 10**5) > 10_000
    return pytest.param(figure, id=f"{figure.model}-{named(figure)}", marks=[pytest.mark.slow] if large else [])


@pytest.mark.slow
@pytest.mark.parametrize(
    "figure", [sized(figure) for figure in [*FIGURES, *published("delta"), *(of_the_port(*row) for row in PORTED)]]
)
def test_published_figures_with_and_without_extensions(figure):
    """Delta's do not say how many states there are where something is violated."""
    names = None if figure.model in EXTENDED else list(figure.found.violated)
    result, *extended = (check(kind(**figure.constants), names, engine="local") for kind in kinds(figure))
    distinct, depth, violated = figure.found
    states = {v.name: v.trace_states for v in result.verdicts}
    assert {name: states.get(name) for name in violated} == violated
    assert distinct is None or (result.distinct, result.depth) == (distinct, depth)
    for other in extended:
        assert (other.levels, other.generated) == (result.levels, result.generated)
        assert {v.name: (v.word, v.trace_states) for v in other.verdicts} == {
            v.name: (v.word, v.trace_states) for v in result.verdicts
        }


@functools.cache
def configured(model: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Constants and expected figures of a model's configurations that check the whole space."""
    loaded = map(configurations.configuration, sorted((SPECS / model).glob("*.toml")))
    extended, published = EXTENDED[model]
    return [
        (extended(**one.model.constants).constants, one.expect)
        for one in loaded
        if isinstance(one.model.author, published) and not one.symmetry and "distinct" in one.expect
    ]


@pytest.mark.parametrize("figure", FIGURES, ids=named)
def test_every_published_figure_is_expected_of_a_configuration(figure):
    wanted, (distinct, depth, violated) = EXTENDED[figure.model][0](**figure.constants), figure.found
    verdicts = {n: "holds" if states is None else {"violated": states} for n, states in violated.items()}
    asked = {n: verdict for n, verdict in verdicts.items() if n in machine_of(wanted).properties}
    expected = [e for constants, e in configured(figure.model) if constants == wanted.constants]
    expected = [e for e in expected if asked.keys() <= e["verdicts"].keys()]
    assert expected
    for expect in expected:
        assert (expect["distinct"], expect["depth"]) == (distinct, depth)
        assert {name: expect["verdicts"][name] for name in asked} == asked


# Extensions ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXTENDED)
def test_the_name_on_the_command_line_is_the_extended_model(name):
    extended, published = EXTENDED[name]
    assert (get_model(name), get_model(f"{name}_published")) == (extended, published)
    assert (extended.name, published.name) == (name, f"{name}_published")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("extended", "published", "constants"),
    [
        (BakeryExtended, Bakery, {"Writers": 2}),
        (BakeryExtended, Bakery, {"Writers": 2, "NodeStartup": False, "LazyReap": False}),
        (BakeryV2Extended, BakeryV2, {"Writers": 2}),
        (BakeryV2Extended, BakeryV2, {"Writers": 2, "SafeAcks": False}),
        (BakeryV2Extended, BakeryV2, {"Writers": 2, "AsyncParquet": True, "RestampPatch": False}),
        (BakeryV2AsBuilt, BakeryV2, {"Writers": 2, "SafeAcks": False}),
        (HudiExtended, Hudi, {"Keys": 1, "Values": 1}),
        (PaimonExtended, PaimonPublished, {}),
    ],
)
def test_switched_off_the_extended_model_is_the_published_one_step_by_step(extended, published, constants):
    off, alone = machine_of(extended(**constants)), machine_of(published(**constants))
    assert steps_of(off, published) == steps_of(alone, published)
    assert list(off.actions) == list(alone.actions)
    assert [p.name for p in off.select()] == [p.name for p in alone.select()]


# The classics --------------------------------------------------------------------------------------------------------

CLASSICS = sorted((SPECS / "classics").glob("*.toml"))

#: Distinct states, generated states and depth that TLC has found in a specification with the same steps, as the
#: manifest of tlaplus/Examples gives them.
OF_TLC = {
    "transaction_commit": (34, 94, 7),  # TCommit
    "two_phase_commit": (288, 1146, 11),  # TwoPhase
    "chang_roberts": (137, 227, 10),  # MCChangRoberts
    "readers_writers_three": (21527, 59674, 13),  # ReadersWriters, MC
    "allocator": (1690, 5854, 7),  # SchedulingAllocator
    "allocator_simple": (400, 1633, 6),  # SimpleAllocator
}


def classic(name: str) -> configurations.Configuration:
    return configurations.configuration(SPECS / "classics" / f"{name}.toml")


@pytest.mark.parametrize("name", OF_TLC)
def test_published_figures_are_expected_of_the_classics(name):
    expect = classic(name).expect
    assert (expect["distinct"], expect["generated"], expect["depth"]) == OF_TLC[name]


class EachWay(Paxos):
    """TLC counts a proposal once for each message by which it finds that the proposal is safe."""

    @action(Paxos.leader, v="Values")
    def propose(self, s, b, v):
        require(not any(Propose(b, other) in s.messages for other in self.Values), f"ballot {b} has its proposal")
        quorum = choose(self.quorums, "quorum")
        told = s.messages.where(lambda m: isinstance(m, Promise) and m.acceptor in quorum, ballot=b)
        require(len(told) == len(quorum), "the quorum has not promised")
        latest = max(m.voted_in for m in told)
        if latest != NEVER:
            choose(list(told.where(voted_in=latest, voted_for=v)), "by")
        s.messages |= {Propose(b, v)}


def test_published_figures_of_paxos():
    """MCPaxosTiny."""
    result = check(EachWay(), ["Agreement"])
    assert (result.distinct, result.generated, result.depth) == (3921, 23563, 17)
    expect = classic("paxos").expect
    assert (expect["distinct"], expect["depth"]) == (3921, 17)


def test_the_published_figure_of_six_participants_is_expected():
    """What the specification TwoPhase says of itself."""
    assert classic("two_phase_commit_six").expect["distinct"] == 50_816


class Unbounded(Ewd998):
    """The bound is a constraint, as in the published specification, and no part of the protocol."""

    @action(Ewd998.machine, "to in Machines")
    def send(self, s, i, to):
        require(s.active[i], f"{i} is done")
        require(i != to, "nobody sends to itself")
        s.count[i] += 1
        s.pending[to] += 1

    @constraint(i="Machines")
    def FewMessages(self, s, i):
        return s.count[i] <= self.MaxCount and s.pending[i] <= self.MaxCount


def test_a_constraint_cuts_where_the_bound_of_ewd998_does():
    cut, bounded = check(Unbounded(), ["NoFalseAlarm", "TerminationIsDetected"]), classic("ewd998").expect
    assert (cut.distinct, cut.depth) == (bounded["distinct"], bounded["depth"])
    assert cut.generated - cut.outside == bounded["generated"]
    assert [v.holds for v in cut.verdicts] == [True, None]


@pytest.mark.slow
def test_published_figures_of_ewd998():
    """EWD998 with its state constraint: 1.3 million distinct states, and depth 60."""
    result = check(get_model("ewd998")(MaxCount=3), ["NoFalseAlarm"])
    assert (result.distinct // 100_000, result.depth) == (13, 60)


@pytest.mark.slow
@pytest.mark.parametrize("name", [path.stem for path in CLASSICS])
def test_every_configuration_of_a_classic_is_as_expected(name):
    one = classic(name)
    assert {"distinct", "depth", "generated"} <= set(one.expect)
    result = check(one.model, one.properties, symmetry=one.symmetry)
    assert one.differences(result) == []
    assert result.never_taken == []
