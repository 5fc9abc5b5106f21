"""The playground's Python, in a worker of the browser: checks a model by the reference search, and steps by hand.

Requests and answers are JSON. The HTML in an answer goes into a frame that runs no script of the model's.
"""

import asyncio
import inspect
import json
import re
import time
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import workbench
from workbench import language
from workbench.formats.permalink import follow_permalink, parse_permalink
from workbench.kernel import InputError, Machine, Model, ModelError, Result, Trace, replay
from workbench.kernel.meaning.budget import Budget, Limits, Progress, Watch
from workbench.kernel.meaning.errors import place_of, unknown
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.plan import make_plan
from workbench.kernel.meaning.search import search, stepwise
from workbench.kernel.meaning.trace import Move
from workbench.kernel.meaning.values import counted
from workbench.registry import configurations, get_model, in_file, load_file, model_of, models
from workbench.registry.configurations import Configuration, shipped
from workbench.registry.shipped import MODULES
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.pictures.registry import painting_of, picture_of
from workbench.showing.view.base.html import badge, bullets, noted
from workbench.showing.view.base.wording import Wording, told_break
from workbench.showing.view.trace.possible import possible_steps
from workbench.showing.view.trace.tables import summary, verdict_table
from workbench.showing.view.trace.trace import TraceView, trace_view, verdict_view

#: The files as errors name them.
MODEL, SETTINGS = Path("model.py"), Path("settings.toml")
#: How many seconds pass between checks for messages from the page.
_PAUSE = 0.05
_LINE = re.compile(rf"\({re.escape(MODEL.name)}(?::|, line )(\d+)\)")
_LINE_OF_SETTINGS = re.compile(r"\(at line (\d+), ")


def begin(tell: Callable[[str], object]) -> "Playground":
    """The playground, in a browser. There ``from workbench import *`` imports the language, ``check`` and ``Budget``.

    The other names of the package take modules that are not packed, and a star imports all that ``__all__`` has.
    """
    vars(workbench).update(__all__=[*language.__all__, "Budget", "check"], check=_check)
    return Playground(tell)


def _check(model: AnyModel, *arguments: Any, **options: Any) -> Result:
    """Like :func:`workbench.check`, by the reference search."""
    return search(model_of(model), *arguments, **options)


class Playground:
    """One model at a time: its result, and the behaviour on show.

    Args:
        tell: Receives the progress of a search, as JSON.
    """

    def __init__(self, tell: Callable[[str], object] = lambda _: None) -> None:
        self._tell = tell
        self._stopping = False
        self._result: Result | None = None
        self._trace: Trace | None = None

    async def answer(self, request: str) -> str:
        """The answer to a request: one of the methods below under ``do``, and its arguments."""
        arguments = json.loads(request)
        methods = (self.check, self.show, self.possible, self.take, self.open, self.named, self.follow)
        doing: dict[str, Callable[..., Any]] = {method.__name__: method for method in methods}
        try:
            reply = doing[arguments.pop("do")](**arguments)
            return json.dumps(await reply if asyncio.iscoroutine(reply) else reply)
        except (Exception, SystemExit) as error:
            return json.dumps(self._failed(error))

    def stop(self) -> None:
        """Make the search end early, with what it has found so far."""
        self._stopping = True

    async def check(self, source: str, settings: str, max_states: int) -> dict[str, Any]:
        """Check a model.

        Args:
            source: The text of the model's file.
            settings: A configuration in TOML; without a model, that is the last one in the file.
            max_states: The budget.

        Returns:
            ``head`` and ``trace`` as HTML, ``word`` (the verdict on the whole), ``states``, ``traces``: the properties
            whose trace can be shown, each with its verdict, and ``constants`` to set.
        """
        self._stopping, self._result, self._trace = False, None, None
        configuration = _configuration(source, settings)
        plan = make_plan(configuration.model, configuration.properties, configuration.symmetry)
        limits = Limits(Budget(max_states), Watch(self._progress, lambda: self._stopping))
        steps, pause = stepwise(plan, limits), time.monotonic()
        while self._result is None:
            try:
                next(steps)
            except StopIteration as end:
                self._result = end.value
            if time.monotonic() > pause + _PAUSE:
                await asyncio.sleep(0)
                pause = time.monotonic()
        return self._told(configuration, self._result)

    def _progress(self, progress: Progress) -> None:
        self._tell(json.dumps({"states": progress.states, "decided": list(map(str, progress.decided))}))

    def _told(self, configuration: Configuration, result: Result) -> dict[str, Any]:
        parts = [verdict_table(result).html(), *map(noted, (summary(result), *result.notes))]
        if configuration.expect and result.complete:
            different = configuration.differences(result)
            parts.append(
                element("details", element("summary", "not what the settings expect"), bullets(different))
                if different
                else element("p", badge("holds", "as expected"))
            )
        traces = {verdict.name: verdict.summary for verdict in result.verdicts if verdict.trace is not None}
        wrong = [verdict.name for verdict in result.violated if verdict.name in traces]
        return {
            "head": joined(parts),
            "word": _whole(result),
            "states": result.distinct,
            "traces": traces,
            "constants": _constants(configuration.model),
            **self.show(next(iter(wrong or traces), "")),
        }

    def show(self, name: str) -> dict[str, Any]:
        """The trace of a property's verdict; without a name, an initial state to step from."""
        assert self._result is not None
        if not name:
            return self._shown(replay(self._result.model, 0, []))
        verdict = self._result[name]
        assert verdict.trace is not None
        self._trace = verdict.trace
        return {"shown": name, "trace": verdict_view(verdict, verdict.trace).html()}

    def possible(self, at: int) -> dict[str, Any]:
        """The steps from the state at an index of the behaviour on show, and why others are not possible."""
        if self._trace is None or at > self._trace.end:
            return {"possible": ""}
        taken = self._trace.steps[at + 1].move if at < self._trace.end else None
        return {"possible": possible_steps(self._trace.model, self._trace.states[at], taken)}

    def take(self, at: int, step: str) -> dict[str, Any]:
        """Go on from the state at an index by a step, given as in ``data-take``."""
        assert self._trace is not None
        instance, outcome = map(int, step.partition(" ")[0].split("."))
        before = [earlier.move for earlier in self._trace.steps[1 : at + 1] if earlier.move is not None]
        trace = replay(self._trace.model, self._trace.start, [*before, Move(instance, outcome)])
        return self._shown(trace, by_hand=True)

    def _shown(self, trace: Trace, at: int | None = None, by_hand: bool = False) -> dict[str, Any]:
        self._trace = trace
        names = None if self._result is None else [verdict.name for verdict in self._result.verdicts]
        view = trace_view(trace, properties=names, at=at)
        if by_hand:
            view.remark = self._compared(view)
        return {"shown": "", "trace": view.html(), "permalink": view.permalink}

    def _compared(self, view: TraceView) -> Wording | None:
        """If the last step is the first to break something: after how many steps, compared with a check."""
        *before, last = view.steps
        if not last.broken or any(step.broken for step in before):
            return None
        name = last.broken[0].name.partition("(")[0]
        checked, shortest = self._result, None
        if checked is not None and checked.model.constants == view.trace.model.constants:
            shortest = next((len(v.trace) - 1 for v in checked.violated if v.name == name and v.trace), None)
        return Wording(told_break(name, len(before), shortest))

    def open(self, name: str) -> dict[str, Any]:
        """A configuration that comes with the package: its settings, its model's file, and ``constants`` to set."""
        settings = shipped()[name].read_text(encoding="utf-8")
        source = _source_of(tomllib.loads(settings)["model"])
        return _brought(source, settings)

    def named(self, line: str) -> dict[str, Any]:
        """The model that a permalink names, as by :meth:`open`, with its constants as settings."""
        link = parse_permalink(line)
        if not (source := _source_of(link.model)):
            raise unknown("model", link.model, models())
        lines = [f"{name} = {_toml(value)}" for name, value in link.constants.items()]
        settings = "\n".join([f"model = {json.dumps(link.model)}", *(["", "[constants]"] if lines else []), *lines, ""])
        return _brought(source, settings)

    def follow(self, source: str, settings: str, line: str) -> dict[str, Any]:
        """The behaviour of a permalink of this model, at the permalink's step."""
        trace, link = follow_permalink(line, type(_configuration(source, settings).model.author))
        return self._shown(trace, link.step)

    def _failed(self, error: BaseException) -> dict[str, Any]:
        """The error in one line, the line of the model or the settings it is in, and the behaviour that leads to it."""
        ours = isinstance(error, (InputError, ModelError))
        message = str(error) if ours else f"{type(error).__name__}: {error}{place_of(error)}"
        lines, of_settings = _LINE.findall(message), _LINE_OF_SETTINGS.findall(message)
        message = message.removeprefix(f"{SETTINGS}: ") if lines else message
        led: Markup | str = ""
        if isinstance(error, ModelError) and error.trace is not None:
            behaviour = counted(len(error.trace), "state")
            led = noted(f"This behaviour of {behaviour} leads to it.") + self._shown(error.trace)["trace"]
        return {
            "error": message,
            "line": int(lines[-1]) if lines else None,
            "settings_line": int(of_settings[-1]) if of_settings else None,
            "trace": led,
        }


def _whole(result: Result) -> str:
    """The verdict on the whole, for the heading."""
    violated = f"{len(result.violated)} of {len(result.verdicts)} violated"
    if not result.complete:
        return f"incomplete: {violated if result.violated else 'nothing violated'} so far"
    return violated if result.violated else "everything holds"


# The model and its settings ------------------------------------------------------------------------------------------


def _source_of(model: str) -> str:
    """The text of the file of a model that comes with the package; "" for another one."""
    place = in_file(model)
    if place is not None:
        file = (MODULES / "specs" / "any" / place[0]).resolve()
    elif model in models():
        file = Path(inspect.getfile(get_model(model)))
    else:
        return ""
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _configuration(source: str, settings: str) -> Configuration:
    """The settings, applied to the model in the text of its file."""
    try:
        parsed = tomllib.loads(settings)
    except ValueError as error:
        raise InputError(f"{SETTINGS} is not TOML: {error}") from None
    if "model" not in parsed:
        settings = f'model = "{MODEL}:{_last_model(_models(source))}"\n{settings}'
    MODEL.write_text(source, encoding="utf-8")
    SETTINGS.write_text(settings, encoding="utf-8")
    return configurations.configuration(SETTINGS, lambda name: _find(name, source))


def _brought(source: str, settings: str) -> dict[str, Any]:
    return {"source": source, "settings": settings, "constants": _constants(_configuration(source, settings).model)}


def _constants(model: Machine) -> list[dict[str, Any]]:
    """The switches, integers, sizes and choices among the constants, each with its value and the accepted values."""
    adjustable = []
    for name, constant in model.declared.constants.items():
        domain, value, words, numbers = constant.domain, model.constants[name], None, None
        match domain.kind:
            case "choice":
                value, words = domain.word(value), list(map(domain.word, domain))
            case "names":
                value, numbers = len(value), domain.sizes
            case "integer":
                numbers = domain.numbers
            case "partition" | "graph" | "relation":
                continue
        bounds = numbers and {"min": numbers[0], "max": numbers[-1], "step": numbers.step}
        adjustable.append({"name": name, "doc": constant.doc, "value": value, "words": words, "bounds": bounds})
    return adjustable


def _toml(value: Any) -> str:
    """A constant as in a permalink, in TOML. TOML writes lists, strings and numbers as JSON does."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} = {_toml(member)}' for key, member in value.items())}}}"
    return f"[{', '.join(map(_toml, value))}]" if isinstance(value, list) else json.dumps(value)


def _find(name: str, source: str) -> type[Model]:
    """The model that the settings name, from the given text of its file.

    If the text is unchanged, this is the package's own model. A changed model gets the pictures of the package's model.
    """
    is_named = name in models()
    here = get_model(name).__name__ if is_named else (in_file(name) or (None, ""))[1] or name
    if source == _source_of(name):
        return get_model(name) if is_named else _models(source)[here]
    defined = _models(source)
    if here not in defined:
        raise unknown(f"model in {MODEL}", here, defined)
    if is_named:
        _draw_like(defined[here], get_model(name))
    return defined[here]


def _draw_like(model: type[Model], original: type[Model]) -> None:
    """Draw a changed model like the original, if that takes its initial state."""
    painting = painting_of(original())
    if painting is not None:
        with suppress(Exception, SystemExit):
            changed = model()
            list(painting.describe(changed, changed.initial_states()[0]))
            picture_of(model, leaves_out=painting.leaves_out, **painting.options)(painting.describe)


def _models(source: str) -> Mapping[str, type[Model]]:
    """The models that a file defines, in its order."""
    MODEL.write_text(source, encoding="utf-8")
    defined = load_file(MODEL, "model")
    here = defined["__name__"]
    return {
        name: value
        for name, value in defined.items()
        if isinstance(value, type) and issubclass(value, Model) and value.__module__ == here
    }


def _last_model(models: Mapping[str, type[Model]]) -> str:
    if not models:
        raise InputError(f"{MODEL} defines no model: it takes a class that inherits from Model")
    return list(models)[-1]
