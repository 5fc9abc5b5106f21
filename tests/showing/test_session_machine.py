"""Sessions and steppers do what is said of them, whatever a person does, in whatever order."""

from functools import cache

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, multiple, rule
from hypothesis.stateful import invariant as always

from tests.products import examples
from workbench.checking.check import check
from workbench.formats.permalink import open_permalink, permalink
from workbench.kernel import machine_of, replay
from workbench.kernel.meaning.trace import Move
from workbench.language import *
from workbench.showing.session import Session, Stepper, start_from
from workbench.showing.session.grid_job import Asked


class Kettles(Model):
    """Kettles are heated, and each switch breaks something else."""

    symmetry = ("Kettles",)

    Kettles = Constant(2, Names("k", range(1, 4)), "what is heated")
    Rings = Constant(None, Partition("Kettles"), "which of them share a ring")
    BoilsOver = Constant(False, bool, "nobody takes a kettle off that boils")
    Cuts = Constant(False, bool, "the current may fail")

    on = Variable(True)
    heat = Variable(0, per="Kettles")
    kettle = Process(per="Kettles", fair="weak")

    @initial
    def begin(self, s):
        for k in self.Kettles:
            s.heat[k] = choose([0, 1], f"heat {k}")

    @action(kettle)
    def warm(self, s, k):
        require(s.on and s.heat[k] < 2 + self.BoilsOver, f"{k} gets no warmer")
        s.heat[k] += 1

    @action(when="Cuts")
    def cut(self, s):
        require(s.on, "it is cut")
        s.on = False

    @invariant
    def Dry(self, s):
        return max(s.heat.values()) < 3 or "the stove is wet"

    @reachable(when="Cuts")
    def SomebodyWaits(self, s):
        return not s.on and max(s.heat.values()) < 2

    @invariant
    def Calm(self, s):
        return sum(s.heat.values()) < 3 * len(self.Kettles)

    @liveness(k="Kettles")
    def EachBoils(self, k):
        return eventually(lambda s: s.heat[k] >= 2)


SWITCHES = ("BoilsOver", "Cuts")
CHANGES = [
    *({name: on} for name in SWITCHES for on in (False, True)),
    *({"Kettles": size} for size in (1, 2, 3)),
    *({"Rings": rings} for rings in (None, [["k1"]], [["k1"], ["k2"]])),
]
PROPERTIES = [*Kettles.declared.properties, "Deadlock"]
CONDITIONS = {"s.heat['k2'] == 2": lambda s: s.heat["k2"] == 2, "not s.on": lambda s: not s.on, "s.on": lambda s: s.on}
#: What is pasted and is no permalink of the model, and why.
NO_LINKS = {
    "nonsense": "^permalink 'nonsense' is not accepted",
    "workbench:hudi#0/": "is for model hudi; give one for kettles$",
    "workbench:kettles?Kettles=9#0/": "Kettles = 9 is not accepted",
    "workbench:kettles#0/999.0": "does not fit model kettles",
}


class Tree:
    """The paths that a stepper has reached from an initial state, in their order; where it is; and what is in sight."""

    def __init__(self, *path):
        self.paths = [path[:length] for length in range(len(path) + 1)]
        self.here = self.tip = path

    def take(self, move):
        path = (*self.here, move)
        if path not in self.paths:
            self.paths.append(path)
        self.here = path
        if self.tip[: len(path)] != path:
            self.tip = path

    def go(self, path):
        self.here = path
        if self.tip[: len(path)] != path:
            while after := [longer for longer in self.paths if longer[:-1] == path and longer]:
                path = after[-1]
            self.tip = path

    def follow(self, moves):
        self.here = ()
        for move in moves:
            self.take(move)
        self.tip = self.here


class Stepping(RuleBasedStateMachine):
    """A stepper's history is the tree of the paths that were taken, and whoever listens knows of every change."""

    links = Bundle("links")

    def __init__(self):
        super().__init__()
        self.model = Kettles(Cuts=True)
        self.stepper = Stepper(self.model)
        self.trees, self.start, self.names = {0: Tree()}, 0, {}
        self.heard = self.seen()
        self.stepper.on_move(self.hear)

    @property
    def tree(self):
        return self.trees[self.start]

    def seen(self):
        history = self.stepper.history
        return permalink(self.stepper.trace), self.stepper.at, [node.name for node in history.nodes]

    def hear(self):
        self.heard = self.seen()

    def anew(self, trace):
        self.start, self.names = trace.start, {}
        self.trees = {trace.start: Tree(*trace.moves)}

    def follow(self, trace):
        self.start = trace.start
        self.trees.setdefault(self.start, Tree()).follow(tuple(trace.moves))

    @rule(data=st.data())
    def take(self, data):
        steps = [step for one in self.stepper.options() for step in one.steps]
        possible = {one: step.move for step in steps for one in (step.label, step.move)}
        step = data.draw(st.sampled_from([*possible, "cut", "warm(k9)", Move(9, 0)]))
        if step in possible:
            self.stepper.take(step)
            self.tree.take(possible[step])
        else:
            with pytest.raises(InputError, match=r"^step ('cut'|'warm\(k9\)'|number 9.0) is not enabled; enabled: "):
                self.stepper.take(step)

    @rule()
    def undo(self):
        self.stepper.undo()
        self.tree.here = self.tree.here[:-1]

    @rule(index=st.integers(-1, 9))
    def jump(self, index):
        self.stepper.jump(index)
        self.tree.here = self.tree.tip[: max(index, 0)]

    @rule(data=st.data())
    def go_to(self, data):
        number = data.draw(st.integers(0, len(self.tree.paths)))
        if number < len(self.tree.paths):
            self.stepper.go_to(number)
            self.tree.go(self.tree.paths[number])
        else:
            with pytest.raises(InputError, match=f"node {number} is not accepted"):
                self.stepper.go_to(number)

    @rule(data=st.data(), name=st.sampled_from(["", "here", " there "]))
    def name(self, data, name):
        number = data.draw(st.integers(0, len(self.tree.paths) - 1))
        self.stepper.name(number, name)
        self.names[self.start, number] = name.strip()

    @rule(steps=st.integers(0, 4), seed=st.integers(0, 9))
    def walk(self, steps, seed):
        before, at = self.stepper.trace, self.stepper.at
        self.stepper.walk(steps, seed)
        walked = self.stepper.history.trace(self.stepper.history.current)
        assert walked.steps[: at + 1] == before.steps[: at + 1]
        assert len(walked) == at + 1 + steps or not any(one.steps for one in self.stepper.options())
        for move in walked.moves[at:]:
            self.tree.take(move)

    @rule(number=st.integers(0, 5))
    def begin(self, number):
        if number < 4:
            self.stepper.begin(number)
            self.start = number
            self.trees.setdefault(number, Tree()).here = ()
        else:
            with pytest.raises(InputError, match=f"^there is no initial state number {number}; there are 4$"):
                self.stepper.begin(number)

    @rule(condition=st.sampled_from(sorted(CONDITIONS)), anew=st.booleans(), typed=st.booleans())
    def go(self, condition, anew, typed):
        before = () if anew else self.tree.here
        found = {condition for state in self.ahead(anew) for condition, holds in CONDITIONS.items() if holds(state)}
        if condition in found:
            self.stepper.go(condition if typed else CONDITIONS[condition], anew=anew)
            assert CONDITIONS[condition](self.stepper.state)
            assert tuple(self.stepper.trace.moves)[: len(before)] == before
            self.follow(self.stepper.trace)
        else:
            with pytest.raises(InputError, match="no such state can be reached"):
                self.stepper.go(condition, anew=anew)

    def ahead(self, anew):
        """The states that can be reached from here, or from the beginning."""
        states = self.model.initial_states() if anew else [self.stepper.state]
        machine = machine_of(self.model)
        for state in states:  # grows
            states += {after for i in machine.instances for _, after in machine.outcomes(i, state)} - {*states}
        return {*states}

    @rule(lines=st.sampled_from(["warm(k2)", "cut\nnot s.on", "warm(k1)\nwarm(k2)", "cut\ncut"]))
    def tell(self, lines):
        wanted = [line for line in lines.split("\n") if "s." not in line]
        if len({*wanted}) < len(wanted):
            with pytest.raises(InputError, match=r"^impossible: line "):
                self.stepper.tell(lines)
        else:
            self.stepper.tell(lines)
            self.follow(self.stepper.trace)
            assert [step.label for step in self.stepper.trace.steps if step.label in wanted] == wanted

    @rule(target=links)
    def link(self):
        return permalink(self.stepper.trace)

    @rule(link=links, watch=st.sampled_from(["", "&watch=exit%28%29"]))
    def open(self, link, watch):
        assert self.stepper.open(link + watch) == (("exit()",) if watch else ())
        assert (permalink(self.stepper.trace), self.stepper.at) == (link, self.stepper.trace.end)
        self.anew(self.stepper.trace)

    @rule(link=links)
    def show(self, link):
        """A behaviour becomes a branch where somebody has stepped by hand; else it is what one begins with."""
        trace = open_permalink(link, lambda _: Kettles)
        given = self.stepper.origin
        by_hand = len(self.tree.paths) > len(given)
        self.stepper.show(trace, 0)
        if by_hand:
            self.follow(trace)
        else:
            self.anew(trace)
        self.tree.here = ()
        assert self.stepper.origin is trace

    @rule(line=st.sampled_from(sorted(NO_LINKS)))
    def open_what_is_none(self, line):
        with pytest.raises(InputError, match=NO_LINKS[line]):
            self.stepper.open(line)

    @always()
    def the_history_is_the_tree(self):
        tree, history = self.tree, self.stepper.history
        assert [history.trace(node).moves for node in history.nodes] == list(map(list, tree.paths))
        assert (history.start, self.stepper.at) == (self.start, len(tree.here))
        assert history.current.path[-1] is history.nodes[tree.paths.index(tree.here)]
        assert self.stepper.trace.steps == replay(self.model, self.start, tree.tip).steps
        assert self.stepper.state == self.stepper.trace.states[len(tree.here)]
        assert open_permalink(permalink(self.stepper.trace), lambda _: Kettles).steps == self.stepper.trace.steps
        assert [node.name for node in history.nodes] == [
            self.names.get((self.start, n), "") for n in range(len(tree.paths))
        ]

    @always()
    def who_listens_knows(self):
        assert self.heard == self.seen()

    @always()
    def landmarks_are_where_branches_part_and_end(self):
        history = self.stepper.history
        marks = history.landmarks()
        at = {mark.node.number: mark for mark in marks}
        for node in history.nodes:
            telling = node.number == 0 or len(node.children) != 1 or node.name or node is history.current
            assert (node.number in at) == bool(telling)
        assert len(marks) == len(at) == len({(mark.line, mark.column) for mark in marks})
        assert marks[-1].line + 1 == len(list(history.leaves()))
        for mark in marks[1:]:
            before, path = mark.before, mark.node.path
            assert before.node is [node for node in path[:-1] if node.number in at][-1]
            assert (mark.depth, mark.column) == (len(path) - 1, before.column + 1)
            first = before.node.children[0] in path
            assert (mark.line == before.line) == first


Stepping.TestCase.settings = examples(50, stateful_step_count=20)
TestStepping = pytest.mark.slow(Stepping.TestCase)


def parsed(constants):
    return {name: Kettles.declared.constants[name].parse(name, value) for name, value in constants.items()}


def told(result):
    return [(one.name, one.word, one.trace_states) for one in result.verdicts]


@cache
def said(constants, names, symmetry):
    """What the plainest search says of those of the properties that apply; "error" where there are no such settings."""
    try:
        model = machine_of(Kettles(**dict(constants)))
    except InputError:
        return "error"
    return told(check(model, model.applicable(names), symmetry=symmetry, engine="reference"))


class Working(RuleBasedStateMachine):
    """A session has the verdicts of a check of its settings, and whoever listens knows of every change."""

    links = Bundle("links")

    def __init__(self):
        super().__init__()
        self.session = session = Session(start_from(Kettles))
        self.constants, self.symmetry, self.watches = dict(session.settings.constants), (), ()
        self.misfit, self.told, self.wanted = False, None, None
        self.shown = set()  # the properties of which a behaviour was the story
        session.on("result", self.note)
        session.on("selected", self.note)
        self.heard = {}
        for event in ("settings", "result", "selected", "watches"):
            session.on(event, self.hear)
        session.run()
        self.settle()

    def teardown(self):
        self.session.close()
        assert self.session.settle(300)
        assert (self.session.grid.asked, self.session.running) == (None, False)

    def seen(self):
        session = self.session
        return {name: getattr(session, name) for name in ("settings", "number", "selected", "watches")}

    def hear(self):
        self.heard = self.seen()

    def settle(self):
        """Wait for the check: what somebody wanted is selected, else the first that has broken, else some story."""
        session, known = self.session, self.session.result
        assert session.settle(300)
        result = session.result
        assert result is known or not self.misfit
        if result is known:
            return
        assert session.before is known
        names = [one.name for one in result.verdicts]
        broken = [] if known is None else [one.name for one in known.violated]
        new = [] if known is None else [one.name for one in result.violated if one.name not in broken]
        if self.wanted in names or new:
            assert session.selected == (self.wanted if self.wanted in names else new[0])
        elif any(one.trace for one in result.verdicts):
            assert session.verdict.trace is not None or session.selected in self.shown
        else:
            assert session.selected in (names or [None])

    def expect(self, constants):
        self.constants |= parsed(constants)
        self.wanted = None
        self.misfit = said(tuple(self.constants.items()), (), ()) == "error"

    @rule(constants=st.sampled_from(CHANGES))
    def apply(self, constants):
        self.expect(constants)
        self.session.apply(constants)
        self.settle()

    @rule(constants=st.sampled_from([{"Kettle": 1}, {"Kettles": 9}, {"Cuts": False, "BoilsOver": 7}]))
    def set_what_is_none(self, constants):
        with pytest.raises(InputError, match=r"unknown constant|is not accepted"):
            self.session.apply(constants)

    @rule(switches=st.tuples(st.booleans(), st.booleans()), wanted=st.sampled_from([*PROPERTIES, None]))
    def begin(self, switches, wanted):
        constants = dict(zip(SWITCHES, switches, strict=True))
        self.expect(constants)
        self.session.begin(self.session.settings.with_constants(constants), wanted)
        self.wanted = wanted
        self.settle()

    @rule(names=st.none() | st.sets(st.sampled_from(PROPERTIES)))
    def tick(self, names):
        self.wanted = None
        self.session.change(self.session.settings.with_ticked(names))
        self.settle()
        if names is not None and not self.misfit:
            without = set() if self.constants["Cuts"] else {"SomebodyWaits"}
            assert set(self.session.settings.applicable()) == names - without

    @rule(names=st.sampled_from([(), ("Kettles",)]))
    def rename(self, names):
        self.symmetry, self.wanted = names, None
        self.session.change(self.session.settings.with_symmetry(names))
        self.settle()

    @rule()
    def run(self):
        before = self.session.number
        self.session.run()
        self.settle()
        assert self.session.number == before + (not self.misfit)

    @rule(data=st.data())
    def select(self, data):
        verdict = data.draw(st.sampled_from(self.session.result.verdicts or [None]))
        if verdict is not None:
            self.session.select(verdict.name)
            assert self.session.verdict is verdict

    @rule(watches=st.lists(st.sampled_from(["s.on", "s.nothing", "exit()"]), max_size=3))
    def watch(self, watches):
        self.session.watch(watches)
        self.watches = tuple(dict.fromkeys(watches))

    @rule(steps=st.integers(1, 3), seed=st.integers(0, 9))
    def walk(self, steps, seed):
        self.session.stepper().walk(steps, seed)

    def note(self):
        if self.session.verdict is not None and self.session.verdict.trace is not None:
            self.shown.add(self.session.selected)

    def tell(self):
        """The story is what the verdict shows, or what it showed last, as far as that goes now."""
        session, verdict = self.session, self.session.verdict
        session.tell()
        self.told = session.story
        if verdict is not None and verdict.trace is not None:
            assert (session.story, session.retold) == (verdict.trace, None)
        elif verdict is not None and verdict.name in self.shown:
            assert session.story is session.retold.trace
            assert session.story.model is session.result.model
        else:
            assert (session.story, session.retold) == (None, None)

    @rule()
    def look(self):
        """One is sent to the story of the selected property, unless one was there already."""
        session, before = self.session, self.told
        stepper = session.stepper()
        known, at = {node.number for node in stepper.history.nodes}, permalink(stepper.trace)
        by_hand = len(known) > len(stepper.origin)
        constants, start = stepper.model.constants, stepper.history.start
        self.tell()
        trace = session.story
        if trace is None:
            assert before is None or stepper.at == 0
        elif before is not None and (trace.steps, trace.model.constants) == (before.steps, before.model.constants):
            assert permalink(stepper.trace) == at
        elif not self.misfit:
            assert permalink(stepper.trace) == permalink(trace)
            assert stepper.at == (trace.end if trace.loop is None or trace.back is None else trace.loop)
            if by_hand and (constants, start) == (trace.model.constants, trace.start):
                assert known <= {node.number for node in stepper.history.nodes}, "what was stepped by hand stays"

    @rule()
    def tell_another(self):
        session, shown = self.session, self.session.verdict
        session.tell_another()
        self.settle()
        if shown is None or shown.trace is None:
            assert session.another.outcome is None
        elif session.another.outcome is None:
            assert f"there is no other behaviour with another end that shows {shown.name}" in session.another.error
        else:
            found = session.another.outcome
            assert found.steps != shown.trace.steps
            assert permalink(session.stepper().trace) == permalink(found)

    @rule(target=links)
    def link(self):
        traces = [one.trace for one in self.session.result.verdicts if one.trace is not None]
        return multiple(*map(permalink, [*traces[:1], self.session.stepper().trace]))

    @rule(link=links, watch=st.sampled_from(["", "&watch=exit%28%29"]))
    def open(self, link, watch):
        self.look()
        trace = open_permalink(link, lambda _: Kettles)
        if trace.model.constants != self.constants:
            self.expect(dict(trace.model.constants))
        sent = []
        leave = self.session.on("stepping", lambda: sent.append(permalink(self.session.stepper().trace)))
        assert self.session.open(link + watch) == (("exit()",) if watch else ())
        leave()
        assert sent == [link]
        self.settle()
        self.tell()  # as a view does, which has to leave alone what somebody was sent to
        stepper = self.session.stepper()
        assert (permalink(stepper.trace), stepper.at) == (link, trace.end)

    @rule(line=st.sampled_from(sorted(NO_LINKS)))
    def open_what_is_none(self, line):
        with pytest.raises(InputError, match=NO_LINKS[line]):
            self.session.open(line)

    @rule(more=st.sampled_from([{"Cuts": (True, False)}, {"Kettles": (1, 2)}]), name=st.sampled_from(PROPERTIES))
    def fill(self, more, name):
        grid = self.session.grid
        grid.begin(Asked(self.session.settings, {"BoilsOver": (False, True), **more}, name))
        self.settle()
        assert sorted(grid.cells) == [0, 1, 2, 3]
        for cell in grid.cells.values():
            wanted = said(tuple({**self.constants, **parsed(cell.constants)}.items()), (name,), ())
            assert grid.word(cell) == (wanted if wanted == "error" else wanted[0][1] if wanted else None)

    @rule(number=st.integers(0, 3))
    def load(self, number):
        grid = self.session.grid
        if number not in grid.cells:
            return
        cell = grid.cells[number]
        constants = {**self.constants, **parsed(cell.constants)}
        if "error" in (grid.word(cell), said(tuple(constants.items()), (), ())):
            with pytest.raises(InputError, match="Rings"):
                self.session.load(cell)
        else:
            self.expect(cell.constants)
            self.session.load(cell)
            self.wanted = grid.asked.name
            self.settle()
            if said(tuple(constants.items()), (self.wanted,), ()):
                assert self.session.selected == self.wanted

    @always()
    def the_settings_are_those_that_were_set(self):
        settings = self.session.settings
        assert (settings.constants, settings.symmetry) == (self.constants, self.symmetry)
        assert self.session.watches == self.watches

    @always()
    def the_verdicts_are_those_of_a_check(self):
        session = self.session
        assert (session.error is not None, session.stale) == (self.misfit, self.misfit)
        assert (session.running, session.waiting) == (False, False)
        if self.misfit:
            with pytest.raises(InputError) as refused:
                session.wait(300)
            assert str(refused.value) == session.error
            return
        settings, result = session.settings, session.result
        assert result.model.constants == settings.constants
        names = tuple(settings.applicable())
        assert told(result) == said(tuple(settings.constants.items()), names, settings.symmetry)
        for one in result.verdicts:
            if one.trace is not None:
                again = open_permalink(permalink(one.trace), lambda _: Kettles)
                assert (again.steps, again.model.constants) == (one.trace.steps, settings.constants)
        assert settings.constants == session.stepper().model.constants

    @always()
    def who_listens_knows(self):
        assert self.heard == self.seen()


Working.TestCase.settings = examples(20, stateful_step_count=20)
TestWorking = pytest.mark.slow(Working.TestCase)


def test_what_came_of_the_search_for_another_one_goes_with_the_property() -> None:
    working = Working()
    working.apply(constants={"BoilsOver": True})
    working.tell_another()
    assert working.session.another.outcome is not None
    working.session.select("EachBoils")
    assert working.session.another.outcome is None
    working.tell_another()
    working.teardown()


def test_another_one_is_not_compared_with_those_of_another_model() -> None:
    """Nobody has looked at the story in between."""
    working = Working()
    working.apply(constants={"Cuts": True})
    working.tell_another()
    working.begin(switches=(True, False), wanted="Dry")
    working.tell_another()
    working.teardown()
