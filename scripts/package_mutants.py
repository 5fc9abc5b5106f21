"""Would the tests notice a mistake in the package? Makes small mistakes, one at a time, and runs the tests of its room.

::

    python scripts/package_mutants.py                               # a sample of all rooms: make mutants
    python scripts/package_mutants.py --sample 500
    python scripts/package_mutants.py workbench/kernel/meaning/budget.py    # all mistakes in some files
    python scripts/package_mutants.py workbench/tlaplus/compiler/*.py --tests tests/tlaplus/meaning

Each *mutant* is a module whose source has one mistake (``scripts/mutations.py``). A process of its own, which has the
mutant in the place of the module, runs the tests of the room, the slow ones last, up to the first that fails: then the
mutant is *noticed*. So it is, too, if a test uses more than its share of CPU time or memory. A mutant that no test
notices *survives*, unless ``tests/equivalent_mutants.toml`` lists it, with the reason why it is no mistake. Exit
status: 0 if none survives, 1 if one does.

``--tests`` has other tests judge instead of the room's, such as those that compare the compiled TLA+ machine with the
plain evaluator: a mutant that survives shows what they do not compare.

Compiled code is left out, since Numba would take the kernels of the right source from its cache; the tests of
conformance compare these with the plain search. What models do wrong, configurations notice: ``scripts/mutants.py``.
"""

import argparse
import importlib.util
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from mutations import Equivalents, Mutant, mutations

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "tests" / "equivalent_mutants.toml"
#: Tests of these marks are left out; in the room of Spark itself, those that start it are not.
LEFT_OUT = "not browser and not writers"
SPARK = "workbench/checking/spark"

_SEARCHES = (
    "tests/checking/test_conformance.py",
    "tests/checking/test_liveness.py",
    "tests/checking/test_constraints.py",
)
#: The tests that are to notice a mistake in a folder; the first folder that fits counts.
ROOMS: dict[str, tuple[str, ...]] = {
    "workbench/kernel": ("tests/kernel", *_SEARCHES),
    "workbench/checking/trees": ("tests/checking", "tests/kernel/test_sets.py"),
    "workbench/checking/local": ("tests/checking",),
    "workbench/checking/questions": ("tests/checking/questions",),
    "workbench/checking/walks": ("tests/checking/walks",),
    "workbench/checking/following": ("tests/checking/following", "tests/formats/test_formats.py"),
    "workbench/checking/spaces": ("tests/checking/spaces",),
    SPARK: ("tests/checking/spark", "tests/checking/questions/test_sweep.py"),
    "workbench/tlaplus": ("tests/tlaplus",),
    "workbench/registry": ("tests/protocols/test_registry.py", "tests/commands"),
    "workbench/storage": ("tests/storage",),
    "workbench/formats": ("tests/formats", "tests/commands"),
    "workbench/commands": ("tests/commands",),
    "workbench/audits": ("tests/protocols", "tests/audits"),
    **{
        f"workbench/protocols/{name}/audit": (f"tests/protocols/{name}/test_audit.py", "tests/audits")
        for name in ("delta", "hudi", "iceberg", "paimon")
    },
    "workbench/showing/session": (
        "tests/showing/test_session.py",
        "tests/showing/test_session_machine.py",
        "tests/checking/questions/test_another.py",
        "tests/showing/test_panel.py",
    ),
    "workbench/showing/panel": ("tests/showing/test_panel.py", "tests/showing/test_session_machine.py"),
    "workbench/showing/view": ("tests/showing", "tests/commands"),
    "workbench/showing/pictures": ("tests/showing",),
}
#: Seconds of CPU time after which a test does not come to an end.
_PATIENCE = 400
#: Bytes that a mutant may take, since a loop without an end may fill the machine's memory before its time is up.
_MEMORY = 4 * 2**30


def room_of(file: Path) -> str | None:
    """The room of a file, by its folder."""
    return next((room for room in ROOMS if file.is_relative_to(ROOT / room)), None)


def mutants_of(files: Sequence[Path]) -> list[Mutant]:
    """All mutants of some files; of all files of all rooms for none."""
    chosen = [file.resolve() for file in files] or sorted(
        {file for room in ROOMS for file in (ROOT / room).rglob("*.py") if "njit" not in file.read_text()}
    )
    mutants = []
    for file in chosen:
        place = file.relative_to(ROOT)
        module = ".".join(place.with_suffix("").parts).removesuffix(".__init__")
        mutants += [Mutant(file, module, place.as_posix(), mutation) for mutation in mutations(file.read_text(), {})]
    return mutants


class Instead(SourceFileLoader):
    """Finds the mutant where imports look for the module, or the package."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.module, str(mutant.path))
        self._code = compile(mutant.mutation.applied(mutant.path.read_text()), str(mutant.path), "exec")

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        return importlib.util.spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, fullname: str) -> CodeType:
        return self._code


class InTurn:
    """Has pytest run the slow tests last, and end with a test that does not."""

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items.sort(key=lambda item: item.get_closest_marker("slow") is not None)

    def pytest_runtest_setup(self) -> None:
        until = int(time.process_time()) + _PATIENCE
        resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))


def run_tests(mutant: Mutant, finder: Instead, tests: Sequence[str]) -> int:
    """The status of `tests`, or for none of the tests of the mutant's room; only for a process of its own."""
    import pytest

    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    sys.meta_path.insert(0, finder)
    room = room_of(mutant.path)
    assert room is not None
    marks = LEFT_OUT if room == SPARK else f"not spark and {LEFT_OUT}"
    options = ["-x", "-q", "-n0", "--no-header", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-m", marks]
    return int(pytest.main([*options, *(tests or ROOMS[room])], plugins=[InTurn()]))


def judge(mutants: Sequence[Mutant], jobs: int, tests: Sequence[str] = ()) -> Iterator[tuple[Mutant, bool]]:
    """The mutants with whether the tests, `tests` or those of its room, notice each, as they are done.

    Raises:
        SystemExit: For a mutant that does not compile, which any test would notice, and if tests cannot be run.
    """
    import hypothesis  # noqa: F401 - forks have what all tests load, and not the package
    import numba  # noqa: F401
    import pytest

    running: dict[int, Mutant] = {}
    waiting = list(mutants)
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop(0)
            try:
                finder = Instead(mutant)
            except SyntaxError as error:
                raise SystemExit(f"{mutant}: does not compile: {error}") from None
            pid = os.fork()
            if not pid:
                nothing = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nothing, 1)
                os.dup2(nothing, 2)
                status = int(pytest.ExitCode.TESTS_FAILED)
                try:
                    status = run_tests(mutant, finder, tests)
                finally:  # also if the mistake ends pytest itself: the rest of this code is the parent's
                    os._exit(status)
            running[pid] = mutant
        pid, status = os.wait()
        mutant, code = running.pop(pid), os.waitstatus_to_exitcode(status)
        if code in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED):
            raise SystemExit(f"{mutant}: the tests cannot be run")
        yield mutant, code != pytest.ExitCode.OK


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="modules of the rooms; all of them")
    parser.add_argument("--tests", nargs="+", default=[], metavar="TEST", help="judge by these, not the room's")
    parser.add_argument("--sample", type=int, metavar="N", help="only N mutants, by lot, always the same")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes at a time")
    options = parser.parse_args(arguments)
    for file in options.files:
        if room_of(file.resolve()) is None:
            print(f"{str(file)!r} is not mutated; it takes a module in {', '.join(ROOMS)}", file=sys.stderr)
            return 2
    os.chdir(ROOT)
    for test in options.tests:
        if not Path(test.partition("::")[0]).exists():
            print(f"{test!r} is no test; --tests takes files, folders and tests of the repository", file=sys.stderr)
            return 2
    listed = Equivalents.read(EQUIVALENT)
    every = mutants_of(options.files)
    wrong = [f"listed as equivalent, and no mutant: {entry}" for entry in listed.unknown(every)]
    print(*wrong, sep="\n", end="\n" * bool(wrong), flush=True)
    mutants = sorted((m for m in every if not listed.has(m)), key=lambda mutant: mutant.lot)[: options.sample]
    by_room: dict[str, Counter[str]] = {}
    for mutant, noticed in judge(mutants, options.jobs, options.tests):
        by_room.setdefault(str(room_of(mutant.path)), Counter())["noticed" if noticed else "survived"] += 1
        if not noticed:
            wrong.append(f"survives: {mutant}")
            print(wrong[-1], flush=True)
    for room, counts in sorted(by_room.items()):
        print(f"{room}: {counts['noticed']:,} noticed, {counts['survived']:,} survived")
    print(f"{len(wrong)} to look at" if wrong else "no mutant survives")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
