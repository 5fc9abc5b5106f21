"""Limits hold within one evaluation: on time, on request, by Ctrl-C, and on how deep it goes."""

import itertools
import re
import signal
import sys

import pytest

from tests.tlaplus.trees import module_of
from workbench import Budget, WalkRule, Watch, check, scenario, simulate
from workbench.kernel import InputError, ModelError
from workbench.tlaplus.compiler import big_stack
from workbench.tlaplus.machine.specification import module_of_text

pytestmark = pytest.mark.slow
#: Each takes a second or so: where nothing ends it, it comes to another end than the tests expect.
LONG = {
    "a choice": "Long == (CHOOSE k \\in 1..3000000 : k < 0) = 1",
    "a quantifier": "Long == \\A s \\in SUBSET (1..19) : s # {20}",
    "small sets": "Long == \\A a, b, c, d, e, f \\in 1..8 : \\A k \\in {1} : k + a < 99",
    "a filter": "Long == {k \\in 1..3000000 : k < 0} = {}",
    "a recursion": "RECURSIVE F(_)\nF(n) == IF n < 2 THEN n ELSE F(n - 1) + F(n - 2)\nLong == F(27) > 0",
    "a deep recursion": "RECURSIVE F(_, _)\nF(n, k) == IF n > 0 THEN F(n - 1, k) ELSE IF k = 0 THEN 1 ELSE"
    " F(0, k - 1) + F(0, k - 1)\nLong == F(1500, 18) > 0",
}
TEXT = """EXTENDS Integers
VARIABLE x
{long}
Init == x = 0
Next == x < 2 /\\ x' = x + 1
Spec == Init /\\ [][Next]_x
Low == x < 1
Slow == x < 2 \\/ Long
Comes == <>(x = 2 /\\ Long)
Steps == (x < 2 /\\ x' = x + 1) \\/ (x = 2 /\\ Long /\\ x' = 3)
Begins == x = 0 /\\ Long
"""
INVARIANTS = "CHECK_DEADLOCK FALSE INVARIANTS Low Slow SPECIFICATION Spec"
#: More looks than a search takes without a long evaluation.
MANY = 100


def model(long, cfg=INVARIANTS):
    return module_of_text(module_of(TEXT.format(long=long)), cfg)()


def stopping_after(looks: int) -> Watch:
    calls = itertools.count()
    return Watch(should_stop=lambda: next(calls) > looks)


def interrupting_after(looks: int) -> Watch:
    calls = itertools.count()

    def should_stop() -> bool:
        if next(calls) == looks:
            signal.raise_signal(signal.SIGINT)
        return False

    return Watch(should_stop=should_stop)


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("long", LONG)
def test_an_evaluation_stops_on_request_and_what_was_found_stays(long, engine):
    result = check(model(LONG[long]), engine=engine, watch=stopping_after(MANY))
    assert (result.stopped, result.distinct) == ("stopped on request", 3)
    assert (result["Low"].word, result["Slow"].word) == ("violated", "unknown")


@pytest.mark.parametrize("long", ["a choice", "a deep recursion"])
def test_ctrl_c_ends_an_evaluation(long):
    result = check(model(LONG[long]), watch=interrupting_after(MANY))
    assert (result.interrupted, result.distinct) == (True, 3)
    assert (result["Low"].word, result["Slow"].word) == ("violated", "unknown")


def test_a_budget_of_seconds_ends_an_evaluation(busy):
    result = check(model(LONG["a choice"]), engine="reference", budget=Budget(seconds=60 * MANY))
    assert result.stopped == f"the budget of {60 * MANY} seconds is used up"
    assert (result["Low"].word, result["Slow"].word) == ("violated", "unknown")


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_long_evaluation_tells_again_what_is_decided(engine):
    """Who passes over the first reports, since most searches soon end, hears of it all the same."""
    told = []
    steps = model(LONG["a choice"], "INIT Init NEXT Steps INVARIANT Low")
    watch = Watch(told.append, lambda: len(told) > MANY)
    result = check(steps, engine=engine, watch=watch)
    assert (result.stopped, result.distinct, result["Low"].trace_states) == ("stopped on request", 3, 2)
    assert [str(decided) for decided in told[-1].decided] == ["Low is violated after 1 step"]
    assert sum(progress.decided == told[-1].decided for progress in told) > MANY // 2


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("cfg", ["INIT Init NEXT Steps", "INIT Begins NEXT Next"])
def test_an_evaluation_of_a_step_and_of_a_beginning_stops(cfg, engine):
    """Also before the search, where the cells are learned from some steps."""
    assert (
        check(model(LONG["a choice"], cfg), engine=engine, watch=stopping_after(MANY)).stopped == "stopped on request"
    )


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_an_evaluation_of_liveness_stops(engine):
    live = model(LONG["a choice"], "SPECIFICATION Spec PROPERTY Comes INVARIANT Low")
    result = check(live, engine=engine, watch=stopping_after(MANY))
    assert (result["Comes"].word, result["Low"].word) == ("unknown", "violated")
    assert result["Comes"].why.endswith("stopped on request")


def test_a_scenario_and_walks_stop_within_an_evaluation():
    steps = model("Long == (CHOOSE k \\in 1..1000000000 : k < 0) = 1", "INIT Init NEXT Steps")
    assert "stopped on request" in str(scenario(steps, "s.x == 3", watch=stopping_after(MANY)))
    assert simulate(steps, rule=WalkRule(walks=5), watch=stopping_after(5)).stopped == "stopped on request"


DEEP = {
    "operator": "RECURSIVE F(_)\nF(n) == IF n = {end} THEN 0 ELSE 1 + F(n - 1)",
    "function": "f[n \\in Int] == IF n = {end} THEN 0 ELSE 1 + f[n - 1]\nF(n) == f[n]",
    "let": "RECURSIVE F(_)\nF(n) == LET less == F(n - 1) IN IF n = {end} THEN 0 ELSE 1 + less",
    "set": "RECURSIVE F(_)\nF(n) == IF n = {end} THEN 0 ELSE 1 + (CHOOSE k \\in {{F(i) : i \\in {{n - 1}}}} : TRUE)",
    "quantifiers": "RECURSIVE G(_)\nG(n) == n = {end} \\/ \\E i \\in {{n - 1}}, j \\in {{1}} : G(i)\n"
    "F(n) == IF G(n) THEN n ELSE 0",
}


def recursive(text, end, cfg):
    lines = (
        "EXTENDS Integers\nVARIABLE x\n" + text.format(end=end),
        "Init == x = 0",
        "Late == x = F(5000)",
        "Next == x = 0 /\\ x' = F(5000)",
        "Is == F(5000) = 5000",
    )
    return module_of_text(module_of(*lines), f"{cfg} CHECK_DEADLOCK FALSE")


@pytest.mark.parametrize("text", DEEP)
def test_a_recursion_may_have_thousands_of_levels(text):
    limit = sys.getrecursionlimit()
    for engine, cfg, states in (
        ("reference", "INIT Init NEXT Next INVARIANT Is", 2),
        ("local", "INIT Late NEXT Next", 1),
    ):
        result = check(recursive(DEEP[text], 0, cfg)(), engine=engine)
        assert (result.complete, result.distinct) == (True, states)
        assert all(verdict.holds for verdict in result.verdicts)
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize("text", DEEP)
def test_a_recursion_without_end_is_an_error_with_its_place(text):
    with pytest.raises(ModelError, match=r"^M\.tla:\d+:\d+: the recursion is too deep"):
        check(recursive(DEEP[text], 9999, "INIT Init NEXT Next")())


def test_a_recursion_without_end_is_an_error_where_there_is_no_larger_stack(monkeypatch):
    monkeypatch.setattr(big_stack, "_BYTES", 1 << 50)
    with pytest.raises(ModelError, match="the recursion is too deep"):
        check(recursive(DEEP["operator"], 9999, "INIT Init NEXT Next")())


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_what_is_assumed_may_ask_for_the_level_which_is_0_before_a_search(engine):
    lines = "EXTENDS Integers, TLC\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nASSUME "
    text = module_of(lines + 'TLCGet("level") = 0')
    assert check(module_of_text(text, "INIT Init NEXT Next")(), engine=engine).distinct == 2
    with pytest.raises(InputError, match=r'M.tla:6:1: .* TLCGet\("level"\) is 0'):
        module_of_text(module_of(lines + 'TLCGet("level") = 1'), "INIT Init NEXT Next")()


def test_what_is_assumed_may_recurse_too():
    lines = ("EXTENDS Integers\nVARIABLE x\n" + DEEP["operator"].format(end=0), "Init == x = 0", "Next == x' = x")
    assert module_of_text(module_of(*lines, "ASSUME F(5000) = 5000"))()
    with pytest.raises(InputError, match="what is assumed here is false"):
        module_of_text(module_of(*lines, "ASSUME F(5000) = 1"))()


ENDLESS = {
    "ASSUME": ("ASSUME (CHOOSE k \\in 1 .. 1000000000 : k < 0) = 1", "", r"M.tla:5:9"),
    "a constant": ("Many == CHOOSE k \\in 1 .. 1000000000 : k < 0", "SYMMETRY Many", r"M.tla:5:9"),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_limits_hold_before_the_search_too(what, tmp_path, run, busy):
    lines, cfg, place = ENDLESS[what]
    (tmp_path / "M.tla").write_text(module_of("EXTENDS Integers", "VARIABLE x", "Init == x = 0", lines))
    (tmp_path / "M.cfg").write_text(f"INIT Init NEXT Init {cfg}")
    name = f"{tmp_path / 'M.tla'}"
    with pytest.raises(InputError, match=rf"^{place}: stopped on request, before the search, by what is evaluated her"):
        check(name, watch=stopping_after(1))
    with pytest.raises(KeyboardInterrupt):
        check(name, watch=interrupting_after(1))
    for command, *more in (("check",), ("walk",), ("sweep", "--grid", "N=1"), ("scenario", "-")):
        told = run(command, name, *more, "--max-seconds", "100")
        assert told.status == 2
        assert re.search(rf"{place}: the budget of 100 seconds is used up, before the search, by", told.err)


NESTED = [
    "EXTENDS Naturals", "VARIABLES f, n", "Init == f = [i \\in {0} |-> 0] /\\ n = 0",
    "Next == f' = [f EXCEPT ![0] = f] /\\ n' = n + 1", "Inv == n < 4",
]  # fmt: skip


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_value_that_nests_too_deep_is_an_error_of_the_model(engine):
    """What is decided before stays so; where nothing is, the error is raised."""
    of = module_of_text(module_of(*NESTED), "INIT Init NEXT Next INVARIANT Inv")
    result = check(of(), engine=engine)
    assert (result["Inv"].holds, result["Inv"].trace_states) == (False, 5)
    assert result["Deadlock"].why.startswith("an error of the model: a value is nested too deep")
    with pytest.raises(ModelError, match="a value is nested too deep"):
        check(of(), ["Deadlock"], engine=engine)
