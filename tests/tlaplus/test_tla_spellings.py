"""CHOOSE takes strings and model values in the order in which TLC meets their spellings; what it takes is TLC's."""

import pytest

from tests.tlaplus.trees import module_of
from workbench.tlaplus.machine.specification import module_of_text

DEEP = module_of("dd == 1", 'Ds == "sd"', name="Deep")
BASE = module_of("EXTENDS Deep", "bb == 1", 'Bs == "sb"', name="Base")
CALM = module_of("cc == 1", 'Cs == "sc"', name="Calm")
FAR = module_of("ff == 1", 'Fs == "sf"', name="Far")
ROOT = module_of(
    r"""EXTENDS Base, Calm, Naturals
CONSTANTS M, N, beta
VARIABLE x
I == INSTANCE Far
Pick(S) == CHOOSE e \in S : TRUE
field == 1
Init == x = <<
  Pick({"bb", "cc"}), Pick({"dd", "cc"}), Pick({"bb", "dd"}), Pick({"ff", "bb"}), Pick({"ff", "cc"}),
  Pick({"ff", "dd"}), Pick({"sb", "sc"}), Pick({"sd", "sc"}), Pick({"sd", "sb"}), Pick({"sf", "sb"}),
  Pick({"sf", "sc"}), Pick({"sd", "sf"}), Pick({"Nat", "cc"}), Pick({"Nat", "sc"}), Pick(M), Pick(N), Pick(M \cup N),
  Pick({"mid", "field", "zed"}), Pick({[zz |-> 1, aa |-> 2], [aa |-> 1, zz |-> 3]}), Pick({"m2", "m1"}),
  Pick({{"zeta"}, {"alpha"}, {"beta"}}), Pick({"w1", "mid", "Init"}) >>
Next == x' = x
Inv == x = <<>>""",
    name="Root",
)
CFG = "CONSTANTS beta = beta M = {m2, m1} N = {w1, a0} INIT Init NEXT Next"
TAKEN = (
    '<<"bb", "cc", "bb", "bb", "cc", "dd", "sb", "sd", "sd", "sb", "sc", "sd", "cc", "Nat", m2, w1, m2, "field", '
    '[zz |-> 1, aa |-> 2], "m2", {"beta"}, "w1">>'
)


def test_choose_takes_what_tlc_takes_whatever_was_evaluated_between():
    model = module_of_text(ROOT, CFG, (DEEP, BASE, CALM, FAR))
    other = module_of_text(module_of("VARIABLE x", 'Init == x = "sc"', "Next == x' = x"), "INIT Init NEXT Next")
    for _ in range(2):
        (state,) = model().initial_states()
        assert model.configured.notation.show(state.values[0]) == TAKEN
        other().initial_states()


#: Lines of a module, its configuration, and pairs of strings with the one that CHOOSE takes: TLC of tlaplus/tlaplus
#: cc6b616 with its usual options.
PAIRS = [
    ("EXTENDS Naturals", "", "z|a=a n|b=b Nat|a=Nat val|out=val IF|CHOOSE=CHOOSE"),
    ("", "", "z|a=a val|a=val trace|state=state vars|e=vars t|s=s m|out=out console|action=console action|z=action"),
    ("EXTENDS Sequences, FiniteSets", "", "t|e=t seq|Append=Append CS|T=CS m|x=m LOCAL|ELSE=LOCAL x|a=x"),
    ("EXTENDS Bags, Integers", "", "B|b=B elt|d=d n|a=n val|B2=B2 TLC|Nat=TLC"),
    ("LOCAL INSTANCE TLC", "", "out|trace=trace val|w=val n|out=out"),
    ("CONSTANT P", 'P = {"w", mm, "v"}', "v|w=w w|mm=w x|v=v STRING|v=v"),
    ("CONSTANTS P, A", 'A = zz P = {a1, b2, "k"}', "a1|zz=zz k|b2=b2 A|k=k"),
    ("", "", "1|0=1 +|-=- /|*=/ }|{={ 2|1=1"),
    (
        "F(gg, ff) == \\A kk \\in {} : LET ll == 1 IN [hh |-> gg, ii |-> {jj \\in {} : ff}].ii",
        "",
        "hh|gg=gg ff|gg=gg ii|hh=hh jj|ii=ii ll|kk=kk jj|ff=ff",
    ),
    ('F == {<<"s1", u>> : u \\in {"s2"}}', "", "s1|s2=s2 s2|u=u"),
]


@pytest.mark.parametrize(("line", "cfg", "pairs"), PAIRS)
def test_words_count_from_where_tlc_reads_them_first(line, cfg, pairs):
    sets, taken = zip(*(pair.rsplit("=", 1) for pair in pairs.split()), strict=True)
    chosen = ", ".join(
        f'CHOOSE s \\in {{"{members.replace("|", chr(34) + ", " + chr(34))}"}} : TRUE' for members in sets
    )
    text = module_of(line, "VARIABLE v", f"Init == v = <<{chosen}>>", "Next == UNCHANGED v", "No == v = <<>>")
    configuration = f"{cfg and 'CONSTANTS'} {cfg} INIT Init NEXT Next INVARIANT No"
    model = module_of_text(text, configuration)
    (state,) = model().initial_states()
    assert model.configured.notation.show(state.values[0]) == "<<" + ", ".join(f'"{word}"' for word in taken) + ">>"
