"""What `make test` chooses of products, and what a run tells of it."""

import subprocess
import sys

import pytest
from hypothesis import settings

from tests import products
from tests.places import ROOT

PRODUCT = f"{products._PAGES}a_lesson_can_be_read_from_the_last_row"


FILES = sorted(
    {name.partition("::")[0] for name in [*products.PRODUCTS, *products.REPEATED, *products.REPEATED.values()]}
)


def collected(*options: str) -> list[products.Member]:
    """What pytest collects in a process of its own."""
    command = [sys.executable, "-m", "pytest", "-n0", "-q", "--collect-only", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return [products.Member.of(line) for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.slow
def test_of_each_product_the_named_members_are_there_and_so_is_what_is_asked_each_time():
    everything = collected(*FILES)
    for test, patterns in products.PRODUCTS.items():
        for pattern in patterns:
            assert any(products.fnmatchcase(one.id, pattern) for one in everything if one.test == test), (test, pattern)
    for test, asked_each_time in products.REPEATED.items():
        assert any(one.test == test for one in everything)
        assert any(one.test == asked_each_time and one.is_fixed for one in everything), asked_each_time


@pytest.mark.slow
def test_what_is_chosen_runs():
    file = PRODUCT.partition("::")[0]
    everything, chosen = collected(file), collected(file, "--chosen")
    assert chosen == [one for one in everything if one.is_fixed or one.is_drawn]
    assert 0 < len(chosen) < len(everything)


def test_each_other_member_runs_for_a_twentieth_of_all_files(monkeypatch):
    members = [products.Member(PRODUCT, f"of {number}") for number in range(50)]
    drawn = dict.fromkeys(members, 0)
    for number in range(400):
        monkeypatch.setenv(products._TOLD, f"files {number}")
        for member in members:
            drawn[member] += member.is_drawn
    assert min(drawn.values()) > 0
    assert 15 < sum(drawn.values()) / len(members) < 25


def test_a_test_that_is_no_product_always_runs():
    assert products.Member.of("tests/test_a.py::test_b[c]").is_fixed
    assert products.Member.of("tests/test_a.py::test_b").is_fixed
    assert not products.Member(PRODUCT, "bakery-1280-dark").is_fixed
    assert not products.Member.of(next(iter(products.REPEATED))).is_fixed


def test_a_random_test_takes_a_third_of_its_examples_where_members_are_chosen():
    profile = settings.get_current_profile_name()
    try:
        settings.load_profile("repeatable")
        assert products.examples(25).max_examples == 25
        settings.load_profile(products._PROFILE)
        few = products.examples(25, derandomize=True), products.examples(5), settings.default
    finally:
        settings.load_profile(profile)
    assert [taken.max_examples for taken in few] == [9, 2, 33]


def test_a_members_name_is_that_of_pytest():
    assert products.Member.of(f"{PRODUCT}[hudi-1920-light]") == (PRODUCT, "hudi-1920-light")
    assert products.Member.of(PRODUCT) == (PRODUCT, "")
    assert products.Member(PRODUCT, "a b").command == f".venv/bin/python -m pytest -n0 '{PRODUCT}[a b]'"


def test_the_hash_is_that_of_the_contents(monkeypatch, tmp_path):
    monkeypatch.setattr(products, "ROOT", tmp_path)
    (tmp_path / "workbench").mkdir()
    file = tmp_path / "workbench" / "a.py"
    hashes = []
    for content in ("1", "2", "1"):
        file.write_text(content)
        monkeypatch.delenv(products._TOLD, raising=False)
        hashes.append(products.files_hash())
    assert hashes[0] == hashes[2] != hashes[1]
