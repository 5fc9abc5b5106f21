"""A model that is begun with ``workbench new`` works as it stands, and nothing is lost for it."""

import subprocess
import sys
from pathlib import Path

import pytest

from workbench.commands.cli import main
from workbench.registry import get_model
from workbench.showing.pictures.registry import painting_of


@pytest.mark.slow
def test_a_new_model_comes_with_a_test_that_passes(tmp_path: Path) -> None:
    assert main(["new", "shared_counter", "-o", str(tmp_path)]) == 0
    names = ["shared_counter.py", "shared_counter.toml", "shared_counter_picture.py", "test_shared_counter.py"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", names[-1]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


def test_a_model_that_is_loaded_again_has_its_picture_again(tmp_path: Path) -> None:
    assert main(["new", "shared_counter", "-o", str(tmp_path)]) == 0
    for _ in range(2):
        model = get_model(f"{tmp_path / 'shared_counter.py'}:SharedCounter")()
        assert painting_of(model) is not None
