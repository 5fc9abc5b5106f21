"""A mistake in an algorithm is one line with its place, whatever the text."""

import random
from pathlib import Path

import pytest

from tests.pluscal.sources import module_of, source_in, text_of
from workbench.kernel import InputError
from workbench.pluscal.module import find

MODULES = sorted((Path(__file__).parent / "translations").glob("*.tla"))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("L: x = 1;", "6:6: an assignment is written x := ..., not x = ..."),
        ("L: x := 1;\n x := 2;", "7:2: a label is missing here; x is assigned twice in one step"),
        ("L: x := 1\n y := 2;", "7:2: a ; is missing before y"),
        ("L: goto M;", "6:4: goto M: there is no such label here"),
        ("L: x' := 1;", "6:4: an assignment is x := ..., x[...] := ... or x.field := ...: PlusCal writes no primes"),
        ("L: z := 1;", "6:4: z is assigned, and is no variable of the algorithm"),
        ("L: f(1);", "6:4: f is no macro; a procedure is called by call f(...)"),
        ("L: call f();", "6:4: there is no procedure f"),
        ("L: x := (1;", "6:9: ( is not closed before ;"),
        ("L: if x = 1 then y := 1;", "7:5: expected if and found algorithm; what begins with if ends with end if"),
        ("L: skip; L: skip;", "6:13: L is declared before, at line 6 (label)"),
    ],
)
def test_mistakes(body, message):
    with pytest.raises(InputError) as caught:
        text_of(f"--algorithm A\nvariables x = 0, y = 0;\nbegin\n{body}\nend algorithm")
    assert str(caught.value) == f"M.tla:{message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(* --algorithm A { variable x = 0; { L: x := 1 *)", "M.tla:3:46: a value has no end"),
        (
            "(* --algorithm A { process (a = 1) { L: while (TRUE) skip } } *)",
            "M.tla:3:16: the algorithm has no variables",
        ),
    ],
)
def test_algorithms_that_are_not_whole(text, message):
    with pytest.raises(InputError) as caught:
        source_in(f"---- MODULE M ----\nEXTENDS Integers\n{text}\n====\n").translate()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            module_of("--algorithm A { variable x = 0; { L: skip } }").replace(" *)", " *) A == 1"),
            "M.tla:3:1: nothing but the end of the line may follow the algorithm's *)",
        ),
        (
            module_of("--algorithm A { variable x = 0; { L: skip } }").replace("\n===", "\n\\* BEGIN TRANSLATION\n==="),
            "M.tla:4:1: BEGIN TRANSLATION without END TRANSLATION",
        ),
        (
            "--algorithm A { variable x = 0; { L: skip } }\n---- MODULE M ----\n====\n",
            "M.tla:1:1: the module takes the lines \\* BEGIN TRANSLATION and \\* END TRANSLATION",
        ),
    ],
)
def test_modules_without_a_place_for_the_translation(text, message):
    made = source_in(text).translate()
    with pytest.raises(InputError) as caught:
        _ = made.module
    assert str(caught.value) == message


def test_nesting_without_end_is_no_crash():
    deep = "if (x = 0) { " * 2000 + "skip" + " }" * 2000
    with pytest.raises(InputError, match=r"^M\.tla:3:1: the algorithm is nested too deep$"):
        text_of(f"--algorithm A {{ variable x = 0; {{ L: {deep} }} }}")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_text_with_words_lost_or_moved_is_translated_or_refused(path):
    draw = random.Random(path.stem)
    algorithm = path.read_text().partition("\\* BEGIN")[0]
    start = algorithm.index("--algorithm" if "--algorithm" in algorithm else "--fair algorithm")
    refusals = []
    for _ in range(60):
        words = algorithm[start:].split(" ")
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(1, len(words))
            words[at : at + 1] = draw.choice([[], [words[at]] * 2, [draw.choice(words)], ["("], ["}"], [";"]])
        source = find(algorithm[:start] + " ".join(words), path.stem)
        try:
            _ = source and source.translate().differences
        except InputError as error:
            refusals.append(str(error))
    assert refusals
    assert [text for text in refusals if not text.startswith(f"{path.stem}.tla:")] == []
