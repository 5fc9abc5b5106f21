"""On a system that has less than Linux, as macOS has: what Linux alone offers is done without, or refused in a line."""

import os
import resource
import sys
from pathlib import Path

import pytest

from workbench.checking.driving.processes import Actor
from workbench.checking.local import memory
from workbench.kernel import InputError


def test_macos_counts_the_resident_size_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_STATUS", Path("nowhere"))
    monkeypatch.setattr(sys, "platform", "darwin")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert before <= memory.peak_bytes() <= resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_processes_are_driven_on_linux_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(InputError, match=r"^driving processes on darwin is not accepted; it takes Linux$"):
        Actor("w1", ["true"])
