"""The page of incidents: each has a thread, a configuration that shows it, and a change that prevents it.

Its table of figures is compared with the configurations in test_repository.py, as those of the protocols are.
"""

import re

import pytest

from tests.places import ROOT
from workbench.checking.check import check
from workbench.kernel import machine_of
from workbench.registry.configurations import configuration, shipped

PAGE = (ROOT / "docs" / "incidents.md").read_text()

#: An incident begins with its title in bold, and ends with what shows and what prevents it.
INCIDENT = re.compile(
    r"^\*\*(?P<title>[^*]+)\*\*(?P<told>[^*]+?)^Shown by `(?P<name>[\w/]+)`; prevented by (?P<changes>.+)\.$", re.M
)
INCIDENTS = [found.groupdict() for found in INCIDENT.finditer(PAGE)]
#: The changes by which a page says what prevents an incident, once for each configuration.
PREVENTED = sorted({(one["name"], one["changes"]) for one in INCIDENTS})


def test_each_incident_has_a_thread_and_is_in_a_table() -> None:
    assert len(INCIDENTS) == PAGE.count("\n**") >= 13
    for one in INCIDENTS:
        found_here = "found here" in one["title"]
        assert found_here or re.search(r"\]\(https://github\.com/[\w-]+/[\w-]+/(issues|pull)/\d+\)", one["told"])
    public = sum("found here" not in one["title"] for one in INCIDENTS)
    assert f"\n{len(INCIDENTS)} reports: {public} from public trackers" in PAGE
    assert f"[{public} reports from public trackers](docs/incidents.md)" in (ROOT / "README.md").read_text()
    for folder in {name.partition("/")[0] for name, _ in PREVENTED}:
        shown = {name for name, _ in PREVENTED if name.startswith(f"{folder}/")}
        if folder == "incidents":
            assert shown == set(re.findall(r"^\| `([\w/]+)` \|", PAGE, re.M))
        else:
            listed = re.findall(r"^\| `(\w+)` \|", (ROOT / "specs" / folder / "README.md").read_text(), re.M)
            assert shown <= {f"{folder}/{name}" for name in listed}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "changes"), PREVENTED, ids=[name for name, _ in PREVENTED])
def test_the_change_prevents_all_that_the_configuration_shows(name: str, changes: str) -> None:
    one = configuration(shipped()[name])
    violated = [
        wrong for wrong, word in one.expect["verdicts"].items() if isinstance(word, dict) and "violated" in word
    ]
    assert violated
    values = {"true": True, "false": False, "2": 2}
    changed = {constant: values.get(value, value) for constant, value in re.findall(r"`(\w+)=(\w+)`", changes)}
    assert changed
    assert {constant: one.model.constants[constant] for constant in changed} != changed
    repaired = machine_of(type(one.model.author)(**{**one.model.constants, **changed}))
    # A property of clean-up is switched off with it.
    off = set(repaired.declared.properties) - set(repaired.properties)
    judged = [wrong for wrong in violated if wrong not in off]
    assert judged
    assert [verdict.holds for verdict in check(repaired, properties=judged).verdicts] == [True] * len(judged)
