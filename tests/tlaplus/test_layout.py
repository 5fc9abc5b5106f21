r"""Bullets align by SANY's columns, in which a tab reaches to the next multiple of eight; comments take no part.

TLC says that each list of ``HOLDS`` is true, and that of ``NESTED`` false: x = z = 1 and y = 0 tell the nestings apart.
"""

import pytest

from tests.tlaplus.trees import module_of, shape
from workbench import check
from workbench.kernel import InputError
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.parser import parse_module

HOLDS = {
    "tabs, then blanks": ("\t\t\\/ /\\ x = 0", "\t\t   /\\ z = 0", " " * 16 + "\\/ y = 0"),
    "blanks before tabs": ("  \t \t\\/ /\\ x = 0", "  \t \t   /\\ z = 0", " " * 16 + "\\/ y = 0"),
    "carriage returns": ("\t\\/ /\\ x = 0\r", "\t   /\\ z = 0\r", " " * 8 + "\\/ y = 0\r"),
    "text before a tab": ("  TRUE =>\t\\/ /\\ x = 0", " " * 19 + "/\\ z = 0", " " * 16 + "\\/ y = 0"),
    "a tab in a string": (' "a\tb" # "" => \\/ /\\ x = 0', " " * 23 + "/\\ z = 0", " " * 21 + "\\/ y = 0"),
    "a tab in a comment": (" (* é\té *)\\/ /\\ x = 0", " " * 16 + "/\\ z = 0", " " * 14 + "\\/ y = 0"),
    "a form feed in a comment": (" (* \f *) \\/ /\\ x = 0", " " * 12 + "/\\ z = 0", " " * 9 + "\\/ y = 0"),
}
NESTED = ("    \\/ /\\ x = 0", "       /\\ z = 0", "   \t\\/ y = 0")


@pytest.mark.parametrize(
    ("lines", "holds"),
    [*(pytest.param(lines, True, id=name) for name, lines in HOLDS.items()), pytest.param(NESTED, False, id="nested")],
)
def test_bullets_align_by_the_columns_of_sany(lines, holds):
    start = "Init == x = 1 /\\ y = 0 /\\ z = 1", "Next == UNCHANGED <<x, y, z>>", "Inv =="
    model = module_of_text(module_of("VARIABLES x, y, z", *start, *lines), "INIT Init NEXT Next INVARIANT Inv")
    assert check(model).holds is holds


def test_a_tab_is_one_character_of_places_and_strings():
    module = parse_module(module_of('A ==\t<<"a\tb",\tx,', '"c\t",\t"\t" \t+ y>>'), "M")
    (definition,) = module.each(tree.OperatorDefinition)
    first, name, second, sum_of = definition.body.items
    assert [str(node.at) for node in (first, name, second, *sum_of.operands)] == [
        "M.tla:2:8",
        "M.tla:2:15",
        "M.tla:3:1",
        "M.tla:3:7",
        "M.tla:3:14",
    ]
    assert [first.value, second.value, sum_of.operands[0].value] == ["a\tb", "c\t", "\t"]
    with pytest.raises(InputError, match=r"M\.tla:2:13: syntax error: found '\)'"):
        parse_module(module_of('A ==\t"\t" =\tx)'), "M")


COMMENTED = [
    '(* --algorithm A { variables x = 0; { a: print <<1, 2>>, 3; (* "*) } \n}*)',
    "\\* an algorithm { \t --fair algorithm B { { skip",
    "(***(* nested *)**)",
    '(* an open " string and a bullet\n/\\ *)',
]


@pytest.mark.parametrize("comment", COMMENTED)
def test_nothing_is_read_in_a_comment(comment):
    module = parse_module(module_of("A == 1", comment, 'B == "(* \\\\* no comment *)"', "C == 2 " + comment), "M")
    assert [shape(definition.body) for definition in module.each(tree.OperatorDefinition)] == [
        "Number(1)",
        "String((* \\* no comment *))",
        "Number(2)",
    ]


def test_text_around_modules_has_no_comments_and_one_without_an_end_is_refused():
    text = "It's (* never closed\n" + module_of("A == 1 (* one *)") + "\nand (* here\n" + module_of("B == 2", name="N")
    assert parse_module(text, "M").name == "M"
    (definition,) = parse_module(text, "N").each(tree.OperatorDefinition)
    assert str(definition.at) == "N.tla:7:1"
    with pytest.raises(InputError, match=r"M\.tla:2:8: syntax error"):
        parse_module(module_of("A == 1 (* never closed"), "M")
