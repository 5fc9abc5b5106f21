"""Constants about names - graphs and relations - and what is unpacked from their pairs."""

import itertools
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.behaviours import reachable_states
from tests.products import examples
from workbench.checking.check import check
from workbench.checking.following.validate import validate
from workbench.checking.questions.whatif import other_values
from workbench.checking.spaces.dataset import save
from workbench.checking.spaces.space import explore
from workbench.commands.output.options import parse_assignments
from workbench.formats.itf import read_itf, to_itf
from workbench.formats.permalink import open_permalink, permalink
from workbench.formats.tlc_cfg import apply_cfg, read_cfg
from workbench.kernel import ModelError, machine_of, replay, search
from workbench.kernel.language.model import reserved_names
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.domains import Pairs
from workbench.kernel.meaning.values import Name, permute
from workbench.language import *
from workbench.registry.configurations import configuration
from workbench.showing.view import trace_view
from workbench.storage.identity import Identity


class Gossip(Model):
    """A rumour goes along edges."""

    symmetry = ("Node",)

    Node = Constant(3, Names("n", range(1, 7)))
    Edges = Constant("ring", Relation("Node"), "who tells whom")
    First = Constant("anybody", ("anybody", "n1", "n2"), "who knows it at first")
    Limit = Constant(9, range(10), "how often it may be told")

    knows = Variable(False, per="Node")
    told = Variable(0)

    node = Process(per="Node", fair="weak")

    @initial
    def begin(self, s):
        s.knows[choose([n for n in self.Node if self.First in ("anybody", n)])] = True

    @action(node, "a, b in Edges")
    def tell(self, s, a, b):
        require(s.knows[a] and not s.knows[b])
        require(s.told < self.Limit)
        s.knows[b] = True
        s.told += 1

    @invariant("a, b in Edges")
    def NobodyIsForgotten(self, s, a, b):
        return s.knows[a] or not s.knows[b] or s.told < len(self.Node)

    @reachable
    def EverybodyKnows(self, s):
        return all(s.knows.values())

    @liveness
    def Spreads(self):
        return eventually(lambda s: all(s.knows.values()))


def text(pairs):
    return " ".join("".join(pair) for pair in pairs)


class Wires(Model):
    """An undirected graph and a relation."""

    Node = Constant(["a", "b", "c"], Names("n", range(1, 5)))
    Tool = Constant(2, Names("t", range(1, 4)))
    Wire = Constant("line", Relation("Node", directed=False))
    Owns = Constant("none", Relation("Node", "Tool"))
    n = Variable(0)

    @action
    def idle(self, s):
        s.n = 0


@pytest.mark.parametrize(
    ("given", "pairs"),
    [
        ({}, "ab ba bc cb"),
        ({"Wire": "ring"}, "ab ac ba bc ca cb"),
        ({"Wire": "ring", "Node": ["a", "b"]}, "ab ba"),
        ({"Wire": "ring", "Node": ["a"]}, ""),
        ({"Wire": "star"}, "ab ac ba ca"),
        ({"Wire": "none"}, ""),
        ({"Wire": [["c", "a"]]}, "ac ca"),
        ({"Wire": [["c", "a"], ["a", "c"]]}, "ac ca"),
        ({"Wire": "b - c, a-b"}, "ab ba bc cb"),
        ({"Wire": "{}"}, ""),
    ],
)
def test_an_undirected_graph_holds_both_pairs_of_an_edge(given, pairs):
    wire = Wires(**given).Wire
    assert text(wire) == pairs
    assert len(wire.edges) * 2 == len(wire)
    assert all(wire.successors(n) == wire.predecessors(n) for n in "abc")
    assert all(type(end) is Name for pair in wire for end in pair)


def test_a_relation_is_between_two_sets():
    assert text(Wires(Owns="all").Owns) == "at1 at2 bt1 bt2 ct1 ct2"
    owns = Wires(Owns="c->t1, a->t2").Owns
    assert (text(owns), owns.successors("c"), owns.predecessors("t2")) == ("at2 ct1", ("t1",), ("a",))


def test_only_a_graph_may_be_undirected():
    with pytest.raises(ModelError, match=r"^Relation\(of='Node', to='Tool', directed=False\) is not accepted; only a"):
        Relation("Node", "Tool", directed=False)


@pytest.mark.parametrize(
    ("model", "given", "message"),
    [
        (Gossip, {"Edges": "rong"}, "Edges = 'rong' is not accepted; it takes none, line, ring, star or complete, or"),
        (Gossip, {"Edges": "n1-n2"}, "Edges = 'n1-n2' is not accepted; it takes none"),
        (Gossip, {"Edges": [["n1"]]}, "Edges = [['n1']] is not accepted; it takes none"),
        (Gossip, {"Edges": 3}, "Edges = 3 is not accepted"),
        (Gossip, {"Edges": [["n1", "n9"]]}, "Edges is not accepted with n1->n9: 'n9' is not in Node, which has n1, n2"),
        (Gossip, {"Edges": [["n1", "n1"]]}, "Edges is not accepted with n1->n1: it takes edges between two names"),
        (Gossip, {"Edges": [["n1", "n2"]] * 2}, "Edges is not accepted: it has n1->n2 twice"),
        (Wires, {"Owns": [["t1", "a"]]}, "Owns is not accepted with t1->a: 't1' is not in Node, which has a, b, c"),
        (Wires, {"Owns": "ring"}, "Owns = 'ring' is not accepted; it takes none or all, or pairs of Node and Tool"),
    ],
)
def test_not_accepted(model, given, message):
    with pytest.raises(InputError) as caught:
        model(**given)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_what_is_not_said_is_said_to_be_so():
    assert Constant(True, bool).doc == "not said"
    ring = machine_of(Gossip())
    (start, *_) = ring.initial_states()
    assert ring.why_disabled(ring.instances[1], start) == "not said"


@pytest.mark.slow
@pytest.mark.parametrize("given", [{}, {"Edges": "n1->n3, n2->n1"}, {"Edges": "star"}])
def test_ways_out_and_in_again(given, tmp_path):
    model = Gossip(**given, First="n1", Limit=2)
    assert type(model)(**machine_of(model).differing()).constants == model.constants
    assert type(model)(**model.constants).constants == model.constants
    assert pickle.loads(pickle.dumps(model)).constants == model.constants
    link = permalink(replay(model, 0, []))
    assert open_permalink(link, lambda _: Gossip).model.constants == model.constants
    identity = Identity.of(model, ["EverybodyKnows"])
    assert Identity.from_json(json.loads(json.dumps(identity.as_json())), "it") == identity
    assert identity.rebuild(Gossip, "it").constants == model.constants
    assert json.loads(json.dumps(check(model, ["EverybodyKnows"]).as_dict()))["constants"] == model_in_json(model)


def model_in_json(model):
    return json.loads(json.dumps(machine_of(model).spelled()))


def test_the_shape_of_a_graph_goes_along_with_the_names():
    model = Gossip(Edges="complete")
    assert Gossip(**{**model.constants, "Node": 2}).Edges == (("n1", "n2"), ("n2", "n1"))
    assert (machine_of(Gossip()).differing(), repr(model)) == ({}, "Gossip(Edges='complete')")
    assert machine_of(Gossip(Edges=[["n1", "n2"], ["n2", "n3"], ["n3", "n1"]])).differing() == {}


def test_on_the_command_line_and_in_a_file(tmp_path):
    given = parse_assignments(["First=n1", "Edges=n1->n2, n2->n3", "Limit=3"])
    assert given == {"First": "n1", "Edges": "n1->n2, n2->n3", "Limit": 3}
    file = tmp_path / "a.toml"
    file.write_text('model = "x"\n[constants]\nEdges = [["n1", "n3"]]\nFirst = "n1"\n')
    model = configuration(file, lambda _: Gossip).model
    assert (text(model.author.Edges), model.author.First) == ("n1n3", "n1")


def test_in_a_configuration_of_tlc():
    cfg = "CONSTANTS a = a b = b Node = {a, b} Wire = {{a, b}}"
    assert text(Wires(**apply_cfg(read_cfg(cfg), Wires).constants).Wire) == "ab ba"
    with pytest.raises(InputError, match="line 1: Owns is not accepted: sets of sets have no direction"):
        apply_cfg(read_cfg("CONSTANTS Owns = {{a, t1}}"), Wires)


def test_a_set_that_is_none():
    def declare(domain):
        return type("M", (Model,), {"K": Constant("none", domain), "n": Variable(0), "idle": Wires.idle})

    for domain, verb in ((Relation("Node"), "is about"), (Relation("Node", "K"), "is about")):
        with pytest.raises(ModelError, match=f"M: K {verb} 'Node', which is not a set of names"):
            declare(domain)


def test_a_number_has_neighbours_and_a_default():
    others = [("First", "n1"), ("First", "n2")]
    assert other_values(Gossip(Limit=0), integers=True) == [*others, ("Limit", 1), ("Limit", 9)]
    assert other_values(Gossip(Limit=3), integers=True) == [*others, ("Limit", 2), ("Limit", 4), ("Limit", 9)]


# Symmetry ------------------------------------------------------------------------------------------------------------


def automorphisms(model):
    """By brute force: the permutations of names that map the graph to itself."""
    for order in itertools.permutations(model.Node):
        renaming = dict(zip(model.Node, order, strict=True))
        edges = {(renaming[a], renaming[b]) for a, b in model.Edges}
        if edges == set(model.Edges):
            yield renaming


@pytest.mark.slow
@examples(60)
@given(
    size=st.integers(1, 4),
    edges=st.one_of(
        st.sampled_from(["none", "line", "ring", "star", "complete"]),
        st.sets(st.tuples(st.integers(1, 4), st.integers(1, 4))),
    ),
)
def test_symmetry_takes_the_renamings_that_leave_the_constants_alone(size, edges):
    if not isinstance(edges, str):
        edges = [[f"n{a}", f"n{b}"] for a, b in edges if a != b and max(a, b) <= size]
    model = Gossip(Node=size, Edges=edges)
    assert model.renamings() == list(automorphisms(model))

    whole, names = search(model), ["NobodyIsForgotten", "EverybodyKnows"]
    fast = check(model)
    assert (fast.levels, fast.generated) == (whole.levels, whole.generated)
    assert [(v.name, v.word) for v in fast.verdicts] == [(v.name, v.word) for v in whole.verdicts]
    states = {state.values for state in reachable_states(model)}
    orbits = {frozenset(image(model, values, renaming) for renaming in automorphisms(model)) for values in states}
    for result in (check(model, names, symmetry=True), search(model, names, symmetry=True)):
        assert result.distinct == len(orbits)
        assert [result[name].word for name in names] == [whole[name].word for name in names]


def image(model, values, renaming):
    cells = machine_of(model).permuted_cells(renaming)
    return tuple(value for _, value in sorted(zip(cells, (permute(v, renaming) for v in values), strict=True)))


def test_a_text_that_is_a_name_tells_names_apart():
    assert len(Gossip(Edges="complete").renamings()) == 6
    model = Gossip(Edges="complete", First="n2")
    assert all(renaming["n2"] == "n2" for renaming in model.renamings())
    assert check(model, ["EverybodyKnows"], symmetry=True).notes == [
        "symmetry: names are exchanged only where that changes nothing in First"
    ]
    assert check(Gossip(Edges="complete"), ["EverybodyKnows"], symmetry=True).notes == []


@pytest.mark.slow
def test_a_ring_of_many_has_few_renamings():
    class Ring(Gossip):
        Node = Constant(8, Names("n", range(1, 10)))

    assert len(Ring().renamings()) == 8
    for model, count in ((Ring(Edges="complete"), "40,320"), (Ring(Node=9), "362,880")):
        with pytest.raises(InputError, match=f"symmetry over Node has {count} permutations; at most 5,040"):
            model.renamings()


# Unpacked parameters -------------------------------------------------------------------------------------------------


def test_parameters_are_unpacked():
    model = machine_of(Gossip)
    assert [instance.label for instance in model.instances] == ["tell(n1, n2)", "tell(n2, n3)", "tell(n3, n1)"]
    assert [instance.lane for instance in model.instances] == ["n1", "n2", "n3"]
    assert dict(Gossip.tell.parameters) == {"a": "Edges", "b": "Edges"}
    assert [instance.arguments for instance in model.predicates("NobodyIsForgotten")] == list(model.author.Edges)

    class More(Gossip):
        slots = ((1, "x", 2), (3, "y", 4))
        worker = Process(per="Node")

        @action("i, t, j in slots", k="Node")
        def mix(self, s, i, t, j, k):
            s.told = i * j

        @action(worker, "a, b in Edges")
        def of_member(self, s, n, a, b):
            s.told = 0

    labels = [instance.label for instance in machine_of(More(Edges="n1->n2")).instances]
    assert labels[1:3] == ["mix(1, x, 2, k=n1)", "mix(1, x, 2, k=n2)"]
    assert labels[7:] == ["of_member(n1, a=n1, b=n2)", "of_member(n2, a=n1, b=n2)", "of_member(n3, a=n1, b=n2)"]


def unpacking(what, members=((1, 2),), process=None):
    def act(self, s, a, b):
        s.n = a

    given = [what] if process is None else [process, what]
    return type("M", (Model,), {"pairs": members, "n": Variable(0), "p": process, "act": action(*given)(act)})()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: unpacking("a, b in pairs", ((1, 2, 3),)), "pairs holds (1, 2, 3), which cannot be unpacked into a, b"),
        (lambda: unpacking("a, b in pairs", (1,)), "pairs holds 1, which cannot be unpacked into a, b: that takes"),
        (lambda: unpacking("a, a in pairs"), "the parameter a is declared twice"),
        (lambda: unpacking("a b in pairs"), "'a b in pairs' declares no parameters; write them as in @action('a, b"),
        (lambda: unpacking("b, a in pairs"), "act takes the parameters (a, b) but declares domains for (b, a)"),
        (lambda: unpacking("a, b in pairs", process=Process(per="pairs")), "act(1, 2): 1 is not in pairs"),
    ],
)
def test_misuse_of_unpacking(make, message):
    with pytest.raises(ModelError) as caught:
        make()
    assert message in str(caught.value)


def test_pairs_are_a_tuple_that_knows_where_it_is_from():
    pairs = Gossip().Edges
    assert isinstance(pairs, Pairs)
    assert pickle.loads(pickle.dumps(pairs)).shape == "ring"
    assert Gossip.Edges.domain.word(pairs) == "ring"
    assert Gossip.Edges.domain.word(Gossip(Edges="n1->n2").Edges) == "{n1->n2}"


# Names that are taken ------------------------------------------------------------------------------------------------


def test_reserved_names_are_those_that_are_refused():
    assert reserved_names() == ["constants", "fairness", "initial_states", "renamings", "symmetry", "validate"]
    for name in reserved_names():
        with pytest.raises(ModelError, match=f"may be called '{name}'.*validate"):
            type("M", (Model,), {name: Variable(0), "idle": Wires.idle, "n": Variable(0)})()


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_what_models_and_states_have_may_be_the_name_of_a_variable(engine, tmp_path):
    """Everything that shows or stores a behaviour works, too."""
    names = ["items", "values", "name", "state", "view", "mark", "lines", "members", "select", "draft", "start"]
    names += ["writes", "changes_to", "instances", "layout", "outcomes", "declared", "author", "constants_of"]

    def step(self, s):
        require(s.items < 3)
        for name in names:
            setattr(s, name, getattr(s, name) + 1)
        s.some |= {2}

    def small(self, s):
        return s.items < 3 and all(getattr(s, name) == s.items for name in names)

    declared = {name: Variable(0) for name in names}
    some = {"some": SetOf("values_of"), "values_of": (1, 2)}
    model = type("Taken", (Model,), {**declared, **some, "step": action(step), "small": invariant(small)})()
    result = check(model, engine=engine)
    trace = result["small"].trace
    assert (result.distinct, len(trace), trace.last.items, trace.last.some) == (4, 4, 3, frozenset({2}))
    assert "writes: 0 -> 1" in repr(trace)
    assert "lines: 3" in repr(trace.last)
    shown = trace_view(trace)
    assert "values" in shown.html()
    assert validate(model, read_itf(model, to_itf(trace))).holds
    save(explore(model, budget=Budget(states=4)), tmp_path / "space")
