"""The kernel: what a model means, for engines (`meaning`), and the language in which authors write one (`language`).

It needs the standard library alone. ``docs/inside.md`` explains the modules of `meaning` in reading order.
"""

from workbench.kernel.language.declare import Process, SetOf, Variable, action, ends, initial
from workbench.kernel.language.instances import choose, require, unchanged
from workbench.kernel.language.model import Model
from workbench.kernel.language.refinement import refines
from workbench.kernel.meaning.constants import Constant
from workbench.kernel.meaning.domains import Names, Partition, Relation
from workbench.kernel.meaning.errors import InputError, ModelError
from workbench.kernel.meaning.machine import Machine, machine_of
from workbench.kernel.meaning.properties import (
    Fault,
    Place,
    always_eventually,
    constraint,
    eventually,
    eventually_always,
    implies_always,
    initially_implies_always,
    initially_leads_to,
    invariant,
    leads_to,
    liveness,
    reachable,
    step,
)
from workbench.kernel.meaning.result import Result, Verdict
from workbench.kernel.meaning.search import search
from workbench.kernel.meaning.state import State
from workbench.kernel.meaning.trace import Trace, replay
from workbench.kernel.meaning.values import Map, show
