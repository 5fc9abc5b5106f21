"""Pictures: every reachable state draws, nothing overprints anything, and no picture lies."""

import copy
import pickle
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import fields, is_dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.places import ROOT
from workbench import Constant, Model, ModelError, Names, Variable, action, get_model, require
from workbench.checking.check import check
from workbench.checking.spaces.space import explore
from workbench.kernel import Fault, InputError, Place, machine_of
from workbench.kernel.meaning.budget import Budget
from workbench.protocols.hudi.extended import HudiExtended
from workbench.registry import protocols
from workbench.showing.pictures import *
from workbench.showing.pictures import faults, options_of, painting_of, picture, things
from workbench.showing.pictures.compare import compare_things, every
from workbench.showing.pictures.layout import LOOKS, place
from workbench.showing.pictures.letters import width_of, wrap
from workbench.showing.pictures.paint import RED
from workbench.showing.pictures.reword import doubted, renamed, renamer
from workbench.showing.pictures.route import TEXT, areas
from workbench.showing.view import animated_svg
from workbench.tlaplus.machine.specification import module_of_text

#: Small configurations: with all that pictures show, and less than a few hundred states each, or a sample of them.
SMALL: dict[str, tuple[str, dict[str, Any]]] = {
    "delta": ("delta", {"Column2Values": 1}),
    "delta overwritten": ("delta", {"PutIfAbsentSupported": False, "Column1Values": 1, "OpLimit": 3}),
    "delta lock": (
        "delta", {"UseCoordination": True, "LockExpires": True, "Column2Values": 1, "PartitionByColumn1": False},
    ),
    "delta cleaned": (
        "delta", {"LostAnswer": "delete", "CleanUp": "any", "Column2Values": 1, "PartitionByColumn1": False},
    ),
    "hudi collision": ("hudi", {"Keys": 1, "FileGroupCount": 2, "Values": 1, "MonotonicTs": False}),
    "hudi locks": ("hudi", {"ConcurrencyControl": 2, "Keys": 1, "FailInAnyPhase": True, "LocksExpire": False}),
    "hudi salt": ("hudi", {"Values": 1, "UseSalt": True, "MonotonicTs": False}),
    "hudi rollback": ("hudi", {"Keys": 1, "Values": 1, "FailedWrites": 1, "EarlyConflictDetection": True}),
    "hudi cleaned": ("hudi", {"Keys": 1, "Values": 1, "CleanUp": "any", "LostAnswer": "delete"}),
    "hudi published": ("hudi_published", {}),
    "iceberg": ("iceberg", {"MaxWriteOps": 3}),
    "iceberg copy-on-write": ("iceberg", {"UpdateMode": "copy-on-write", "DeleteMode": "copy-on-write"}),
    "iceberg cleaned": ("iceberg", {"LostAnswer": "delete", "CleanUp": "any", "CatalogSwap": "blind"}),
    "iceberg retried": ("iceberg", {"LostAnswer": "retry"}),
    "paimon": ("paimon", {"Col2Values": ["red"], "NUM_WRITERS": 1}),
    "paimon dangling": (
        "paimon",
        {"NUM_WRITERS": 1, "NUM_BUCKETS": 1, "MAX_LEVEL": 3, "ONE_WRITER_PER_BUCKET": False, "ALLOW_DELETES": False,
         "MAX_COMPACTIONS": 3, "MAX_COMPACTIONS_PER_COMPACTOR": 2, "PkCol1Values": ["jack"]},
    ),
    "paimon cleaned": (
        "paimon",
        {"NUM_BUCKETS": 1, "ONE_WRITER_PER_BUCKET": False, "MAX_COMPACTIONS": 0, "Col2Values": ["red"],
         "LostAnswer": "delete", "CleanUp": "any"},
    ),
    "paimon lock": ("paimon_published", {"USE_LOCK": True}),
    "paimon overwritten": ("paimon", {"PUT_IF_ABSENT": False, "Col2Values": ["red"]}),
    "bakery": ("bakery_published", {}),
    "bakery restarts": ("bakery", {"Writers": 2, "MaxCrashes": 2, "MaxRestarts": 1}),
    "bakery v2": ("bakery_v2", {"Writers": 2, "SafeAcks": False, "AsyncParquet": True}),
    "bakery v2 extended": (
        "bakery_v2",
        {"Writers": 2, "MaxCrashes": 1, "MaxRestarts": 1, "MaxRetries": 1, "MaxTickets": 5, "UserTable": True},
    ),
    "bakery v2 clocks": ("bakery_v2", {"Writers": 2, "MaxSkew": 1, "MaxRounds": 2}),
    "bakery v2 suspicion": ("bakery_v2", {"Writers": 2, "MaxSuspicions": 1, "MaxRestarts": 1, "CleanUp": "age"}),
    "bakery v2 rows": (
        "bakery_v2", {"Writers": 2, "ReleaseTransaction": True, "ClaimTimeout": True, "StepGranularity": "atomic"},
    ),
    "sink": ("sink", {"Remember": "none", "PlanFirst": False}),
    "sink late": ("late_sink", {"Records": 2, "GiveUp": "delete", "Key": "expires", "Landing": "blind"}),
    "row ids": ("row_ids", {"Assign": "start", "Restore": "rewinds", "Compact": "assigns"}),
    "several tables": ("several_tables", {"Swap": "each", "Load": "each"}),
    "deletion vectors": ("deletion_vectors", {"Conflict": "none", "Compact": "forgets"}),
    "bakery v2 same node": ("bakery_v2_published", {"NodeParts": [["w1", "w2"], ["w3"]]}),
}  # fmt: skip
STATES = 150


def sample(name_of: str) -> tuple[Model, list[Any]]:
    """The states of a small configuration, or as many of a larger one, spread over all depths."""
    model_name, constants = SMALL[name_of]
    model = get_model(model_name)(**constants)
    space = explore(model, [], budget=Budget(states=20_000))
    step = max(1, len(space) // STATES)
    return model, [space.state(i) for i in range(0, len(space), step)]


def visible(svg: str) -> str:
    """A picture without what only machines and hovering mice see."""
    return re.sub(r'<title>.*?</title>| (id|data-[a-z]+|style|aria-label)="[^"]*"', "", svg)


@pytest.mark.slow
@pytest.mark.parametrize("case", SMALL)
def test_pictures_draw_fit_and_do_not_lie(case: str) -> None:
    """States with one picture agree in all that it claims to show; texts are in their boxes, and boxes apart."""
    model, states = sample(case)
    painting = painting_of(model)
    seen: dict[str, tuple[Any, Any]] = {}
    for state in states:
        drawn = picture(model, state)
        check_places(drawn.placed)
        svg = visible(drawn.svg)
        shown = {cell: value for cell, value in state.items() if cell.variable in painting.shows}
        assert seen.setdefault(svg, (shown, state))[0] == shown
    ElementTree.fromstring(drawn.svg)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["hudi collision", "paimon dangling", "bakery v2 extended"])
def test_a_change_of_one_shown_cell_is_seen(case: str) -> None:
    """Neighbours on a behaviour, which differ in little, differ in their pictures, and the difference is marked."""
    model, states = sample(case)
    machine, shows = machine_of(model), painting_of(model).shows
    for state in states[:: len(states) // 25]:
        for instance in machine.instances:
            for _, after in machine.outcomes(instance, state):
                if any(change.cell.variable in shows for change in state.changes_to(after)):
                    drawn = picture(model, after, state)
                    assert visible(drawn.svg) != visible(picture(model, state).svg)
                    assert drawn.changes, f"{instance.label} is not seen"
                    check_places(drawn.placed)


@pytest.mark.slow
@pytest.mark.parametrize("case", SMALL)
def test_each_variable_that_is_claimed_is_seen(case: str) -> None:
    """Somewhere another value of the variable, all else being equal, makes another picture."""
    model_name, constants = SMALL[case]
    model = machine_of(get_model(model_name)(**constants))
    space = explore(model, [], budget=Budget(states=1500))
    cells = [i for i, cell in enumerate(model.layout.cells) if cell.variable in painting_of(model).shows]
    varied = {model.layout.cells[i].variable for i in cells if len(space.values[i]) > 1}
    for variable in sorted(varied):
        assert any(
            tells_apart(model, space.state(number), i, value)
            for number in range(len(space) - 1, -1, -7)
            for i in cells
            if model.layout.cells[i].variable == variable
            for value in space.values[i]
        ), f"{variable} is not in the picture"


def tells_apart(model: Model, state: Any, cell: int, value: Any) -> bool:
    """Whether the picture would be another one if `value` were in the cell."""
    other = list(state.values)
    if other[cell] == value:
        return False
    other[cell] = value
    try:
        return said(describe(model, machine_of(model).state(other))) != said(describe(model, state))
    except (AttributeError, IndexError, KeyError, ModelError, TypeError, ValueError):
        # no state that can be reached, and nothing to draw
        return False


def said(thing: Any) -> Any:
    """What a thing, or several, say, without what only machines and hovering mice see."""
    if isinstance(thing, tuple):
        return tuple(map(said, thing))
    if not is_dataclass(thing):
        return thing
    heard = (field.name for field in fields(thing) if field.name not in ("id", "of", "hover"))
    return type(thing), *(said(getattr(thing, one)) for one in heard)


def check_places(placed: list[Any]) -> None:
    where = {one.thing.id: one for one in placed}
    assert len(where) == len(placed), "an id is used twice"
    for one in placed:
        for line in one.lines:
            assert one.x - 0.1 <= line.x, line
            assert line.x + line.width <= one.x + one.w + 0.1, line
            assert one.y <= line.y - line.size * 0.7, line
            assert line.y + 3 <= one.y + one.h + 1, line
        for around in one.inside:
            box = where[around]
            assert box.x - 0.1 <= one.x, one
            assert one.x + one.w <= box.x + box.w + 0.1, one
            assert one.y + one.h <= box.y + box.h + 0.1, one
    for i, one in enumerate(placed):
        for other in placed[i + 1 :]:
            related = one.thing.id in other.inside or other.thing.id in one.inside
            piled = any(where[id].thing.kind == "pile" for id in one.inside if id in other.inside)
            assert related or piled or not overlap(one, other), (one.thing.id, other.thing.id)


def overlap(one: Any, other: Any) -> bool:
    apart = one.x + one.w <= other.x + 0.1 or other.x + other.w <= one.x + 0.1
    return not (apart or one.y + one.h <= other.y + 0.1 or other.y + other.h <= one.y + 0.1)


#: Models beside a protocol that has a picture, which are drawn as any model is.
WITHOUT_PICTURE = {"table"}


@pytest.mark.parametrize("model_name", [name for one in protocols().values() if one.picture for name in one.models])
def test_each_variable_is_shown_or_left_out_for_a_reason(model_name: str) -> None:
    model = machine_of(get_model(model_name)())
    painting = painting_of(model)
    assert (painting is None) is (model_name in WITHOUT_PICTURE)
    if painting is None:
        return
    variables = {name for name, one in model.declared.variables.items() if not one.ghost}
    assert painting.shows | set(painting.leaves_out) == variables
    assert all(reason for reason in painting.leaves_out.values())


# What goes into a picture -------------------------------------------------------------------------------------------


class Twins(Model):
    """Two members and something shared, with names that mean harm."""

    Members = Constant(2, Names("m", range(1, 20)), "members")
    note = Variable("a <b> & \x00\u202e'\"", doc="a text from outside")
    place = Variable("home", per="Members")
    seen = Variable(0, per="Members")

    @action(m="Members")
    def leave(self, s, m):
        require(s.place[m] == "home", "gone")
        s.place[m] = "away"


def test_a_model_without_a_picture_is_drawn_by_its_variables() -> None:
    model = machine_of(Twins(Members=3))
    (before,) = model.initial_states()
    after = model.outcomes(model.instances[1], before)[0][1]
    drawn = picture(model, after, before, [Fault("m3 is at fault", Place("place", "m3"))], title="leave(m2)")
    assert drawn.changes == {"of-Members-m2": "changed"}
    assert drawn.at_fault == {"of-Members-m3"}
    assert "m3 is at fault" in drawn.svg
    check_places(drawn.placed)


def test_a_plain_picture_does_not_lie_where_cells_are_many() -> None:
    model = machine_of(Twins(Members=15))
    (first,) = model.initial_states()
    one, other = (model.outcomes(model.instances[i], first)[0][1] for i in (3, 4))
    assert len({visible(picture(model, state).svg) for state in (first, one, other)}) == 3


def test_messages_are_rows_of_fields() -> None:
    text = """---- MODULE Mail ---- VARIABLES mail, log, none
Init == none = {} /\\ log = <<[n |-> 7], [n |-> 8]>>
        /\\ mail = {[kind |-> "ask", from |-> 1], [kind |-> "tell", number |-> <<2>>]}
Next == mail' = mail \\ {CHOOSE letter \\in mail : TRUE} /\\ UNCHANGED <<log, none>>
===="""
    model = module_of_text(text, "INIT Init NEXT Next")()
    (before,) = model.initial_states()
    drawn = picture(model, before)
    words = [element.text for element in ElementTree.fromstring(drawn.svg).iter() if element.tag.endswith("text")]
    told = ["from", "kind", "number", "1", '"ask"', '"tell"', "<<2>>", "n", "1.", "7", "2.", "8", "{}"]
    assert [word for word in words if word in told] == told
    assert not [word for word in words if word and "|->" in word]
    check_places(drawn.placed)
    ((_, after),) = model.outcomes(model.instances[0], before)
    assert [*picture(model, after, before).changes.values()].count("gone") == 1


def test_svg_is_well_formed_whatever_the_texts() -> None:
    drawn = picture(Twins(), Twins().initial_states()[0], title="]]> </svg> \ud800 \x07", at_fault=["\x01<script>"])
    root = ElementTree.fromstring(drawn.svg)
    assert root.get("data-picture") == "twins"
    assert root.get("role") == "img"
    assert root.get("aria-label") == r"twins, ]]> </svg> \ud800 \x07: \x01<script>"
    assert not {element.tag for element in root.iter()} & {"{http://www.w3.org/2000/svg}script"}


def test_an_image_of_it_says_what_it_shows() -> None:
    model = Twins()
    drawn = picture(model, model.initial_states()[0])
    html = drawn._repr_html_()
    assert unquote(html.partition('src="data:image/svg+xml,')[2].partition('"')[0]) == drawn.svg
    assert 'alt="a state of twins"' in html


def test_ids_are_those_of_the_things_and_can_have_a_prefix() -> None:
    model = get_model("bakery")(Writers=2)
    drawn = picture(model, model.initial_states()[0])
    assert '<g id="writer-w1" data-thing="writer-w1" data-kind="card"' in drawn.svg
    assert '<g id="left-writer-w1" data-thing="writer-w1" data-kind="card"' in drawn.svg_with("left-")


def test_colours_are_attributes_and_each_has_one_for_the_dark() -> None:
    model = get_model("bakery_v2")(Writers=2)
    svg = picture(model, model.initial_states()[0]).svg
    body = re.sub("<style>.*?</style>", "", svg)
    used = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', body))
    assert used
    assert all(f'="{colour}"]' in svg for colour in used)
    assert "prefers-reduced-motion" in svg


# The difference of two pictures --------------------------------------------------------------------------------------


def test_things_are_compared_by_what_they_say() -> None:
    before = [part("p", "part", card("a", "a", "old"), card("b", "b", card("c", "c")), badge("d", "d"))]
    after = [part("p", "part", card("a", "a", "new"), card("c", "c"), badge("e", "e", tone="bad"))]
    difference = compare_things(before, after)
    assert difference.changes == {"a": "changed", "b": "gone", "d": "gone", "e": "new"}
    assert difference.fresh["a"] == {"new"}
    ids = [thing.id for thing in difference.things[0].body]
    assert ids == ["a", "b", "d", "c", "e"], "what went stands where it was"
    assert difference.things[0].body[1].body == (), "what is still there is not drawn twice"


BADGED = card("a", "a", badge("b", "b"))


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ([part("p", "part", card("a", "a")), part("q", "rest", card("b", "b"))],
         [part("p", "part", card("a", "a"), card("b", "b"))], {}),
        ([], [card("a", "a", table("t", [row("r", "x")]))], {"a": "new"}),
        ([], [part("p", "part", BADGED)], {"a": "new"}),
    ],
    ids=["a part that is empty by now leaves nothing", "a table in something new", "a badge in something new"],
)  # fmt: skip
def test_what_is_in_something_new_or_gone_is_not_named_again(before: Any, after: Any, changes: Any) -> None:
    difference = compare_things(before, after)
    assert (difference.changes, len(difference.things)) == (changes, 1)


def test_arrows_that_appear_change_or_go_are_outlined() -> None:
    boxes = card("a", "a"), card("b", "b")
    before = [*boxes, card("c", "c"), arrow("stays", "a", "b"), arrow("turns", "a", "b"), arrow("goes", "a", "c")]
    after = [*boxes, arrow("stays", "a", "b"), arrow("turns", "b", "a"), arrow("comes", "b", "a")]
    difference = compare_things(before, after)
    assert difference.changes == {"c": "gone", "goes": "gone", "turns": "changed", "comes": "new"}
    assert [thing.id for thing in difference.things if thing.kind == "arrow"] == ["stays", "turns", "comes", "goes"]
    inside = [part("p", "part", card("a", "a", badge("x", "x")), card("b", "b")), arrow("goes", "x", "b")]
    assert compare_things(inside, [card("b", "b")]).changes["goes"] == "gone", "its end is drawn as one that went"

    class Aimed(Twins):
        pass

    @picture_of(Aimed)
    def aimed(model, s):
        yield from (card(m, m, s.place[m], of=Place("place", m)) for m in model.Members)
        yield arrow("aim", *(model.Members if s.place["m1"] == "away" else model.Members[::-1]))
        if s.place["m1"] == "away":
            yield arrow("second", "m2", "m1")

    model = machine_of(Aimed)
    (first,) = model.initial_states()
    second = model.outcomes(model.instances[0], first)[0][1]
    for svg, kinds in ((picture(model, second, first).svg, "changed new"), (picture(model, first, second).svg, "gone")):
        for kind in kinds.split():
            (marked,) = re.findall(rf'<g [^>]*data-kind="arrow"[^>]* data-change="{kind}".*?</g>', svg)
            assert marked.count('stroke="#d98e00"') == 1
    for member, marked in (("m1", {"m1": "differs"}), ("m2", {})):
        both = pair(Shown(model, [first]), Shown(model, [first, second]), [Place("place", member)])
        assert [drawn.changes for drawn in both] == [marked, marked], "of what differs, what belongs to the effect"


def test_what_moved_says_from_where() -> None:
    model = get_model("paimon")(NUM_WRITERS=1, NUM_BUCKETS=1, PkCol1Values=["jack"])
    space = explore(model, [], budget=Budget(states=2000))
    states = space.trace_to(500).states
    svgs = [picture(model, after, before).svg for before, after in pairwise(states)]
    assert any("--from-y:" in svg and "data-moved" in svg for svg in svgs)


# What is at fault ----------------------------------------------------------------------------------------------------


VIOLATIONS = {
    "hudi collision": (
        "hudi", {"Keys": 1, "Values": 1, "MonotonicTs": False}, "ConsistentRead", {"instants-1", "slice-fg1-1"},
    ),
    "hudi two file groups": (
        "hudi", {"Keys": 1, "Values": 1, "FileGroupCount": 2, "PrimaryKeyConflictCheck": False},
        "NoDuplicateKeysAcrossFiles", {"row-fg1-1-k1", "row-fg2-2-k1"},
    ),
    "paimon dangling": (
        *SMALL["paimon dangling"], "NoDanglingDeletionVectors", {"vector-p0b0-c0-0", "snapshot-5"},
    ),
    "paimon two rows": (
        *SMALL["paimon dangling"], "OneValidRowPerKeyAboveLevel0", {"row-c0-1-jack", "row-c1-0-jack", "snapshot-5"},
    ),
    "paimon overwritten": ("paimon", {"PUT_IF_ABSENT": False}, "ConsistentRead", {"snapshot-1"}),
    "bakery 409": (
        "bakery_v2", {"Writers": 2, "AsyncParquet": True, "RestampPatch": False}, "NoLakekeeperConflict",
        {"writer-w1", "pointer-w1-1"},
    ),
    "sink late": ("late_sink", {"Records": 2, "Landing": "blind"}, "CommittedOnce", {"batch-0", "batch-1"}),
    "sink deleted": ("late_sink", {"Records": 2, "GiveUp": "delete"}, "PublishedFilesExist", {"request-1"}),
    "row ids shared": ("row_ids", {"Restore": "rewinds"}, "UniqueRowIds", {"version-2", "version-4", "id-0"}),
    "row ids changed": (
        "row_ids", {"Versions": 5, "Compact": "assigns"}, "RowsKeepIds", {"version-2", "version-4", "id-0", "id-2"},
    ),
    "tables half": ("several_tables", {"Swap": "each"}, "AllOrNothing", {"table-t1", "table-t2"}),
    "tables torn": ("several_tables", {"Load": "each"}, "ReadsOneCommit", {"reader"}),
    "vectors": (
        "deletion_vectors", {"Conflict": "none", "Compact": "never"}, "OneVector", {"live-0-0", "live-0-1"},
    ),
    "vectors forgotten": ("deletion_vectors", {"Compact": "forgets"}, "DeletedRowsStayDeleted", {"live-1-0"}),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", VIOLATIONS)
def test_what_an_invariant_blames_is_marked(case: str) -> None:
    model_name, constants, invariant, marked = VIOLATIONS[case]
    model = get_model(model_name)(**constants)
    trace = explore(model, [invariant], budget=Budget(states=20_000)).result[invariant].trace
    *earlier, last = trace.states
    wrong = faults(model, last, [invariant])
    drawn = picture(model, last, earlier, wrong)
    assert {re.sub("w[12]\\b", "w1", id) for id in drawn.at_fault} == marked
    assert all(fault.startswith(invariant) for fault in wrong)
    check_places(drawn.placed)
    assert not crossed_texts(drawn)


def crossed_texts(drawn: Any) -> list[str]:
    """The ids of arrows that run across a text."""
    crossing = []
    for arrow_, corners in drawn.routes:
        for area in areas(drawn.placed, but=frozenset((arrow_.source, arrow_.target))):
            for (x1, y1), (x2, y2) in pairwise(corners):
                apart = max(x1, x2) <= area.left or min(x1, x2) >= area.right
                apart = apart or max(y1, y2) <= area.top or min(y1, y2) >= area.bottom
                if area.cost == TEXT and not apart:
                    crossing.append(arrow_.id)
    return crossing


def test_the_collision_tells_its_story() -> None:
    """The lost row is struck out, the file name has two users, and the reader says what it misses."""
    model = get_model("hudi")(Keys=1, Values=1, MonotonicTs=False)
    *earlier, last = explore(model, ["ConsistentRead"]).result["ConsistentRead"].trace.states
    svg = picture(model, last, earlier, faults(model, last)).svg
    for words in ("one file name, two operations", "overwritten", "expected v1", "2 operations share it"):
        assert f">{words}</text>" in svg
    assert re.search(r'text-decoration="line-through">k1: v1<', svg)


def test_the_slices_that_a_reader_sees_are_drawn_in_the_models_order() -> None:
    """Not in that of their hashes, which is another one in each process."""

    class Backwards(HudiExtended):
        """It names them the other way round."""

        def readable(self, s: Any, ts: int) -> Any:
            return reversed(list(super().readable(s, ts)))

    constants: dict[str, Any] = {"Values": 1, "FileGroupCount": 2, "Keys": 2}
    orders = []
    for model in (HudiExtended(**constants), Backwards(**constants)):
        space, last = explore(model, []), model.timestamps[-1]
        states = map(space.state, reversed(range(len(space))))
        both = next(state for state in states if len(list(model.readable(state, last))) > 1)
        orders.append(re.findall(r'data-thing="reads-([^"]+)"', picture(model, both, reader=last).svg))
    assert orders == [["fg1-2", "fg2-1"], ["fg2-1", "fg1-2"]]


def test_a_member_of_a_cell_is_marked_or_else_the_cell() -> None:
    model = get_model("bakery")(Writers=2)
    state = model.initial_states()[0]
    assert picture(model, state, at_fault=[Place("iceberg", None, 0)]).at_fault == {"snapshot-1"}
    assert picture(model, state, at_fault=[Place("iceberg")]).at_fault == {"snapshot-1"}
    assert picture(model, state, at_fault=[Place("pc", "w1", "x")]).at_fault == {"writer-w1"}


@pytest.mark.parametrize("copied", [lambda it: it, copy.copy, lambda it: pickle.loads(pickle.dumps(it))])
def test_faults_are_texts_that_name_places(copied: Any) -> None:
    wrong = copied(Fault("it is wrong", Place("pc", "w1")))
    assert wrong == "it is wrong"
    assert wrong.places == (Place("pc", "w1"),)


# Who draws what ------------------------------------------------------------------------------------------------------


def test_a_subclass_has_the_picture_of_its_base_and_its_own_variables_besides() -> None:
    class Base(Twins):
        pass

    @picture_of(Base, leaves_out={"seen": "of no interest"})
    def base(model, s):
        yield "a line"
        yield None
        yield card("note", "note", s.note)

    class Further(Base):
        more = Variable(5)

    drawn = picture(Further(), Further().initial_states()[0])
    ids = [one.thing.id for one in drawn.placed]
    assert ids == ["text-0", "note", "variables", "variable-more"]
    assert painting_of(Base()).shows == {"note", "place"}


def test_what_is_wrong_with_a_picture_is_said_in_one_line() -> None:
    class Wrong(Twins):
        pass

    with pytest.raises(InputError, match="unknown variable of wrong 'sean'"):
        picture_of(Wrong, leaves_out={"sean": "?"})
    state = Wrong().initial_states()[0]
    picture_of(Wrong)(lambda model, s: [card("a", "a"), card("b", "b", card("a", "a"))])
    with pytest.raises(ModelError, match="the picture of wrong has two things with the id 'a'"):
        picture(Wrong(), state)
    picture_of(Wrong)(lambda model, s: [card("a", "a"), arrow("x", "a", "b")])
    with pytest.raises(ModelError, match="arrow to or from 'b', which is not in it"):
        picture(Wrong(), state)


def test_what_is_suspected_is_dashed_and_called_so() -> None:
    model = get_model("delta")()
    state, fault = machine_of(model).initial_states()[0], Fault("Lost: timestamp 1", Place("started"))
    sure, open_ = (picture(model, state, at_fault=[fault], is_suspected=it) for it in (False, True))
    assert sure.at_fault == open_.at_fault != frozenset()
    assert ("suspected" in sure.svg, "at fault" in sure.svg) == (False, True)
    drawn = open_.svg.partition("</style>")[2]
    assert ("at fault" in drawn, RED in drawn) == (False, False)
    assert 'stroke-dasharray="7 4"' in drawn
    assert "? suspected: Lost: timestamp 1" in drawn
    assert open_.label == f"a state of {open_.model}: suspected: Lost: timestamp 1"


def test_everything_wrong_becomes_a_doubt() -> None:
    shown = [
        card("box", "a box", text("lost", tone=BAD), table("rows", [row("r", "k", "was red", tone=BAD)]), tone=BAD),
        badge("pill", "gone", tone=BAD),
        arrow("to", "box", "pill", "points nowhere", tone=BAD),
    ]
    box, pill, to = doubted(shown, {"box"})
    assert [line.text for line in box.body if isinstance(line, things.Text)] == ["? lost", "? suspected"]
    assert box.body[1].rows[0].cells == ("k", "? was red")
    assert pill.text.text == "? gone"
    assert (box.dashed, to.dashed) == (True, True)
    assert {one.tone for one, _ in every([box, pill, to])} == {ODD, PLAIN}


def test_a_table_s_names_take_the_place_of_the_model_s() -> None:
    names = {"w1": "a writer", "w1-0": "data.parquet", "snapshot 1": "snapshot 88"}
    shown = [
        card("snapshot-1", "snapshot 1", "append by w1", table("rows", [row("r", "w1-0", "w11")]), aside="w1"),
        badge("b", "snapshot 1"),
        arrow("a", "snapshot-1", "b", "snapshot 12"),
    ]
    box, pill, to = renamed(shown, renamer(names))
    assert (box.id, box.title.text, box.body[0].text) == ("snapshot-1", "snapshot 88", "append by a writer")
    assert (box.body[1].rows[0].cells, box.aside.text) == (("data.parquet", "w11"), "a writer")
    assert (pill.text.text, to.text, to.hover) == ("snapshot 88", "snapshot 12", "snapshot 12")
    assert renamed(shown, renamer({})) == tuple(shown)


def test_options_are_checked() -> None:
    model = get_model("hudi")()
    state = model.initial_states()[0]
    assert options_of(model) == {"reader": (1, 2)}
    with pytest.raises(InputError, match=r"reader = 3 is not accepted; it takes one of 1, 2"):
        picture(model, state, reader=3)
    with pytest.raises(InputError, match="unknown option of the picture of hudi 'raeder'"):
        picture(model, state, raeder=1)


# Letters -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["", "a", "a long line of words", "averyveryverylongname" * 5, "\U0001f600" * 30])
def test_lines_are_as_narrow_as_asked(words: str) -> None:
    lines = wrap(words, 60, 14)
    assert all(width_of(line, 14) <= 60 for line in lines)
    assert "".join(lines).replace(" ", "") == words.replace(" ", "")


def test_control_characters_become_visible() -> None:
    assert note("a\tb\x9f", 1).text == r"a\tb\x9f 1"
    assert name("a b", None, 1) == "a.20.b-1"


def test_a_table_that_is_too_wide_wraps() -> None:
    rows = [row(f"r{i}", "short", "a rather long text " * 12) for i in range(3)]
    placed, wide, _ = place([card("c", "c", table("t", rows))], {})
    check_places(placed)
    assert wide < LOOKS["card"].most + 40


def test_what_is_said_below_makes_no_picture_wider() -> None:
    remark = down("d", "words and more words " * 30)
    _, alone, _ = place([card("c", "c")], {}, [remark])
    _, beside, _ = place([part("p", "p", *(card(f"c{i}", "a card " * 3) for i in range(5)))], {}, [remark])
    _, without, _ = place([part("p", "p", *(card(f"c{i}", "a card " * 3) for i in range(5)))], {})
    assert alone < 520 < beside == without


LONG = ["", "w" * 300, "word " * 60, "a_b.c/" * 50, "\U0001f600" * 80, "one \u4e2d\u6587 two"]


@pytest.mark.parametrize("words", LONG)
def test_no_text_is_too_long_for_its_box(words: str) -> None:
    things = [
        down("d", words),
        part(
            "p",
            words,
            card("c1", words, words, badge("b1", words), aside=words),
            file("c2", "short", table("t1", [row("r1", words, "x", words)]), note(words)),
            envelope("c3", words),
            column("c4", words, slot("c5", words), queue("q", card("c6", words), card("c7", words))),
            shelf("c8", None, note("level"), card("c9", words), pile("c10", card("c11", words), card("c12", "x"))),
        ),
    ]
    placed, wide, _ = place(things, {})
    check_places(placed)
    assert wide <= 1060


def test_no_thing_is_swallowed_as_a_title() -> None:
    """It would not be drawn, and nothing would say so."""
    first, second = card("a", "one"), card("b", "two")
    assert [thing.id for thing in chain("log", first, second).body] == ["a", "b"]
    with pytest.raises(ModelError, match=r"^card\('log', ...\): the thing 'a' is no title; give one, or None$"):
        card("log", first, second)


def test_each_kind_of_thing_says_its_name_and_what_it_is() -> None:
    for made in (across, card, chain, column, down, envelope, file, part, pile, queue, shelf, slot):
        assert f"{made.__name__} = " in Path(things.__file__).read_text(encoding="utf-8")
        assert made.__doc__.endswith(".")


def test_the_picture_on_the_first_page_is_the_one_that_is_drawn() -> None:
    model = get_model("paimon")(PUT_IF_ABSENT=False)
    trace = check(model, ["ConsistentRead"]).trace
    assert trace is not None
    drawn = animated_svg(trace) + "\n"
    assert (ROOT / "docs" / "pictures" / "lost-write.svg").read_text(encoding="utf-8") == drawn
