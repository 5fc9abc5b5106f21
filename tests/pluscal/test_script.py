"""`scripts/pluscal.py`, without pcal."""

import pluscal
import pytest
from random_algorithms import random_module

from tests.pluscal.sources import source_in
from tests.pluscal.test_translations import HERE
from workbench.pluscal.checksum import of_lines


def test_translations_that_are_fresh_are_compared_with_ours(capsys):
    assert pluscal.main([str(HERE / "translations"), str(HERE / "traps")]) == 1
    assert capsys.readouterr().out == (
        "20 modules with an algorithm\n"
        "translations in modules, fresh by their checksums: 14 same, 2 differs, 0 refused\n"
        f"  differs: {HERE}/traps/Self\n"
        f"  differs: {HERE}/traps/SelfInIf\n"
    )


def test_a_translation_by_an_earlier_pcal_is_laid_out_otherwise(tmp_path, capsys):
    text = (HERE / "translations/Sum.tla").read_text()
    assert text.count("VARIABLES pc, ") == 1
    older = source_in(text.replace("VARIABLES pc, ", "VARIABLES  pc, "))
    sums = older.checksums
    renewed = older.module.replace(sums.translation, of_lines(older.translation))
    (tmp_path / "Sum.tla").write_text(renewed)
    assert pluscal.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out.endswith(f"1 laid out otherwise\n  laid out otherwise: {tmp_path}/Sum\n")


def test_modules_are_compared_with_those_that_pcal_wrote():
    module = (HERE / "translations/Sum.tla").read_text()
    translation = pluscal.translated(source_in(module))
    assert [
        pluscal.beside_pcal(translation, module),
        pluscal.beside_pcal(translation, module + " "),
        pluscal.beside_pcal(translation, None),
        pluscal.beside_pcal(None, module),
        pluscal.beside_pcal(None, None),
    ] == ["same", "differs", "refused by pcal alone", "refused here alone", "refused"]


def test_random_algorithms_are_those_of_their_seeds_and_many_have_no_mistake():
    modules = [random_module(seed) for seed in range(6)]
    assert modules == [random_module(seed) for seed in range(6)]
    translations = [pluscal.translated(source_in(module)) for module in modules]
    assert 1 < sum(translation is not None for translation in translations) < 6


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "it takes a FOLDER, or --random N with --pcal CLASSPATH"),
        (["--random", "5"], "it takes a FOLDER, or --random N with --pcal CLASSPATH"),
        (["/nowhere"], "there is no folder /nowhere"),
    ],
)
def test_bad_input_is_one_line(arguments, line, capsys):
    with pytest.raises(SystemExit) as end:
        pluscal.main(arguments)
    assert (end.value.code, capsys.readouterr().err.splitlines()[-1].partition("error: ")[2]) == (2, line)
