"""The order in which TLC meets the words of modules, by which it orders strings: see :class:`values.Order`.

SANY, TLC's parser, keeps every word that it reads, keywords and numbers too, when it first meets it. The strings of a
module follow when all modules are read.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from workbench.tlaplus.names.loader import Library
from workbench.tlaplus.names.shipped import shipped
from workbench.tlaplus.names.standard_words import BUILT_IN, STANDARD
from workbench.tlaplus.syntax.tree import Node, String
from workbench.tlaplus.syntax.units import Instance, Module
from workbench.tlaplus.syntax.visitor import children

#: By default TLC lets the main module extend this one, to write traces.
_ADDED = "_TLCTrace"
_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\\\w+|\[\]|\]_|>>_|([WS]F_|\w+|[(){}\[\],:!])')


class _Vocabulary(NamedTuple):
    """The words and strings of a module, and the modules that lead from it to others.

    Attributes:
        inner: Those of its inner modules, for what they extend and instantiate.
    """

    extended: Sequence[str]
    instantiated: Sequence[str]
    words: Sequence[str]
    strings: Sequence[str]
    inner: Sequence["_Vocabulary"] = ()


def words_in(root: Module, library: Library) -> Iterator[str]:
    """All modules' words, in SANY's reading order, followed by their strings, in the order of its analysis."""
    yield from BUILT_IN.split()
    read = {root.name: _vocabulary_of(root, (_ADDED,))}
    yield from read[root.name].words
    while name := _unread(read[root.name], read, set()) or _unread(read[root.name], read, set(), by_instance=True):
        module = library.module(name)
        read[name] = _standard(name, library) if module is None else _vocabulary_of(module)
        yield from read[name].words
    yield from _strings_in(read[root.name], read, set())


def _strings_in(vocabulary: _Vocabulary, read: dict[str, _Vocabulary], seen: set[int]) -> Iterator[str]:
    if id(vocabulary) not in seen:
        seen.add(id(vocabulary))
        before = (read[name] for name in (*vocabulary.extended, *vocabulary.instantiated) if name in read)
        for other in (*before, *vocabulary.inner):
            yield from _strings_in(other, read, seen)
        yield from vocabulary.strings


def _unread(
    vocabulary: _Vocabulary, read: dict[str, _Vocabulary], seen: set[int], by_instance: bool = False
) -> str | None:
    """The next module that SANY reads: all that are extended go before any instance, each from the root on."""
    if id(vocabulary) in seen:
        return None
    seen.add(id(vocabulary))
    asked = vocabulary.instantiated if by_instance else vocabulary.extended
    if direct := next((name for name in asked if name not in read), None):
        return direct
    around = [read[name] for name in (*vocabulary.extended, *vocabulary.instantiated) if name in read]
    further = (_unread(other, read, seen, by_instance) for other in (*around, *vocabulary.inner))
    return next((name for name in further if name), None)


def _standard(name: str, library: Library) -> _Vocabulary:
    """The vocabulary of a standard module; where its text is unknown, the names of its operators stand for it."""
    if (text := _shipped(name)) is not None:
        return text
    if name not in STANDARD:
        return _Vocabulary((), (), list(library.standard(name)), ())
    extended, instantiated, words, strings = map(str.split, STANDARD[name])
    return _Vocabulary(extended, instantiated, words, strings)


@cache
def _shipped(name: str) -> _Vocabulary | None:
    module = shipped(name)
    return None if module is None else _vocabulary_of(module)


def _vocabulary_of(module: Module, added: Sequence[str] = ()) -> _Vocabulary:
    own = {unit.name for unit in module.each(Module)}
    nodes = _nodes_of(module, with_inner=False)
    return _Vocabulary(
        [*(base.name for base in module.extends), *added],
        [node.module for node in nodes if isinstance(node, Instance) and node.module not in own],
        [token[1] for token in _TOKEN.finditer(module.text) if token[1]],
        [node.value for node in _nodes_of(module) if isinstance(node, String)],
        [_vocabulary_of(unit)._replace(strings=()) for unit in module.each(Module)],
    )


def _nodes_of(module: Module, with_inner: bool = True) -> Iterator[Node]:
    """Its nodes as SANY analyses them: in the order of the text, but bounds before what ranges over them."""
    stack: list[Node] = [module]
    while stack:
        node = stack.pop()
        yield node
        below = reversed(list(children(node)))
        stack.extend(part for part in below if with_inner or not isinstance(part, Module))
