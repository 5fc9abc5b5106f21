"""Exercises: each has a task, a judge that runs an answer, and a hint. ``notebooks/solutions.py`` has the solutions.

Each notebook has a module in ``tasks``, with a function per task. The function's docstring is the task; the function
judges an answer: it raises :class:`Wrong`, or returns a comment on a right one.
"""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from workbench.kernel import InputError, ModelError
from workbench.kernel.meaning.arguments import plain
from workbench.kernel.meaning.errors import unknown
from workbench.showing.pictures.markup import Markup, element, escape
from workbench.showing.view.base.html import Drawn

_CODE = re.compile(r"`([^`]+)`")


class Wrong(Exception):
    """An answer is wrong; the message says why in a sentence."""


@dataclass(frozen=True)
class AnswerKind:
    """A kind of answer: its description, and the test for it."""

    name: str
    accepts: Callable[[Any], bool]


CONSTANTS = AnswerKind("a dictionary of constants, such as {'Writers': 2}", lambda answer: isinstance(answer, dict))
STORY = AnswerKind("the lines of a scenario, as one text", lambda answer: isinstance(answer, str))
TEXT = AnswerKind("a text", lambda answer: isinstance(answer, str))
NUMBER = AnswerKind("an integer", lambda answer: type(plain(answer)) is int)
FUNCTION = AnswerKind("a function", callable)
MODEL = AnswerKind("a class", lambda answer: isinstance(answer, type))


@dataclass(frozen=True, repr=False)
class Feedback(Drawn):
    """The feedback on an answer.

    Attributes:
        right: None without an answer.
        hint: Only for an answer that was run and is wrong.
    """

    exercise: "Exercise"
    right: bool | None
    said: str
    hint: str = ""

    @property
    def _word(self) -> str:
        return {True: "Right.", False: "Not yet.", None: "Your turn."}[self.right]

    def html(self) -> Markup:
        kind = {True: "wb-truth wb-good", False: "wb-truth wb-bad", None: None}[self.right]
        word = element("span", element("b", self._word), class_=kind)
        title, *rest = self.exercise.task.split("\n\n")
        parts = [] if self.right else [element("p", element("b", _code(title))), *map(_marked, rest)]
        parts.append(element("p", word, " ", _code(self.said)))
        parts += [_marked(f"Hint: {self.hint}")] if self.hint else []
        return element("div", *parts)

    def text(self) -> str:
        message = f"{self._word} {self.said}" + (f"\nHint: {self.hint}" if self.hint else "")
        return message if self.right else f"{self.exercise.task}\n\n{message}"


def _code(text: str) -> Markup:
    return Markup(_CODE.sub(r"<code>\1</code>", escape(text)))


def _marked(text: str) -> Markup:
    return element("p", _code(" ".join(text.split())))


@dataclass(frozen=True)
class Exercise:
    """A task whose solutions are checked by running them.

    Attributes:
        notebook: The notebook that ends with it.
        judge: Judges an answer of kind `kind`; see the module.
    """

    name: str
    notebook: str
    task: str
    kind: AnswerKind
    hint: str
    judge: Callable[[Any], str]

    def check(self, answer: Any) -> Feedback:
        """Run an answer; ``...`` counts as none yet."""
        if answer is ...:
            return Feedback(self, None, f"The answer is {self.kind.name}.")
        if not self.kind.accepts(answer):
            return Feedback(self, False, f"The answer is {self.kind.name}, and this is a {type(answer).__name__}.")
        try:
            return Feedback(self, True, self.judge(answer))
        except Wrong as wrong:
            return Feedback(self, False, str(wrong), self.hint)
        except (InputError, ModelError) as error:
            return Feedback(self, False, f"{str(error).rstrip('.')}.", self.hint)


_known: dict[str, Exercise] = {}


def task(notebook: str, kind: AnswerKind, hint: str) -> Callable[[Callable[[Any], str]], Callable[[Any], str]]:
    """A decorator that makes a function the judge of an exercise of its name."""

    def register(judge: Callable[[Any], str]) -> Callable[[Any], str]:
        assert judge.__doc__ is not None
        name = judge.__name__
        assert name not in _known, f"there are two exercises called {name}"
        _known[name] = Exercise(name, notebook, inspect.cleandoc(judge.__doc__), kind, hint, judge)
        return judge

    return register


@cache
def exercises() -> dict[str, Exercise]:
    """All exercises by their names, in the order of the notebooks."""
    package = importlib.import_module("workbench.showing.lessons.tasks")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return dict(sorted(_known.items(), key=lambda item: item[1].notebook))


def exercise(name: str) -> Exercise:
    """The exercise called `name`.

    Raises:
        InputError: If there is none.

    Examples:
        >>> exercise("one_group").check({"FileGroupCount": 2}).right
        False
    """
    try:
        return exercises()[name]
    except KeyError:
        raise unknown("exercise", name, exercises()) from None
