"""The meaning of a text whose functions and assertions are compiled where they can be.

The interpreter has the last word on what goes wrong: if compiled code raises anything, an evaluation is done again
without it. Should it succeed then, one of the two is wrong, and that is said.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from workbench.fizzbee.compiler.compiler import Compiler
from workbench.fizzbee.compiler.expressions import Native
from workbench.fizzbee.compiler.runtime import Unsure
from workbench.fizzbee.meaning.expressions import fail
from workbench.fizzbee.meaning.reasons import Reason
from workbench.fizzbee.meaning.state import Frame, State, Thread
from workbench.fizzbee.meaning.steps import Meaning
from workbench.fizzbee.meaning.threads import MOST_FRAMES, MOST_STATEMENTS, YIELDING, Run
from workbench.fizzbee.meaning.values import Value
from workbench.fizzbee.syntax import tree
from workbench.kernel.meaning.errors import Stop


class CompiledMeaning(Meaning):
    """`meaning`, with compiled code for the states that follow `initial`.

    Attributes:
        natives: What is compiled, by the identity of its block.
    """

    def __init__(self, meaning: Meaning, initial: Sequence[State]) -> None:
        self._plain = meaning
        self.text, self.constants, self.frozen = meaning.text, meaning.constants, meaning.frozen
        self.variables, self.domains, self.ordered = meaning.variables, meaning.domains, meaning.ordered
        heaps = [frozenset(state.heap) for state in initial]
        stated = frozenset.intersection(*heaps) if heaps else frozenset[str]()
        self.natives = Compiler(meaning, stated, frozenset().union(*heaps) - stated).natives

    def initial(self) -> list[State]:
        return self._plain.initial()

    def holds(self, assertion: tree.Assertion, state: State, before: State | None = None) -> bool:
        try:
            return super().holds(assertion, state, before)
        except (Stop, MemoryError):
            raise
        except Exception as error:
            holds = self._plain.holds(assertion, state, before)
            _check_unsure(error, assertion.at)
            return holds

    def reasons(self, assertion: tree.Assertion, state: State, before: State | None = None) -> list[Reason]:
        return self._plain.reasons(assertion, state, before)

    def _run(self, state: State, frames: list[Frame], choices: tuple[int, ...] = ()) -> Run:
        run = CompiledRun(self.text, self.constants, self.frozen, state, frames, choices)
        run.natives = self.natives
        return run

    def _ways(
        self,
        begin: Callable[[], tuple[State, Thread]],
        action: tree.Action,
        kind: str,
        unmet: list[tree.Place] | None = None,
    ) -> Iterator[tuple[State, tuple[tuple[str, Value], ...]]]:
        try:
            ways = list(super()._ways(begin, action, kind, unmet))
        except (Stop, MemoryError):
            raise
        except Exception as error:
            ways = list(self._plain._ways(begin, action, kind, unmet))
            _check_unsure(error, action.at)
        yield from ways


def _check_unsure(error: Exception, at: tree.Place) -> None:
    """Say that compiled code failed where the interpreter did not, unless it gave up on purpose."""
    if not isinstance(error, Unsure):
        message = f"this project is wrong here: compiled code fails, and the interpreter does not ({error!r})"
        fail(at, message)


class CompiledRun(Run):
    """A step in which functions that are compiled are called as such.

    Attributes:
        natives: What is compiled, by the identity of its block.
        left: How many statements compiled code may still run.
    """

    natives: Mapping[int, Native | None]
    left = MOST_STATEMENTS

    def enter(self, frame: Frame, block: tree.Block) -> None:
        native = self.natives.get(id(block))
        around = self.frames[-1].work if self.frames else []
        pauses = bool(around) and around[-1].flow in YIELDING
        if native is None or pauses or self.created or len(self.frames) + native.depth > MOST_FRAMES:
            super().enter(frame, block)
            return
        self.left -= native.statements
        if self.left < 0:
            raise Unsure
        before, self.done = self.done, False
        try:
            result = native.call(self, frame.owner, *[frame.variables[name] for name in native.parameters])
        except RecursionError:  # its calls are nested differently from the interpreter's
            raise Unsure from None
        self.enabled, self.done = self.enabled or self.done, before or self.done
        self.frames.append(frame)
        self._leave(result)
