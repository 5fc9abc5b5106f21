r"""An algorithm in a comment is known by its lines, and its translation by the checksum that pcal wrote."""

import pytest

from tests.tlaplus.trees import module_of
from workbench import check
from workbench.kernel import InputError
from workbench.tlaplus.machine.specification import module_of_text, open_module
from workbench.tlaplus.syntax.pluscal import algorithm_in

ALGORITHM = "(* --algorithm Counts {\nvariables n = 0;\n{ a: while (n < 2) { n := n + 1 }\n} } *)"
#: What pcal of tlaplus/tlaplus cc6b616 writes for it.
TRANSLATION = r"""\* BEGIN TRANSLATION (chksum(pcal) = "3a9bb4c6" /\ chksum(tla) = "ef2db08a")
VARIABLES pc, n

vars == << pc, n >>

Init == (* Global variables *)
        /\ n = 0
        /\ pc = "a"

a == /\ pc = "a"
     /\ IF n < 2
           THEN /\ n' = n + 1
                /\ pc' = "a"
           ELSE /\ pc' = "Done"
                /\ n' = n

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == pc = "Done" /\ UNCHANGED vars

Next == a
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(pc = "Done")

\* END TRANSLATION """
EDITED = TRANSLATION.replace("n + 1", "n + 2")
EMPTY = "\\* BEGIN TRANSLATION\n\n\\* END TRANSLATION"
CFG = "SPECIFICATION Spec"


def opened(*lines, cfg=CFG):
    return module_of_text(module_of("EXTENDS Naturals", *lines), cfg)


def test_a_module_with_its_algorithm_runs_and_says_nothing():
    for text in (TRANSLATION, TRANSLATION.replace("\n", "\r\n")):
        result = check(opened(ALGORITHM, text)(), engine="reference")
        assert (result.distinct, list(opened(ALGORITHM, text)().oversights())) == (4, [])


@pytest.mark.parametrize(
    ("algorithm", "translation", "notes"),
    [
        (ALGORITHM, EDITED, ["M.tla: the translation in lines 8-32 was changed by hand after pcal wrote it"]),
        (ALGORITHM, EDITED.replace('(chksum(pcal) = "3a9bb4c6" /\\ chksum(tla) = "ef2db08a")', ""), []),
        (ALGORITHM, EDITED.replace('= "ef2db08a"', "\\in STRING"), []),
        ("", EDITED, []),
    ],
    ids=["with a checksum", "older", "checksum switched off", "no algorithm"],
)
def test_a_translation_that_was_changed_by_hand_is_noted_where_a_checksum_tells(algorithm, translation, notes):
    assert list(opened(algorithm, translation)().oversights()) == notes


@pytest.mark.parametrize(
    ("lines", "cfg"),
    [
        ((ALGORITHM,), CFG),
        ((ALGORITHM, EMPTY), CFG),
        ((ALGORITHM, 'Done == pc = "Done"'), CFG),
        ((ALGORITHM, "Small == n < 3"), CFG),
        ((ALGORITHM.replace("--algorithm", "--fair algorithm"), "At == ProcSet"), CFG),
        ((ALGORITHM.replace("} } *)", "} }\n\nThat was { an algorithm. *)"), EMPTY), CFG),
    ],
)
def test_a_missing_translation_is_told_in_place_of_the_names_that_it_would_define(lines, cfg):
    with pytest.raises(InputError) as caught:
        opened(*lines, cfg=cfg)
    assert str(caught.value) == "M.tla: the algorithm in lines 3-6 has no translation; pcal writes one"


def test_a_missing_translation_is_told_without_a_configuration_too(tmp_path):
    (tmp_path / "M.tla").write_text(module_of(ALGORITHM))
    with pytest.raises(InputError, match=r"^M\.tla: the algorithm in lines 2-5 has no translation; pcal writes one$"):
        open_module(tmp_path / "M.tla")


BEHAVIOUR = "VARIABLE x", "Init == x = 0", "Next == x' = 1 - x"


def test_an_algorithm_may_be_an_illustration():
    assert check(opened(ALGORITHM, *BEHAVIOUR, cfg="INIT Init NEXT Next")()).distinct == 2
    with pytest.raises(InputError, match="unknown definition 'Tpyo'"):
        opened(ALGORITHM, *BEHAVIOUR, cfg="INIT Init NEXT Next INVARIANT Tpyo")
    with pytest.raises(InputError, match="unknown name pc"):
        opened(ALGORITHM.replace("--algorithm", "an algorithm"), "A == pc")


@pytest.mark.parametrize(
    ("algorithm", "lines"),
    [
        ("(*\n--algorithm P\nbegin a: skip; end algorithm;\n\n*)", (4, 5)),
        ("(*\n--algorithm C { { a: skip } }\n*)", (4, 4)),
        ("\\* --algorithm C { { a: skip } }", None),
        ('A == "--algorithm C {"', None),
    ],
)
def test_the_lines_of_an_algorithm_are_its_own(algorithm, lines):
    found = algorithm_in(module_of("EXTENDS Naturals", algorithm))
    assert (None if found is None else (found.first, found.last)) == lines
