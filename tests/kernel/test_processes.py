"""Processes with steps: the program counter that they declare, and actions that say where in it they are."""

import pytest

from workbench.checking.check import check
from workbench.kernel import Constant, Model, ModelError, Process, Variable, action, choose, ends, machine_of, require
from workbench.storage.identity import Identity


def has_power(model, s, w):
    require(not s.dark, "the power is gone")


class Lamps(Model):
    """Lamps that warm up, shine or go straight on, and are done; then there may be no power."""

    Quick = Constant(False, bool, "lamps need no warming up")

    lamps = ("a", "b")
    first = Variable(0)
    lamp = Process(per="lamps", start=lambda m: "glowing red" if m.Quick else "Cold", guard=has_power)
    dark = Variable(False)
    fuse = Process(start="Whole", pc="pc_fuse")

    @action(lamp, at="Cold", to="glowing red")
    def warm(self, s, w):
        s.first = 1

    @action(lamp, at="glowing red", to=lambda m: "Done")
    def shine(self, s, w):
        if choose([True, False], "again"):
            s.pc[w] = "Cold"

    @action(lamp)
    def flicker(self, s, w):
        s.first = 2

    @action(fuse, at="Whole", to="Blown")
    def blow(self, s):
        s.dark = True

    @ends
    def over(self, s):
        return s.dark


def labels(model, state):
    model = machine_of(model)
    return [i.label for i in model.instances if model.why_disabled(i, state) is None]


def test_the_program_counter_stands_where_the_process_is_declared():
    assert [str(cell) for cell in machine_of(Lamps()).layout.cells] == ["first", "pc[a]", "pc[b]", "dark", "pc_fuse"]
    assert [model.initial_states()[0].pc["a"] for model in (Lamps(), Lamps(Quick=True))] == ["Cold", "glowing red"]
    assert list(Lamps.declared.processes) == ["lamp", "fuse"]


def test_an_action_is_taken_at_its_step_and_leads_to_the_next_one():
    model = machine_of(Lamps())
    (state,) = model.initial_states()
    assert labels(model, state) == ["warm(a)", "warm(b)", "flicker(a)", "flicker(b)", "blow"]
    warm, shine = model.instances[0], model.instances[2]
    assert model.why_disabled(shine, state) == "a is not at 'glowing red'"
    ((_, state),) = model.outcomes(warm, state)
    assert (state.pc["a"], state.first, state.pc["b"]) == ("glowing red", 1, "Cold")
    assert model.why_disabled(warm, state) == "a is not at Cold"
    assert [after.pc["a"] for _, after in model.outcomes(shine, state)] == ["Cold", "Done"]


def test_a_guard_is_for_all_steps_of_a_process_and_comes_after_the_step_itself():
    model = machine_of(Lamps())
    blow = model.instances[-1]
    ((_, state),) = model.outcomes(blow, model.initial_states()[0])
    whys = {i.label: model.why_disabled(i, state) for i in model.instances}
    assert (whys["warm(a)"], whys["flicker(b)"]) == ("the power is gone", "the power is gone")
    assert (whys["shine(a)"], whys["blow"]) == ("a is not at 'glowing red'", "the fuse is not at Whole")


class Brighter(Lamps):
    """Replaces what steps do, and where one leads."""

    @action(Lamps.lamp)
    def warm(self, s, w):
        super().warm(s, w)
        s.first += 2

    @action(Lamps.lamp, to="Cold")
    def shine(self, s, w):
        pass

    @action(Lamps.lamp, at=lambda m: None, to="Done")
    def flicker(self, s, w):
        pass


def test_what_replaces_an_action_is_at_the_same_step_unless_it_says_otherwise():
    model = machine_of(Brighter())
    (start,) = model.initial_states()
    warm, shine, flicker = model.instances[0], model.instances[2], model.instances[4]
    ((_, warmed),) = model.outcomes(warm, start)
    assert (warmed.first, warmed.pc["a"]) == (3, "glowing red")
    assert model.why_disabled(warm, warmed) == "a is not at Cold"
    assert [after.pc["a"] for _, after in model.outcomes(shine, warmed)] == ["Cold"]
    assert [model.outcomes(flicker, state)[0][1].pc["a"] for state in (start, warmed)] == ["Done", "Done"]


class Fair(Lamps):
    """Its process begins as the one that it replaces."""

    lamp = Process(per="lamps", fair="weak")


def test_what_replaces_a_process_has_its_steps_and_its_guard():
    model = Fair()
    assert [condition.label for condition in model.fairness()] == ["a", "b"]
    assert check(model, []).levels == check(Lamps(), []).levels
    replaced, cells = machine_of(Lamps).layout.cells, machine_of(model).layout.cells
    assert [str(cell) for cell in cells] == [str(cell) for cell in replaced]


def test_where_a_step_leads_is_part_of_what_a_model_is():
    def digest(to):
        class Leading(Lamps):
            shine = action(Lamps.lamp, to=to)(Lamps.shine.function)

        return Identity.of(Leading(), [], (), 64).digest

    assert digest("Cold") == digest("Cold") != digest("Done")


def declared(**body):
    def act(self, s, w):
        pass

    lamp = body.get("lamp", Process(per="lamps", start="Cold"))
    options = body.pop("options", {"at": "Cold"})
    known = {"lamps": ("a", "b"), "n": Variable(0), "lamp": lamp, "act": action(lamp, **options)(act)}
    return type("Lamps", (Model,), {**known, **body})()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            {"lamp": Process(per="lamps")},
            r"^Lamps: act is at a step of a process, but has no process with steps",
        ),
        ({"pc": Variable(0)}, r"^Lamps: pc is declared twice: lamp has its steps in it"),
        (
            {"lamp": Process(per="lamps", start="Cold", pc="constants")},
            r"^Lamps: no variable may be called 'constants'",
        ),
        ({"lamp": Process(per="lamps", pc="n")}, r"^act\(a\): n has no cell for who steps"),
        (
            {"lamp": Process(per="lamps"), "pc": Variable("Cold", per="some"), "some": ("b",)},
            r"^act\(a\): pc has no cell for who steps",
        ),
        ({"options": {"to": lambda m: m.nothing}}, r"^a step of act \(.*raised AttributeError"),
    ],
)
def test_steps_that_make_no_sense_are_refused(body, message):
    with pytest.raises(ModelError, match=message):
        declared(**body)


def test_a_name_for_the_program_counter_and_a_guard_are_looked_at():
    with pytest.raises(ModelError, match=r"^pc = 'next step' is not accepted; it takes the name of a variable \("):
        Process(start="Cold", pc="next step")
    with pytest.raises(ModelError, match=r"^<lambda> takes the parameters \(s, w\) but declares domains for \(w\)"):
        Process(per="lamps", guard=lambda self, model, s, w: None)
    with pytest.raises(ModelError, match=r"^<lambda> takes the parameters \(w\) but declares domains for \(\)"):
        Process(guard=lambda self, s, w: None)
