"""One table: what the mappings from the protocols to it must notice, and how a broken promise is told."""

import json

import pytest

from tests.mistakes import broken, missed
from workbench import Map, check, get_model
from workbench.commands.cli import main
from workbench.kernel import InputError, machine_of
from workbench.protocols.bakery import catalog
from workbench.protocols.bakery.extended import BakeryExtended
from workbench.protocols.hudi.extended import HudiExtended
from workbench.protocols.paimon.extended import PaimonExtended
from workbench.protocols.table.model import Table, VersionedTable
from workbench.showing.panel import TracePlayer
from workbench.showing.view import trace_page, trace_view

# The table itself ----------------------------------------------------------------------------------------------------


def test_a_write_may_set_some_columns_of_a_row_and_leaves_the_others():
    model = machine_of(Table(Keys=1, Columns=["a", "b"], Values=["x"]))
    steps = {i.label: i for i in model.instances}
    (start,) = model.initial_states()
    written = {tuple(outcome.choices): after for outcome, after in model.outcomes(steps["write(k1)"], start)}
    after = written[("a", "x"), ("b", "as it was")]
    assert after.rows["k1"] == (("x", None),)
    assert after.acknowledged["k1", "a"] == ("x",)
    assert after.acknowledged["k1", "b"] == ()
    assert len(written) == 3  # a write that sets no column is none


def commit_and_drop_the_others(self, s, key, rows):
    VersionedTable.commit(self, s, key, rows)
    for other in self.Keys:
        if other != key:
            s.rows[other] = ()


def commit_and_change_the_past(self, s, key, rows):
    VersionedTable.commit(self, s, key, rows)
    s.versions = (Map(s.rows),) * len(s.versions)


@pytest.mark.parametrize(
    ("commit", "noticed"),
    [(commit_and_drop_the_others, "NothingIsLost"), (commit_and_change_the_past, "VersionsStay")],
)
def test_a_table_that_is_none_does_not_keep_its_own_promise(commit, noticed):
    assert noticed in missed(broken(VersionedTable, commit=commit), "table/table")


# Mappings that are wrong, of protocols that keep the promise ----------------------------------------------------------


def tells_nobody(model, s):
    """The commits are forgotten: readers get what nobody was told of."""
    return {**catalog.as_table(model, s), "acknowledged": {(w, "value"): () for w in model.Writers}}


def reads_nothing(model, s):
    """Writers are told, and readers get the first snapshot for ever."""
    return {**catalog.as_table(model, s), "rows": dict.fromkeys(model.Writers, ())}


def tells_with_the_ticket(model, s):
    """A claim is taken for a commit."""
    told = {(w, "value"): (catalog.FILE,) if s.my_ticket[w] else () for w in model.Writers}
    return {**catalog.as_table(model, s), "acknowledged": told}


def lacks_its_first_version(model, s):
    mapped = catalog.as_table_with_versions(model, s)
    return {**mapped, "versions": mapped["versions"][1:]}


def reads_as_written(model, s):
    """Readers get slices as soon as they are written."""
    found = dict.fromkeys(model.Keys, ())
    for slice_id in model.slice_ids:
        for key, value in (s.slices[slice_id] or {}).items():
            found[key] = ((value,),)
    return {**model.as_table(s), "rows": found}


def tells_nobody_of_deletes(model, s):
    told = {(k, "value"): tuple(v for v in model.acknowledged(s, k) if v is not None) for k in model.Keys}
    return {**model.as_table(s), "acknowledged": told}


def reads_the_log_from_its_end(model, s):
    return {**model.as_table(s), "acknowledged": {(k, "value"): model.acknowledged(s, k)[::-1] for k in model.Keys}}


def knows_no_vectors(model, s):
    """Readers take no notice of deletion vectors, and do not merge either."""
    live = s.manifest[s.snapshots[s.latest]] if s.latest else ()
    rows = {key: tuple(s.columns[f, key] for f in live if s.columns[f, key]) for key in model.PkCol1Values}
    return {**model.as_table(s), "rows": rows}


def tells_of_one_column(model, s):
    mapped = model.as_table(s)
    told = {field: values if field[1] == "col2" else () for field, values in mapped["acknowledged"].items()}
    return {**mapped, "acknowledged": told}


def newest_version_first(model, s):
    versions = range(s.latest, 0, -1)
    past = tuple(Map((key, model.rows(s, key, v)) for key in model.PkCol1Values) for v in versions)
    return {**model.as_table(s), "versions": past}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "name", "mapping", "wrong"),
    [
        (BakeryExtended, "bakery/one_table_v1", "OneTable", tells_nobody),
        (BakeryExtended, "bakery/one_table_v1", "OneTable", reads_nothing),
        (BakeryExtended, "bakery/one_table_v1", "OneTable", tells_with_the_ticket),
        (BakeryExtended, "bakery/one_table_v1", "OneHistory", lacks_its_first_version),
        (HudiExtended, "hudi/one_table_one_group", "OneTable", reads_as_written),
        (HudiExtended, "hudi/one_table_one_group", "OneTable", tells_nobody_of_deletes),
        (HudiExtended, "hudi/one_table_one_group", "OneTable", reads_the_log_from_its_end),
        (PaimonExtended, "paimon/one_table_dangling", "OneTable", knows_no_vectors),
        (PaimonExtended, "paimon/one_table", "OneTable", tells_of_one_column),
        (PaimonExtended, "paimon/one_table", "OneHistory", newest_version_first),
    ],
)
def test_a_wrong_mapping_is_refused(model, name, mapping, wrong):
    assert missed(broken(model, **{mapping: wrong}), name) == {mapping}


def test_a_bakery_that_goes_round_forgets_what_it_was_told_and_is_not_judged():
    with pytest.raises(InputError, match="OneTable"):
        check(get_model("bakery_v2")(MaxRounds=2), ["OneTable"])


# What is said of a promise that is broken -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lost():
    """Hudi without control: a write is acknowledged that nobody gets."""
    return check(get_model("hudi")(Values=1, ConcurrencyControl=0), ["OneTable"])["OneTable"]


def test_the_verdict_says_what_the_table_would_have_done(lost):
    assert lost.why == (
        "append_commit(w1): acknowledged[k1, value] goes from (-) to (-, v1), which no action of Table does; "
        "write(k1, value=v1) would make rows[k1] ((v1))"
    )


def test_a_trace_has_the_steps_of_the_table_beside_its_own(lost):
    shown = trace_view(lost.trace)
    said = [step.refined.words for step in shown.steps]
    assert said == [*["nothing to Table"] * 13, "remove(k1)", "no step of Table"]
    assert shown.steps[-1].broken[0].name == "OneTable"
    assert shown.steps[-1].sentence.endswith("would make rows[k1] ((v1)).")
    assert "That is remove(k1), and changes acknowledged[k1, value] + -." in shown.steps[-2].sentence
    svg = shown.svg()
    assert all(f">{words}<" in svg for words in ("Table", "remove ", "no step of Table"))
    assert svg.count("<circle") == 12  # every other step is none of the table's
    assert "<summary>Table: remove(k1)</summary>" in shown.step_html(len(said) - 2)
    assert "no step of Table" in trace_page(lost.trace)
    assert json.loads(json.dumps(shown.as_dict()))["steps"][-2]["refined"]["label"] == "remove(k1)"


def test_the_panel_shows_the_lane_of_the_table(lost):
    lanes = TracePlayer(lost.trace).player.values["lanes"]
    assert ">Table<" in lanes
    assert ">no step of Table<" in lanes


def test_any_trace_can_be_told_in_the_words_of_the_table(lost):
    collision = check(get_model("hudi")(Values=1, MonotonicTs=False), ["ConsistentRead"])["ConsistentRead"]
    plain, told = trace_view(collision.trace), trace_view(collision.trace, refinement="OneTable")
    assert plain.refined is None
    assert "refined" not in plain.as_dict()["steps"][0]
    assert told.refined == "Table"
    assert told.steps[-1].refined.words == "no step of Table"
    with pytest.raises(InputError, match="ConsistentRead"):
        trace_view(collision.trace, refinement="ConsistentRead")


@pytest.mark.slow
def test_the_command_line_tells_it_in_the_words_of_both(capsys):
    status = main(["check", "hudi", "--set", "Values=1", "--set", "ConcurrencyControl=none", "--property", "OneTable"])
    printed = capsys.readouterr().out.partition("\nNext\n")[0]
    assert status == 1
    assert printed.endswith(
        "log[k1, 1]: - -> Logged(type=Insert, value=v1, ts=1)\n\n"
        "To Table this is\n"
        "  1  initial state\n"
        "       rows: k1=(), k2=()\n"
        "       acknowledged: (k1, value)=(), (k2, value)=()\n"
        " 14  remove(k1)\n"
        "       acknowledged[k1, value]: + -\n"
        " 15  not a step of Table\n"
        "       acknowledged[k1, value]: + v1\n"
    )
