"""The modelling language and its meaning. Standard library only.

Each layer imports only from those before it: texts, errors and values; the declarations of a class (``properties`` and
``declare``); the model and its states; behaviours, results and plans (``trace``, ``result``, ``lasso``, ``plan``); the
conclusion; and the reference search.
"""

from workbench.kernel.constants import Constant
from workbench.kernel.declare import Process, SetOf, Variable, action, ends, initial
from workbench.kernel.domains import Names, Partition, Relation
from workbench.kernel.errors import InputError, ModelError
from workbench.kernel.instances import choose, require, unchanged
from workbench.kernel.machine import Machine, machine_of
from workbench.kernel.model import Model
from workbench.kernel.properties import (
    Fault,
    Place,
    always_eventually,
    constraint,
    eventually,
    eventually_always,
    initially_leads_to,
    invariant,
    leads_to,
    liveness,
    reachable,
    step,
)
from workbench.kernel.refinement import refines
from workbench.kernel.result import Result, Verdict
from workbench.kernel.search import search
from workbench.kernel.state import State
from workbench.kernel.trace import Trace, replay
from workbench.kernel.values import Map, show
