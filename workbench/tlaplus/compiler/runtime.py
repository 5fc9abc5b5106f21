"""The runtime of compiled expressions and actions: states, the assignments of a step, and places of errors."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, NoReturn

from workbench.kernel.meaning.values import Map
from workbench.tlaplus.compiler.big_stack import too_deep
from workbench.tlaplus.layout.views import tried
from workbench.tlaplus.syntax.tree import Place
from workbench.tlaplus.values import operators
from workbench.tlaplus.values.cancellation import is_due, look_up
from workbench.tlaplus.values.lazy import each, equal, isin, truth
from workbench.tlaplus.values.notes import is_of_module, notice, place_in
from workbench.tlaplus.values.sets import Functions, Product, Records, Subsets
from workbench.tlaplus.values.values import EvaluationError, brief

# States --------------------------------------------------------------------------------------------------------------


class Assigned(dict[int, Any]):
    """The values that an action has assigned so far, by the number of the variable.

    Args:
        names: Of all variables.
        now: The state before; None for an initial condition.

    Attributes:
        kept: The variables that stay as they are. Their values are read only if something asks for them: what a step
            leaves alone is nothing that it depends on.
    """

    def __init__(self, names: Sequence[str], now: Any) -> None:
        super().__init__()
        self.names, self.now = names, now
        self.kept: set[int] = set()

    def __contains__(self, number: object) -> bool:
        return super().__contains__(number) or number in self.kept

    def __missing__(self, number: int) -> Any:
        if number in self.kept:
            return self.now[number]
        name = self.names[number]
        if self.now is None:
            raise EvaluationError(f"{name} is used before it is assigned")
        hint = f"; {name}' = [{name} EXCEPT ![i] = ...] assigns" if isinstance(self.now[number], (Map, tuple)) else ""
        raise EvaluationError(f"{name}' is used before it is assigned{hint}")


class Nowhere:
    """The next state of an expression that has none."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def __getitem__(self, number: int) -> NoReturn:
        raise EvaluationError(f"{self.names[number]}' where there is no next state")


class Run:
    r"""A run of an action, or of an initial condition; after an exception it is useless.

    Args:
        names: The variables.
        now: The state in which the action is taken; None for an initial condition, which assigns to it.

    Attributes:
        then: The assignments of the way that is being taken. An initial condition's are `now` as well.
        chosen: The bound names of ``\E`` around, with their values.
        whys: The guards that failed, in TLA+.
    """

    __slots__ = ("chosen", "names", "now", "then", "whys")

    def __init__(self, names: Sequence[str], now: Any = None) -> None:
        self.names = names
        self.then = Assigned(names, now)
        self.now = self.then if now is None else now
        self.chosen: list[tuple[str, Any]] = []
        self.whys: list[str] = []

    def unassigned(self) -> list[str]:
        """The names of the variables that have no value in this way."""
        return [name for number, name in enumerate(self.names) if number not in self.then]

    def check_complete(self) -> None:
        """Raise :class:`EvaluationError` if a variable has no value in this way."""
        if left := self.unassigned():
            raise EvaluationError(f"this leaves {', '.join(left)} unassigned")

    def is_complete(self) -> bool:
        """Whether all variables have values in this way."""
        return len(self.then) + len(self.then.kept) == len(self.names)

    def among(self, number: int, members: Any, reason: str) -> Iterator[None]:
        r"""``x' \in members``: assigns each member in turn, or tests the value that is already assigned."""
        then = self.then
        if number in then:
            if isin(then[number], members):
                yield
            else:
                self.whys.append(reason)
            return
        is_empty = True
        for member in each(members):
            is_empty = False
            then[number] = member
            yield
            del then[number]
        if is_empty:
            self.whys.append(reason)

    def keep(self, numbers: Sequence[int], reason: str) -> list[int] | None:
        """Keep variables ``UNCHANGED``; returns those that this assigns; None, with none assigned, if one differs."""
        now, then = self.now, self.then
        kept = []
        for number in numbers:
            if number not in then:
                then.kept.add(number)
                kept.append(number)
            elif not equal(then[number], now[number]):
                notice("UNCHANGED excludes a step that has changed {} before".format, self.names[number])
                self.release(kept)
                self.whys.append(reason)
                return None
        return kept

    def release(self, kept: list[int]) -> None:
        """Undo what :meth:`keep` assigned."""
        self.then.kept.difference_update(kept)


#: An action: what takes a run, and what follows.
_Steps = Callable[[Run, Callable[[], None]], None]


class _Possible(Exception):
    """An action has a way, and so is enabled."""


def is_enabled(action: Callable[..., None], names: Sequence[str], now: Any, *arguments: Any) -> bool:
    """``ENABLED action``: whether the action has a way; the first one found ends the run."""
    try:
        action(Run(names, now), _stop, *arguments)
    except _Possible:
        return True
    return False


def _stop() -> NoReturn:
    raise _Possible


def composed(run: Run, rest: Callable[[], None], first: _Steps, second: _Steps, variables: Sequence[int]) -> None:
    r"""``A \cdot B``: goes on once for each way of taking A, and then B in the state between.

    Args:
        first, second: The actions, as functions of a run and what follows.
        variables: The numbers of the specification's variables. Of the others, those that a step keeps belong to it as
            a whole; what is left is the depth, which grows by one in the state between, too, as for TLC.
    """
    kept = run.then.kept.difference(variables)
    others = set(range(len(run.names))).difference(variables, kept)
    grown = {number: run.then[number] if number in run.then else run.now[number] + 1 for number in others}

    def begun(now: Any) -> Run:
        part = Run(run.names, now)
        part.then.update(grown)
        part.then.kept |= kept
        part.whys = run.whys
        return part

    def between() -> None:
        middle.check_complete()
        last = begun(middle.then)

        def after() -> None:
            last.check_complete()
            new = [number for number in variables if number not in run.then]
            if all(equal(run.then[number], last.then[number]) for number in {*variables}.difference(new)):
                same = {number for number in new if number in last.then.kept and number in middle.then.kept}
                run.then.kept |= same
                run.then.update((number, last.then[number]) for number in new if number not in same)
                before = len(run.chosen)
                run.chosen += [*middle.chosen, *last.chosen]
                rest()
                del run.chosen[before:]
                run.then.kept -= same
                for number in new:
                    run.then.pop(number, None)

        second(last, after)

    middle = begun(run.now)
    first(middle, between)


def is_composed(
    now: Any, then: Any, names: Sequence[str], first: _Steps, second: _Steps, variables: Sequence[int]
) -> bool:
    r"""Whether the step from one state to another is one of ``A \cdot B``."""
    run = Run(names, now)
    run.then.update((number, then[number]) for number in variables)
    try:
        composed(run, _stop, first, second, variables)
    except _Possible:
        return True
    return False


# Values that are evaluated when needed -------------------------------------------------------------------------------

_UNKNOWN = object()


class Thunk:
    """A value that is evaluated when first needed, and then remembered."""

    __slots__ = ("_evaluate", "_value")

    def __init__(self, evaluate: Callable[[], Any]) -> None:
        self._evaluate = evaluate
        self._value: Any = _UNKNOWN

    def __call__(self) -> Any:
        if self._value is _UNKNOWN:
            self._value = self._evaluate()
        return self._value


class Mapped:
    """The values of the specification's variables, and of an instance's, which are expressions evaluated lazily."""

    __slots__ = ("_images", "_now")

    def __init__(self, now: Any, images: Mapping[int, Callable[[], Any]]) -> None:
        self._now = now
        self._images = {number: Thunk(image) for number, image in images.items()}

    def __getitem__(self, number: int) -> Any:
        image = self._images.get(number)
        return self._now[number] if image is None else image()


def unpacked(value: Any, size: int) -> tuple[Any, ...]:
    """The parts of a tuple that bound names take apart."""
    if type(value) is not tuple or len(value) != size:
        raise EvaluationError(f"{brief(value)} is not a tuple of {size}, which the bound names take apart")
    return value


def failed(message: str) -> NoReturn:
    """Raise the error of an expression that has no value."""
    raise EvaluationError(message)


# What code can call --------------------------------------------------------------------------------------------------

#: The functions that compiled code uses, by their names there.
KNOWN: Mapping[str, Any] = {
    "any": any,
    "all": all,
    "map": map,
    "len": len,
    "tuple": tuple,
    "RecursionError": RecursionError,
    "Functions": Functions,
    "Product": Product,
    "Records": Records,
    "Subsets": Subsets,
    "Thunk": Thunk,
    "each": each,
    "equal": equal,
    "isin": isin,
    "truth": truth,
    "failed": failed,
    "tried": tried,
    "unpacked": unpacked,
    "too_deep": too_deep,
    "is_due": is_due,
    "look_up": look_up,
    "composed": composed,
    "is_composed": is_composed,
    "is_enabled": is_enabled,
    "Mapped": Mapped,
    **{
        function.__name__: function
        for function in (
            operators.apply,
            operators.cap,
            operators.choose,
            operators.cup,
            operators.domain,
            operators.enumerated,
            operators.except_,
            operators.field,
            operators.filtered,
            operators.function,
            operators.mapped,
            operators.minus,
            operators.record,
            operators.recursive,
            operators.settled,
            operators.subseteq,
            operators.tupled,
            operators.union,
        )
    },
}

# Errors --------------------------------------------------------------------------------------------------------------


def place_of(error: BaseException) -> Place | None:
    """The place in a module where an error was raised; None if no expression of a module was being evaluated."""
    innermost = _innermost(error)
    if innermost is None:
        return None
    return place_in(innermost.tb_frame.f_code, innermost.tb_lasti)


def _innermost(error: BaseException) -> TracebackType | None:
    """The innermost frame of a module's code in the traceback of an error."""
    innermost, traceback = None, error.__traceback__
    while traceback is not None:
        if is_of_module(traceback.tb_frame.f_code):
            innermost = traceback
        traceback = traceback.tb_next
    return innermost
