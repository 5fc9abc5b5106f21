"""Step it yourself: take a model's actions by hand, see why others are disabled, or be taken to a state."""

from collections.abc import Callable, Iterable
from typing import Any

from workbench.kernel import Machine, Trace
from workbench.kernel.meaning.arguments import names_in
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.trace import Move
from workbench.showing.panel.stepping import Stepping
from workbench.showing.panel.surface import Surface
from workbench.showing.session import Stepper, start_from
from workbench.showing.view.trace.trace import TraceView


class Simulator(Surface):
    """A behaviour that grows step by step.

    Args:
        what: A model, its name, or a behaviour to go on from.
        step: The index of the behaviour's state to begin at; by default, the last one.

    Attributes:
        stepper (Stepper): The present state, and the earlier ones.
        trace (Trace): The behaviour so far, with what was undone.
        watches (tuple of str): The expressions that are watched.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> simulator = Simulator(Bakery(Writers=2))
        >>> simulator.take("node_startup(w1)")
        >>> simulator.state.pc["w1"]
        'BeginClaim'
        >>> simulator.go(lambda s: len(s.iceberg) == 2)
        >>> len(simulator.trace), simulator.trace.steps[-1].label
        (6, 'commit(w1)')
    """

    def __init__(self, what: Any, step: int | None = None) -> None:
        self.stepper = self._work = Stepper(_behaviour(what), step)
        self._stepping = Stepping(self.stepper)
        super().__init__(self._stepping, self.stepper.lock)

    @property
    def trace(self) -> Trace:
        return self.stepper.trace

    @property
    def watches(self) -> tuple[str, ...]:
        return self._stepping.player.watches

    @property
    def model(self) -> Machine:
        return self.stepper.model

    @property
    def at(self) -> int:
        """The index of the present state."""
        return self.stepper.at

    @property
    def state(self) -> Any:
        """The present state."""
        return self.stepper.state

    def start(self, what: Any, step: int | None = None) -> None:
        """Start over with a model, or with a behaviour to continue from."""
        self.stepper.start(_behaviour(what), step)

    def check(self, properties: list[str] | None) -> None:
        """Show the truth of these properties; of all for None."""
        with self.held():
            self._stepping.check(properties)

    def watch(self, expressions: Iterable[str]) -> None:
        """Watch these expressions on the state. They are run: give none that you do not understand."""
        with self.held():
            self._stepping.player.watches = dict.fromkeys(names_in("watches", expressions))

    def take(self, step: str | Move) -> None:
        """Take one of the enabled steps, given as a move or by its label.

        Raises:
            InputError: If it is not enabled.
        """
        self.stepper.take(step)

    def begin(self, number: int) -> None:
        """Begin in another of the model's initial states; see :meth:`Stepper.begin`."""
        self.stepper.begin(number)

    def undo(self) -> None:
        """Go one step back."""
        self.stepper.undo()

    def jump(self, index: int) -> None:
        """Go to the state with this index; what came after it stays in sight until another step is taken."""
        self.stepper.jump(index)

    def walk(self, steps: int, seed: int | None = None) -> None:
        """Take steps at random, until none is possible."""
        self.stepper.walk(steps, seed)

    def go(self, condition: str | Callable[[Any], Any], *, anew: bool = False, budget: Budget = Budget()) -> None:
        """Go to a state where `condition` is true, along a shortest way; see :meth:`Stepper.go`."""
        self.stepper.go(condition, anew=anew, budget=budget)

    def tell(self, lines: str, *, budget: Budget = Budget()) -> None:
        """Start over with a shortest behaviour that follows a scenario's lines; see :meth:`Stepper.tell`."""
        self.stepper.tell(lines, budget=budget)

    def __repr__(self) -> str:
        return f"Simulator at state {self.at + 1} of\n{self.trace!r}"

    def _when_other(self, changed: Callable[[], None]) -> None:
        self.stepper.on_move(changed)

    def static(self) -> TraceView:
        return self._stepping.static()


def _behaviour(start: Any) -> Machine | Trace:
    return start if isinstance(start, Trace) else start_from(start).model()
