"""Are our models the published text, state by state? Compares each with its text, in a few configurations.

::

    python scripts/ports.py /path/to/coldfront /path/to/table-formats-tlaplus
    python scripts/ports.py --mutants 40 FOLDER...     # and would a mistake in a model be noticed?

The texts are not ours, and not here: clone pgEdge/coldfront (0f6ff0a) and Vanlightly/table-formats-tlaplus (a827e63).
Any folders that contain the texts will do; a protocol names them under ``texts``. The table has one line for each
configuration: the states and steps that both have, or what differs, and the properties that are violated there. Where a
port has an abstraction, these are its classes of states, and the steps between them.

With ``--mutants`` the sources of the models get small mistakes, one at a time (``scripts/mutations.py``), of which N
are drawn by lot, always the same. A mutant *survives* if it is the same as the text in all the configurations below; it
is printed. Exit status: 0 if all are the same, 1 if not, whatever survives.
"""

import argparse
import inspect
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from mutants import mutated
from mutations import Mutant, mutations

from workbench.checking.following.port import follow_text, get_port
from workbench.checking.following.sameness import Sameness
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.text import columns
from workbench.registry import OURS, get_model, protocols
from workbench.registry.configurations import Configuration, configuration

#: The configurations of each module, of ``specs/``: at least three, and a violated property in one of them.
SETTINGS = {
    "Bakery": ("bakery/v1_published", "bakery/v1_no_crash", "bakery/v1_orphan"),
    "Bakery_v2": (
        "bakery/samenode_published",
        "bakery/v2_two_writers_wedge",
        "bakery/v2_published",
        "bakery/v2_two_writers_crash",
        "bakery/samenode_race",
    ),
    "hudi": (
        "hudi/duplicate_key_pessimistic",
        "hudi/no_concurrency_control",
        "hudi/optimistic_published",
        "hudi/put_if_absent",
        "hudi/timestamp_collision",
        "hudi/salt_and_put_if_absent",
    ),
    "delta_lake": (
        "delta/overwritten_no_partitions",
        "delta/overwritten",
        "delta/put_if_absent",
        "delta/coordination",
        "delta/three_transactions_overwritten",
    ),
    "paimon": (
        "paimon/one_write",
        "paimon/published_two_compactors",
        "paimon/published_unprotected",
        "paimon/published_one_bucket",
        "paimon/published_compaction",
        "paimon/published_default",
    ),
}


class Text(NamedTuple):
    """A text that some protocol maps, and its file."""

    module: str
    path: Path

    @property
    def port(self) -> str:
        """The name of the model that is the text's port."""
        (place,) = (
            protocol.part(protocol.texts[self.module])
            for protocol in protocols().values()
            if self.module in protocol.texts
        )
        return str(place.model)


def texts_in(folders: Sequence[Path]) -> list[Text]:
    """The texts below `folders` that protocols map, in the order of the settings."""
    paths = {
        path.stem: path
        for ending in ("tla", "fizz")
        for folder in folders
        for path in sorted(folder.rglob(f"*.{ending}"))
    }
    return [Text(module, paths[module]) for module in SETTINGS if module in paths]


def compared(text: Text, configured: Configuration, budget: Budget = Budget()) -> Sameness:
    """The comparison of a configuration's model with the module."""
    module = get_model(str(text.path))
    return follow_text(configured.model, module, get_port(type(configured.model.author), text.module), budget=budget)


def violated(configured: Configuration) -> str:
    """The properties that a configuration expects to be violated."""
    verdicts = configured.expect.get("verdicts", {})
    return ", ".join(name for name, verdict in verdicts.items() if isinstance(verdict, dict) and "violated" in verdict)


# Mutants of the ports ------------------------------------------------------------------------------------------------


def mutants_of(name: str, sample: int) -> list[Mutant]:
    """Mutants of the files of a model and those it extends, except in properties, which are no states and steps."""
    model = get_model(name)
    judging = {*model.declared.properties}
    mutants = [
        Mutant(path, module, path.name, mutation)
        for module in dict.fromkeys(cls.__module__ for cls in model.__mro__)
        if module.startswith(f"{OURS}.")
        for path in [Path(inspect.getfile(sys.modules[module]))]
        for mutation in mutations(path.read_text(), vars(sys.modules[module]))
        if mutation.function.rpartition(".")[2] not in judging
    ]
    return sorted(mutants, key=lambda mutant: mutant.lot)[:sample]


def is_noticed(text: Text, mutant: Mutant) -> bool:
    """Whether a mutant differs from the module in a configuration, in this process: it cannot be undone."""
    try:
        find = mutated(mutant)
        for name in SETTINGS[text.module]:
            configured = configuration(name, find)
            if not compared(text, configured, Budget(states=2 * configured.expect["distinct"] + 100)).holds:
                return True
    except Exception:  # of the model, which may have become anything
        return True
    return False


def survivors(text: Text, sample: int) -> Iterator[str]:
    """The mutants that nobody notices, and how many there were."""
    mutants = mutants_of(text.port, sample)
    context = multiprocessing.get_context("fork")
    with context.Pool(1, maxtasksperchild=1) as pool:
        noticed = pool.map(partial(is_noticed, text), mutants, chunksize=1)
    yield from (f"survives: {mutant}" for mutant, seen in zip(mutants, noticed, strict=True) if not seen)
    yield f"{text.module}: {sum(noticed)} of {len(mutants)} mutants of {text.port} are noticed"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="where the published modules are")
    parser.add_argument("--mutants", type=int, metavar="N", help="also try N mutants of each model")
    options = parser.parse_args()
    texts = texts_in(options.folders)
    rows, different = [("module", "configuration", "model", "states", "steps", "same", "violated there")], list[str]()
    for text in texts:
        for name in SETTINGS[text.module]:
            configured = configuration(name)
            sameness = compared(text, configured)
            _, states, steps = sameness.other.has
            same = {True: "yes", False: "no", None: "?"}[sameness.holds]
            rows.append(
                (text.module, name, configured.model.name, f"{states:,}", f"{steps:,}", same, violated(configured))
            )
            if not sameness.holds:
                different.append(f"\n{name}: {sameness}")
    print(*columns(rows, right={3, 4}), *different, sep="\n", flush=True)
    for text in texts if options.mutants else ():
        print(*survivors(text, options.mutants), sep="\n", flush=True)
    return 1 if different or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
