"""A build of the site keeps what it made of the same inputs, and makes the rest again."""

import os
from pathlib import Path

import pytest

from tests.places import ROOT
from website import keeping
from workbench.kernel import InputError

# Not here but in the tests that use it: what takes long to load, for the processes of the first test would load it too.


def shouted(folder: Path, name: str) -> list[str]:
    """A page that is made of a file; it refuses a word."""
    text = Path(name).read_text()
    if text == "no":
        raise InputError(f"{text} is not accepted")
    keeping.write(folder / "pages" / f"{name}.md", text.upper())
    return [text, str(folder)]


@pytest.mark.slow
def test_what_was_made_of_the_same_files_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {name: [Path(name)] for name in ("a", "b", "c")}

    def build() -> list[list[str]]:
        return keeping.in_processes("words", shouted, tmp_path / "fresh", files, tmp_path / "kept")

    for path in files:
        Path(path).write_text("one")
    first = build()
    assert sorted(capsys.readouterr().out.splitlines()) == [f"words: {count} of 3" for count in (1, 2, 3)]
    (tmp_path / "a").write_text("two")
    second = build()
    assert capsys.readouterr().out == "words: 3 of 3\n"
    assert [text for text, _ in second] == ["two", "one", "one"]
    assert [was == now for was, now in zip(first, second, strict=True)] == [False, True, True]
    assert [path.read_text() for path in sorted((tmp_path / "fresh" / "pages").iterdir())] == ["TWO", "ONE", "ONE"]
    (tmp_path / "b").write_text("no")
    for _ in range(2):  # a failure is not kept
        with pytest.raises(InputError, match="no is not accepted"):
            build()
    (tmp_path / "b").write_text("one")
    assert build()[1][0] == "one"
    capsys.readouterr()
    assert build()[0][0] == "two"
    assert capsys.readouterr().out == "words: nothing changed\n"


def test_a_digest_is_of_what_files_hold_and_where(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("1")
    other.write_text("2")
    found = keeping.digest(["word"], [one, other])
    assert keeping.digest(["word"], [one, other]) == found
    assert keeping.digest(["words"], [one, other]) != found
    assert keeping.digest(["word"], [other, one]) != found
    other.write_text("3")
    assert keeping.digest(["word"], [one, other]) != found


@pytest.mark.slow
def test_the_digest_of_the_code_is_of_all_that_checks_and_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "ROOT", tmp_path)
    digests = set()
    for count, name in enumerate(("workbench/a.py", "workbench/in/a.js", "website/a.py"), 1):
        keeping.write(tmp_path / name, "1")
        digests.add(keeping.code_digest.__wrapped__())
        assert len(digests) == count
    keeping.write(tmp_path / "workbench" / "__pycache__" / "a.pyc", "1")
    assert keeping.code_digest.__wrapped__() in digests


def test_a_page_of_the_gallery_is_made_again_if_a_configuration_that_it_names_changes() -> None:
    from website.broken import inputs
    from workbench.registry.configurations import configuration, shipped

    files = inputs(configuration(shipped()["classics/peterson_stays"]))
    assert files == [shipped()["classics/peterson_stays"], shipped()["classics/peterson"]]


def test_a_file_that_is_the_same_keeps_its_time(tmp_path: Path) -> None:
    folder, fresh = tmp_path / "folder", tmp_path / "fresh"
    for name, was, now in (("same", "1", "1"), ("in/changed", "1", "2"), ("in/gone", "1", ""), ("in/new", "", "2")):
        for top, text in ((folder, was), (fresh, now)):
            if text:
                keeping.write(top / name, text)
                os.utime(top / name, (1, 1))
    assert keeping.update(folder, fresh) == [Path("in/gone")]
    assert {path.relative_to(folder).as_posix(): path.read_text() for path in keeping.files(folder)} == {
        "same": "1",
        "in/changed": "2",
        "in/new": "2",
    }
    assert {path.name for path in keeping.files(folder) if path.stat().st_mtime == 1} == {"same"}


@pytest.mark.slow
def test_sphinx_makes_a_page_again_if_what_is_put_into_it_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its trace, what the front page plays, the code behind the reference, and the navigation beside all pages."""
    from sphinx.cmd.build import main as sphinx  # not a process for each build, which would load it anew

    from website import front
    from website.gallery import PLAYER

    monkeypatch.chdir(ROOT)
    source, site = tmp_path / "pages", tmp_path / "site"
    for name, text in {
        "index.md": "# Front\n\n![switches](all.svg)\n\n```{toctree}\n\ndocs/one\nplayground\napi/room\n```\n",
        "all.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
        "docs/one.md": "# First\n",
        "playground.md": "# Playground\n",
        "api/room.rst": "Room\n====\n",
        "gallery/a.md": f"---\norphan: true\nproperty: P\n---\n\n# A\n\n```{{raw}} html\n{PLAYER}\n```\n",
        "gallery/a.player": "first trace",
        front.DATA: "[]",
        keeping.CODE: "1",
    }.items():
        keeping.write(source / name, text)

    def built(**changed: str) -> set[str]:
        """The pages that a build makes, after changes of files."""
        for name, text in changed.items():
            keeping.write(source / name, text)
        for page in site.rglob("*.html"):
            os.utime(page, (2**31, 2**31))
        options = ["-q", "-W", "-d", str(tmp_path / "doctrees"), "-c", "website", str(source), str(site)]
        assert (sphinx(options), capsys.readouterr().err) == (0, "")
        return {name for name in every if (site / f"{name}.html").stat().st_mtime < 2**31}

    every = {"index", "docs/one", "playground", "api/room", "gallery/a"}
    assert built() == every
    assert built(**{"gallery/a.player": "second trace", front.DATA: "[] "}) == {"gallery/a", "index"}
    assert "second trace" in (site / "gallery" / "a.html").read_text()
    assert built(**{keeping.CODE: "2"}) == {"playground", "api/room", "index"}  # which lists both
    assert built(**{"docs/one.md": "# Renamed\n"}) == every
    assert "Renamed" in (site / "gallery" / "a.html").read_text()
