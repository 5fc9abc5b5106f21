"""Several threads evaluate modules at once, or one module: each finds what it finds alone."""

import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from tests.tlaplus.trees import module_of
from workbench import Budget, Workbench, check
from workbench.kernel.meaning import budget
from workbench.tlaplus.layout import sample
from workbench.tlaplus.machine.specification import module_of_text


def ordered(name: str, first: str, second: str) -> Any:
    """A module whose steps take the string that it mentions first; in another order of strings it has more states."""
    lines = [
        "EXTENDS Naturals", "VARIABLES x, y", f'Strings == <<"{first}", "{second}">>',
        "Some == CHOOSE s \\in {t \\in {Strings[1], Strings[2]} : x >= 0} : TRUE",
        f'Init == x = 0 /\\ y = "{first}"',
        "One == x < 1500 /\\ x' = x + 1 /\\ y' = Some",
        "Two == x < 1500 /\\ y # \"\" /\\ x' = x + 1 /\\ y' = Some",
        "Next == One \\/ Two", "Inv == x < 10000",
    ]  # fmt: skip
    text = module_of(*lines, name=name)
    return module_of_text(text, "INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE")


DOWN, UP = ordered("Down", "yak", "auk"), ordered("Up", "auk", "yak")
FOUND = 1501, "holds"


def found(model: Any, engine: str) -> tuple[int, str]:
    result = check(model, engine=engine)
    return result.distinct, result["Inv"].word


def at_once(*runs: Callable[[], Any]) -> Counter[Any]:
    """What functions return in threads of their own, and the errors that they raise."""
    met = Counter[Any]()

    def note(run: Callable[[], Any]) -> None:
        try:
            met[run()] += 1
        except Exception as error:
            met[repr(error)] += 1

    threads = [threading.Thread(target=note, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return met


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "reference"])
def test_two_modules_do_not_disturb_each_other(engine):
    runs = [lambda of=of: found(of(), engine) for of in (DOWN, UP) * 3]
    assert at_once(*runs) == {FOUND: 6}


@pytest.mark.slow
def test_two_panels_do_not_disturb_each_other():
    panels = [Workbench(of) for of in (DOWN, UP)]
    try:
        for panel in panels:
            panel.session.run()
        results = [panel.session.wait(60) for panel in panels]
        assert [(result.distinct, result["Inv"].word) for result in results] == [FOUND] * 2
    finally:
        for panel in panels:
            panel.close()


@pytest.mark.slow
def test_showing_a_value_disturbs_no_check_of_another_module():
    notation, value = UP.configured.notation, frozenset({'"auk"', '"yak"'})
    is_done, shown = threading.Event(), set()

    def show() -> None:
        while not is_done.is_set():
            shown.add(notation.show(value))

    def checked() -> Any:
        try:
            return found(DOWN(), "local")
        finally:
            is_done.set()

    assert at_once(show, checked) == {None: 1, FOUND: 1}
    assert shown == {'{"auk", "yak"}'}


def test_a_value_that_is_shown_within_an_evaluation_leaves_its_order():
    """A pause of an evaluation may show another module's values."""
    down, up = DOWN.configured, UP.configured
    closures = DOWN()._closures

    def evaluate() -> list[str]:
        value = frozenset({'"auk"', '"yak"'})
        return [one.notation.show(value) for one in (down, up, down)]

    assert closures.evaluated(down.specification.module.at, evaluate) == [
        '{"yak", "auk"}',
        '{"auk", "yak"}',
        '{"yak", "auk"}',
    ]


@pytest.mark.slow
def test_threads_that_check_one_machine_compile_it_once():
    """Code is compiled when it is first asked for, and names that it uses before that are not there yet."""
    definitions = [
        line
        for number in range(20)
        for line in (
            f"P{number}(a) == a + x >= {number % 2}",
            f"D{number}(S) == \\A a \\in S : P{number}(a) \\/ x = 0",
            f"Inv{number} == D{number}({{1, 2, {number}}}) /\\ x <= {number + 3}",
        )
    ]
    lines = ["EXTENDS Naturals", "VARIABLE x", "Init == x = 0", "Next == x < 3 /\\ x' = x + 1", *definitions]
    cfg = f"INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANTS {' '.join(f'Inv{number}' for number in range(20))}"
    fresh = module_of_text(module_of(*lines), cfg)

    def checked(machine: Any) -> tuple[int, bool]:
        result = check(machine, engine="reference")
        return result.distinct, result.holds

    for _ in range(4):
        assert at_once(*[partial(checked, fresh())] * 3) == {(4, True): 3}


#: An evaluation of which every part asks something that is evaluated by itself.
LONG = [
    *("EXTENDS Naturals", "VARIABLE x", "Init == x = 0", "Next == \\E i \\in 1 .. 300000 + x : x' = (x + i) % 2"),
    *("C == x' >= 0", "V == x + 0", "Spec == Init /\\ [][Next]_x /\\ WF_x(Next /\\ x' # 3)", "P == []<>(x = 0)"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked", ["INIT Init NEXT Next ACTION_CONSTRAINT C", "INIT Init NEXT Next VIEW V", "SPECIFICATION Spec PROPERTY P"]
)
def test_a_budget_ends_an_evaluation_whatever_is_asked_within(asked, monkeypatch):
    monkeypatch.setattr(sample, "MOST_STATES", 0)
    machine = module_of_text(module_of(*LONG), f"{asked} CHECK_DEADLOCK FALSE")()
    monkeypatch.setattr(budget, "time", SimpleNamespace(perf_counter=count().__next__))  # a second for each look at it
    result = check(machine, engine="reference", budget=Budget(seconds=20))
    assert (result.distinct, result.generated, result.complete) == (1, 1, False)
    assert "the budget of 20 seconds is used up" in result.stopped
