"""What constants switch off is not there: neither listed, nor taken, nor checked."""

import pytest

from workbench.kernel import ModelError, machine_of, search
from workbench.language import *


def several(model):
    return model.MaxCrashes > 1


class Server(Model):
    """Works, and may crash."""

    MaxCrashes = Constant(0, range(0, 3), "how often it may crash")
    worker = Process(fair="weak")
    crashes = Variable(0)
    done = Variable(False)

    @action(worker)
    def work(self, s):
        require(not s.done, "done")
        s.done = True

    @action(when="MaxCrashes")
    def crash(self, s):
        require(s.crashes < self.MaxCrashes, "no crash left")
        s.crashes += 1

    @action(worker, when=lambda model: model.MaxCrashes == 2)
    def help(self, s):
        require(not s.done, "done")
        s.done = True

    @invariant
    def FewCrashes(self, s):
        return s.crashes <= self.MaxCrashes

    @invariant(by_default=False)
    def NoCrash(self, s):
        return s.crashes == 0

    @reachable(when="MaxCrashes")
    def Crashes(self, s):
        return s.crashes == 1

    @reachable(by_default=lambda model: model.MaxCrashes == 0)
    def IsDone(self, s):
        return s.done

    @reachable(when=several)
    def CrashesTwice(self, s):
        return s.crashes == 2

    @liveness(when=lambda model: model.MaxCrashes == 2)
    def Ends(self):
        return eventually(lambda s: s.done)


def test_a_model_has_what_its_constants_switch_on():
    off, one, two = (machine_of(Server(MaxCrashes=most)) for most in range(3))
    assert [list(m.actions) for m in (off, one, two)] == [["work"], ["work", "crash"], ["work", "crash", "help"]]
    assert [[i.label for i in m.instances] for m in (off, two)] == [["work"], ["work", "crash", "help"]]
    assert list(off.properties) == ["FewCrashes", "NoCrash", "IsDone"]
    assert list(two.properties) == list(Server.declared.properties)
    assert list(Server.declared.actions) == ["work", "crash", "help"]
    assert [c.actions for c in two.fairness] == [{0, 2}]


def test_what_is_checked_by_default_applies_and_was_not_left_out():
    assert [p.name for p in machine_of(Server()).select()] == ["FewCrashes", "IsDone"]
    assert [p.name for p in machine_of(Server(MaxCrashes=1)).select(None)] == ["FewCrashes", "Crashes"]
    assert [p.name for p in machine_of(Server(MaxCrashes=1)).select(["NoCrash", "Crashes", "NoCrash"])] == [
        "NoCrash",
        "Crashes",
    ]
    assert [(v.name, v.word) for v in search(Server(MaxCrashes=2)).verdicts] == [
        ("FewCrashes", "holds"),
        ("Crashes", "reached"),
        ("CrashesTwice", "reached"),
        ("Ends", "holds"),
    ]


@pytest.mark.parametrize(
    ("name", "needs"), [("Crashes", ": it needs MaxCrashes"), ("CrashesTwice", ": it needs several"), ("Ends", "")]
)
def test_a_property_that_is_switched_off_cannot_be_asked_for(name, needs):
    with pytest.raises(InputError) as error:
        machine_of(Server()).select([name])
    assert str(error.value) == f"property {name!r} of server does not apply with these constants{needs}"


@pytest.mark.parametrize("condition", ["MaxCrash", "crashes", 3, ("MaxCrashes",)])
@pytest.mark.parametrize(
    ("declare", "option"),
    [(action, "when"), *((declare, o) for declare in (invariant, reachable, liveness) for o in ("when", "by_default"))],
)
def test_a_condition_is_a_constant_or_a_function(condition, declare, option):
    function = Server.Ends.function if declare is liveness else always
    with pytest.raises(ModelError, match=rf"Odd: {option} = .* is not accepted; it takes the name of a constant, or a"):
        type("Odds", (Server,), {"Odd": declare(**{option: condition})(function)})


def test_the_name_of_a_constant_says_too_what_is_checked_by_default():
    class Asked(Server):
        @invariant(by_default="MaxCrashes")
        def Never(self, s):
            return True

    assert ["Never" in [p.name for p in machine_of(Asked(MaxCrashes=n)).select()] for n in (0, 1)] == [False, True]


def always(self, s):
    return True


def test_actions_and_subclasses_can_call_an_action():
    class Careful(Server):
        @action(Server.worker)
        def work(self, s):
            require(s.crashes == 0, "crashed")
            super().work(s)

        @action(Server.worker)
        def rework(self, s):
            s.done = False
            self.work(s)

    model = machine_of(Careful(MaxCrashes=1))
    assert model.why_disabled(model.instances[0], model.initial_states()[0]) is None
    assert search(model, ["FewCrashes"]).distinct == 4
    assert Careful.work is not Server.work
