"""What is true of the audit of any table, and how a table is refused."""

import importlib
from collections.abc import Container
from os import PathLike
from typing import Any

import pytest

import workbench.audits
from workbench.audits import Audit
from workbench.audits.damaged import FILES_WHOLE
from workbench.audits.judgement import BEYOND_MODELS
from workbench.audits.presence import COUNTS_AGREE, FILES_EXIST, TIMES_GROW
from workbench.audits.row_ids import ROW_IDS
from workbench.kernel import InputError
from workbench.showing.pictures import faults

Table = str | PathLike[str]
_AUDIT = importlib.import_module("workbench.audits.audit")


def audit(table: Table, **how: Any) -> Audit:
    """The audit of a table to which nobody writes: what is damaged is read again at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_AUDIT, "_PAUSE", 0)
        return workbench.audits.audit(table, **how)


def agreed(table: Table, stateless: Container[str] = (), **how: Any) -> Audit:
    """The audit, once the model has said the same of each finding's state.

    Args:
        stateless: The properties of which a finding may have no state.
    """
    found = audit(table, **how)
    for one in found.findings:
        if one.grade == "damaged":
            assert one.property == FILES_WHOLE
            assert one.no_picture
            assert "\n" not in one.why
            assert (found.holds, found.complete) == (False, False)
            continue
        beyond = one.property in (COUNTS_AGREE, TIMES_GROW, ROW_IDS) or (one.property == FILES_EXIST and one.no_picture)
        if one.grade == "outside" or beyond:
            assert one.model is one.state is None
            assert one.grade == "outside" or one.no_picture == BEYOND_MODELS
            continue
        if one.state is None and one.property in stateless:
            assert one.model is None
            continue
        assert one.model is not None
        assert one.state is not None
        assert one.legend
        assert faults(one.model, one.state, [one.violates()]), f"{one.property} holds in the state of {one}"
        assert not faults(one.model, one.model.initial_states()[0])
    return found


def refusal(table: Table, **how: Any) -> str:
    """The one line by which an audit refuses a table."""
    with pytest.raises(InputError) as refused:
        audit(table, **how)
    said = str(refused.value)
    assert "\n" not in said
    assert len(said) < 600
    return said


def damage(table: Table) -> str:
    """What an audit says of damaged files: a line for each."""
    found = audit(table)
    assert found.holds is False
    assert not found.complete
    lines = [one.why for one in found.of(FILES_WHOLE)]
    assert lines
    assert not any("\n" in line for line in lines)
    return "\n".join(lines)


def answer(table: Table) -> tuple[Audit | None, str]:
    """The audit, or the line that is said instead."""
    try:
        return audit(table), ""
    except InputError as why:
        return None, str(why)
