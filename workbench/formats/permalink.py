"""Permalinks: a trace as one line to copy, and back.

``workbench:bakery_v2?SafeAcks=false#0/12.0,3.1,7.0&of=1a2b3c4d`` names the model, the constants other than the defaults
(as JSON), the initial state, and the moves: the numbers of action instance and outcome. A lasso ends in ``@4``, the
index of the state it returns to. ``of`` is a checksum of the steps' labels: the same numbers may be other steps in
another version of the model. ``&step=3`` is the index of the state to show, the last one without it. Watches may
follow: ``&watch=len%28s.iceberg%29``. Watches are only text here; they run once a person who has seen them passes them
to :func:`workbench.showing.view.trace_view`.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from urllib.parse import quote, unquote, urlencode

from workbench.kernel import InputError, ModelError, Trace, replay
from workbench.kernel.meaning.arguments import names_in
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.machine import ModelClass
from workbench.storage.strict_json import read_json

_LINE = re.compile(r"workbench:(?P<model>[^?#]+)(\?(?P<constants>[^#]*))?(#(?P<path>.*))?")
_N = r"[0-9]{1,9}"
_PATH = re.compile(
    rf"(?P<start>{_N})/(?P<moves>({_N}\.{_N}(,{_N}\.{_N})*)?)(@(?P<loop>{_N}))?"
    rf"(&of=(?P<of>[0-9a-f]{{8}}))?(&step=(?P<step>{_N}))?(?P<watches>(&watch=[^&]*)*)"
)


@dataclass(frozen=True)
class Permalink:
    """The parts of a permalink.

    Attributes:
        constants: The constants other than the model's defaults.
        of: The checksum of the behaviour; "" for none.
        step: The index of the state to show; None for the last one.
        watches: Expressions to watch in the trace, as text.
    """

    model: str
    constants: dict[str, Any]
    start: int = 0
    moves: tuple[tuple[int, int], ...] = ()
    loop: int | None = None
    of: str = ""
    step: int | None = None
    watches: tuple[str, ...] = ()

    def __str__(self) -> str:
        pairs = [(name, json.dumps(value, separators=(",", ":"))) for name, value in self.constants.items()]
        query = "?" + urlencode(pairs, quote_via=quote, safe='[],"') if pairs else ""
        moves = ",".join(f"{instance}.{outcome}" for instance, outcome in self.moves)
        loop = "" if self.loop is None else f"@{self.loop}"
        of = f"&of={self.of}" if self.of else ""
        step = "" if self.step is None else f"&step={self.step}"
        watches = "".join(f"&watch={quote(text, safe='')}" for text in self.watches)
        return f"workbench:{self.model}{query}#{self.start}/{moves}{loop}{of}{step}{watches}"


def permalink(trace: Trace, watches: Iterable[str] = ()) -> str:
    """The permalink of a trace, with watches.

    Examples:
        >>> from workbench.kernel import replay
        >>> from workbench.protocols.bakery.model import Bakery
        >>> permalink(replay(Bakery(LazyReap=False), 0, [(0, 0), (3, 0)]))
        'workbench:bakery_published?LazyReap=false#0/0.0,3.0&of=77246b67'
    """
    moves = tuple((move.instance, move.outcome) for move in trace.moves)
    model, of, watched = trace.model, _checksum(trace), names_in("watches", watches)
    return str(Permalink(model.name, model.differing(), trace.start, moves, trace.loop, of, watches=watched))


def _checksum(trace: Trace) -> str:
    return blake2b(json.dumps([step.label for step in trace.steps]).encode(), digest_size=4).hexdigest()


def parse_permalink(line: str) -> Permalink:
    """Parse a permalink, without running anything.

    Raises:
        InputError: If the line is not a permalink.
    """
    parts = _LINE.fullmatch(line.strip())
    path = _PATH.fullmatch(parts["path"] or "0/") if parts else None
    if parts is None or path is None:
        raise InputError(
            f"permalink {brief(line)} is not accepted; "
            "it takes workbench:MODEL?NAME=VALUE&...#START/INSTANCE.OUTCOME,...&step=NUMBER&watch=EXPRESSION"
        )
    constants: dict[str, Any] = {}
    for pair in parts["constants"].split("&") if parts["constants"] else ():
        name, _, value = (_unquoted(text) for text in pair.partition("="))
        if name in constants:
            raise InputError(f"permalink: {brief(name)} is given twice")
        try:
            constants[name] = read_json(value, "the value")
        except InputError:
            subject = f"{name} = {brief(value)}" if name.isidentifier() else brief(pair)
            raise InputError(f"permalink: {subject[:120]} is not accepted; it takes a JSON value") from None
    moves = tuple((int(a), int(b)) for a, b in re.findall(r"([0-9]+)\.([0-9]+)", path["moves"]))
    loop = None if path["loop"] is None else int(path["loop"])
    watches = tuple(_unquoted(text) for text in path["watches"].split("&watch=")[1:])
    for text in watches:
        if not text.strip() or not text.isprintable():
            raise InputError(f"permalink: watch = {brief(text)} is not accepted; it takes an expression in one line")
    step = None if path["step"] is None else int(path["step"])
    return Permalink(parts["model"], constants, int(path["start"]), moves, loop, path["of"] or "", step, watches)


def _unquoted(text: str) -> str:
    try:
        text.encode()
        return unquote(text, errors="strict")
    except UnicodeError:
        raise InputError(f"permalink: {brief(text)} is not UTF-8 text") from None


def open_permalink(line: str, find_model: Callable[[str], ModelClass]) -> Trace:
    """The trace of a permalink; the state to show and the watches are for :func:`parse_permalink`.

    Args:
        find_model: Returns the class of a model by name, such as :func:`workbench.registry.get_model`.

    Raises:
        InputError: If the line is not a permalink, does not fit the model, or is of another version of the model.
    """
    link = parse_permalink(line)
    return _replayed(link, find_model(link.model), line)


def follow_permalink(line: str, model: ModelClass) -> tuple[Trace, Permalink]:
    """The trace of a permalink of this model, and its parts: the state to show, and the expressions to watch.

    The expressions are texts here. They are Python, and who runs them should have read them.

    Raises:
        InputError: As :func:`open_permalink` does, and if the line names another model.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> line = "workbench:bakery_published#0/0.0,3.0&step=1&watch=len%28s.claims%29"
        >>> trace, link = follow_permalink(line, Bakery)
        >>> len(trace), link.step, link.watches
        (3, 1, ('len(s.claims)',))
    """
    link = parse_permalink(line)
    if link.model != model.declared.name:
        raise InputError(f"permalink {brief(line)} is for model {link.model}; give one for {model.declared.name}")
    return _replayed(link, model, line), link


def _replayed(link: Permalink, model: ModelClass, line: str) -> Trace:
    try:
        trace = replay(model(**link.constants), link.start, link.moves, link.loop)
    except ModelError as error:
        raise InputError(f"permalink {brief(line)} does not fit model {link.model}: {error}") from None
    if link.of not in ("", _checksum(trace)):
        raise InputError(f"permalink {brief(line)} is of another version of model {link.model}, with other steps")
    if (link.step or 0) >= len(trace):
        raise InputError(f"permalink: step = {link.step} is not accepted; the trace has states 0 to {len(trace) - 1}")
    return trace
