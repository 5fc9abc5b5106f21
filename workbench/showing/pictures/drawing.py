"""Pictures of states, made from the descriptions given by functions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.kernel import Fault, InputError, Machine, ModelError, Place, State, machine_of
from workbench.kernel.meaning.errors import unknown
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.properties import Invariant
from workbench.kernel.meaning.text import printable
from workbench.kernel.meaning.values import show
from workbench.showing.pictures import paint
from workbench.showing.pictures.compare import compare_things, differing, every
from workbench.showing.pictures.default import variables
from workbench.showing.pictures.layout import Placed, place
from workbench.showing.pictures.markup import Markup, address_of, element
from workbench.showing.pictures.registry import options_of, painting_of
from workbench.showing.pictures.reword import DOUBT, doubted, renamed, renamer
from workbench.showing.pictures.route import route
from workbench.showing.pictures.things import BAD, ODD, Arrow, Text, down, text


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture of a state, as SVG.

    Attributes:
        model: The model's name; the root of the SVG has it as ``data-picture``.
        label: A one-line description for people who cannot see the picture.
        things: Its things, including those that the last step removed.
        changes: ``new``, ``changed`` or ``gone``, by the id of a thing or an arrow; ``differs`` for two pictures side
            by side.
        at_fault: The ids of the marked things.
        placed: The things with their positions.
        routes: The arrows with their corners.
        moved: The previous position of each moved thing, by id and relative to its present one.
        is_suspected: Whether the faults are only suspected.
    """

    model: str
    label: str
    things: tuple[Any, ...]
    changes: dict[str, str]
    at_fault: frozenset[str]
    placed: list[Placed]
    routes: list[tuple[Arrow, list[tuple[float, float]]]]
    size: tuple[float, float]
    moved: dict[str, tuple[float, float]]
    is_suspected: bool = False

    @property
    def svg(self) -> Markup:
        return self.svg_with()

    def svg_with(self, prefix: str = "") -> Markup:
        """The SVG with `prefix` before each id, for several pictures in one document."""
        return self._painter(prefix).svg(self.model, self.label, self.placed, self.routes, *self.size)

    def content(self, prefix: str) -> Markup:
        """The contents of the SVG, for a document with :data:`workbench.showing.pictures.paint.STYLE`."""
        return self._painter(prefix).content(self.placed, self.routes, *self.size)

    def _painter(self, prefix: str) -> paint.Painter:
        return paint.Painter(self.changes, self.at_fault, self.moved, prefix, is_suspected=self.is_suspected)

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        """The picture as an image, which survives if scripts and styles are stripped."""
        return element("img", src=address_of(self.svg), alt=self.label, width=round(self.size[0]))

    def __repr__(self) -> str:
        return f"<picture: {self.label}>"


def picture(
    model: AnyModel,
    state: State,
    before: State | Sequence[State] | None = None,
    at_fault: Iterable[str | Place] = (),
    *,
    title: str = "",
    names: Mapping[str, str] | None = None,
    is_suspected: bool = False,
    **options: Any,
) -> Picture:
    """The picture of a state.

    Args:
        before: The state before, or all earlier states of the trace, oldest first. Differences from the last one are
            marked, and pictures may use the history, for example to show what has been overwritten.
        at_fault: Messages of invariants, which are shown, and places, which are marked; a :class:`Fault` is both, see
            :func:`faults`.
        title: A line above the picture, such as the step.
        names: Words to show in place of the model's: a real table's names for what the state stands for.
        is_suspected: Draw the faults as suspicions: dashed, and called so.
        **options: Options of the model's picture, see :func:`options_of`.

    Raises:
        InputError: For an unknown option, or a value that it does not take.
    """
    model = machine_of(model)
    _check(model, options)
    history = (before,) if isinstance(before, State) else tuple(before or ())
    wrong = list(at_fault)
    places = tuple(_places(wrong))
    after = describe(model, state, history, places, options)
    if history:
        earlier = describe(model, history[-1], history[:-1], places, options)
        different = compare_things(earlier, after)
        things, changes, fresh = different.things, different.changes, different.fresh
    else:
        things, changes, fresh = after, {}, {}
    moved_from = _boxes(earlier) if history else []
    marked = _marked(places, after)
    things = renamed(things, renamer(names or {}))
    if is_suspected:
        things = doubted(things, marked)
    return _drawn(model, things, changes, fresh, marked, wrong, title, moved_from, is_suspected=is_suspected)


@dataclass(frozen=True)
class Shown:
    """A state to draw beside another one.

    Attributes:
        states: The trace up to the state that is drawn.
        at_fault: As for :func:`picture`.
    """

    model: Machine
    states: Sequence[State]
    at_fault: Sequence[str | Place] = ()
    title: str = ""

    def things(self) -> tuple[Any, ...]:
        return describe(self.model, self.states[-1], self.states[:-1], tuple(_places(self.at_fault)))


def pair(one: Shown, other: Shown, effect: Sequence[Place]) -> tuple[Picture, Picture]:
    """Two states side by side, with their differences in some places marked in both."""
    left, right = one.things(), other.things()

    def drawn(shown: Shown, these: tuple[Any, ...], others: tuple[Any, ...]) -> Picture:
        marked = _marked(tuple(_places(shown.at_fault)), these)
        of_effect = _marked(effect, these)
        changes = {id: mark for id, mark in differing(these, others).items() if id in of_effect}
        return _drawn(shown.model, these, changes, {}, marked, shown.at_fault, shown.title, [])

    return drawn(one, left, right), drawn(other, right, left)


def _drawn(
    model: Machine,
    things: tuple[Any, ...],
    changes: dict[str, str],
    fresh: dict[str, frozenset[str]],
    marked: frozenset[str],
    wrong: Sequence[str | Place],
    title: str,
    earlier: Sequence[Any],
    *,
    is_suspected: bool = False,
) -> Picture:
    """Lay out the things; they may have moved from their places among `earlier`, the boxes of the previous state."""
    heading = _lines("heading", [text(title, bold=True)] if title else [])
    texts = [fault for fault in wrong if isinstance(fault, str)]
    sign, tone = (f"{DOUBT}suspected: ", ODD) if is_suspected else ("\N{BALLOT X} ", BAD)
    violations = _lines("violations", [Text(sign + printable(message), bold=True, tone=tone) for message in texts])
    placed, wide, tall = place(_boxes(things), fresh, heading, violations)
    moves = _moves(place(earlier, {}, heading)[0], placed) if earlier else {}
    return Picture(
        model.name,
        _label(model, title, [f"suspected: {message}" for message in texts] if is_suspected else texts),
        things,
        changes,
        marked,
        placed,
        _routes(things, placed),
        paint.Painter(changes, marked, moves, is_suspected=is_suspected).size(wide, tall),
        moves,
        is_suspected,
    )


def faults(model: AnyModel, state: State, properties: Sequence[str] | None = None) -> list[Fault]:
    """The messages of the invariants that fail in `state`, each after the invariant's name."""
    model = machine_of(model)
    messages = []
    for declared in model.select(properties):
        for instance in model.predicates(declared.name) if isinstance(declared, Invariant) else ():
            try:
                answer = instance.judge(state)
            except ModelError as error:  # traces that end in errors are shown too
                answer = str(error)
            if answer is not True:
                inside = f"({', '.join(map(show, instance.arguments))})" if instance.arguments else ""
                if answer is False and isinstance(fault := model.why_false(declared, [state]), Fault):
                    answer = fault
                clause = f": {answer}" if isinstance(answer, str) else " does not hold"
                places = answer.places if isinstance(answer, Fault) else ()
                messages.append(Fault(f"{declared.name}{inside}{clause}", *places))
    return list(dict.fromkeys(messages))


def _check(model: Machine, options: Mapping[str, Any]) -> None:
    accepted = options_of(model)
    for option, value in options.items():
        if option not in accepted:
            raise unknown(f"option of the picture of {model.name}", option, accepted)
        if value is not None and value not in accepted[option]:
            choices = ", ".join(map(show, accepted[option]))
            raise InputError(f"{option} = {show(value)} is not accepted; it takes one of {choices}")


def describe(
    model: AnyModel,
    state: State,
    history: Sequence[State] = (),
    places: Sequence[Place] = (),
    options: Mapping[str, Any] | None = None,
) -> tuple[Any, ...]:
    """The things in a picture of a state, before anything has a place.

    Args:
        history: The earlier states of the trace, oldest first.
        places: The places at fault.
        options: The chosen options.

    Raises:
        ModelError: If two things have the same id, or an arrow begins or ends nowhere.
    """
    model = machine_of(model)
    painting = painting_of(model)
    if painting is None:
        items: Iterable[Any] = variables(model, state, list(model.declared.variables))
    else:
        arguments = {**dict.fromkeys(painting.options), **(options or {})}
        arguments |= {n: v for n, v in {"history": history, "faults": places}.items() if painting.takes(n)}
        shown = painting.shows | painting.leaves_out.keys()
        more = [name for name, variable in model.declared.variables.items() if name not in shown and not variable.ghost]
        items = (*painting.describe(model.author, state, **arguments), *variables(model, state, more))
    things = tuple(_wrapped(items))
    seen = set()
    for thing, _ in every(things):
        if thing.id in seen:
            raise ModelError(f"the picture of {model.name} has two things with the id {thing.id!r}; ids are unique")
        seen.add(thing.id)
    for thing in things:
        for end in (thing.source, thing.target) if isinstance(thing, Arrow) else ():
            if end not in seen:
                raise ModelError(f"the picture of {model.name} has an arrow to or from {end!r}, which is not in it")
    return things


def _wrapped(items: Iterable[Any]) -> Iterator[Any]:
    """The things, with each text wrapped in a box."""
    for i, item in enumerate(items):
        if isinstance(item, (str, Text)):
            yield down(f"text-{i}", item)
        elif item is not None:
            yield item


def _lines(id: str, lines: Sequence[Text]) -> list[Any]:
    return [down(id, *lines)] if lines else []


def _boxes(things: Iterable[Any]) -> list[Any]:
    """The things that are laid out, without the arrows between them."""
    return [thing for thing in things if not isinstance(thing, Arrow)]


def _label(model: Machine, title: str, texts: Iterable[str]) -> str:
    return printable(": ".join([f"{model.name}, {title}" if title else f"a state of {model.name}", *texts]))


def _places(wrong: Iterable[str | Place]) -> Iterator[Place]:
    for fault in wrong:
        if isinstance(fault, Fault):
            yield from fault.places
        elif isinstance(fault, Place):
            yield fault


def _marked(places: Iterable[Place], things: Sequence[Any]) -> frozenset[str]:
    """The ids of the things that show each place or a part of it; if none does, of those that show what contains it."""
    stands = [(thing.id, part) for thing, _ in every(things) for part in thing.of]
    marked: set[str] = set()
    for sought in places:
        exact = {id for id, part in stands if part == sought or _within(part, sought)}
        marked |= exact or {id for id, part in stands if _within(sought, part)}
    return frozenset(marked)


def _within(inner: Place, outer: Place) -> bool:
    """Whether `outer` is the cell, or the variable, that contains `inner`."""
    if inner.variable != outer.variable or outer.inside is not None:
        return False
    return outer.index is None or (outer.index == inner.index and inner.inside is not None)


def _routes(things: Sequence[Any], placed: Sequence[Placed]) -> list[tuple[Arrow, list[tuple[float, float]]]]:
    where = {box.thing.id: box for box in placed}
    taken: list[tuple[float, float]] = []
    routes = []
    for arrow in things:
        if isinstance(arrow, Arrow):
            routes.append((arrow, route(arrow, where[arrow.source], where[arrow.target], placed, taken)))
    return routes


def _moves(earlier: Sequence[Placed], placed: Sequence[Placed]) -> dict[str, tuple[float, float]]:
    """The previous positions of things that moved, relative to their present ones."""
    was = {box.thing.id: box for box in earlier}
    moves = {}
    for box in placed:
        old = was.get(box.thing.id)
        if old is not None and abs(old.x - box.x) + abs(old.y - box.y) > 1:
            moves[box.thing.id] = (old.x - box.x, old.y - box.y)
    return moves
