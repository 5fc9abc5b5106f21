"""CHOOSE takes strings and model values in the order in which TLC meets their spellings; what it takes is TLC's."""

from tests.tlaplus.trees import module_of
from workbench.tlaplus.specification import module_of_text

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
