"""The one place where compiled bodies become Python functions.

The code is a tree of Python's ``ast`` that this package builds; nobody parses Python's source text here. A text's names
get a prefix, and its values are constants, so no text decides what the code can reach.
"""

import ast
from collections.abc import Callable, Mapping
from typing import Any


class Program:
    """Functions that call each other by fresh names; Python's built-in functions are out of their reach.

    Args:
        names: The names that the code may use.
    """

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names: dict[str, Any] = {"__builtins__": {}, **names}

    def keep(self, value: Any) -> str:
        """The name under which the code finds a value."""
        name = f"k_{len(self._names)}"
        self._names[name] = value
        return name

    def define(self, parameters: ast.arguments, body: list[ast.stmt]) -> tuple[str, Callable[..., Any]]:
        """A function with its name.

        Raises:
            SyntaxError, ValueError, RecursionError: Where Python is stricter than FizzBee, as with 21 loops in each
                other.
        """
        name = self.keep(None)
        tree = ast.fix_missing_locations(ast.Module([ast.FunctionDef(name, parameters, body, [])], []))
        exec(compile(tree, "<compiled>", "exec", dont_inherit=True), self._names)
        function: Callable[..., Any] = self._names[name]
        return name, function
