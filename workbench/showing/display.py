"""Lets results, traces, states, models and state spaces show themselves in notebooks, and errors in one line.

The kernel knows no pictures, and importing the package must stay quick. So views are registered with IPython by the
names of types, and imported when the first such object is shown.
"""

import sys
from collections.abc import Sequence
from typing import Any

_DRAWN_BY = {
    ("workbench.kernel.meaning.result", "Result"): "result_view",
    ("workbench.checking.trees.profile", "Profile"): "profile_view",
    ("workbench.checking.walks.result", "Simulation"): "simulation_view",
    ("workbench.kernel.meaning.trace", "Trace"): "trace_view",
    ("workbench.kernel.meaning.state", "State"): "state_table",
    ("workbench.kernel.language.model", "Model"): "model_view",
    ("workbench.kernel.meaning.machine", "Machine"): "model_view",
    ("workbench.checking.spaces.space", "StateSpace"): "space_view",
    ("workbench.audits.findings", "Audit"): "audit_view",
    ("workbench.checking.following.report", "Report"): "answer_view",
    ("workbench.checking.following.scenario", "ScenarioResult"): "answer_view",
}


def enable() -> None:
    """Register with IPython, which is loaded; where none is running, do nothing."""
    shell = sys.modules["IPython"].get_ipython()
    if shell is None:
        return
    formatter = shell.display_formatter.mimebundle_formatter
    for module, name in _DRAWN_BY:
        formatter.for_type_by_name(module, name, bundle_of)
    formatter.for_type(type, _class_of_models)
    from workbench.kernel.meaning.errors import InputError, ModelError

    shell.set_custom_exc((InputError, ModelError), _in_one_line)
    shell.register_magic_function(_module_of_cell, "cell", "tla")
    shell.register_magic_function(_fizz_of_cell, "cell", "fizz")


def _in_one_line(shell: Any, kind: type, error: BaseException, traceback: Any, tb_offset: Any = None) -> None:
    """Show the error in the request, and the line of the cell, without a traceback of ours."""
    from workbench.kernel.meaning.errors import with_its_cell

    shell.showtraceback((kind, kind(with_its_cell(error)), traceback), exception_only=True)


def _module_of_cell(line: str, cell: str) -> Any:
    """The class of a TLA+ module's models, which the cell's namespace gets by the module's name.

    What follows the module in the cell is its configuration.
    """
    from workbench.tlaplus.machine.specification import module_of_cell

    model_class = module_of_cell(cell)
    sys.modules["IPython"].get_ipython().push({model_class.__name__: model_class})
    return model_class


def _fizz_of_cell(line: str, cell: str) -> Any:
    """The class of the machines of a FizzBee text, which the cell's namespace gets by the name on its first line."""
    from workbench.fizzbee.machine.specification import machines_of

    name = line.strip() or "Cell"
    if not name.isidentifier():
        from workbench.kernel.meaning.errors import InputError

        raise InputError(f"%%fizz takes a name for the class, not {name[:40]!r}")
    model_class = machines_of(cell, name)
    sys.modules["IPython"].get_ipython().push({model_class.__name__: model_class})
    return model_class


def bundle_of(shown: Any) -> dict[str, Any]:
    """The output of an object of one of these types in a notebook, by MIME type."""
    kinds = ((kind.__module__, kind.__name__) for kind in type(shown).__mro__)
    return _drawn(next(_DRAWN_BY[kind] for kind in kinds if kind in _DRAWN_BY), shown)


def _drawn(function: str, shown: Any) -> dict[str, Any]:
    from workbench.showing import view  # see above

    bundle: dict[str, Any] = getattr(view, function)(shown).bundle()
    return bundle


def graph_of(result: Any, variables: Sequence[str]) -> Any:
    """The implementation of ``result.graph()``."""
    from workbench.checking.spaces.space import again
    from workbench.kernel.meaning.errors import InputError
    from workbench.showing import view
    from workbench.showing.view.graph.graph import MOST_EDGES

    model, trace = result.model, result.trace
    shown = variables or view.telling(model, trace.states if trace is not None else model.initial_states()[:1])
    if result.complete and result.generated <= MOST_EDGES:
        return view.state_graph(again(result), variables=shown, trace=trace).digraph()
    if trace is None:
        raise InputError(
            f"a graph of {result.generated:,} steps is not accepted; it takes at most {MOST_EDGES}, or a trace. "
            "workbench.showing.view.projection draws a state space seen through some variables"
        )
    return view.alternatives(trace, variables=shown).digraph()


def _class_of_models(shown: type) -> dict[str, Any] | None:
    """A model's class shows its constants; any other class is left to IPython."""
    from workbench.kernel.meaning.machine import is_model_class

    return _drawn("model_view", shown) if is_model_class(shown) else None
