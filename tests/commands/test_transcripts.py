"""What commands print, what they write, and what they refuse: the cases of the transcripts in this folder."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command import Run
from tests.transcripts import compare, play

#: A heading with the marks of its case, and all up to the next one.
CASE = re.compile(r"^## (.*?)(?: \[(\w+)\])?\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def cases() -> list[Any]:
    """A file, what it does before each case, and the case."""
    found: list[Any] = []
    for page in sorted(Path(__file__).parent.glob("*.md")):
        text = page.read_text()
        before = text.partition("\n## ")[0]
        for case in CASE.finditer(text):
            marks = [getattr(pytest.mark, case[2])] if case[2] else []
            found.append(pytest.param(page, before, case[0], id=f"{page.stem}: {case[1]}", marks=marks))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("page", "before", "case"), cases())
def test_a_transcript_says_what_is_printed(
    page: Path,
    before: str,
    case: str,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "helper", raising=False)  # which a case's model imports
    assert play(before, run) == before
    compare(page, case, run, accept=request.config.getoption("accept"))


WRONG = """
```console
$ printf 'one\\nother\\nsee\\n'; exit 3
o...
...
set
```

```refused
check nope => no
list => no
```
"""


def test_what_differs_is_noticed_and_can_be_accepted(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = Path("page.md")
    page.write_text(WRONG)
    with pytest.raises(AssertionError):
        compare(page, WRONG, run, accept=False)
    compare(page, WRONG, run, accept=True)
    console, _, refused = page.read_text().partition("\n\n")
    assert console.splitlines()[3:] == ["o...", "...", "see", "[3]", "```"]
    assert "check nope => unknown model or configuration 'nope'; " in refused
    assert "list => is no refusal: Done(status=0, " in refused
