"""Parts of several commands' output: the model, and traces."""

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from workbench.formats.abstract import abstract
from workbench.kernel import Model
from workbench.kernel.constants import spell
from workbench.kernel.declare import DEADLOCK
from workbench.kernel.result import Judged
from workbench.kernel.values import counted


def with_deadlock(model: Model, properties: Sequence[str] | None) -> list[str]:
    """The properties, by default those checked by default, and Deadlock."""
    return [*(declared.name for declared in model.select(properties)), DEADLOCK.name]


def print_model(out: Console, model: Model) -> None:
    """Print the model's name and constants."""
    named = {name: constant for name, constant in model.declared_constants.items() if constant.sets}
    out.print(f"[bold]{escape(model.name)}[/]  {escape(spell(model.constants, named))}")


def print_traces(out: Console, judged: Judged, witnesses: bool) -> None:
    """Print the traces of violations, and the `witnesses` if wanted; a refinement's in both models' terms."""
    for verdict in judged.verdicts:
        if verdict.trace is not None and (verdict.holds is False or witnesses):
            out.print(f"\n[bold]{verdict.name}[/] {verdict.word}: {counted(len(verdict.trace), 'state')}")
            out.print(str(verdict.trace), markup=False)
            if verdict.trace.refinement is not None:
                out.print(f"\n{abstract(verdict.trace, verdict.trace.refinement)}", markup=False)
