"""Messages whose arrays are in files: what arrives is what was sent, or a line says why not."""

from pathlib import Path

import numpy as np
import pytest

from workbench.checking.check import check
from workbench.checking.contract import Spark
from workbench.checking.spark.cluster.exchange import Exchange
from workbench.checking.spark.files.manifest import RUN
from workbench.checking.spark.files.rundir import NotWritten
from workbench.checking.spark.search import narrow_levels
from workbench.kernel import InputError
from workbench.protocols.bakery.model import Bakery
from workbench.storage.folder import new_folder

MESSAGE = {"odd": np.arange(3001, dtype=np.uint8), "wide": np.arange(2000, dtype=np.uint64), "word": "extra"}


@pytest.fixture
def folder(tmp_path):
    with new_folder(tmp_path / "run", RUN) as folder:
        folder.commit({}, {})
        yield folder


def sent_files(folder):
    return sorted((folder.path / "exchange").iterdir())


def test_a_message_arrives(folder):
    with Exchange(folder).posting() as post:
        letters = [post(MESSAGE), post({**MESSAGE, "word": "other"})]
    for letter, word in zip(letters, ("extra", "other"), strict=True):
        message = letter.open()
        assert message["word"] == word
        for name in ("odd", "wide"):
            assert message[name].tolist() == MESSAGE[name].tolist()
            assert message[name].flags.writeable  # else kernels would be compiled once more
            assert message[name].flags.aligned
    assert len(sent_files(folder)) == 1
    assert all(len(letter.head) < 1000 for letter in letters)


def test_small_messages_and_those_without_a_folder_travel_whole(folder):
    small = {"few": np.arange(9)}
    for exchange, message in ((Exchange(folder), small), (Exchange(), MESSAGE)):
        with exchange.posting() as post:
            letter = post(message)
        assert [*letter.open()] == [*message]
        assert letter.sizes == ()
    assert not (folder.path / "exchange").exists()


def damage(path: Path) -> None:
    body = bytearray(path.read_bytes())
    body[100] ^= 1
    path.write_bytes(body)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (damage, "is not what was written"),
        (lambda path: path.write_bytes(b"short"), "is not what was written"),
        (Path.unlink, "cannot be read: No such file or directory"),
    ],
)
def test_what_was_changed_is_refused(folder, how, said):
    with Exchange(folder).posting() as post:
        letter = post(MESSAGE)
    [path] = sent_files(folder)
    how(path)
    with pytest.raises(InputError, match=f"'{path}' {said}"):
        letter.open()


def test_a_folder_that_cannot_be_written_is_named(folder):
    (folder.path / "exchange").write_text("in the way")
    with Exchange(folder).posting() as post, pytest.raises(NotWritten, match=r"/exchange' cannot be written: File ex"):
        post(MESSAGE)


def test_files_go_with_their_search_or_with_the_next(folder):
    ours, others = Exchange(folder), Exchange(folder)
    for exchange in (ours, others):
        with exchange.posting() as post:
            post(MESSAGE)
    ours.forget()
    assert len(sent_files(folder)) == 1
    folder.begin()
    assert sent_files(folder) == []


def test_a_search_leaves_none(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(narrow_levels, "MOST_STATES", 400)  # the widest levels send most
    check(Bakery(), engine=Spark(session=spark, run_dir=tmp_path / "run"))
    assert [*(tmp_path / "run" / "exchange").iterdir()] == []
