"""Which members of a product `make test` runs; `make everything` runs them all.

A product asks the same of many: of every configuration, notebook, mistake or page. Whether it works at all, a few
members show; whether it works everywhere, all of them. Those few are named here. Of the others a twentieth is drawn by
a hash of the files, so that none stays unseen for long, and whoever tests the same files draws the same.
"""

import hashlib
import os
import shlex
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

import pytest

from tests.places import ROOT

_CONFORMANCE = "tests/checking/test_conformance.py::test_"
_PUBLISHED = "tests/protocols/test_published.py::test_"
_PAGES = "tests/showing/browser/test_pages.py::test_"
_PANELS = "tests/showing/browser/test_panels.py::test_"
_DURABILITY = "tests/checking/spark/test_durability.py::test_"
#: By test: which members always run, as patterns of their ids.
PRODUCTS: dict[str, tuple[str, ...]] = {
    # Every notebook, and every page of commands, in an installed package: one shows that it has all that they need.
    "tests/repository/test_package.py::test_a_notebook_runs_with_what_its_page_names": ("00_tour",),
    "tests/repository/test_package.py::test_what_a_newcomer_reads_works_as_printed": ("README.md",),
    # Every story and picture, in windows of all sizes; every combination of switches.
    f"{_PAGES}a_story_is_seen_with_its_picture_beside_its_lanes": ("*-phone", "hudi-1280"),
    f"{_PAGES}a_lesson_can_be_read_from_the_last_row": ("bakery-1280-light", "paimon-1920-dark"),
    "tests/showing/test_pictures.py::test_pictures_draw_fit_and_do_not_lie": ("*published", "*cleaned", "bakery v2*"),
    "tests/showing/test_session.py::test_a_switch_repairs_each_first_story_also_on_a_busy_machine": ("[!i]*",),
    "tests/repository/test_site.py::test_no_combination_of_switches_takes_long": ("Iceberg", "*bakery"),
    # Every story in a panel; every theme; the lesson that opens in test_package, and whose panel is one of these, too.
    f"{_PANELS}a_story_and_the_switches_share_one_small_screen": ("paimon", "own"),
    f"{_PANELS}the_tour_runs_and_its_panel_answers": (),
    "tests/showing/browser/test_kept.py::test_a_notebook_shows_what_its_panels_showed_when_their_kernel_is_gone": (
        "Light",
    ),
    # Every hostile text in a browser; a parser reads them all.
    "tests/showing/test_hostile_outputs.py::test_nothing_runs_that_a_text_says": ("script", "image", "quotes"),
    # Configurations by engines, beside random models and any constants.
    f"{_CONFORMANCE}named_configurations": ("*bakery/documented_v1*", "*iceberg/lost_answer*"),
    f"{_CONFORMANCE}the_reference_search_finds_the_same_of_the_classics": ("peterson*", "two_phase_commit*"),
    f"{_CONFORMANCE}any_constants_and_extensions": ("BakeryV2",),
    f"{_CONFORMANCE}each_extension": ("constants1", "constants3"),
    f"{_CONFORMANCE}random_models": ("declared",),
    f"{_CONFORMANCE}equal_values_of_different_kinds": ("[!sh]*", "*-tuple-*"),  # on Spark only some
    f"{_CONFORMANCE}random_models_of_equal_values_in_a_run_directory": ("equal", "equal in a map"),
    f"{_CONFORMANCE}random_models_of_equal_values": ("equal", "equal in a map"),
    "tests/checking/following/test_guided.py::test_a_long_log_of_the_bakery": ("1000",),  # as deep as Python recurses
    "tests/checking/test_expansion.py::test_random_models_by_any_number_of_threads": ("in_pieces1",),
    "tests/checking/test_liveness.py::test_the_bakeries_keep_their_promises_or_stop": ("Bakery(MaxC*", "*SafeAcks*"),
    "tests/checking/spaces/test_dataset.py::test_every_state_is_there_as_the_model_has_it": ("bakery*", "race"),
    "tests/checking/spark/test_trimming.py::test_named_configurations": ("classics/*", "bakery/samenode*"),
    "tests/kernel/test_search.py::test_the_orbits_of_the_representatives_are_the_whole_space": ("Bakery(*", "Steps*"),
    "tests/protocols/hudi/test_model.py::test_symmetry_loses_nothing": ("conformant-*",),
    "tests/tlaplus/test_tla_cells.py::test_the_figures_are_those_of_one_cell_per_variable": ("*SYMMETRY*", "10-*Types"),
    "tests/tlaplus/test_tla_machine.py::test_figures_and_verdicts_are_those_of_tlc": ("*-0", "*-4"),
    # `make check` searches the configurations that expect these figures.
    f"{_PUBLISHED}published_figures_with_and_without_extensions": ("*-default", "delta-*"),
    f"{_PUBLISHED}every_configuration_of_a_classic_is_as_expected": ("peterson*", "paxos*"),
    # Every mistake in every model.
    "tests/protocols/test_mutants.py::test_a_sample_of_all_mistakes_is_noticed": ("paimon",),
    # Whatever dies, and whenever; whatever is damaged, and wherever.
    f"{_DURABILITY}what_was_complete_stays_so_when_the_process_is_killed": ("kill_saves",),
    f"{_DURABILITY}what_is_corrupt_is_exact_or_refused": ("*-20",),
    f"{_DURABILITY}a_search_goes_back_before_a_damaged_level": ("middle-cut", "values-flipped", "last-missing"),
    "tests/commands/test_outputs.py::test_a_command_that_is_ended_at_any_moment_leaves_whole_files": ("*-9-*",),
    "tests/commands/test_cli.py::test_control_c_at_each_moment": ("import-*", "call-4999*"),
    "tests/audits/test_damage.py::test_damage_is_found_or_there_is_a_reason_why_not": ("hudi",),
    "tests/audits/test_flips.py::test_a_flipped_bit_is_a_finding_or_changes_nothing": ("delta", "hudi*"),
    "tests/tlaplus/test_tla_limits.py::test_a_value_that_nests_too_deep_is_an_error_of_the_model": ("local",),
}
#: Of the other members, one of so many.
_SHARE = 20
#: Everything that a test may depend on.
_FOLDERS = ("data", "docs", "notebooks", "scripts", "specs", "tests", "website", "workbench")
_KINDS = (".py", ".md", ".toml", ".ipynb", ".js", ".css", ".html", ".txt", ".json", ".jsonl", ".tla", ".cfg", ".csv")
#: Where a run tells its processes the hash.
_TOLD = "WORKBENCH_TESTED_FILES"


class Member(NamedTuple):
    """A member of a product, by its name in pytest.

    Attributes:
        id: "" if the test has no members.
    """

    test: str
    id: str

    @classmethod
    def of(cls, name: str) -> "Member":
        """For a name that may end in the group by which pytest-xdist distributes it."""
        test, _, rest = name.partition("[")
        return cls(test.partition("@")[0], rest.rpartition("]")[0])

    @property
    def is_fixed(self) -> bool:
        """Whether it always runs."""
        return self.test not in PRODUCTS or any(fnmatchcase(self.id, fixed) for fixed in PRODUCTS[self.test])

    @property
    def is_drawn(self) -> bool:
        """Whether the hash of the files draws it."""
        drawn = hashlib.blake2b(f"{files_hash()} {self.test} {self.id}".encode(), digest_size=8).digest()
        return int.from_bytes(drawn) % _SHARE == 0

    @property
    def command(self) -> str:
        """The command that runs it alone."""
        return f".venv/bin/python -m pytest -n0 {shlex.quote(f'{self.test}[{self.id}]')}"


def files_hash() -> str:
    """A hash of the contents of the files that tests depend on, which the processes of a run share."""
    if _TOLD not in os.environ:
        hashed = hashlib.blake2b(digest_size=8)
        for name in sorted(_files()):
            hashed.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
        os.environ[_TOLD] = hashed.hexdigest()
    return os.environ[_TOLD]


def _files() -> Iterator[str]:
    for folder in _FOLDERS:
        for at, folders, names in os.walk(ROOT / folder):
            folders[:] = [one for one in folders if not one.startswith((".", "__"))]
            yield from (os.path.relpath(os.path.join(at, name), ROOT) for name in names if name.endswith(_KINDS))


class Plugin:
    """Leaves out the members that `make test` does not run, and says at the end which it has drawn."""

    def __init__(self) -> None:
        files_hash()  # before there are other processes
        self._drawn = dict[Member, bool]()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        chosen, left_out = list[pytest.Item](), list[pytest.Item]()
        for item in items:
            member = Member.of(item.nodeid)
            (chosen if member.is_fixed or member.is_drawn else left_out).append(item)
        items[:] = chosen
        config.hook.pytest_deselected(items=left_out)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        member = Member.of(report.nodeid)
        if not member.is_fixed:
            self._drawn[member] = self._drawn.get(member, True) and not report.failed

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._drawn:
            terminalreporter.section(f"drawn from products by the hash {files_hash()} of the files")
        for member, is_well in sorted(self._drawn.items()):
            terminalreporter.write_line(
                f"{member.test}[{member.id}]" if is_well else f"FAILED, repeat: {member.command}"
            )
