"""What evaluations need belongs to the machine, and not to the process: two machines may be asked at once."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.places import ROOT

ROOM = ROOT / "workbench" / "tlaplus"
#: What may change though it stands in a module, and why that disturbs nobody.
PROCESS = {
    "compiler/big_stack.py: _limits": "Python's limit on frames is the process's, too",
    "machine/specification.py: _made": "classes by their texts: whoever opens the same texts gets the same class",
}
CHANGING = {"add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"}


def changed(path: Path) -> Iterator[str]:
    """The names of a module that its functions change: rebound, or by a method or an index."""
    tree = ast.parse(path.read_text())
    bound = [target for one in tree.body if isinstance(one, ast.Assign) for target in one.targets]
    bound += [one.target for one in tree.body if isinstance(one, ast.AnnAssign)]
    names = {node.id for target in bound for node in ast.walk(target) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):
        met: ast.AST | None = None
        if isinstance(node, ast.Global):
            yield from node.names
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
            met = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            met = node.func.value
        if isinstance(met, ast.Name) and met.id in names:
            yield met.id


def test_no_module_has_a_variable_that_changes():
    found = {f"{path.relative_to(ROOM).as_posix()}: {name}" for path in ROOM.rglob("*.py") for name in changed(path)}
    assert found == set(PROCESS)


def test_a_variable_that_changes_is_noticed(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        "kept = {}\nlisted: list = []\ncount = 0\nfixed = {}\n"
        "def f():\n    global count\n    count += 1\n    kept[1] = 2\n    listed.append(1)\n    fixed.get(1)\n"
    )
    assert sorted(changed(path)) == ["count", "kept", "listed"]
