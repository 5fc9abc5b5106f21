"""The one place where compiled expressions become Python functions.

A program's code is a tree of Python's ``ast`` that this package builds; nobody parses Python's source text here. Its
names are fresh ones, and strings of a module are constants in the tree, so no text decides what the code can reach.
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
        self.names: dict[str, Any] = {"__builtins__": {}, **names}

    def fresh(self, kind: str) -> str:
        """An unused name; `kind` is a word of this package, never of a module's text."""
        name = f"{kind}_{len(self.names)}"
        self.names[name] = None
        return name

    def constant(self, value: Any) -> str:
        """The name under which the code finds a value."""
        name = self.fresh("value")
        self.names[name] = value
        return name

    def define(self, definition: ast.FunctionDef, file: str) -> Callable[..., Any]:
        """Compile a function and keep it under its name.

        Args:
            definition: Its tree; nodes without a place get that of the node around them.
            file: The file that tracebacks name.
        """
        tree = ast.fix_missing_locations(ast.Module([definition], []))
        exec(compile(tree, file, "exec", dont_inherit=True), self.names)
        function: Callable[..., Any] = self.names[definition.name]
        return function
