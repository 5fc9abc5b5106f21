"""Names that say nothing of what they hold: how often each is bound, which may only fall."""

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator

from tests.places import PACKAGE, ROOT

ALLOWED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["workbench"]["vague-names"]

_DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def bound(source: str) -> Iterator[str]:
    """The names that a module's source binds, without underscores: of variables, attributes, functions and classes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id.strip("_")
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr.strip("_")
        elif isinstance(node, ast.arg):
            yield node.arg.strip("_")
        elif isinstance(node, ast.MatchAs | ast.MatchStar | ast.ExceptHandler | _DEFINITION) and node.name:
            yield node.name.strip("_")


def test_vague_names_are_bound_ever_less_often() -> None:
    """A loop over cells binds a `cell`; a result is called what it is."""
    counts = Counter(name for path in PACKAGE.rglob("*.py") for name in bound(path.read_text(encoding="utf-8")))
    assert {name: counts[name] for name in ALLOWED} == ALLOWED, "name what it is; where there are fewer, say so there"


def test_each_binding_counts() -> None:
    source = "def f(one, *, said): [one for one in said]\nmatch x:\n  case [*one, 1 as said]: found: int = 1"
    assert Counter(bound(source)) == {"f": 1, "one": 3, "said": 2, "found": 1}
    assert Counter(bound("class C:\n  def _told(self): self._known = self.why")) == {
        "C": 1, "told": 1, "self": 1, "known": 1,
    }  # fmt: skip
