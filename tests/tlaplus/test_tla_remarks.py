"""What a module's comments say of its names is what lists, switches and steps say."""

import pytest

from workbench.kernel import machine_of
from workbench.tlaplus.machine.specification import module_of_text

TEXT = r"""---- MODULE Remarked ----
EXTENDS Naturals
\* These are two, and this is about neither.
CONSTANTS P, Q
CONSTANTS
  Most,    \* how far it goes,
           \* at most; see Up
  (* Where it begins.

     It is 0 in the paper. *)
  First
\* Of one alone.
CONSTANT Last

VARIABLES x,  \* the number
          y
-----------------------------------------------------------------------------
(***************************************************************************)
(* The first state.                                                        *)
(***************************************************************************)
Init == x = First /\ y = 0
\* ---------- Actions ----------
\* /\ x' = 1
Left == x = 100 /\ x' = 1 /\ UNCHANGED y

Up(p) ==
  (*************************************************************************)
  (* Process $p$ goes on, if $x < Most$.                                   *)
  (*************************************************************************)
  x < Most /\ x' = x + 1 /\ UNCHANGED y

\* It is far from the definition.

Down == x = Last /\ x' = 0 \* not of the definition
        /\ UNCHANGED y
Next == Left \/ Down \/ \E p \in P : Up(p)
\* It never goes too far.
Bounded == x <= Most  (* nor does this count *)
===="""
CONFIGURATION = """CONSTANTS P = {p1} Q = 1 Most = 2 First = 0 Last = 2
INIT Init NEXT Next INVARIANT Bounded"""


@pytest.fixture(scope="module")
def declared():
    return machine_of(module_of_text(TEXT, CONFIGURATION)()).declared


def test_constants_say_what_is_behind_them_or_before_them(declared):
    docs = {name: constant.doc.removesuffix(" in the configuration") for name, constant in declared.constants.items()}
    assert docs == {
        "P": "{p1}",
        "Q": "1",
        "Most": "how far it goes, at most; see Up; 2",
        "First": "Where it begins; 0",
        "Last": "Of one alone; 2",
    }


def test_variables_and_properties_have_their_comments(declared):
    assert {name: variable.doc for name, variable in declared.variables.items()} == {"x": "the number", "y": ""}
    assert declared.properties["Bounded"].doc == "It never goes too far."


def test_actions_have_the_comment_before_them_or_that_they_begin_with(declared):
    docs = {name: action.doc for name, action in declared.actions.items()}
    assert docs == {"Left": "", "Down": "", "Up": "Process `p` goes on, if x < Most."}


ALGORITHM = r"""---- MODULE Locked ----
EXTENDS Naturals
(* --algorithm Locked
\* Of both, and so of neither.
variables lock = 0,
          n = 0,   \* how often it was
                   \* taken
          (* Since when. *)
          since = 0,
          a = 1, b = 2; \* of two
define
  \* At most two hold it.
  Few == n < 3
end define;
macro free(cell) begin
  cell := 0; \* of a macro
  since := 0;
end macro;
process p \in {1, 2}
\* Whether it is.
variable mine = FALSE;
begin
  \* Wait for the lock.
  take: await lock = 0;
        lock := self; \* of a statement
  work: n := n + 1;   \* The critical section.
  \* mine := FALSE;
  left: mine := TRUE;
  (* Give it
     back. *)
  give:
    lock := 0;
  one: skip; two: skip; \* of two
  three: free(lock); \* Free again.
  again:   \* Goes on if it likes.
    either goto take or skip; end either;
end process
end algorithm *)
===="""


def test_names_of_an_algorithm_have_the_comments_there():
    declared = machine_of(module_of_text(ALGORITHM, "SPECIFICATION Spec INVARIANT Few")()).declared
    docs = {name: variable.doc for name, variable in declared.variables.items() if variable.doc}
    assert docs == {"n": "how often it was taken", "since": "Since when.", "mine": "Whether it is."}
    assert {name: action.doc for name, action in declared.actions.items() if action.doc} == {
        "take": "Wait for the lock.",
        "work": "The critical section.",
        "give": "Give it back.",
        "three": "Free again.",
        "again": "Goes on if it likes.",
    }
    assert declared.properties["Few"].doc == "At most two hold it."
