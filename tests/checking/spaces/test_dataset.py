"""Datasets: every state and transition as the model has it, readable types, nothing half-written, and the SQL."""

import json
import re
from collections import Counter, deque
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.places import ROOT
from workbench.checking.spaces.columns import StateColumns, to_array
from workbench.checking.spaces.dataset import DATASET, distances, load, save
from workbench.checking.spaces.space import explore
from workbench.commands.cli import main
from workbench.kernel import (
    InputError,
    Map,
    Model,
    Process,
    SetOf,
    Variable,
    action,
    choose,
    invariant,
    machine_of,
    require,
)
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.cells import Whole
from workbench.kernel.meaning.state import Layout
from workbench.kernel.meaning.values import show, sort_key
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.protocols.hudi.model import Hudi
from workbench.protocols.paimon.model import Paimon
from workbench.registry import get_model
from workbench.storage.folder import Folder
from workbench.storage.identity import Identity
from workbench.storage.sealed import write_sealed

RACE = BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False)


class Point(NamedTuple):
    x: int | str
    y: str | None


class Other(NamedTuple):
    z: int


class Odd(Model):
    """Variables with the names of a dataset's columns, and choices of all sorts."""

    level = Variable(0)
    ID = Variable("start", per="places")

    mover = Process(per="places")

    places = ("p", "q")

    @action(mover, n="sizes")
    def move(self, s, p, n):
        require(s.level == 0, "moved already")
        s.level = choose((1, 2)) + choose((0, 1)) + choose(frozenset({5}), "n")
        s.ID[p] = f"by {n}"

    sizes = (1, 2)

    @action
    def stay(self, s):
        """Changes nothing."""

    @invariant
    def Low(self, s):
        return s.level < 8


def run_of(folder):
    return Folder.open(folder, DATASET).content["run"]


def table(folder, name):
    [part] = Folder.open(folder, DATASET).content["tables"][name]
    return pq.read_table(folder / part)


def damaged(folder, said):
    with pytest.raises(InputError) as error:
        load(folder)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


# Values --------------------------------------------------------------------------------------------------------------


def plain(value):
    """What the page on datasets says of a value, where everything in one place has one type."""
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, frozenset):
        return [plain(item) for item in sorted(value, key=sort_key)]
    if isinstance(value, Map):
        return [(key, plain(value[key])) for key in sorted(value, key=sort_key)]
    return value


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, None, -5], "int64"),
        ([True, False, None], "bool"),
        (["a", None, ""], "string"),
        ([(1, 2), ()], "list<item: int64>"),
        ([frozenset({"b", "a"}), frozenset()], "list<item: string>"),
        ([Point(1, None), None, Point(2, "a")], "struct<x: int64, y: string>"),
        ([(Point(1, "a"),), ()], "list<item: struct<x: int64, y: string>>"),
        ([Map({"b": 1, "a": None}), Map()], "map<string, int64>"),
        ([Map({2: frozenset({Point(1, "a")})}), None], "map<int64, list<item: struct<x: int64, y: string>>>"),
        ([Map({"k": Map({True: (1,)})})], "map<string, map<bool, list<item: int64>>>"),
    ],
    ids=lambda it: it if isinstance(it, str) else show(tuple(it)),  # sets in one order, whatever the process
)
def test_values_keep_their_types(values, kind):
    array = to_array(values)
    assert str(array.type).replace(" ('item')", "").replace(" not null", "") == kind
    assert array.to_pylist() == [plain(value) for value in values]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, "a", None], ["1", "a", None]),
        ([2**63, -(2**63), None], ["9223372036854775808", "-9223372036854775808", None]),
        ([(1, "a"), (None,)], [["1", "a"], [None]]),
        ([Point(1, "a"), Point("far", None)], [{"x": "1", "y": "a"}, {"x": "far", "y": None}]),
        ([Point(1, "a"), Other(3)], ["Point(x=1, y=a)", "Other(z=3)"]),
        ([frozenset({1}), "a", Map({"k": 1})], ["{1}", "a", "{k: 1}"]),
        ([Map({("k", 0): 1})], [[("k, 0", 1)]]),
        ([Map({None: 1, "a": 2})], [[("-", 1), ("a", 2)]]),
        ([Map({1: 1}), Map({"a": 2})], [[("1", 1)], [("a", 2)]]),
        ([Map({1: "a", "1": "b"})], [show(Map({1: "a", "1": "b"}))]),
        ([True, 2], [1, 2]),
        ([None, ()], [None, []]),
        ([None, None], [None, None]),
    ],
    ids=str,
)
def test_what_has_no_type_in_common_is_text(values, found):
    array = to_array(values)
    assert array.to_pylist() == found


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.frozensets(inner, max_size=3),
        st.dictionaries(inner, inner, max_size=3).map(Map),
        st.builds(Point, inner, inner),
    ),
    max_leaves=8,
)


@pytest.mark.slow
@given(st.lists(values, min_size=1, max_size=6))
def test_any_values_have_a_type_that_parquet_can_hold(found):
    array = to_array(found)
    written = pa.BufferOutputStream()
    pq.write_table(pa.table({"column": array}), written)
    assert pq.read_table(pa.BufferReader(written.getvalue())).column("column").to_pylist() == array.to_pylist()
    assert [value is None for value in array.to_pylist()] == [value is None for value in found]


def test_a_variable_with_indices_is_a_map():
    layout = Layout({"log": [("k1", 0), ("k1", 1)], "pc": ["w1"], "acks": [1, 2], "none": []})
    columns = StateColumns(layout, [["a"], ["a", "b"], ["Start"], [0], [0, 7]])
    arrays = columns.arrays(np.array([[0, 1, 0, 0, 1], [0, 0, 0, 0, 0]]))
    assert {name: array.to_pylist() for name, array in arrays.items()} == {
        "log": [[("k1, 0", "a"), ("k1, 1", "b")], [("k1, 0", "a"), ("k1, 1", "a")]],
        "pc": [[("w1", "Start")], [("w1", "Start")]],
        "acks": [[(1, 0), (2, 7)], [(1, 0), (2, 0)]],
        "none": [[], []],
    }


class Pair(Whole):
    """A pair in two cells."""

    indices = ("left", "right")

    def value(self, row):
        return row[1], row[2]

    def contents(self, value):
        return {1: value[0], 2: value[1]}


def test_a_variable_that_is_spread_over_cells_is_a_text():
    layout = Layout({"head": None, "pair": None}, wholes={"pair": Pair()})
    columns = StateColumns(layout, [[0], [1, 2], ["a", "b"]])
    arrays = columns.arrays(np.array([[0, 1, 0], [0, 0, 1], [0, 1, 0]]))
    assert arrays["pair"].to_pylist() == ["(2, a)", "(1, b)", "(2, a)"]
    assert arrays["pair"].type == pa.string()


# States and transitions ----------------------------------------------------------------------------------------------

SPACES = {
    "bakery": (Bakery(Writers=2), False),
    "bakery_symmetry": (Bakery(), True),
    "race": (RACE, False),
    "hudi": (Hudi(Values=1, FileGroupCount=2, ConcurrencyControl=0), False),
    "paimon": (Paimon(), False),
}


@pytest.fixture(scope="module")
def spaces(tmp_path_factory):
    """Each space with the folder that it was saved to."""
    found = {}
    for name, (model, symmetry) in SPACES.items():
        safety = [p.name for p in machine_of(model).select() if p.kind != "liveness"]
        space = explore(model, safety, symmetry=symmetry)
        found[name] = (space, save(space, tmp_path_factory.mktemp("datasets") / name))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", SPACES)
def test_every_state_is_there_as_the_model_has_it(spaces, name):
    space, folder = spaces[name]
    names = run_of(folder)["columns"]
    rows = table(folder, "states").to_pylist()
    assert [row["id"] for row in rows] == list(range(len(space)))
    assert [row["level"] for row in rows] == space.levels.tolist()
    for number, row in enumerate(rows):
        state = space.state(number)
        for variable, where in space.model.layout.positions.items():
            if isinstance(where, int):
                wanted = plain(state.values[where])
            else:
                brackets = {cell: str(cell)[len(variable) + 1 : -1] for cell in space.model.layout.cells}
                cells = [space.model.layout.cells[cell] for cell in where.values()]
                keys = [c.index if type(c.index) is int else brackets[c] for c in cells]
                wanted = [(key, plain(state.values[cell])) for key, cell in zip(keys, where.values(), strict=True)]
            assert row[names[variable]] == wanted


@pytest.mark.slow
@pytest.mark.parametrize("name", SPACES)
def test_every_transition_is_a_step_of_the_model(spaces, name):
    space, folder = spaces[name]
    model, symmetric = space.model, SPACES[name][1]
    wanted = Counter()
    for number in range(len(space)):
        for instance in model.instances:
            for outcome, _ in model.outcomes(instance, space.state(number)):
                given = [*zip(instance.action.parameters, instance.arguments, strict=True), *outcome.choices]
                parameters = tuple((key, show(value)) for key, value in given)
                wanted[number, instance.action.name, parameters, instance.lane or None] += 1
    rows = table(folder, "transitions").to_pylist()
    found = Counter((row["source"], row["action"], tuple(row["parameters"]), row["process"]) for row in rows)
    assert found == wanted
    if not symmetric:
        for at in range(0, len(rows), max(1, len(rows) // 200)):
            source, target = (space.state(rows[at][end]) for end in ("source", "target"))
            labels = {show(after.values) for i in model.instances for _, after in model.outcomes(i, source)}
            assert show(target.values) in labels


@pytest.mark.slow
@pytest.mark.parametrize("name", SPACES)
def test_the_run_says_what_was_found(spaces, name):
    space, folder = spaces[name]
    run = run_of(folder)
    wanted = json.loads(json.dumps(space.result.as_dict()))
    assert {key: run[key] for key in wanted} == wanted
    assert run["transitions"] == table(folder, "transitions").num_rows
    assert run["levels"] == space.result.levels
    assert run["stopped"] is None


def test_names_that_a_dataset_needs_itself(tmp_path):
    space = explore(Odd())
    folder = save(space, tmp_path / "odd")
    assert run_of(folder)["columns"] == {"level": "level_", "ID": "ID_"}
    names = [name.lower() for name in table(folder, "states").column_names]
    assert len(set(names)) == len(names)
    rows = table(folder, "transitions").to_pylist()
    moves = [row["parameters"] for row in rows if row["action"] == "move"]
    assert [("p", "p"), ("n", "1"), ("choice", "2"), ("choice_", "0"), ("n_", "5")] in moves
    assert {row["process"] for row in rows} == {"p", "q", None}


class Sets(Model):
    """Sets whose possible members are declared: one, and one per place."""

    anywhere = SetOf("letters")
    there = SetOf("letters", per="places")
    nowhere = SetOf("letters", per="none")
    empty = Variable(())
    mover = Process(per="places")

    places, letters, none = ("p", "q"), ("a", "b"), ()

    @action(mover, letter="letters")
    def put(self, s, p, letter):
        require(letter not in s.there[p], "it is there")
        s.there[p] |= {letter}
        s.anywhere |= {letter}


def test_a_declared_set_is_a_list_and_one_per_index_is_a_map_of_lists(tmp_path):
    states = table(save(explore(Sets()), tmp_path / "sets"), "states")
    rows = states.to_pylist()
    assert states.schema.field("empty").type == pa.list_(pa.string()), (
        "not every reader of Parquet knows columns of nulls"
    )
    lists = ([], ["a"], ["b"], ["a", "b"])
    assert sorted((row["there"], row["anywhere"]) for row in rows) == sorted(
        ([("p", p), ("q", q)], sorted({*p, *q})) for p in lists for q in lists
    )
    assert all(row["nowhere"] == row["empty"] == [] for row in rows)


def test_a_space_that_is_not_complete(spark, tmp_path):
    folder = save(explore(RACE, ["NoLakekeeperConflict"], budget=Budget(states=200)), tmp_path / "part")
    part = load(folder, spark)
    assert (part.run["complete"], part.run["distinct"]) == (False, 200)
    assert part.run["stopped"] == "the budget of 200 states is used up"
    assert part.states.count() == 200


# Distances -----------------------------------------------------------------------------------------------------------


def distances_by_search(states, transitions, goal):
    """By one search from each state."""
    found = []
    for state in range(states):
        steps, queue = {state: 0}, deque([state])
        while queue:
            at = queue.popleft()
            for source, target in transitions:
                if source == at and target not in steps:
                    steps[target] = steps[at] + 1
                    queue.append(target)
        found.append(min((n for s, n in steps.items() if s in goal), default=-1))
    return found


@pytest.mark.slow
@given(st.integers(1, 8), st.data())
def test_distances_in_any_graph(states, data):
    number = st.integers(0, states - 1)
    transitions = data.draw(st.lists(st.tuples(number, number), max_size=20))
    goal = data.draw(st.sets(number))
    sources, targets = (np.array([t[end] for t in transitions], np.int64) for end in (0, 1))
    found = distances(states, sources, targets, np.isin(np.arange(states), list(goal)))
    assert found.tolist() == distances_by_search(states, transitions, goal)


@pytest.mark.slow
def test_distances_in_a_dataset(spaces):
    space, folder = spaces["race"]
    column = table(folder, "states").column("distance_NoLakekeeperConflict").to_pylist()
    verdict = space.result["NoLakekeeperConflict"]
    assert column[0] == verdict.trace_states - 1
    assert [d == 0 for d in column] == (~space.holds("NoLakekeeperConflict")).tolist()
    witness = table(folder, "states").column("distance_EveryoneCommits").to_pylist()
    assert witness[0] == space.result["EveryoneCommits"].trace_states - 1
    assert set(table(folder, "states").column("distance_UniqueTickets").to_pylist()) == {None}


# Files ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path):
    return save(explore(Odd()), tmp_path / "small")


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path):
    (tmp_path / "run.json").write_text('{"years": "of work"}')
    with pytest.raises(
        InputError, match=r"holds 'run\.json', which no dataset has; remove that, or give another folder"
    ):
        save(explore(Odd()), tmp_path)
    with pytest.raises(InputError, match=r"run.json' is a file; a dataset takes a folder"):
        save(explore(Odd()), tmp_path / "run.json")
    assert (tmp_path / "run.json").read_text() == '{"years": "of work"}'
    assert len(list(tmp_path.iterdir())) == 1


def test_a_dataset_is_replaced_and_an_empty_folder_filled(small, spark):
    save(explore(Bakery(Writers=1), ["UniqueTickets"]), small)
    assert load(small, spark).run["model"] == Bakery.name
    (small.parent / "empty").mkdir()
    save(explore(Odd()), small.parent / "empty")
    assert sorted(path.name for path in small.parent.iterdir()) == ["empty", "small"]
    assert len(list(small.rglob("*.parquet"))) == 2


def test_a_link_stays_one(small, spark):
    (small.parent / "link").symlink_to("small")
    save(explore(Bakery(Writers=1)), small.parent / "link")
    assert (small.parent / "link").is_symlink()
    assert load(small, spark).run["model"] == load(small.parent / "link", spark).run["model"] == Bakery.name


def test_a_dataset_knows_what_made_it(small, spark):
    made_by = load(small, spark).identity
    assert made_by == Identity.of(Odd(), ["Low"])
    assert Identity.of(Bakery(), ["UniqueTickets"]).digest != made_by.digest


@pytest.mark.parametrize("name", ["a b", "a[b]*?{c,d}", "%20", "\N{SNOWMAN}"])
def test_spark_reads_the_files_that_the_manifest_names(tmp_path, spark, name):
    """And no others, whatever the folder is called."""
    folder = save(explore(Odd()), tmp_path / name)
    data = load(folder, spark)
    [part] = Folder.open(folder, DATASET).content["tables"]["states"]
    (folder / "states" / "more.parquet").write_bytes((folder / part).read_bytes())
    assert data.states.count() == data.run["distinct"]
    damaged(folder, "holds 'states/more.parquet', which no dataset has")


def test_what_is_not_whole_is_not_loaded(small):
    damaged(small.parent / "nowhere", "is not a dataset: it has no manifest")
    for part in sorted(small.rglob("*.parquet")):
        name, content = part.relative_to(small), part.read_bytes()
        for changed in (content[:-30], content + b"?", bytes([content[0] ^ 1]) + content[1:], b""):
            part.write_bytes(changed)
            damaged(small, f"is damaged: {name} is not what was written")
        part.unlink()
        damaged(small, f"is damaged: {name} is missing")
        part.write_bytes(content)
    version = small / "manifest" / "00000001.json"
    said = version.read_text()
    version.write_text(said.replace("invariant", "reachable"))
    damaged(small, "is damaged: it does not say what was written")
    document = json.loads(said)["content"]
    for change in ({"change": None}, {"change": {**document["change"], "content": {"run": {}}}}, {"format": 9}):
        write_sealed(version, {**document, **change})
        damaged(small, str(small))
    version.unlink()
    damaged(small, "is empty: its writer was stopped")
    (version.with_name("00000000.json")).unlink()
    damaged(small, "is not a dataset: it has no manifest")


# Queries -------------------------------------------------------------------------------------------------------------


def test_the_views_are_those_of_the_last_one_and_each_asks_its_own(spaces, spark):
    count = "SELECT count(*) AS states FROM states"
    first, second = (load(spaces[name][1], spark) for name in ("race", "hudi"))
    assert spark.sql(count).first().states == second.run["distinct"]
    assert first.sql(count).first().states == first.run["distinct"]
    assert second.pandas(count)["states"].tolist() == [second.run["distinct"]]
    assert repr(first).startswith(f"Dataset('{spaces['race'][1]}': {type(RACE).name}, 1,")


def as_spark_has_it(value):
    """A row of PyArrow's or of Spark's, alike: maps as dictionaries, and whatever is empty as None."""
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        value = dict(value)
    if isinstance(value, dict):
        return {key: as_spark_has_it(item) for key, item in value.items()} or None
    return [as_spark_has_it(item) for item in value] or None if isinstance(value, list) else value


@pytest.mark.parametrize("name", SPACES)
def test_spark_reads_what_was_written(spaces, spark, name):
    space, folder = spaces[name]
    data = load(folder, spark)
    assert data.states.count() == len(space)
    assert data.transitions.count() == len(space.targets)
    last = len(space) - 1
    [wanted] = table(folder, "states").slice(last).to_pylist()
    found = data.states.where(f"id = {last}").first().asDict(recursive=True)
    assert as_spark_has_it(found) == as_spark_has_it(wanted)


def test_a_result_that_is_too_large_for_pandas(spaces, spark):
    data = load(spaces["race"][1], spark)
    assert len(data.pandas("SELECT id FROM states", most=data.run["distinct"])) == data.run["distinct"]
    with pytest.raises(InputError, match=r"the result has more than 10 rows; use sql\(\), narrow the query, or raise"):
        data.pandas("SELECT id FROM states", most=10)


def test_the_command_saves(spark, tmp_path, capsys):
    settings = ["--set", "Writers=2", "--set", "AsyncParquet=true", "--set", "RestampPatch=false"]
    assert main(["export", "bakery_v2", "-o", str(tmp_path / "race"), *settings]) == 0
    data = load(tmp_path / "race", spark)
    counts = f"{data.states.count():,} states and {data.transitions.count():,} steps"
    assert capsys.readouterr().err.endswith(f"{counts} written to {tmp_path / 'race'}\n")
    model = machine_of(get_model("bakery_v2")(Writers=2, AsyncParquet=True, RestampPatch=False))
    assert [p["name"] for p in data.run["properties"]] == [p.name for p in model.select()]
    assert main(["export", "bakery_v2", "-o", str(tmp_path / "race"), "--max-states", "10"]) == 3
    assert "INCOMPLETE: the budget of 10 states is used up" in capsys.readouterr().err
    assert load(tmp_path / "race", spark).run["distinct"] == 10


# The page ------------------------------------------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "sweeps.md").read_text().partition("## State spaces as data")[2]
QUERIES = re.findall(r"```sql\n(.*?)```\n\n```text\n(.*?)\n```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def page(spark, tmp_path_factory):
    """The dataset that the page makes."""
    [code] = re.findall(r"```py\n(.*?)```", PAGE, re.DOTALL)
    names = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("page"))
        exec(code, names)
    return names["race"]


def test_every_query_of_the_page_has_its_answer_there():
    assert len(QUERIES) == PAGE.count("```sql") == PAGE.count("```text") >= 5


@pytest.mark.parametrize("number", range(len(QUERIES)))
def test_a_query_of_the_page_gives_what_the_page_says(page, number):
    query, answer = QUERIES[number]
    assert page.pandas(query).to_string(index=False).splitlines() == answer.splitlines()
