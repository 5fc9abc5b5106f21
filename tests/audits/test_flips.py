"""A flipped bit in a file that an audit opens: a finding, or the same answer; never an exception."""

import re

import pytest

from tests.audits.damaged_tables import TABLES
from tests.audits.flips import flips, outcome

#: A flip may make a table one of another kind, which the audit refuses by the file that says so.
_OF_ANOTHER_KIND = (
    r"a Hudi table of type .* is not accepted; COPY_ON_WRITE, MERGE_ON_READ are",
    r"Hudi's table version .* is not accepted; 5, 6, 8, 9 are",
    r"hoodie\.(table\.(base\.file\.)?format|timeline\.layout\.version) = .* is not accepted; .*",
    r"'metadata/.*\.metadata\.json' is not accepted: it is of Iceberg's format version \d+; 1 and 2 are read",
    r"'_delta_log/.*' is not accepted: min(Reader|Writer)Version is \d+; .* are read",
)


@pytest.mark.slow
@pytest.mark.parametrize("format", TABLES)
def test_a_flipped_bit_is_a_finding_or_changes_nothing(format, tmp_path):
    """By a fixed seed; ``python -m tests.audits.flips 2000`` tries more, and prints what came of them."""
    sound, some = flips(TABLES[format], tmp_path / "t", 120)
    outcomes = []
    for flip in some:
        where = f"{flip.name}, bit {flip.bit}: {flip.answer}"
        said = outcome(sound, flip.answer)
        if said == "refused":
            assert any(re.fullmatch(one, flip.answer.refusal) for one in _OF_ANOTHER_KIND), where
        assert not any(name.startswith("/") or ".." in name.split("/") for name in flip.opened), where
        outcomes.append(said)
    assert outcomes.count("refused") < outcomes.count("damaged")
