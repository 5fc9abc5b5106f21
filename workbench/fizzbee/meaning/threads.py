"""Statements: a step runs from one yield point to the next.

A thread is a stack of frames, and a frame a stack of blocks and loops. Both are data, so that a state can hold an
unfinished action. A step is run again for each sequence of choices. `choices` replays the sequence so far; the first
choice after it takes the first member, and notes how many members there were. Serial and parallel blocks yield after
each statement, if something was done since the last choice. A step counts only if it did something, and ``if`` and
``require`` alone do nothing. FizzBee behaves so, and texts rely on it.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from workbench.fizzbee.meaning.domains import Exhausted
from workbench.fizzbee.meaning.expressions import Names, fail
from workbench.fizzbee.meaning.state import Frame, State, Work
from workbench.fizzbee.meaning.symmetry import symmetric_in
from workbench.fizzbee.meaning.values import (
    Collection,
    Dict,
    Function,
    Holder,
    Instance,
    ModelValue,
    Record,
    Segment,
    Value,
    clone,
    shown,
)  # fmt: skip
from workbench.fizzbee.syntax import tree
from workbench.fizzbee.syntax.tree import Place, Specification
from workbench.fizzbee.syntax.unparse import written

#: The flows in which an action may yield before its end.
YIELDING = ("serial", "parallel")
#: The most statements in one step. A loop that never ends would exceed it.
MOST_STATEMENTS = 200_000
MOST_FRAMES = 60


class Disabled(Exception):
    """There is no step: the ``require`` at `at` is false, or a choice has no members."""

    def __init__(self, at: Place) -> None:
        super().__init__(at)
        self.at = at


class Run(Names):
    """A step of one thread of `state`, which it changes.

    Attributes:
        choices: The index of the member taken at each choice. A run replays those that it begins with.
        widths: The number of members at each choice.
        chosen: The name of each choice with the member taken, or what holds it. A choice of statements has no name,
            and takes a number.
        done: Whether this step has done something, so that it counts.
        returned: The last ``return`` from an outermost frame, with that frame.
    """

    def __init__(
        self,
        text: Specification,
        constants: dict[str, Value],
        frozen: set[int],
        state: State,
        frames: list[Frame],
        choices: tuple[int, ...] = (),
    ) -> None:
        super().__init__(constants, frozen)
        self.text, self.state, self.frames = text, state, frames
        self.path, self.choices, self.widths = choices, list[int](), list[int]()
        self.chosen: list[tuple[str, Value]] = []
        self.done = self.enabled = False
        self.continues = False
        self.result: Value = None
        self.created: list[Instance] = []
        self.returned: tuple[tree.Return, Frame] | None = None

    # Names ------------------------------------------------------------------------------------------------------------

    def variable(self, name: str) -> tuple[Value] | None:
        frame = self.frames[-1]
        if name in frame.variables:
            return (frame.variables[name],)
        if name == "self" and frame.owner is not None:
            return (frame.owner,)
        if name in self.state.heap:
            return (self.state.heap[name],)
        if name in self.text.roles:
            role = self.text.roles[name]
            return (Function(lambda **fields: self._create(role, fields)),)
        return None

    def scope(self) -> Callable[[], AbstractContextManager[None]]:
        frame = self.frames[-1]

        @contextmanager
        def within() -> Iterator[None]:
            self.frames.append(frame)
            try:
                yield
            finally:
                self.frames.pop()

        return within

    def _create(self, role: tree.Role, fields: dict[str, Value]) -> Value:
        taken = {other.number for other in self.state.roles if other.role is role}
        number = next(number for number in range(len(taken) + 1) if number not in taken)
        instance = Instance(role, number, fields)
        self.state.roles.append(instance)
        self.created.append(instance)
        return instance

    def assign(self, target: Any, value: Value) -> None:
        """Assign to a name, a field or an item, or to several of them in a tuple.

        A name means a local variable, or else a state variable, or else a new local variable.
        """
        for part, item in self.unpacked(target, value):
            if not isinstance(part, tree.Name):
                self.store(part, item)
                continue
            variables = self.frames[-1].variables
            if part.name not in variables and part.name in self.state.heap:
                self.state.heap[part.name] = item
            elif part.name not in variables and part.name in self.constants:
                fail(part.at, f"{part.name} is a constant")
            else:
                variables[part.name] = item

    def choose(self, at: Place, members: list[Value], name: str = "") -> int:
        """The index of the member to take at a choice called `name`."""
        if not self.may_choose:
            fail(at, "there is nothing to choose in an assertion, a def or a constant")
        number = len(self.widths)
        self.widths.append(len(members))
        self.choices.append(self.path[number] if number < len(self.path) else 0)
        self.enabled = False
        if len(members) > 1:
            taken = members[self.choices[-1]]
            self.chosen.append((name, Holder(shown(taken)) if isinstance(taken, Segment) else taken))
        return self.choices[-1]

    def symmetric(self) -> Iterator[ModelValue]:
        yield from symmetric_in(self.allocated)
        yield from self.state.symmetric(self.frames)

    # Running ----------------------------------------------------------------------------------------------------------

    def run(self, bottom: int = 0, yields: bool = True) -> None:
        """Run until the thread yields, or has no more than `bottom` frames.

        Raises:
            Disabled: If this is no step.
            ModelError: With the place of the statement that fails.
        """
        yielding, statements = False, 0
        while len(self.frames) > bottom:
            frame = self.frames[-1]
            work = frame.work[-1] if frame.work else None
            if work is None:
                yielding = self._leave(None) or yielding
            elif isinstance(work.node, tree.Block) and not work.left:
                frame.work.pop()
                yielding = self._completed() or yielding
            elif yielding and yields:
                return
            else:
                statements += 1
                if statements > MOST_STATEMENTS:
                    fail(work.node.at, f"a step of more than {MOST_STATEMENTS} statements")
                try:
                    yielding = self._advance(frame, work)
                except Exhausted:
                    raise Disabled(work.node.at) from None
                except RecursionError:
                    fail(work.node.at, "values or calls nest too deeply")

    def _do(self) -> None:
        self.enabled = self.done = True

    def _completed(self) -> bool:
        """Whether the thread yields after a completed statement."""
        work = self.frames[-1].work if self.frames else []
        return bool(work) and self.enabled and work[-1].flow in YIELDING

    def push(self, block: tree.Block, flow: str) -> None:
        """Enter a block in the topmost frame; `flow` applies unless the block has a flow of its own."""
        flow = block.flow or flow
        statements: list[Value] = list(range(len(block.statements)))
        if flow == "oneof" and statements:
            statements = [statements[self.choose(block.at, statements)]]
        self.frames[-1].work.append(Work(block, flow, statements))

    def enter(self, frame: Frame, block: tree.Block) -> None:
        """Push a frame that runs `block`."""
        if len(self.frames) >= MOST_FRAMES:
            fail(block.at, f"more than {MOST_FRAMES} calls in each other")
        self.frames.append(frame)
        self.push(block, "")

    def _leave(self, value: Value) -> bool:
        """Pop a frame and pass its result on; return whether the thread yields."""
        frame = self.frames.pop()
        self.result = value
        if frame.starts and frame.owner is not None:
            role, fields = frame.owner.role, frame.owner.fields
            frame.owner.initial = {
                name: clone(item, {}, with_roles=False) for name, item in fields.items() if _is_ephemeral(role, name)
            }
        if frame.target is not None:
            self._do()
            self.assign(frame.target, value)
        if not self.frames and value is not None:
            self._do()
        return self._completed()

    def _taken(self, at: Place, work: Work) -> Value:
        """The next statement of a block or member of a loop; in a parallel one, a choice among all that are left."""
        if work.flow not in ("parallel", "oneof"):
            return work.left.pop(0)
        return clone(work.left.pop(self.choose(at, work.left)), {}, with_roles=False)

    def _advance(self, frame: Frame, work: Work) -> bool:
        node = work.node
        self.allocated.clear()
        if isinstance(node, tree.Block):
            statement = node.statements[self._taken(node.at, work)]
            yields = _KINDS[type(statement)](self, statement, work.flow)
            if self.created:
                self._start_roles()
                return False
            return yields
        if isinstance(node, tree.While):
            if self.holds(node.condition):
                self.push(node.body, work.flow)
                return False
        elif work.left:
            self.assign_local(node.target, self._taken(node.at, work))
            self.push(node.body, work.flow)
            return False
        frame.work.pop()
        return self._completed()

    def assign_local(self, target: tree.Expression, value: Value) -> None:
        """Bind a loop's names. They are local even if a state variable has the same name."""
        for name, item in self.unpacked(target, value):
            self.frames[-1].variables[name.name] = item

    def _start_roles(self) -> None:
        for instance in reversed(self.created):
            if (init := instance.role.actions.get("Init")) is not None:
                self.enter(Frame("Init", {}, [], instance, starts=True), init.body)
        self.created.clear()

    # Statements: each method says whether the thread yields then -----------------------------------------------------

    def _word(self, node: tree.Word, flow: str) -> bool:
        if node.word == "pass":
            self._do()
            return False
        work = self.frames[-1].work
        while work and isinstance(work[-1].node, tree.Block):
            work.pop()
        if not work:
            fail(node.at, f"{node.word} stands in no loop")
        if node.word == "break":
            work.pop()
        return self._completed()

    def _require(self, node: tree.Require, flow: str) -> bool:
        self.continues = False
        if not self.holds(node.condition):
            raise Disabled(node.at)
        return self._completed()

    def _return(self, node: tree.Return, flow: str) -> bool:
        if len(self.frames) == 1:
            self.returned = node, self.frames[0]
        return self._leave(None if node.value is None else self.value(node.value))

    def _if(self, node: tree.If, flow: str) -> bool:
        for condition, body in node.branches:
            if condition is None or self.holds(condition):
                self.push(body, flow)
                return False
        return self._completed()

    def _for(self, node: tree.For, flow: str) -> bool:
        self.frames[-1].work.append(Work(node, node.flow or flow, list(self.members(node.members))))
        return False

    def _while(self, node: tree.While, flow: str) -> bool:
        self.frames[-1].work.append(Work(node, node.flow or flow, []))
        return False

    def _group(self, node: tree.Group, flow: str) -> bool:
        self.push(node.body, flow)
        return False

    def _define(self, node: tree.Function, flow: str) -> bool:
        def call(*positional: Value, **named: Value) -> Value:
            bottom = len(self.frames)
            around, self.inner = self.inner, {}
            before = self.may_choose, self.done, self.enabled
            self.may_choose = False
            try:
                self.enter(
                    Frame(node.name, self.bound(node.at, node.parameters, list(positional), named), []), node.body
                )
                self.run(bottom, yields=False)
            finally:
                self.may_choose, self.done, self.enabled = before
                self.inner = around
                del self.frames[bottom:]
            return self.result

        self.frames[-1].variables[node.name] = Function(call)
        return self._completed()

    def _choose(self, node: tree.Choose, flow: str) -> bool:
        self.continues = False
        # Copied, except for roles: as in FizzBee, a write to a chosen member does not reach the state.
        members = [clone(member, {}, with_roles=False) for member in self.members(node.members)]
        where = node.where
        among = [at for at, each in enumerate(members) if where is None or self._holds_with(node.name, each, where)]
        if not among:
            if node.body is None:
                raise Disabled(node.at)
            return self._completed()
        taken = among[self.choose(node.at, [members[at] for at in among], node.name)]
        member = members[taken]
        is_long = isinstance(member, Record | Dict | Collection | list)
        if len(among) > 1 and is_long and isinstance(node.members, tree.Listing):
            self.chosen[-1] = node.name, Holder(written(node.members.items[taken]))
        if node.body is None:
            self.done = True
            self.assign(tree.Name(node.at, node.name), member)
        else:
            self.frames[-1].variables[node.name] = member
            self.push(node.body, flow)
        return False

    def _holds_with(self, name: str, value: Value, condition: tree.Expression) -> bool:
        around, self.inner = self.inner, {**self.inner, name: value}
        try:
            return self.holds(condition)
        finally:
            self.inner = around

    def _evaluate(self, node: tree.Evaluate, flow: str) -> bool:
        if (rest := self._called(node.value, None)) is None:
            return False
        self.value(rest)
        self._do()
        return self._completed()

    def _assign(self, node: tree.Assign, flow: str) -> bool:
        if node.operator == "=":
            if (rest := self._called(node.value, node.target)) is None:
                return False
            self.assign(node.target, self.value(rest))
        else:
            self.assign(node.target, self.changed(node))
        self._do()
        return self._completed()

    def _called(self, node: tree.Expression, target: tree.Expression | None) -> tree.Expression | None:
        """Push the frame of the func that a statement calls; if it calls none, what is left to evaluate."""
        if not isinstance(node, tree.Call):
            return node
        function, owner, of = None, None, node.function
        if isinstance(of, tree.Name):
            function = self.text.functions.get(of.name)
        elif isinstance(of, tree.Attribute) and isinstance(of.owner, tree.Name | tree.Attribute | tree.Index):
            owner = self.value(of.owner)
            if isinstance(owner, Instance):
                function = owner.role.functions.get(of.name)
            of = tree.Attribute(of.at, tree.Literal(of.owner.at, owner), of.name)  # it is not evaluated twice
        if function is None:
            return tree.Call(node.at, of, node.arguments)
        positional, named = self.arguments(node)
        variables = self.bound(node.at, function.parameters, positional, named)
        self.enter(Frame(function.name, variables, [], owner, target), function.body)
        return None

    def look_up(self, at: Place, name: str) -> Value:
        """The value of a name. A func is not a value: only a statement can call it, alone or to assign its result."""
        if name not in self.inner and name in (variables := self.frames[-1].variables):
            return variables[name]  # as most are
        if name in self.text.functions and self.variable(name) is None and name not in self.inner:
            fail(at, f"{name} is a func: only a statement of its own calls it")
        return super().look_up(at, name)


def _is_ephemeral(role: tree.Role, name: str) -> bool:
    if role.durable is not None:
        return name not in role.durable
    return role.ephemeral is not None and name in role.ephemeral


_KINDS: dict[type, Any] = {
    tree.Word: Run._word, tree.Require: Run._require, tree.Return: Run._return, tree.If: Run._if, tree.For: Run._for,
    tree.While: Run._while, tree.Group: Run._group, tree.Function: Run._define, tree.Choose: Run._choose,
    tree.Evaluate: Run._evaluate, tree.Assign: Run._assign,
}  # fmt: skip
