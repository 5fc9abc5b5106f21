"""Small mistakes in the package: a room's tests notice them, or they are reported."""

import ast
import subprocess
import sys

import package_mutants
import pytest
from mutations import Equivalents, Mutant, Mutation

from tests.places import ROOT

JUDGED_BY_ONE_FILE = ["workbench/kernel/meaning/values.py", "--sample", "3", "--tests", "tests/kernel/test_values.py"]


@pytest.mark.slow
def test_a_mistake_that_no_test_notices_is_named() -> None:
    command = [sys.executable, "scripts/package_mutants.py", *JUDGED_BY_ONE_FILE]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 1, ended.stderr
    *survivors, room, total = ended.stdout.splitlines()
    assert all(line.startswith("survives: workbench/kernel/meaning/values.py:") for line in survivors)
    assert room == f"workbench/kernel: {3 - len(survivors)} noticed, {len(survivors)} survived"
    assert total == f"{len(survivors)} to look at"
    assert 0 < len(survivors) < 3


def test_the_mutant_of_a_package_is_a_package() -> None:
    """Else its modules could not be imported, and any mistake in it would count as noticed."""
    mutant, *_ = package_mutants.mutants_of([ROOT / "workbench" / "protocols" / "delta" / "audit" / "__init__.py"])
    spec = package_mutants.Instead(mutant).find_spec(mutant.module, None)
    assert spec is not None
    assert spec.submodule_search_locations == [str(mutant.path.parent)]


def test_a_mutant_that_does_not_compile_is_named() -> None:
    """Any test would notice it, which would say nothing of the tests."""
    nowhere = Mutation("f", "pass", "return", nth=1, line=1, path=("body", 0), new=ast.Return())
    file = ROOT / "workbench" / "kernel" / "meaning" / "arguments.py"
    mutant = Mutant(file, "workbench.kernel.meaning.arguments", "arguments.py", nowhere)
    with pytest.raises(SystemExit, match=r"^arguments.py:1 f: pass -> return: does not compile: 'return' outside "):
        next(package_mutants.judge([mutant], 1))


def test_files_outside_the_rooms_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert package_mutants.main([str(ROOT / "workbench" / "language.py")]) == 2
    assert "is not mutated; it takes a module in workbench/kernel," in capsys.readouterr().err


def test_tests_that_are_not_there_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert package_mutants.main(["--tests", "tests/kernel", "tests/nowhere.py::test"]) == 2
    assert capsys.readouterr().err.startswith("'tests/nowhere.py::test' is no test; --tests takes files, folders and")


@pytest.mark.slow
def test_every_entry_of_the_list_is_a_mutant() -> None:
    listed = Equivalents.read(package_mutants.EQUIVALENT)
    files = {ROOT / entry[0] for entry in listed.functions | listed.mutants}
    assert all(map(package_mutants.room_of, files))
    assert listed.unknown(package_mutants.mutants_of(sorted(files))) == []


@pytest.mark.parametrize("room", package_mutants.ROOMS)
def test_every_room_has_mutants_and_tests(room: str) -> None:
    own = (file for file in sorted((ROOT / room).rglob("*.py")) if package_mutants.room_of(file) == room)
    assert any(package_mutants.mutants_of([file]) for file in own)
    assert all((ROOT / place).exists() for place in package_mutants.ROOMS[room])
