"""Small specifications, and the states that they reach, for the tests of compiled actions."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from tests.tlaplus.trees import module_of
from workbench.kernel.meaning.values import identity
from workbench.tlaplus.compiler.compiler import Compiler
from workbench.tlaplus.compiler.runtime import Run
from workbench.tlaplus.library.standard import MODULES
from workbench.tlaplus.names.loader import Library, load
from workbench.tlaplus.names.specification import Specification
from workbench.tlaplus.values.lazy import force
from workbench.tlaplus.values.values import EvaluationError, shown

_EXTENDS = "EXTENDS Integers, Sequences, FiniteSets, TLC"


def specification(*lines: str, instantiated: str = "") -> Specification:
    """Module M with these lines from line 3 on, beside module N."""
    texts = {"M": module_of(_EXTENDS, *lines), "N": module_of(instantiated, name="N")}
    return load("M", Library(standard=MODULES, texts=texts))


class Explorer:
    """Goes through all states of a specification, whose constants have no values, breadth first."""

    def __init__(self, made: Specification) -> None:
        self.compiler = Compiler(made, {})
        self.names = [variable.name for variable in made.variables]
        self.found: dict[Any, tuple[Any, ...]] = {}
        self.generated = 0
        start, following = made.scope.find("Init"), made.scope.find("Next")
        self.beginning = self.compiler.beginning([(start.definition.body, start.scope)])
        self.action = self.compiler.action(following.definition.body, following.scope)

    def explore(self) -> None:
        start = Run(self.names)
        self.beginning(start, lambda: self.add(start))
        ahead = 0
        while ahead < len(self.found):
            run = Run(self.names, list(self.found.values())[ahead])
            self.action(run, lambda run=run: self.add(run))
            ahead += 1

    def add(self, run: Run) -> None:
        self.generated += 1
        assert not run.unassigned()
        state = tuple(force(run.then[number]) for number in range(len(self.names)))
        self.found.setdefault(identity(state), state)


def answer(lines: str, instantiated: str) -> str:
    """What this package says of the behaviours of module M: ``3: 0; 1`` for states that are generated, and found."""
    explorer = Explorer(specification(lines, instantiated=instantiated))
    try:
        explorer.explore()
    except EvaluationError:
        return "error"
    order = sorted(range(len(explorer.names)), key=explorer.names.__getitem__)
    states = [" ".join(shown(state[number]) for number in order) for state in explorer.found.values()]
    return f"{explorer.generated}: {'; '.join(states)}"


def calls_in(file: str, run: Callable[[], Any]) -> int:
    """How many functions of a module's code were called."""
    count = 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code.co_filename == file

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count
