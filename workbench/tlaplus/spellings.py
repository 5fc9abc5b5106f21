"""The order in which TLC meets the words of modules, by which it orders strings: see :func:`values.announce`."""

from collections.abc import Iterator

from workbench.tlaplus.modules import Library
from workbench.tlaplus.syntax import Field, Node, Place, String
from workbench.tlaplus.traversal import children
from workbench.tlaplus.units import Instance, Module


def words_in(root: Module, library: Library) -> Iterator[str]:
    """The words of all modules, without their strings.

    A module's words come before those of the modules that it extends, level by level; then come instances. Of a
    standard module, whose text is not here, the names of its operators stand for its words.
    """
    order, seen = [root.name], {root.name}
    read: list[Module] = []
    at = 0
    while at < len(order) or read:
        if at == len(order):  # every extended module has been read
            asked = [one.module for module in read for one in _nodes_of(module) if isinstance(one, Instance)]
            read = []
        else:
            name = order[at]
            at += 1
            module = root if name == root.name else library.module(name)
            if module is None:
                yield from library.standard(name) or ()
                continue
            read.append(module)
            yield from _words_of(module)
            asked = [one.name for one in module.extends]
        order += [one for one in dict.fromkeys(asked) if one not in seen]
        seen.update(asked)


def _words_of(module: Module) -> list[str]:
    found: list[tuple[Place, bool, str]] = []
    for node in _nodes_of(module):
        word = getattr(node, "name", "")
        if isinstance(word, str) and word:
            found.append((node.at, isinstance(node, Field), word))  # the name of a field is behind its record
    return [word for _, _, word in sorted(found)]


def strings_in(module: Module) -> list[str]:
    """The strings of a module, in the order of the text."""
    return [word for _, word in sorted((node.at, node.value) for node in _nodes_of(module) if isinstance(node, String))]


def _nodes_of(module: Module) -> Iterator[Node]:
    stack: list[Node] = [module]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(list(children(node))))
