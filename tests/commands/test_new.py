"""A model that is begun with ``workbench new`` works as it stands, and nothing is lost for it."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.commands.cli import main
from workbench.registry import get_model
from workbench.showing.pictures.registry import painting_of


def test_a_new_model_comes_with_a_configuration_and_a_test_that_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "shared_counter", "-o", str(tmp_path)]) == 0
    names = ["shared_counter.py", "shared_counter.toml", "shared_counter_picture.py", "test_shared_counter.py"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    *_, checked, configured, tested = map(shlex.split, capsys.readouterr().out.splitlines())
    page = tmp_path / "page.html"
    assert main([*checked[1:-1], str(page)]) == main(configured[1:]) == 0
    assert "has read 1" in page.read_text(), "the picture in a file of its own is found"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tested[1:]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout
    assert main(["new", "shared_counter", "-o", str(tmp_path)]) == 2
    assert "exists already, and is not replaced" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["Shared", "a-b", "class", "../x", ""])
def test_a_new_model_has_a_name_that_python_can_import(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main(["new", name, "-o", str(tmp_path)]) == 2
    assert "is not accepted; it takes small letters" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_new_model_has_no_name_of_one_that_comes_with_the_workbench(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "paimon", "-o", str(tmp_path)]) == 2
    assert "NAME = paimon is not accepted; a model that comes with the workbench has it" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_file_that_defines_one_model_names_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "counter", "-o", str(tmp_path)]) == 0
    file = tmp_path / "counter.py"
    assert main(["check", str(file)]) == 0
    file.write_text(f"from workbench.protocols.hudi.model import Hudi\n{file.read_text()}")  # which it does not define
    assert main(["check", str(file)]) == 0
    file.write_text(f"{file.read_text()}\n\nclass Another(Counter):\n    pass\n")
    capsys.readouterr()
    assert main(["check", str(file)]) == 2
    assert "known: Another, Counter" in capsys.readouterr().err


def test_a_report_is_written_on_a_model_of_ones_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "shared_counter"]) == 0
    own = "shared_counter.py:SharedCounter"
    assert main(["check", own, "-o", "sound.html"]) == 0
    assert main(["check", own, "--set", "UseLock=false", "-o", "broken.html"]) == 1
    assert "2 workers have written, and the counter is 1" in Path("broken.html").read_text()
    assert "holds" in Path("sound.html").read_text()
    for arguments, message in (
        (
            ["shared_counter.toml", "--set", "UseLock=false"],
            "--set, --cfg and --property are not accepted with configurations",
        ),
        ([own, "-o", "shared_counter.py"], "its ending says what is written"),
        (["nope"], "unknown model or configuration 'nope'"),
        (["shared_counter"], "unknown model or configuration 'shared_counter' (did you mean shared_counter.toml?)"),
    ):
        assert main(["check", *arguments]) == 2
        assert message in capsys.readouterr().err
    assert "class SharedCounter" in Path("shared_counter.py").read_text()


def test_a_model_that_is_loaded_again_has_its_picture_again(tmp_path: Path) -> None:
    assert main(["new", "shared_counter", "-o", str(tmp_path)]) == 0
    for _ in range(2):
        model = get_model(f"{tmp_path / 'shared_counter.py'}:SharedCounter")()
        assert painting_of(model) is not None
