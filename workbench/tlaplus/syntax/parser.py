"""Parse the text of a TLA+ module into a syntax tree (``tree.py``)."""

from collections.abc import Iterator

from workbench.kernel.meaning.errors import InputError
from workbench.tlaplus.syntax import tree, units
from workbench.tlaplus.syntax.expression_parser import PhraseReader, is_definition
from workbench.tlaplus.syntax.source import Origin, Source, SyntaxNode, child, field, named

#: The line of an expression in the module that is parsed for it.
_LINE_OF_EXPRESSION = 3


def parse_module(text: bytes | str, name: str, origin: Origin | None = None) -> units.Module:
    """Parse the module `name`, or else the first one; text around modules is ignored, as by TLC.

    Args:
        origin: From places in the text to those that people are told.

    Raises:
        InputError: With line and column, for a syntax error.

    Examples:
        >>> module = parse_module("---- MODULE Clock ---- VARIABLE hour  Init == hour = 1 ====", "Clock")
        >>> module.name, [unit.name for unit in module.each(tree.OperatorDefinition)]
        ('Clock', ['Init'])
    """
    source = Source(text if isinstance(text, str) else text.decode(errors="replace"), name, origin)
    nodes = [node for node in source.root.children if node.type == "module"]
    if not nodes:
        raise InputError(f"{name}.tla: there is no module in it; it takes ---- MODULE {name} ----")
    named_so = (node for node in nodes if source.text_of(field(node, "name")) == name)
    try:
        return _ModuleReader(source).module(next(named_so, nodes[0]))
    except RecursionError:
        raise InputError(f"{name}.tla: its expressions are nested too deep") from None


def parse_expression(text: str) -> tree.Expression:
    """Parse a single expression on one line. Its places name the module :data:`tree.EXPRESSION`.

    Raises:
        InputError: With the column, for a syntax error, or for text before or after the expression.

    Examples:
        >>> parse_expression("hour + 1").at.column
        1
    """
    if "\n" in text or "\r" in text:
        raise InputError(f"{tree.EXPRESSION}, column {text.find(chr(10)) + 1}: it takes one line, with parentheses")
    end = len(text.rstrip()) + 1

    def origin(line: int, column: int) -> tuple[int, int]:
        return 1, column if line == _LINE_OF_EXPRESSION else end

    try:
        module = parse_module(f"---- MODULE M ----\nE ==\n{text}\n====", tree.EXPRESSION, origin)
    except InputError as error:  # an incomplete expression fails only in the lines added around it
        place = f"{tree.EXPRESSION}, column {end}: "
        raise InputError(str(error).replace(f"{place}syntax error: found '='", f"{place}it is not complete")) from None
    definition, *others = module.units
    if others or not isinstance(definition, tree.OperatorDefinition) or not module.text.endswith("\n===="):
        raise InputError(f"{tree.EXPRESSION}, column 1: it takes one expression, and nothing beside it")
    return definition.body


class _ModuleReader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.phrases = PhraseReader(source)

    def module(self, node: SyntaxNode) -> units.Module:
        extends: list[tree.Declaration] = []
        body: list[tree.Node] = []
        for unit in named(node):
            if unit.type == "extends":
                extends.extend(self.phrases.declarations(named(unit)))
            else:
                body.extend(self.units(unit))
        name = self.source.text_of(field(node, "name"))
        return units.Module(self.source.place(node), name, tuple(extends), tuple(body), self.source.text_of(node))

    def units(self, node: SyntaxNode, local: bool = False) -> Iterator[tree.Node]:
        """The unit in a node of the grammar; none for separators and proofs."""
        at = self.source.place(node)
        if node.type == "local_definition":
            for definition in named(node):
                yield from self.units(definition, local=True)
        elif is_definition(node):
            yield self.phrases.definition(node, local)
        elif node.type == "constant_declaration":
            yield units.Constants(at, self.phrases.declarations(named(node)))
        elif node.type == "variable_declaration":
            yield units.Variables(at, self.phrases.declarations(named(node)))
        elif node.type == "recursive_declaration":
            yield self.phrases.recursive(node)
        elif node.type == "instance":
            yield self.phrases.instance(node, local)
        elif node.type == "assumption":
            yield units.Assumption(at, self._name_of(node), self.phrases.expression(named(node)[-1]))
        elif node.type == "theorem":
            yield units.Theorem(at, self._name_of(node), self.phrases.expression(field(node, "statement")))
        elif node.type == "module":
            yield self.module(node)

    def _name_of(self, node: SyntaxNode) -> str:
        name = child(node, "name")
        return "" if name is None else self.source.text_of(name)
