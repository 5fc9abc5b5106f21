"""The plain evaluator and the compiled machine agree on random expressions and actions.

Each change of a file draws others. A failure names its seed, which is drawn first if WORKBENCH_TESTED_FILES has its
hexadecimal digits.
"""

from typing import Any

import pytest

from tests.products import files_hash
from tests.tlaplus.meaning.random_texts import DEFINED, Writer
from tests.tlaplus.meaning.test_search import graph_of, of_evaluator, of_machine
from tests.tlaplus.test_tla_machine import Row
from tests.tlaplus.trees import module_of
from workbench.kernel import ModelError
from workbench.tlaplus.config.closures import Closure
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.meaning.opening import opened
from workbench.tlaplus.meaning.sets import listed
from workbench.tlaplus.meaning.standard import EXTENDED, MODULES
from workbench.tlaplus.meaning.values import EvaluationFailure
from workbench.tlaplus.names.loader import Library, load
from workbench.tlaplus.names.string_order import words_in
from workbench.tlaplus.syntax.cfg_parser import read_configuration
from workbench.tlaplus.values.lazy import force
from workbench.tlaplus.values.values import EvaluationError, shown

CONSTANTS = "CONSTANTS m1 = m1 m2 = m2"
DRAWN = int(files_hash(), 16)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(DRAWN, DRAWN + 4))
def test_expressions_have_the_same_values(seed):
    writer = Writer(seed)
    expressions = {f"R{number}": writer.expression() for number in range(150)}
    lines = [f"{name} == {expression}" for name, expression in expressions.items()]
    text = module_of("EXTENDS Integers, Sequences, FiniteSets, TLC", "CONSTANTS m1, m2", *lines)
    library = Library((), MODULES, EXTENDED, {"M": text})
    specification, cfg = load("M", library), read_configuration(CONSTANTS)
    model = opened(specification, cfg, [*cfg.words, *words_in(specification.module, library)])
    machine = module_of_text(text, CONSTANTS)()

    def evaluated(name: str) -> str:
        try:
            return str(listed(model.value(name)))
        except EvaluationFailure:
            return "error"

    def compiled(name: str) -> Any:
        meaning = machine.configured.scope.find(name)
        closure = Closure(meaning.definition.body, meaning.scope, {})
        try:
            return machine._closures.value(closure, lambda value: shown(force(value)))
        except EvaluationError:
            return "error"

    values = {expression: (evaluated(name), compiled(name)) for name, expression in expressions.items()}
    assert {expression: both for expression, both in values.items() if both[0] != both[1]} == {}


@pytest.mark.parametrize("seed", range(DRAWN, DRAWN + 100))
def test_actions_have_the_same_steps(seed):
    are_the_same(f"{Writer(seed).action()} /\\ x' \\in {{0, x}} /\\ y' \\in {{y, 1}}")


@pytest.mark.parametrize("seed", range(DRAWN, DRAWN + 30))
def test_steps_that_choose_from_a_set_of_the_state_are_the_same_in_the_same_order(seed):
    are_the_same(Writer(seed).choice())


def are_the_same(action: str) -> None:
    row = Row(f"{DEFINED}Next == {action}\n", "INIT Init NEXT Next CHECK_DEADLOCK FALSE")
    *evaluated, failed = of_evaluator(graph_of(row))
    try:
        *compiled, error = of_machine(row)
    except ModelError as before:
        error = before
    assert (failed is None) == (error is None)
    if failed is None:
        assert evaluated == compiled
