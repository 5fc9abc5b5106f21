"""An audit that is stopped keeps what it had found, and nothing else; what it did not judge is no "holds"."""

import json
import signal

import pytest

from tests.audits.damaged_tables import TABLES
from tests.audits.expected import audit
from workbench.audits.source import Source
from workbench.commands.cli import main
from workbench.kernel import InputError

#: Files to spoil, so that something is damaged and something is proved.
SPOILT = {
    "paimon": ("older snapshot", "data file"),
    "iceberg": ("older manifest list", "data file"),
    "hudi 6": ("older commit", "base file"),
    "hudi 9": ("older commit", "base file"),
    "delta": ("entry", "data file"),
}


@pytest.fixture(params=TABLES)
def spoilt(request, tmp_path):
    table, kinds = TABLES[request.param](tmp_path / "t")
    cut, gone = (table / kinds[kind][0] for kind in SPOILT[request.param])
    cut.write_bytes(cut.read_bytes()[:-9])
    gone.unlink()
    return table


@pytest.fixture
def interrupted(monkeypatch):
    """An audit with Ctrl-C at the n-th file or folder that it looks at, and how many there were."""

    def run(table, n):
        looks = 0
        go_on = Source._go_on

        def counted(source):
            nonlocal looks
            if source.limits is not None:
                looks += 1
                if looks == n:
                    signal.raise_signal(signal.SIGINT)
            go_on(source)

        with monkeypatch.context() as patch:
            patch.setattr(Source, "_go_on", counted)
            return audit(table), looks

    return run


@pytest.mark.slow
def test_what_was_found_before_an_interrupt_stays(spoilt, interrupted):
    """At each file that is opened, and each folder that is listed."""
    whole, looks = interrupted(spoilt, 0)
    assert {one.grade for one in whole.findings} >= {"damaged", "proved"}
    most = 0
    for n in range(1, looks + 1):
        found, _ = interrupted(spoilt, n)
        assert set(found.findings) <= set(whole.findings), n
        assert not found.complete
        assert found.holds is not True
        most = max(most, len(found.findings))
        if found.findings != whole.findings:
            assert "the rest of the table: interrupted" in found.not_checked
    assert most == len(whole.findings)


def test_an_audit_takes_no_more_than_its_time(spoilt, capsys):
    assert main(["audit", str(spoilt), "--max-seconds", "1e-9", "--json"]) in (1, 3)
    found = json.loads(capsys.readouterr().out)
    assert "the rest of the table: the budget of 1e-09 seconds is used up" in found["not_checked"]
    assert not found["complete"]
    with pytest.raises(InputError, match="seconds = 0 is not accepted; it takes a number above 0"):
        audit(spoilt, seconds=0)
