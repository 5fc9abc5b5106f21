"""The modelling language and its meaning. Standard library only.

Its layers, each of which imports from those before it alone: texts, errors and values; what a class declares
(``declare``); the model that this becomes, and its states; behaviours and results (``trace``, ``result``, ``lasso``),
with what a check is asked for; the conclusion from what was explored; and the reference search.
"""

from workbench.kernel.constants import Constant
from workbench.kernel.declare import (
    Process,
    SetOf,
    Variable,
    action,
    always_eventually,
    constraint,
    ends,
    eventually,
    eventually_always,
    initial,
    invariant,
    leads_to,
    liveness,
    reachable,
    step,
)
from workbench.kernel.domains import Assignment, Integers, Names, Partition, Relation
from workbench.kernel.errors import InputError, ModelError
from workbench.kernel.faults import Fault, Place
from workbench.kernel.instances import choose, only, require, unchanged
from workbench.kernel.model import Model
from workbench.kernel.refinement import refines
from workbench.kernel.result import Result, Verdict
from workbench.kernel.search import search
from workbench.kernel.state import State
from workbench.kernel.trace import Trace, replay
from workbench.kernel.values import Map
