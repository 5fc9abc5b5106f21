"""What a process loads before it answers, and that what it loads makes no difference to the answer."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core.caching import FunctionCache

from tests.command import complaints, python
from tests.places import SPECS, compiled_kernels
from workbench import get_model
from workbench.checking.check import check
from workbench.checking.kernels import compiled
from workbench.kernel.meaning.budget import Budget, Watch
from workbench.kernel.meaning.plan import Fingerprints
from workbench.registry import configurations

#: What takes its time to be imported, as far as we use it.
HEAVY = {"numba", "numpy", "pandas", "pyarrow", "pyspark", "rich", "scipy"}


def loaded_by(*steps):
    """What of it has been loaded after each of these lines, in one process of its own."""
    lines = [
        "import sys, workbench.commands.cli",
        "def loaded(): return {name.partition('.')[0] for name in sys.modules}",
    ]
    for step in steps:
        lines += [step, f"print('loaded', *sorted({HEAVY} & loaded()))"]
    ended = python("\n".join(lines), check=True)
    return [set(line.split()[1:]) for line in ended.stdout.splitlines() if line.startswith("loaded")]


@pytest.mark.slow
def test_a_command_loads_what_it_needs():
    """Help and lists load no arrays, and a check of a small model no compiler."""
    commands = ("['--help']", "['list']", "['show', 'bakery']", "['check', 'peterson']")
    assert loaded_by(*(f"workbench.commands.cli.main({words})" for words in commands)) == [
        set(),
        {"rich"},
        {"rich"},
        {"rich", "numpy"},
    ]


@pytest.mark.slow
def test_compiled_kernels_are_loaded_without_what_compiles_them():
    """Numba itself looks which scipy there is, and imports its linear algebra where it refreshes what it knows."""
    script = (
        "import sys; from workbench import check; from workbench.protocols.bakery.model import Bakery;"
        "assert check(Bakery(Writers=2), ['EventualProgress'], engine='local').distinct;"
        "print('numba' in sys.modules, 'scipy.linalg' in sys.modules)"
    )
    python(script, check=True)  # which may have to compile them
    ended = python(script, check=True)
    assert ended.stdout == "True False\n"


def everything(result):
    """What a result says, but for the time that it took, and the key that it drew."""
    traces = [None if v.trace is None else (repr(v.trace), v.trace.start, v.trace.moves) for v in result.verdicts]
    document = result.as_dict()
    del document["seconds"], document["fingerprint_key"]
    return document, traces, None if result.profile is None else result.profile.as_dict()


# Lassos, steps, a deadlock, refinements, a constraint and symmetry, each of them where something is found.
CHECKS = [
    ("bakery/release_transaction_wedge", {}),
    ("classics/allocator_deadlock", {"fingerprints": Fingerprints(bits=128)}),
    ("classics/allocator_simple", {}),
    ("classics/chang_roberts_smaller", {"fail_fast": True}),
    ("classics/peterson_stays", {}),
    ("classics/two_phase_commit_impatient", {"budget": Budget(states=300)}),
    ("hudi/one_table_pessimistic", {}),
    ("table/table", {}),
    ("table/two_columns", {"fail_fast": True}),
]


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(("name", "options"), CHECKS, ids=[name for name, _ in CHECKS])
def test_interpreted_kernels_come_to_the_same(name, options):
    one = configurations.configuration(SPECS / f"{name}.toml")
    interpreted = check(one.model, one.properties, symmetry=one.symmetry, **options)
    assert 0 < compiled._calls < compiled.MOST_CALLS
    alike = check(one.model, one.properties, symmetry=one.symmetry, engine="local", **options)
    assert everything(interpreted) == everything(alike)


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted")
def test_where_there_is_too_much_to_interpret_it_begins_again(monkeypatch):
    monkeypatch.setattr(compiled, "MOST_CALLS", 5_000)
    model, told = get_model("bakery")(MaxCrashes=0), []
    result = check(model, symmetry=True, watch=Watch(on_progress=told.append))
    calls = compiled._calls
    assert calls > compiled.MOST_CALLS
    assert everything(result) == everything(check(model, symmetry=True, engine="local"))
    assert [progress.states for progress in told] == sorted(progress.states for progress in told)
    assert told[0].states < told[-1].states == result.distinct
    check(model, symmetry=True)
    assert compiled._calls == calls, "the kernels are loaded by now"


@pytest.mark.usefixtures("interpreted")
def test_a_budget_of_seconds_is_spent_with_compiled_kernels():
    assert check(get_model("peterson")(), budget=Budget(seconds=600)).complete
    assert compiled._calls == 0


def test_a_kernel_is_compiled_anew_when_one_that_it_calls_has_changed(tmp_path):
    """Numba's cache looks at the file of the function alone."""
    from workbench.checking.kernels.numba_cache import stamp

    (tmp_path / "phases").mkdir()
    (tmp_path / "kernel.py").write_text("from workbench.checking.phases import inner\n")
    (tmp_path / "phases" / "inner.py").write_text(
        "from workbench.checking.kernel import g\nfrom workbench.checking.sizes import N\n"
    )
    (tmp_path / "sizes.py").write_text("N = 1\n")
    (tmp_path / "other.py").write_text("")
    kernel = tmp_path / "kernel.py"
    before = stamp(kernel, tmp_path)
    (tmp_path / "other.py").write_text("N = 2\n")
    assert stamp(kernel, tmp_path) == before
    (tmp_path / "sizes.py").write_text("N = 2\n")
    assert stamp(kernel, tmp_path) != before


def test_what_is_compiled_is_known_by_all_of_its_sources():
    from workbench.checking.kernels import numba_cache
    from workbench.checking.kernels.phases.advance import advance

    sources = Path(advance._function.__code__.co_filename)
    assert advance._compiled._cache._cache_file._source_stamp == numba_cache.stamp(sources)


@pytest.mark.parametrize(
    "line",
    [
        "import workbench.checking.sizes as sizes",
        "import workbench.checking.sizes",
        "from workbench.checking import sizes as other, kernel",
        "from workbench.checking.sizes import N as M",
        "from workbench.checking.sizes import (\n    N,\n)",
        "from workbench.checking import (  # all of them\n    sizes,\n)",
        "from workbench.checking.phases import N",
    ],
)
def test_a_kernel_may_import_what_it_needs_in_any_form(tmp_path, line):
    from workbench.checking.kernels.numba_cache import stamp

    (tmp_path / "phases").mkdir()
    (tmp_path / "phases" / "__init__.py").write_text("from workbench.checking.sizes import N\n")
    kernel, sizes = tmp_path / "kernel.py", tmp_path / "sizes.py"
    kernel.write_text(f"import numpy as np\n{line}\n")
    sizes.write_text("N = 1\n")
    before = stamp(kernel, tmp_path)
    sizes.write_text("N = 2\n")
    assert stamp(kernel, tmp_path) != before


@pytest.fixture
def said_by_calls(tmp_path, monkeypatch):
    """Loads a file with two kernels anew, calls them, and returns what is said of compiling."""
    import importlib.util

    from workbench.checking.kernels import compiling

    (tmp_path / "own.py").write_text(
        "from workbench.checking.kernels.compiled import njit\n\n\n"
        + "".join(f"@njit(cache=True)\ndef {name}(n):\n    return n + 1\n\n\n" for name in ("one", "two"))
    )

    def said_by_calls():
        spec = importlib.util.spec_from_file_location("own", tmp_path / "own.py")
        own = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "own", own)
        spec.loader.exec_module(own)
        said = []
        with compiling.telling(said.append):
            assert (own.one(1), own.two(2)) == (2, 3)
        return said

    return said_by_calls


def test_who_waits_for_a_kernel_that_is_compiled_is_told_so_once(said_by_calls):
    """What Numba's cache has is not compiled, and nothing is said of it."""
    (line,) = said_by_calls()
    assert line.startswith("compiling the search kernels")
    assert said_by_calls() == []


def cut(content, at):
    return content[:at]


def flipped(content, at):
    """Two bits are others."""
    return content[:at] + bytes([content[at] ^ 0x41]) + content[at + 1 :]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "place"), [(cut, 0), (cut, 0.5), *((flipped, place) for place in (0, 0.1, 0.3, 0.5, 0.7, 0.9))]
)
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_a_damaged_cache_of_kernels_is_made_anew(said_by_calls, tmp_path, suffix, damage, place):
    """A power cut leaves files that are empty, or end too early; a disk may flip bits, which LLVM takes for code."""
    said_by_calls()
    files = list(tmp_path.rglob(f"*.{suffix}"))
    assert len(files) == 2
    for file in files:
        content = file.read_bytes()
        file.write_bytes(damage(content, int(place * len(content))))
    assert len(said_by_calls()) == 1
    assert said_by_calls() == []


@pytest.mark.slow
def test_a_cache_of_kernels_that_cannot_be_written_is_done_without(said_by_calls, tmp_path):
    said_by_calls()
    for file in tmp_path.rglob("*.nbi"):
        file.unlink()
        file.mkdir()
    assert len(said_by_calls()) == 1


@pytest.fixture
def read_only(tmp_path):
    """Has the folder, and all in it, be read and not written, also by root."""
    mounted = []

    def read_only():
        if os.geteuid():
            for path in [tmp_path, *tmp_path.rglob("*")]:
                path.chmod(0o500)
        elif subprocess.run(["mount", "--bind", tmp_path, tmp_path], capture_output=True).returncode == 0:
            mounted.append(tmp_path)
            subprocess.run(["mount", "-o", "remount,bind,ro", tmp_path], check=True)
        else:
            pytest.skip("root may write everywhere, and may not mount here")

    yield read_only
    for path in mounted:
        subprocess.run(["umount", "-l", path], check=True)
    for path in [tmp_path, *tmp_path.rglob("*")]:
        path.chmod(0o700)


@pytest.mark.parametrize("has_cache", [True, False], ids=["a cache of one's own", "nowhere to write"])
def test_kernels_beside_the_modules_serve_where_nothing_may_be_written(
    said_by_calls, read_only, tmp_path_factory, monkeypatch, has_cache
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("home")) if has_cache else "/dev/null")
    assert len(said_by_calls()) == 1
    read_only()
    assert said_by_calls() == []


def test_where_no_cache_may_be_written_kernels_are_compiled_each_time(said_by_calls, read_only, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    read_only()
    assert [len(said_by_calls()), len(said_by_calls())] == [1, 1]


def test_what_is_compiled_where_nothing_may_be_written_is_kept_for_the_user(
    said_by_calls, read_only, tmp_path, tmp_path_factory, monkeypatch
):
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    said_by_calls()
    with (tmp_path / "own.py").open("a") as file:
        file.write("# what lies beside it is of another version\n")
    read_only()
    assert len(said_by_calls()) == 1
    assert said_by_calls() == []
    assert list(home.rglob("*.nbc"))


@pytest.mark.slow
def test_numba_has_the_private_names_that_the_cache_of_kernels_rests_on():
    """Only versions are accepted for which this was seen; see pyproject.toml."""
    import inspect

    from numba import cloudpickle  # checking/shipping.py
    from numba.core import caching, dispatcher
    from numba.core.runtime import rtsys

    assert {"_load_overload", "load_overload", "save_overload", "flush"} <= set(dir(caching.FunctionCache))
    impl = caching.CompileResultCacheImpl
    assert caching.FunctionCache._impl_class is impl
    assert {caching.InTreeCacheLocator, caching.UserWideCacheLocator} <= set(impl._locator_classes)
    assert "self._impl_class(py_func)" in inspect.getsource(caching.Cache.__init__)
    assert "self._locator_classes" in inspect.getsource(caching.CacheImpl.__init__)
    assert "self.ensure_cache_path()" in inspect.getsource(caching.InTreeCacheLocator.from_function)
    assert {"_index_key", "_impl_class"} <= set(dir(caching.FunctionCache))
    assert {"rebuild", "locator", "filename_base"} <= set(dir(impl))
    assert "self._load_overload(sig, target_context)" in inspect.getsource(caching.Cache.load_overload)
    assert "self._cache_file = IndexDataCacheFile(" in inspect.getsource(caching.Cache.__init__)
    files = caching.IndexDataCacheFile
    assert "self._source_stamp" in inspect.getsource(files._load_index)
    for save in (files._save_index, files._save_data):
        assert "with self._open_for_write(" in inspect.getsource(save)
    for whole in (files.load, files.save):
        assert "self._load_index()" in inspect.getsource(whole)
    assert "self._load_data(" in inspect.getsource(files.load)
    assert "self._cache.load_overload(" in inspect.getsource(dispatcher.Dispatcher)
    assert callable(rtsys.initialize)
    registry = {"register_pickle_by_value", "unregister_pickle_by_value", "list_registry_pickle_by_value"}
    assert registry | {"Pickler"} <= set(dir(cloudpickle))


# A cache without kernels ---------------------------------------------------------------------------------------------

#: Checks a model with an empty cache, and prints the answer, what was said, and how far the compiler was before that.
EMPTY_CACHE = """
import contextlib, json, os, signal, sys
from workbench.checking.local import search
from workbench.checking.kernels import compiling, compiling_beside
from workbench import Budget, Watch, check, get_model
name, constants, options, states, said, beside = *json.loads(sys.argv[1]), [], None

def compiled_first(progress):  # after so many states everything is compiled before the search goes on
    if states is not None and progress.states > states:
        compiling_beside._compiler._waiting.join()

try:
    with compiling.telling(said.append):
        results, loaded, model = [], [], get_model(name)(**constants)
        budget = Budget(seconds=options.pop("seconds", None))
        for _ in range(2):
            results.append(check(model, watch=Watch(compiled_first), budget=budget, **options).as_dict())
            loaded.append(search.kernels_loaded())
    beside = compiling_beside._compiler
    results = [{**result, "seconds": 0, "fingerprint_key": ""} for result in results]
    print(json.dumps([results, said, loaded, beside.has(rare=False)]))
finally:
    if beside is not None:
        os.killpg(beside.process.pid, signal.SIGKILL)
        beside.process.wait()
"""


def with_an_empty_cache(folder, name, constants, options, states=None):
    ended = python(EMPTY_CACHE, json.dumps([name, constants, options, states]), check=True, NUMBA_CACHE_DIR=str(folder))
    assert ended.stderr == ""
    return json.loads(ended.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"engine": "auto"}, {"engine": "local"}, {"seconds": 1e-9}])
def test_no_check_waits_for_its_kernels(tmp_path, options):
    """With an empty cache the answer is the same, and it is there before anything is compiled.

    A budget of seconds is for compiled kernels.
    """
    results, said, loaded, compiled_by_now = with_an_empty_cache(tmp_path, "bakery", {}, options)
    warm = {**check(get_model("bakery")(), engine="local").as_dict(), "seconds": 0, "fingerprint_key": ""}
    assert results == [json.loads(json.dumps(warm))] * 2
    assert loaded == [False, False]
    assert not compiled_by_now
    assert len(said) == 1
    assert said[0].startswith("compiling the search kernels for this machine")


@pytest.mark.slow
def test_the_process_that_goes_on_compiling_after_a_check_is_said(tmp_path):
    """With an empty cache; once it has ended, nothing is said."""
    script = """
import os, signal
from workbench.checking.kernels import compiling_beside
from workbench.commands import cli
cli.main(["check", "peterson", "--set", "Processes=2", "--engine", "local", "--quiet"])
os.killpg(compiling_beside._compiler.process.pid, signal.SIGKILL)
compiling_beside._compiler.process.wait()
cli.main(["list"])
"""
    ended = python(script, check=True, NUMBA_CACHE_DIR=str(tmp_path))
    begun, left = complaints(ended.stderr)
    assert begun.startswith("compiling the search kernels for this machine: until they are ready")
    assert re.fullmatch(r"process \d+ goes on compiling the search kernels, for later commands", left)


@pytest.mark.slow
def test_who_has_the_kernels_compiled_is_told_by_the_one_who_compiles():
    """``make check`` said it twice: once by the command that compiles, and once by the first kernel."""
    script = """
from workbench.checking.kernels import compiling
from workbench.checking.kernels.compiled import njit

@njit(cache=True)
def one(n):
    return n + 1

if {here}:
    compiling.compile_here()
assert one(1) == 2
"""
    assert python(script.format(here=True), check=True).stderr == ""
    assert python(script.format(here=False), check=True).stderr.startswith("compiling the search kernels")


#: Runs command lines, and waits for what a session computes beside its check; prints what this process compiled.
COMMANDS = """
import json, os, signal, sys
from numba.core import event
from workbench.commands import cli
from workbench.checking.kernels import compiling_beside
from workbench.showing.session import Session, opening
from workbench.showing.session.hints import Hints
with event.install_recorder("numba:compile") as compiled:
    statuses = []
    for words in json.loads(sys.argv[1]):
        statuses.append(cli.main(words))
        if compiling_beside._compiler is not None:  # it never gets ready, and takes nothing of the processor
            os.killpg(compiling_beside._compiler.process.pid, signal.SIGSTOP)
    session = Session(opening("paimon", {}))
    hints = Hints(session, lambda: None)
    session.run()
    assert session.settle()
if compiling_beside._compiler is not None:
    os.killpg(compiling_beside._compiler.process.pid, signal.SIGKILL)
print(json.dumps([statuses, len(hints.decided) > 3, len(compiled.buffer)]))
"""


@pytest.mark.slow
def test_nothing_small_waits_for_a_compiler(tmp_path):
    """With an empty cache: pages, graphs, data, sweeps, scenarios, recordings, and a panel with its hints."""
    (tmp_path / "story.txt").write_text("start_insert\n")
    lines = [
        "check paimon --set PUT_IF_ABSENT=false --max-seconds 1 -o lost.html -o lost.itf.json",
        "export paimon -o space.graphml",
        "export paimon -o space",
        "sweep paimon --grid PUT_IF_ABSENT=true,false --grid USE_LOCK=true,false",
        "scenario paimon story.txt",
        "validate paimon lost.itf.json --set PUT_IF_ABSENT=false",
    ]
    words = json.dumps([line.split() for line in lines])
    ended = python(COMMANDS, words, here=tmp_path, check=True, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert json.loads(ended.stdout.splitlines()[-1]) == [[1, 0, 0, 1, 0, 0], True, 0]


LOADED_LATER = """
import json
from workbench import Budget, check
from workbench.registry import configurations
from workbench.checking import warm
from workbench.checking.kernels import numba_cache
later, load = [], numba_cache._Cache.load_overload

def load_overload(cache, sig, context):
    later.append(cache._py_func.__qualname__)
    return load(cache, sig, context)

warm.compile_checks()
numba_cache._Cache.load_overload = load_overload
ones = map(configurations.configuration, configurations.shipped().values())
known = sorted((one for one in ones if "distinct" in one.expect), key=lambda one: one.expect["distinct"])
small = [one for one in known if one.expect["distinct"] < 12_000]
for one in {(one.model.name, bool(one.symmetry)): one for one in small}.values():  # the largest of each
    check(one.model, one.properties, symmetry=one.symmetry, engine="local", budget=Budget(seconds=1e6))
print(json.dumps(later))
"""


@pytest.mark.slow
def test_what_is_compiled_beforehand_is_all_that_checks_need():
    ended = python(LOADED_LATER, check=True)
    assert json.loads(ended.stdout) == []


def copy_kernels(folder, without, monkeypatch):
    """Copy what Numba has compiled of the engines into another cache, but for one kernel."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(folder))
    for kept in compiled_kernels():
        beside: dict[str, Any] = {}
        exec(compile("def kernel(): pass", kept.parents[1] / "__init__.py", "exec"), beside)
        there = Path(FunctionCache(beside["kernel"]).cache_path)
        there.mkdir(exist_ok=True)
        if not kept.name.startswith(without):
            shutil.copy2(kept, there)


@pytest.mark.slow
def test_a_search_begins_again_when_its_kernels_are_compiled(tmp_path, monkeypatch):
    """The process beside it leaves the kernels in the cache: here one, without which no search is compiled."""
    copy_kernels(tmp_path, "advance.advance-", monkeypatch)
    constants = {"AsyncParquet": True}
    results, said, loaded, _ = with_an_empty_cache(tmp_path, "bakery_v2", constants, {}, states=30_000)
    assert loaded == [True, True]
    assert results[0] == results[1]
    assert len(said) == 1
