"""Would the figures notice a mistake in a model? Makes small mistakes, one at a time, and checks the expectations.

::

    python scripts/mutants.py                              # all mistakes in all models of the workbench: make mutants
    python scripts/mutants.py workbench/protocols/hudi/model.py     # those in one file
    python scripts/mutants.py --sample 100                 # some of them, always the same
    python scripts/mutants.py append.py --specs checks     # in your own model, with your own configurations

Each *mutant* is a model whose source has one mistake (``scripts/mutations.py``). It is checked in the configurations of
the models that use that source, the smallest first, up to the first one in which anything differs from what the file
expects: then it is *noticed*. So it is, too, if the model raises an error, or has more than twice as many states as
expected. A mutant that no configuration notices *survives*, unless ``equivalent_mutants.toml`` lists it, with the
reason why it is no mistake. Exit status: 0 if none survives and the list is right, 1 if not.

Tools that make mutants of Python, such as mutmut and Cosmic Ray, run a suite of tests for each; here a model is
mutated in a process that has the search kernels loaded, and is judged by figures, which takes a tenth of a second.
"""

import argparse
import importlib
import math
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from mutations import Equivalents, Mutant, mutations

from workbench.checking.check import check
from workbench.kernel import InputError, Model
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.errors import short_name
from workbench.registry import OURS, configurations, get_model
from workbench.registry.configurations import Configuration

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "workbench" / "protocols"
EQUIVALENT = ROOT / "tests" / "protocols" / "equivalent_mutants.toml"
#: Listed mutants meet only configurations with up to this many states, enough to notice a wrong entry.
SMALL = 20_000
#: A longer search has gone wrong, in seconds.
PATIENCE = 600


# Models with a mistake -----------------------------------------------------------------------------------------------


def mutated(mutant: Mutant) -> Callable[[str], type[Model]]:
    """A function that finds models by name, with the mistake in them; loaded modules are loaded again.

    Only for a process of its own: this cannot be undone.
    """
    for name in [name for name in sys.modules if name.startswith(f"{OURS}.")]:
        del sys.modules[name]
    original, path = mutant.module, mutant.path
    module = ModuleType(original)
    module.__file__ = str(path)
    sys.modules[original] = module  # models that import it find it here
    package, _, name = original.rpartition(".")
    if original.startswith(f"{OURS}."):
        setattr(importlib.import_module(package), name, module)
    exec(compile(mutant.mutation.applied(path.read_text()), path, "exec"), vars(module))

    def find(name: str) -> type[Model]:
        file, _, attribute = name.rpartition(":")
        return getattr(module, attribute) if file and Path(file).resolve() == path else get_model(name)

    return find


def first_difference(mutant: Mutant | None, paths: Iterable[tuple[Path, int]]) -> str | None:
    """The first expectation that a mutant misses; None if it meets all.

    Args:
        mutant: None for no mistake.
        paths: The configurations, with their numbers of states.
    """
    try:
        find = get_model if mutant is None else mutated(mutant)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    for path, states in paths:
        try:
            configuration = configurations.configuration(path, find)
            result = check(
                configuration.model,
                configuration.properties,
                symmetry=configuration.symmetry,
                budget=Budget(states=2 * states + 100, seconds=PATIENCE),
            )
        except Exception as error:  # of the model, which may have become anything
            return f"{path.stem}: {type(error).__name__}: {error}"
        if not configuration.as_expected(result):
            return f"{path.stem}: " + (configuration.differences(result) or [str(result.error or "too many states")])[0]
    return None


# What is mutated, and what judges it ---------------------------------------------------------------------------------


def sources_of(model: type[Model]) -> dict[Path, ModuleType]:
    """The files that a model's behaviour stands in: its class's, those of its bases, and the models' that they use."""
    modules: dict[Path, ModuleType] = {}
    waiting = [sys.modules[base.__module__] for base in model.__mro__ if base.__module__ != "builtins"]
    while waiting:
        module = waiting.pop()
        own = not module.__name__.startswith("workbench.") or module.__name__.startswith(f"{OURS}.")
        if own and getattr(module, "__file__", None) and (path := Path(str(module.__file__)).resolve()) not in modules:
            modules[path] = module
            used = [v if isinstance(v, ModuleType) else _module_of(v) for v in vars(module).values()]
            waiting += [other for other in used if other and other.__name__.startswith(f"{OURS}.")]
    return modules


def _module_of(value: Any) -> ModuleType | None:
    return sys.modules.get(str(getattr(value, "__module__", None)))


@dataclass
class Bench:
    """The sources, their mutants, and for each source the configurations that it is used in, the smallest first."""

    mutants: list[Mutant] = field(default_factory=list)
    judges: dict[Path, list[tuple[Path, int]]] = field(default_factory=dict)


def prepare(files: Sequence[Path], targets: Iterable[Path], most: float = math.inf) -> Bench:
    """All mutants of `files`, or of all that the configurations in `targets` with up to `most` states use.

    Raises:
        InputError: If no configuration uses a file, or one expects no number of states.
    """
    modules: dict[Path, ModuleType] = {}
    bench = Bench()
    for path in configurations.find(targets):
        configuration = configurations.configuration(path)
        used, states = sources_of(type(configuration.model.author)), _states(configuration)
        modules |= used
        for file in used:
            if states <= most:
                bench.judges.setdefault(file, []).append((path, states))
    unused = [file for file in files if file.resolve() not in bench.judges]
    if unused:
        raise InputError(f"{str(unused[0])!r} is not mutated, since no configuration is of a model that uses it")
    for file in [file.resolve() for file in files] or sorted(bench.judges):
        bench.judges[file].sort(key=lambda judge: judge[1])
        module, name = modules[file], short_name(file)
        bench.mutants += [
            Mutant(file, module.__name__, name, mutation) for mutation in mutations(file.read_text(), vars(module))
        ]
    return bench


def _states(configuration: Configuration) -> int:
    if "distinct" not in configuration.expect:
        raise InputError(f"{configuration.path} says nothing of the number of states; give `distinct` under [expect]")
    return int(configuration.expect["distinct"])


# The command ---------------------------------------------------------------------------------------------------------

_shared: list[Any] = []  # what the forks take over, without its being sent to them


def judge(bench: Bench, mutants: list[Mutant], listed: Equivalents, jobs: int) -> Iterator[tuple[Mutant, str | None]]:
    """The mutants with what notices each, as they are done, each in a process of its own."""
    context = multiprocessing.get_context("fork")  # a fork has the kernels loaded, and the mutants made
    first_difference(None, min(bench.judges.values(), key=len)[:1])
    with context.Pool(jobs, _shared.extend, [(bench, mutants, listed)], maxtasksperchild=1) as pool:
        for number, difference in pool.imap_unordered(_judge, range(len(mutants))):
            yield mutants[number], difference


def _judge(number: int) -> tuple[int, str | None]:
    bench, mutants, listed = _shared
    mutant = mutants[number]
    most = SMALL if listed.has(mutant) else math.inf
    return number, first_difference(mutant, (judge for judge in bench.judges[mutant.path] if judge[1] <= most))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="sources of models; all that the configurations use")
    parser.add_argument("--specs", nargs="+", type=Path, default=[ROOT / "specs"], help="configurations, or folders")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of the mutants, by lot, always the same")
    parser.add_argument("--states", type=int, metavar="N", help="leave out configurations with more states than N")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes at a time")
    options = parser.parse_args(arguments)
    try:
        bench = prepare(options.files, options.specs, math.inf if options.states is None else options.states)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    listed, mutants = Equivalents.read(EQUIVALENT), bench.mutants
    wrong = [f"listed as equivalent, and no mutant: {entry}" for entry in listed.unknown(mutants)]
    print(*wrong, sep="\n", end="\n" * bool(wrong), flush=True)
    if options.sample is not None:
        mutants = sorted(mutants, key=lambda mutant: mutant.lot)[: options.sample]
    by_file: dict[str, Counter[str]] = {}
    for mutant, difference in judge(bench, mutants, listed, options.jobs):
        outcome = "equivalent" if listed.has(mutant) else "survived" if difference is None else "noticed"
        by_file.setdefault(mutant.file, Counter())[outcome] += 1
        if outcome == "survived":
            wrong.append(f"survives: {mutant}")
        elif outcome == "equivalent" and difference is not None and mutant.key in listed.mutants:
            wrong.append(f"listed as equivalent, and noticed: {mutant}: {difference}")
        else:
            continue
        print(wrong[-1], flush=True)
    for name, counts in sorted(by_file.items()):
        print(f"{name}: " + ", ".join(f"{counts[kind]:,} {kind}" for kind in ("noticed", "equivalent", "survived")))
    print(f"{len(wrong)} to look at" if wrong else "no mutant survives")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
