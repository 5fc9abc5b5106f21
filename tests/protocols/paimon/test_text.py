"""The port beside a FizzBee text of ours that says a part of the published one: what differs is noticed."""

from pathlib import Path

import pytest

from workbench.checking.following.port import follow_text, get_port
from workbench.fizzbee.machine.specification import machines_of
from workbench.kernel import machine_of
from workbench.protocols.paimon.published import PaimonPublished

pytestmark = pytest.mark.slow

TEXT = Path(__file__).with_name("inserts.fizz").read_text(encoding="utf-8")
SETTING = {
    "NUM_COMPACTORS": 0,
    "NUM_BUCKETS": 1,
    "ONE_WRITER_PER_BUCKET": False,
    "ALLOW_UPDATES": False,
    "ALLOW_DELETES": False,
    "AsPublished": True,
}


def compared(model=PaimonPublished, was="", becomes=""):
    assert was in TEXT
    text = machines_of(TEXT.replace(was, becomes, 1), "paimon")
    return follow_text(machine_of(model(**SETTING)), text, get_port(model, "paimon"))


class LosesFiles(PaimonPublished):
    def replaced(self, live, message):
        return (message.file,)


class CommitsBlindly(PaimonPublished):
    def validate(self):
        super().validate()
        self.PUT_IF_ABSENT = False


class NumbersFromOne(PaimonPublished):
    def next_sequence(self, s, w, key):
        return s.sequence_no[w] + 1


class InsertsTwice(PaimonPublished):
    def may_insert(self, s, key):
        return not self.exists(s, key)


def test_the_port_is_the_text_but_for_the_names_of_files():
    found = compared()
    assert found.holds is True
    assert found.one.own > found.one.has.states  # it knows who wrote a file
    assert found.other.own > found.other.has.states  # its names of files are numbered by all that is written


@pytest.mark.parametrize("mutant", [LosesFiles, CommitsBlindly, NumbersFromOne, InsertsTwice])
def test_a_mutant_of_the_port_is_noticed(mutant):
    assert compared(mutant).holds is False


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("entries + entries", "entries"),  # the snapshot loses the file that it adds
        ("version <= aux_max_version", "version < aux_max_version"),
        ("row[2]][column] = [record(version=version", "row[2]][column] = [record(version=1"),
        ("key not in aux_key_insert_pending", "len(aux_key_insert_pending) == 0"),  # a step less
    ],
)
def test_a_mutant_of_the_text_is_noticed(was, becomes):
    found = compared(was=was, becomes=becomes)
    assert found.holds is False
    assert found.trace is not None
