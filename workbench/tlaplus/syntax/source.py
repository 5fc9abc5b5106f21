"""A module's text as tree-sitter parses it, with places in it, and what its grammar accepts though TLA+ does not."""

import re
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import NoReturn

import tree_sitter
import tree_sitter_tlaplus

from workbench.kernel.meaning.errors import InputError, brief
from workbench.tlaplus.syntax.columns import Layout
from workbench.tlaplus.syntax.mistakes import INSTEAD, advice
from workbench.tlaplus.syntax.precedence import canonical, may_hold_left, may_hold_right, may_precede_minus
from workbench.tlaplus.syntax.tree import Place

with warnings.catch_warnings():
    warnings.simplefilter(
        "ignore", DeprecationWarning
    )  # the grammar's package still hands over its language as a number
    _LANGUAGE = tree_sitter.Language(tree_sitter_tlaplus.language())

_WORD = re.compile(r"\w+|\S{1,3}")
_UNARY_MINUS = "-."

SyntaxNode = tree_sitter.Node


#: From a line and a column of a text to those of what it is translated from.
Origin = Callable[[int, int], tuple[int, int]]


class Source:
    """The text of a file, parsed.

    Attributes:
        name: The file's name, without its ending.

    Raises:
        InputError: With line and column, for a syntax error.
    """

    def __init__(self, text: str, name: str, origin: Origin | None = None) -> None:
        self.name, self._origin = name, origin
        self._layout = Layout(text)
        self._bytes = self._layout.text.encode()
        self._starts = [0, *(match.end() for match in re.finditer(b"\n", self._bytes))]
        self._continuing = [match.start() for match in re.finditer(b"[\x80-\xbf]", self._bytes)]  # no first byte of one
        self.root = tree_sitter.Parser(_LANGUAGE).parse(self._bytes).root_node
        if self.root.has_error:
            self.fail(_first_error(self.root), "")

    def place(self, node: SyntaxNode) -> Place:
        """The start of a node in characters of the text; tree-sitter counts bytes of the layout."""
        at = node.start_byte
        line = bisect_right(self._starts, at)
        start = self._starts[line - 1]
        continued = bisect_left(self._continuing, at) - bisect_left(self._continuing, start)
        column = self._layout.original_column(line, at - start - continued + 1)
        return Place(self.name, line, column, self._origin and self._origin(line, column))

    def text_of(self, node: SyntaxNode) -> str:
        return self._bytes[node.start_byte : node.end_byte].decode()

    def fail(self, node: SyntaxNode, message: str) -> NoReturn:
        """Refuse the text at a node; without a message, as a syntax error.

        Raises:
            InputError: Always.
        """
        if not message:
            rest = self._bytes[node.start_byte : node.start_byte + 200].decode(errors="ignore")
            match = _WORD.search(rest)
            text = brief(match.group()) if match else "the end of the file"
            missing = "an expression" if node.is_named else node.type
            expected = f"; expected {missing}" if node.is_missing else ""
            at = len(self._bytes[: node.start_byte].decode(errors="ignore"))
            message = f"syntax error: found {text}{expected}{advice(self._layout.text, at)}"
        raise InputError(f"{self.place(node)}: {message}")

    def symbol(self, node: SyntaxNode) -> str:
        """The canonical spelling of an operator's symbol; a minus in front of its operand is ``-.``."""
        text = self.text_of(node)
        is_prefix = node.type in ("negative", "prefix_op_symbol")
        return _UNARY_MINUS if is_prefix and text == "-" else canonical(text)

    # Neighbouring operators ------------------------------------------------------------------------------------------

    def check_neighbours(self, node: SyntaxNode) -> None:
        """Refuse an operator next to one with conflicting precedence.

        Raises:
            InputError: Names both operators.
        """
        symbol = field(node, "symbol")
        outer = self.symbol(symbol)
        if left := child(node, "lhs"):
            for inner in self._right_edge(left):
                if not may_hold_left(outer, self.symbol(inner)):
                    self._conflict(inner, symbol)
        if right := child(node, "rhs"):
            for inner in self._left_edge(right):
                name = self.symbol(inner)
                fits = may_precede_minus(outer) if name == _UNARY_MINUS else may_hold_right(outer, name)
                if not fits:
                    self._conflict(symbol, inner)

    def _conflict(self, one: SyntaxNode, other: SyntaxNode) -> NoReturn:
        between = self._bytes[one.end_byte : other.start_byte].decode().split()
        if meant := next((word for word in between if word in INSTEAD), None):
            self.fail(other, f"the operator {meant} stands before it; {INSTEAD[meant]}")
        names = f"{self.text_of(one)} and {self.text_of(other)}"
        self.fail(other, f"precedence conflict between {names}; parentheses say which binds tighter")

    def _right_edge(self, node: SyntaxNode) -> Iterator[SyntaxNode]:
        """The symbols of the operators whose last operand ends where `node` ends."""
        while node.type in ("bound_infix_op", "bound_prefix_op"):
            yield field(node, "symbol")
            node = field(node, "rhs")

    def _left_edge(self, node: SyntaxNode) -> Iterator[SyntaxNode]:
        """The symbols of the operators whose first operand begins where `node` begins, and of a minus there."""
        while True:
            if node.type in ("bound_infix_op", "bound_postfix_op"):
                yield field(node, "symbol")
                node = field(node, "lhs")
            elif node.type in ("function_evaluation", "record_value"):
                node = named(node)[0]
            else:
                break
        if node.type == "bound_prefix_op" and self.symbol(field(node, "symbol")) == _UNARY_MINUS:
            yield field(node, "symbol")


def _first_error(node: SyntaxNode) -> SyntaxNode:
    """The innermost part of a text with errors that holds the first of them."""
    while True:
        wrong = next((part for part in node.children if part.has_error or part.is_missing), None)
        if wrong is None:  # the whole file is in error if the parser never found its way back
            return node.children[-1] if node.is_error and node.children else node
        if wrong.is_error or wrong.is_missing:
            return wrong
        node = wrong


def named(node: SyntaxNode) -> list[SyntaxNode]:
    """The named children; comments are blank, and thus none of them."""
    return node.named_children


def each(node: SyntaxNode, name: str) -> list[SyntaxNode]:
    """The named children in a field of the grammar, without punctuation."""
    return [part for part in node.children_by_field_name(name) if part.is_named]


def child(node: SyntaxNode, name: str) -> SyntaxNode | None:
    """The child in a field of the grammar; None if there is none."""
    return next(iter(each(node, name)), None)


def field(node: SyntaxNode, name: str) -> SyntaxNode:
    """The child in a field that the grammar always fills."""
    return each(node, name)[0]
