"""The displays of a result, a model and a state space."""

from collections.abc import Iterable

from workbench.kernel import Machine, Result, machine_of
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.translation import stale_lines
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.view.base.html import Drawn, Joined, Rendered, badge, folded, headed, noted, table
from workbench.showing.view.charts.charts import levels_chart
from workbench.showing.view.graph.graph import Space
from workbench.showing.view.graph.selection import state_graph
from workbench.showing.view.trace.tables import constants_line, constants_table, summary, verdict_table

#: The most transitions of a state space that is shown as a graph.
SMALL = 120


def result_view(result: Result) -> Rendered:
    """A result: what was checked, the counts, and the verdicts."""
    verdicts = verdict_table(result)
    notes = list(result.notes)
    if result.complete and result.never_taken:
        within = "" if result.within is None else f" within {result.within}"
        notes.append(f"never enabled{within}: {', '.join(result.never_taken)}")
    warning = None if result.complete else badge("unknown", "incomplete") + " "
    counts = noted(joined([warning, summary(result)]))
    markup = joined([headed(result.model.name, constants_line(result.model)), verdicts.html(), counts])
    markup += joined(map(noted, notes))
    head = [repr(result.model), *map(str, stale_lines(result.translation)), summary(result)]
    return Rendered(markup, "\n".join([*head, verdicts.text(), *(f"note: {note}" for note in notes)]))


def model_view(model: AnyModel) -> Rendered:
    """A model: its constants, its actions by process, its properties; of a class all that it declares."""
    model = model if isinstance(model, type) else machine_of(model)
    if isinstance(model, Machine):
        author, actions_of, judged = model.author, model.actions, {**model.properties, **model.constraints}
    else:
        author, actions_of = model, model.declared.actions
        judged = {**model.declared.properties, **model.declared.constraints}
    doc = (author.__doc__ or "").strip().partition("\n\n")[0]
    actions = [
        (_signature(a.name, a.parameters), a.process.name if a.process else "", _first(a.doc))
        for a in actions_of.values()
    ]
    properties = [(_signature(p.name, p.parameters), p.described, _first(p.doc)) for p in judged.values()]
    constants = constants_table(model)
    parts = [
        headed(model.declared.name, doc),
        constants.html(),
        folded(f"actions ({len(actions)})", table(("action", "process", "what it does"), actions)),
        folded(f"properties ({len(properties)})", table(("property", "kind", "what it says"), properties)),
    ]
    return Rendered(joined(parts), f"{model.declared.name}: {doc}\n{constants.text()}")


def _signature(name: str, parameters: Iterable[str]) -> Markup:
    inside = ", ".join(parameters)
    return element("code", f"{name}({inside})" if inside else name)


def _first(doc: str) -> str:
    return doc.partition("\n\n")[0].replace("\n", " ")


def space_view(space: Space) -> Drawn:
    """A state space: its result, and its graph if that is small, otherwise its levels."""
    result = result_view(space.result)
    return Joined(result, state_graph(space) if len(space.sources) <= SMALL else levels_chart(space.result))
