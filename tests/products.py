"""Which members of a product `make test` runs; `make everything` runs them all.

A product asks the same of many: of every configuration, notebook, mistake or page. Whether it works at all, a few
members show; whether it works everywhere, all of them. Those few are named here, and so are tests that ask in a costly
place, as in a browser, what another asks each time. Of all others a twentieth is drawn by a hash of the files, so that
none stays unseen for long, and whoever tests the same files draws the same. Of a random test it runs a third of the
examples.
"""

import hashlib
import os
import shlex
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

from tests.places import ROOT

_CONFORMANCE = "tests/checking/test_conformance.py::test_"
_PUBLISHED = "tests/protocols/test_published.py::test_"
_PAGES = "tests/showing/browser/test_pages.py::test_"
_PANELS = "tests/showing/browser/test_panels.py::test_"
_DURABILITY = "tests/checking/spark/test_durability.py::test_"
_ENGINE = "tests/checking/spark/test_engine.py::test_"
_CLUSTER = "tests/checking/spark/test_cluster.py::test_"
_KEYS = "tests/checking/spark/test_fingerprint_keys.py::test_"
_MEMORY = "tests/checking/test_memory.py::test_"
_START = "tests/checking/test_start.py::test_"
_HUDI = "tests/protocols/hudi/test_extended.py::test_"
_SITE = "tests/repository/test_site.py::test_"
_PANEL = "tests/showing/test_panel.py::test_"
_DESK = "tests/showing/browser/test_desk.py::test_"
_GRAPH = "tests/showing/browser/test_graph.py::test_"
_FRONT_ENDS = "tests/showing/browser/test_front_ends.py::test_"
#: By test: which members always run, as patterns of their ids.
PRODUCTS: dict[str, tuple[str, ...]] = {
    # Every notebook, and every page of commands, in an installed package: one shows that it has all that they need.
    "tests/repository/test_package.py::test_a_notebook_runs_with_what_its_page_names": ("00_tour",),
    "tests/repository/test_package.py::test_what_a_newcomer_reads_works_as_printed": (),
    "tests/repository/test_notebooks.py::test_a_lesson_goes_on_where_there_is_no_pypaimon": ("07-*",),
    "tests/repository/test_notebooks.py::test_a_notebook_is_kept_as_it_should_be": ("00*", "02*", "1*"),
    # Every story and picture, in windows of all sizes; every combination of switches.
    f"{_PAGES}a_story_is_seen_with_its_picture_beside_its_lanes": ("*-phone", "hudi-1280"),
    f"{_PAGES}a_lesson_can_be_read_from_the_last_row": ("bakery-1280-light", "paimon-1920-dark"),
    "tests/showing/test_pictures.py::test_pictures_draw_fit_and_do_not_lie": ("*published", "*cleaned", "bakery v2*"),
    "tests/showing/test_session.py::test_a_switch_repairs_each_first_story_also_on_a_busy_machine": ("[!i]*",),
    f"{_SITE}no_combination_of_switches_takes_long": ("Iceberg", "*bakery"),
    # Every page in a small window and in a large one, light and dark.
    f"{_SITE}the_front_page_says_first_what_its_settings_show_or_what_a_flip_did": ("desk",),
    f"{_SITE}what_a_flip_repairs_is_told_again_on_the_front_page": ("phone",),
    f"{_SITE}nothing_moves_on_the_front_page_when_a_switch_is_flipped": ("desk",),
    f"{_SITE}the_gallery_is_searched_by_what_breaks_and_by_what_repairs_it": ("phone",),
    f"{_SITE}a_trace_is_played_without_a_kernel_and_a_link_opens_one_step_of_it": ("desk",),
    f"{_SITE}the_front_page_is_accessible": ("phone",),
    f"{_SITE}pages_fit_their_window": ("phone",),
    # Every violation of the gallery; in these, faulty parts are furthest apart, and those of one have two pages.
    f"{_PAGES}no_text_of_what_is_at_fault_is_out_of_sight": ("*paimon_8226", "*rollback_eager", "*blind_swap"),
    f"{_PAGES}a_page_is_accessible": ("trace-phone", "report-1280-dark"),
    f"{_PAGES}a_page_plays_a_trace": ("bakery",),
    "tests/showing/browser/test_density.py::test_a_density_on_a_page_counts_exactly_what_is_selected": ("light-390",),
    f"{_GRAPH}a_graph_on_a_page_is_walked_zoomed_coloured_and_searched": ("dark-390",),
    # Every story in a panel; every theme; the lesson that opens in test_package, and whose panel is one of these, too.
    f"{_PANELS}a_story_and_the_switches_share_one_small_screen": ("paimon", "own"),
    f"{_PANELS}the_tour_runs_and_its_panel_answers": (),
    "tests/showing/browser/test_kept.py::test_a_notebook_shows_what_its_panels_showed_when_their_kernel_is_gone": (
        "Light",
    ),
    # Every hostile text in a browser; a parser reads them all.
    "tests/showing/test_hostile_outputs.py::test_nothing_runs_that_a_text_says": ("image",),
    # Configurations by engines, beside random models and any constants.
    f"{_CONFORMANCE}named_configurations": ("*bakery/documented_v1*", "*iceberg/lost_answer*"),
    f"{_CONFORMANCE}the_reference_search_finds_the_same_of_the_classics": ("peterson*", "two_phase_commit*"),
    f"{_CONFORMANCE}any_constants_and_extensions": ("BakeryV2",),
    f"{_CONFORMANCE}each_extension": ("constants1", "constants3"),
    f"{_CONFORMANCE}random_models": ("declared",),
    f"{_CONFORMANCE}equal_values_of_different_kinds": ("[!sh]*", "*-tuple-*"),  # on Spark only some
    f"{_CONFORMANCE}random_models_of_equal_values_in_a_run_directory": ("equal in a map",),
    f"{_CONFORMANCE}random_models_of_equal_values": ("equal", "equal in a map"),
    f"{_CONFORMANCE}every_budget_of_states": ("reference-False", "local-True", "spark-False"),
    f"{_CONFORMANCE}every_budget_of_states_within_a_constraint": ("local-False", "hand-over-True"),
    f"{_CONFORMANCE}bakery_with_any_constants": ("local",),
    f"{_CONFORMANCE}many_initial_states_and_many_outcomes": ("reference", "local", "spark"),
    f"{_CONFORMANCE}named_configurations_on_spark": ("bakery/*",),
    f"{_CONFORMANCE}what_is_decided_is_told_while_the_search_goes_on": ("[!s]*", "spark-budget"),
    f"{_CONFORMANCE}what_only_grows_is_named_where_a_search_does_not_end": ("[!s]*",),  # one hands over to Spark
    f"{_CONFORMANCE}so_does_one_that_spark_meets": ("spark-action", "hand-over-goal"),
    f"{_CONFORMANCE}so_does_spark": ("spark-invariant", "hand-over-step"),
    f"{_ENGINE}a_budget_of_bytes_counts_what_all_workers_hold": ("driver",),
    f"{_ENGINE}a_damaged_level_is_said_and_searched_again": ("driver-last", "jobs-middle"),
    f"{_ENGINE}a_full_disk_is_said": ("jobs*",),
    f"{_ENGINE}hand_over_in_the_middle_of_a_level": ("driver",),
    f"{_KEYS}the_key_is_kept_and_a_search_is_resumed_with_it": ("jobs",),
    f"{_KEYS}auto_hands_its_key_on": ("None",),
    "tests/checking/spaces/test_cube.py::test_spark_counts_a_dataset_as_this_process_counts_its_space": ("letters",),
    # What a session of Spark in this process does, on a cluster and through Spark Connect.
    f"{_CLUSTER}a_space_on_a_cluster_one_of_whose_executors_is_killed": (),
    f"{_CLUSTER}a_search_through_spark_connect": (),
    "tests/checking/following/test_guided.py::test_a_long_log_of_the_bakery": ("1000",),  # as deep as Python recurses
    "tests/checking/test_expansion.py::test_random_models_by_any_number_of_threads": ("in_pieces1",),
    "tests/checking/test_liveness.py::test_the_bakeries_keep_their_promises_or_stop": ("Bakery(MaxC*", "*SafeAcks*"),
    "tests/checking/spaces/test_dataset.py::test_every_state_is_there_as_the_model_has_it": ("bakery*", "race"),
    "tests/checking/spark/test_trimming.py::test_named_configurations": ("classics/readers*", "bakery/samenode*-None"),
    "tests/kernel/test_search.py::test_the_orbits_of_the_representatives_are_the_whole_space": ("Bakery(*", "Steps*"),
    "tests/protocols/hudi/test_model.py::test_symmetry_loses_nothing": ("conformant-*+*",),
    "tests/tlaplus/test_tla_cells.py::test_the_figures_are_those_of_one_cell_per_variable": ("*SYMMETRY*", "10-*Types"),
    "tests/tlaplus/test_tla_machine.py::test_figures_and_verdicts_are_those_of_tlc": ("*-0", "*-4"),
    # `make check` searches the configurations that expect these figures.
    f"{_PUBLISHED}published_figures_with_and_without_extensions": ("*-default", "delta-Column1Values=('k1',),Column2*"),
    f"{_PUBLISHED}every_configuration_of_a_classic_is_as_expected": ("peterson*", "paxos*"),
    # Every mistake in every model.
    "tests/protocols/test_mutants.py::test_a_sample_of_all_mistakes_is_noticed": ("paimon",),
    # Every extension of a protocol with every other; a run of three operations as one of two.
    f"{_HUDI}with_everything_on_and_three_writers_nothing_is_violated": ("-1", "markers-2"),
    f"{_HUDI}the_average_run_writes_fewer_slices_in_vain": ("2",),
    # Whatever dies, and whenever; whatever is damaged, and wherever.
    f"{_START}a_damaged_cache_of_kernels_is_made_anew": ("*-cut-0", "nbc-flipped-0.5"),
    f"{_START}no_check_waits_for_its_kernels": ("options0", "options2"),
    "tests/storage/test_folder.py::test_a_corrupt_folder_is_exact_or_refused": ("50",),
    "tests/commands/test_cli.py::test_what_is_closed_is_nowhere_to_write_to": ("list-*", "check nope-*"),
    f"{_DURABILITY}what_was_complete_stays_so_when_the_process_is_killed": ("kill_saves",),
    f"{_DURABILITY}what_is_corrupt_is_exact_or_refused": ("*-20",),
    f"{_DURABILITY}a_search_goes_back_before_a_damaged_level": ("middle-cut", "values-flipped", "last-missing"),
    "tests/commands/test_outputs.py::test_a_command_that_is_ended_at_any_moment_leaves_whole_files": (
        "check-9-*",
        "export-9-*",
    ),
    "tests/commands/test_cli.py::test_control_c_at_each_moment": ("import-*", "call-4999*"),
    "tests/commands/test_cli.py::test_on_a_busy_machine_a_violation_comes_with_its_repair": ("delta*",),
    f"{_MEMORY}where_kernels_find_no_room_a_search_goes_on_without_them": ("auto-140",),
    f"{_MEMORY}a_search_without_memory_keeps_what_it_has_found": ("local-60",),
    "tests/checking/test_store.py::test_ten_million_states_take_few_bytes_each_with_everything": ("2-16",),
    "tests/audits/test_damage.py::test_damage_is_found_or_there_is_a_reason_why_not": ("hudi",),
    "tests/audits/test_flips.py::test_a_flipped_bit_is_a_finding_or_changes_nothing": ("delta", "hudi 9"),
    "tests/tlaplus/test_tla_limits.py::test_a_value_that_nests_too_deep_is_an_error_of_the_model": ("local",),
    # Whatever recurses as deep as that, in all the constructs of TLA+; two modules at once, by every engine.
    "tests/tlaplus/test_tla_limits.py::test_a_recursion_may_have_thousands_of_levels": ("operator", "function", "let"),
    "tests/tlaplus/test_tla_limits.py::test_a_recursion_without_end_is_an_error_with_its_place": (
        "operator",
        "function",
    ),
    "tests/tlaplus/test_tla_threads.py::test_two_modules_do_not_disturb_each_other": ("local",),
}
#: Tests that ask in a browser, on Spark or with an empty cache what another asks each time in less: that one.
REPEATED: dict[str, str] = {
    f"{_ENGINE}wide_fingerprints": f"{_ENGINE}wide_fingerprints_are_handed_over",
    f"{_PANELS}a_panel_outlives_re_runs_of_its_cell_and_a_reload": (
        f"{_PANEL}a_panel_is_closed_when_its_cell_is_run_again"
    ),
    f"{_PANELS}every_part_fits_and_is_open_to_assistive_technology": f"{_PAGES}a_page_is_accessible",
    f"{_PANELS}a_graph_opens_on_the_trace_and_is_zoomed_moved_searched_and_shows_pictures": (
        f"{_GRAPH}a_graph_on_a_page_is_walked_zoomed_coloured_and_searched"
    ),
    f"{_PANELS}the_graph_and_the_charts_are_there_soon": f"{_PANEL}the_graph_is_drawn_in_every_mode_or_says_why_not",
    f"{_DESK}one_goes_back_to_an_abandoned_branch_and_compares_two": (
        f"{_PANEL}a_thin_tree_leads_back_to_abandoned_branches_and_compares_two"
    ),
    f"{_DESK}a_grid_is_walked_with_the_keyboard_and_taken_away": (
        f"{_PANEL}a_grid_is_filled_explained_and_kept_and_its_cells_set_the_panel"
    ),
    f"{_DESK}an_initial_state_is_chosen_with_the_keyboard": (
        f"{_PANEL}an_initial_state_is_chosen_by_what_is_different_in_it"
    ),
    f"{_FRONT_ENDS}a_switch_is_flipped_in_notebook_7": f"{_FRONT_ENDS}a_switch_is_flipped_in_voila",
    f"{_SITE}a_link_opens_one_step_of_a_behaviour_and_the_way_back_undoes": f"{_SITE}the_playground_answers_in_json",
    f"{_SITE}a_link_holds_the_model_and_its_settings": f"{_SITE}the_playground_answers_in_json",
    f"{_SITE}a_space_without_end_is_stopped_and_what_was_found_counts": f"{_SITE}the_playground_answers_in_json",
    f"{_SITE}a_configuration_has_its_figures_and_a_changed_one_its_picture": f"{_SITE}the_playground_answers_in_json",
    f"{_START}nothing_small_waits_for_a_compiler": f"{_START}no_check_waits_for_its_kernels",
    f"{_KEYS}ids_depend_on_the_key_and_counts_do_not": f"{_KEYS}the_key_is_kept_and_a_search_is_resumed_with_it",
    "tests/checking/questions/test_explain.py::test_on_spark_the_table_is_the_same": (
        "tests/checking/questions/test_explain.py::test_a_fill_on_spark_can_be_stopped"
    ),
}
#: Of the other members, and of these tests, one of so many.
_SHARE = 20
#: Of the examples of a random test, likewise; they are always the same.
_SHARE_OF_EXAMPLES = 3
_PROFILE = "chosen"
settings.register_profile(_PROFILE, deadline=None, derandomize=True, max_examples=100 // _SHARE_OF_EXAMPLES)
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
        """For a name as pytest has it."""
        test, _, rest = name.partition("[")
        return cls(test, rest.removesuffix("]"))

    @property
    def is_fixed(self) -> bool:
        """Whether it always runs."""
        if self.test in PRODUCTS:
            return any(fnmatchcase(self.id, fixed) for fixed in PRODUCTS[self.test])
        return self.test not in REPEATED

    @property
    def is_drawn(self) -> bool:
        """Whether the hash of the files draws it."""
        drawn = hashlib.blake2b(f"{files_hash()} {self.test} {self.id}".encode(), digest_size=8).digest()
        return int.from_bytes(drawn) % _SHARE == 0

    @property
    def command(self) -> str:
        """The command that runs it alone."""
        return f".venv/bin/python -m pytest -n0 {shlex.quote(str(self))}"

    def __str__(self) -> str:
        return f"{self.test}[{self.id}]" if self.id else self.test


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


def examples(most: int, **others: Any) -> settings:
    """Settings of a random test that takes so many examples, and fewer in `make test`."""
    share = _SHARE_OF_EXAMPLES if settings.get_current_profile_name() == _PROFILE else 1
    return settings(max_examples=-(-most // share), **others)


class Plugin:
    """Leaves out the members that `make test` does not run, and says at the end which it has drawn."""

    def __init__(self) -> None:
        settings.load_profile(_PROFILE)
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
            terminalreporter.write_line(str(member) if is_well else f"FAILED, repeat: {member.command}")
