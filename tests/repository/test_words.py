"""Labels, lanes and sentences are made last, of data, and never read back."""

import ast
from collections.abc import Iterator

from tests.places import PACKAGE

#: The attributes that are words, and the methods that take a text apart.
WORDS = {"label", "lane", "sentence", "why", "whys"}
APART = {"partition", "rpartition", "split", "rsplit", "startswith", "endswith", "removeprefix", "removesuffix"}
#: Who may: an author's sentence that names who waits is not begun with that name.
ALLOWED = {("lasso.py", r"self.lane in re.findall('\\w+', self.why)")}


def are_words(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr in WORDS for part in ast.walk(node))


def readings(tree: ast.AST) -> Iterator[ast.expr]:
    """Expressions that look for something in words."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            inside = node.comparators[0]
            if isinstance(inside, ast.Attribute | ast.Call) and are_words(inside):
                yield node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of, does = node.func.value, node.func.attr
            if (does in APART and are_words(of)) or (ast.unparse(of) == "re" and any(map(are_words, node.args))):
                yield node


def found_in(source: str) -> list[str]:
    every = list(readings(ast.parse(source)))
    inner = {id(part) for one in every for part in ast.walk(one) if part is not one}
    return [ast.unparse(one) for one in every if id(one) not in inner]


def test_no_words_of_ours_are_read_back() -> None:
    rooms = [PACKAGE / "kernel" / "meaning", PACKAGE / "showing", PACKAGE / "commands"]
    found = {(path.name, text) for room in rooms for path in room.rglob("*.py") for text in found_in(path.read_text())}
    assert found == ALLOWED


def test_that_would_be_found() -> None:
    assert found_in("x = step.label.partition('(')[0]") == ["step.label.partition('(')"]
    assert found_in("y = re.sub('a', 'b', step.label)") == ["re.sub('a', 'b', step.label)"]
    assert found_in("z = lane in verdict.why") == ["lane in verdict.why"]
    assert found_in("fine = step.lane in lanes and step.label == other.label") == []
