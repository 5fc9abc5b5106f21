r"""Does `workbench.pluscal` write what pcal writes? Compares translations, byte for byte.

::

    python scripts/pluscal.py Examples coldfront                       # with those that stand in modules
    python scripts/pluscal.py Examples --pcal tla2tools.jar            # and with those that pcal writes now
    python scripts/pluscal.py --random 500 --seed 0 --pcal tla2tools.jar

Translated is each module with an algorithm in the folders, and N random ones, whose names are their seeds. A
translation in a module is compared if both its checksums say that it is fresh; all fair algorithms have the same one,
which says nothing. pcal is that in a class path; Java, with its compiler, runs it once for all modules, on copies.
Whole modules are compared with its own, so checksums and markers are, too. Exit status: 0 if nothing differs and both
refuse the same, 1 otherwise.
"""

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from random_algorithms import random_module

from workbench.kernel import InputError
from workbench.pluscal.module import Source, Translation, find

SAME, DIFFERS, REFUSED = "same", "differs", "refused"
#: Other text, but no definition that `differing` compares says anything else: such is that of earlier versions of pcal.
LAID_OUT = "laid out otherwise"
PCAL_ALONE, OURS_ALONE = "refused by pcal alone", "refused here alone"
#: Runs pcal on files, in the mode in which it does not end the process. It keeps the old text of a file beside the new.
_BATCH = """import java.lang.reflect.Method;
import util.ToolIO;
public class Batch {
    public static void main(String[] files) throws Exception {
        Method translate = Class.forName("pcal.trans").getMethod("runMe", String[].class);
        translate.setAccessible(true);
        for (String file : files) {
            ToolIO.setMode(ToolIO.TOOL);
            ToolIO.reset();
            try {
                translate.invoke(null, (Object) new String[] {"-nocfg", file});
            } catch (java.lang.reflect.InvocationTargetException refused) {}
        }
    }
}
"""


def sources_in(folder: Path) -> Iterator[Source]:
    """The modules with an algorithm in a folder, under their paths."""
    for path in sorted(folder.rglob("*.tla")):
        text = path.read_bytes().decode(errors="replace")
        if source := find(text, str(path.with_suffix(""))):
            yield source


def translated(source: Source) -> Translation | None:
    """The translation, with the module around it; None if it is refused."""
    try:
        translation = source.translate()
        translation.module  # noqa: B018 (it is refused if there is no place for it)
    except InputError:
        return None
    return translation


def beside_its_own(source: Source, translation: Translation | None) -> str | None:
    """How a translation compares with that in the module; None if that is not known to be fresh."""
    sums = source.checksums
    if not source.is_translated or source.is_fair or not sums.algorithm or not sums.translation or source.is_edited:
        return None
    if translation is None:
        return REFUSED
    if translation.checksums.algorithm != sums.algorithm:
        return None
    return SAME if translation.texts == source.translation else DIFFERS if translation.differences else LAID_OUT


def of_pcal(texts: Sequence[str], class_path: str) -> list[str | None]:
    """The modules as pcal leaves them; None for one that it refuses.

    Raises:
        InputError: If it does not run, as without a pcal in the class path.
    """
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / str(number) / "M.tla" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.parent.mkdir()
            path.write_bytes(text.encode())
        batch = Path(folder) / "Batch.java"
        batch.write_text(_BATCH)
        command = ["java", "-XX:+UseSerialGC", "-Xss16m", "-cp", class_path, str(batch), *map(str, paths)]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            raise InputError(f"--pcal {class_path}: pcal cannot be run: {run.stderr.partition(chr(10))[0]}")
        return [path.read_bytes().decode() if path.with_suffix(".old").exists() else None for path in paths]


def beside_pcal(translation: Translation | None, module: str | None) -> str:
    """How a translation compares with the module that pcal wrote; both None if refused."""
    if translation is None or module is None:
        return REFUSED if translation is module else OURS_ALONE if translation is None else PCAL_ALONE
    return SAME if translation.module.replace("\r\n", "\n") == module.replace("\r\n", "\n") else DIFFERS


def lines_of(title: str, answers: Mapping[str, str]) -> Iterator[str]:
    """A line with counts, and one for each module that is not the same, unless both refuse it."""
    counts = Counter(dict.fromkeys((SAME, DIFFERS, REFUSED), 0))
    counts.update(answers.values())
    yield f"{title}: {', '.join(f'{count} {answer}' for answer, count in counts.items())}"
    yield from (f"  {answer}: {name}" for name, answer in answers.items() if answer not in (SAME, REFUSED))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="N random algorithms, too; needs --pcal")
    parser.add_argument("--seed", type=int, default=0, help="that of the first random algorithm")
    parser.add_argument("--pcal", metavar="CLASSPATH", help="compare with pcal.trans from there")
    options = parser.parse_args(arguments)
    for folder in options.folders:
        if not folder.is_dir():
            parser.error(f"there is no folder {folder}")
    if not (options.folders or options.random) or (options.random and options.pcal is None):
        parser.error("it takes a FOLDER, or --random N with --pcal CLASSPATH")
    sources = [source for folder in options.folders for source in sources_in(folder)]
    for seed in range(options.seed, options.seed + options.random):
        source = find(random_module(seed), str(seed))
        assert source is not None
        sources.append(source)
    translations = [translated(source) for source in sources]
    print(f"{len(sources)} modules with an algorithm")
    own = {
        source.name: answer
        for source, translation in zip(sources, translations, strict=True)
        if (answer := beside_its_own(source, translation)) is not None
    }
    tables = {"translations in modules, fresh by their checksums": own} if options.folders else {}
    if options.pcal is not None:
        try:
            modules = of_pcal([source.module for source in sources], options.pcal)
        except InputError as error:
            parser.error(str(error))
        answers = map(beside_pcal, translations, modules)
        tables["pcal"] = {source.name: answer for source, answer in zip(sources, answers, strict=True)}
    for title, table in tables.items():
        print("\n".join(lines_of(title, table)))
    return int(any(answer not in (SAME, LAID_OUT, REFUSED) for table in tables.values() for answer in table.values()))


if __name__ == "__main__":
    sys.exit(main())
