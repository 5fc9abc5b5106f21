"""Switches of TLA+ modules, flipped there and back in a session: each check tells its verdicts, and a story goes on."""

import json
import re
from typing import Any

import pytest

from tests.places import ROOT
from tests.showing.panels import everything
from tests.tlaplus.test_early_tests import MESSAGES
from tests.tlaplus.test_tla_constants import CFG, TEXT
from tests.tlaplus.trees import module_of
from workbench.showing.panel import Workbench
from workbench.showing.panel.stepping import goes_on
from workbench.showing.session import Session, opening
from workbench.tlaplus.machine.specification import module_of_cell, module_of_text


def _page() -> Any:
    """The module of docs/tla.md."""
    module, configuration = re.findall(r'^[A-Z]+ = r?"""(.*?)"""', (ROOT / "docs/tla.md").read_text(), re.S | re.M)
    return module_of_text(module.strip(), configuration)


def _notebook(number: int) -> Any:
    """One of the modules in notebook 10, the one with the mistake or the repaired one."""
    cells = json.loads((ROOT / "notebooks/10_published.ipynb").read_text())["cells"]
    texts = [text for cell in cells if (text := "".join(cell["source"])).startswith("%%tla")]
    return module_of_cell(texts[number].removeprefix("%%tla\n"))


def _messages() -> Any:
    return module_of_text(
        MESSAGES, "CONSTANT Strange = FALSE SPECIFICATION Spec INVARIANTS Bounded NoThird CHECK_DEADLOCK FALSE"
    )


def _constants() -> Any:
    return module_of_text(module_of(TEXT), CFG.replace('{1, {a}, "a"}', '{"a", "b"}'))


NO_FIELD = 'M.tla:17:28: there is no field type in the record [kind |-> "odd"]'

#: The modules with a switch, and the verdicts, or the error, with its first and its other value.
MODULES: dict[str, tuple[Any, str, str, str]] = {
    "page": (_page, "PutIfAbsent", "NothingLost violated, EachCommits holds", "NothingLost holds, EachCommits holds"),
    "notebook": (
        lambda: _notebook(0),
        "PutIfAbsent",
        "NothingLost violated, WhatWasReadStays violated, EachCommits holds",
        "NothingLost holds, WhatWasReadStays holds, EachCommits violated",
    ),
    "notebook, repaired": (
        lambda: _notebook(1),
        "PutIfAbsent",
        "NothingLost violated, WhatWasReadStays violated, EachCommits holds",
        "NothingLost holds, WhatWasReadStays holds, EachCommits holds",
    ),
    "constants": (_constants, "Flag", "Deadlock holds", "Deadlock holds"),
    "messages": (_messages, "Strange", "Bounded holds, NoThird violated", NO_FIELD),
}


def _verdicts(session: Session) -> str:
    assert session.settle(300)
    assert not session.running
    if session.error is not None:
        return session.error
    assert session.result is not None
    return ", ".join(f"{one.name} {one.word}" for one in session.result.verdicts)


@pytest.mark.slow
@pytest.mark.parametrize(
    "module", [pytest.param(name, marks=pytest.mark.slow) if name == "messages" else name for name in MODULES]
)
def test_a_switch_is_flipped_there_and_back(module: str) -> None:
    made, switch, before, after = MODULES[module]
    session = Session(opening(made(), {}))
    was = session.settings.constants[switch]
    assert [one for one, value in session.settings.constants.items() if isinstance(value, bool)] == [switch]
    session.run()
    told = [_verdicts(session)]
    for value in (not was, was, not was):
        session.apply({switch: value})
        told.append(_verdicts(session))
    assert told == [before, after, before, after]
    session.tell()


def test_a_repaired_story_is_told_as_far_as_it_goes() -> None:
    session = Session(opening(_page(), {}))
    session.run()
    _verdicts(session)
    session.apply({"PutIfAbsent": True})
    _verdicts(session)
    again = session.retold
    assert again is not None
    labels = [step.label for step in again.trace.steps[1:]]
    assert labels == ["Read(w1)", "Read(w2)", "Write(w1)", "Read(w2)", "Write(w2)"]
    assert str(goes_on(again)) == "Now it differs: w2: Write (files + w2; acknowledged + w2)"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_panel_shows_the_error_of_what_draws_a_result() -> None:
    shown = Workbench(_page())
    assert shown.session.settle(300)

    def fails() -> None:
        raise ZeroDivisionError("no picture")

    shown.session.on("result", fails)
    shown.apply(PutIfAbsent=True)
    assert shown.session.settle(300)
    shown.deliver()
    assert "ZeroDivisionError: no picture" in everything(shown)
    assert shown.verdicts == {}
