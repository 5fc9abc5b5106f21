"""What a result, a model and a state space show of themselves."""

from collections.abc import Iterable

from workbench.kernel import Model, Result
from workbench.view.charts import levels_chart
from workbench.view.graph import Space
from workbench.view.html import Drawn, Joined, Rendered, badge, element, escape, table
from workbench.view.selection import state_graph
from workbench.view.tables import constants_line, constants_table, summary, verdict_table

#: Up to how many transitions a state space shows itself as a graph.
SMALL = 120


def result_view(result: Result) -> Rendered:
    """A result: what was checked, the counts, and the verdicts."""
    verdicts = verdict_table(result)
    notes = list(result.notes)
    if result.complete and result.never_taken:
        within = "" if result.within is None else f" within {result.within}"
        notes.append(f"never enabled{within}: {', '.join(result.never_taken)}")
    warning = "" if result.complete else badge("unknown", "incomplete") + " "
    markup = (
        f"<p><b>{escape(result.model.name)}</b> {constants_line(result.model).html()}</p>{verdicts.html()}"
        f'<p class="wb-note">{warning}{escape(summary(result))}</p>'
        + "".join(element("p", escape(note), class_="wb-note") for note in notes)
    )
    head = f"{result.model!r}\n{summary(result)}"
    return Rendered(markup, "\n".join([head, verdicts.text(), *(f"note: {note}" for note in notes)]))


def model_view(model: Model | type[Model]) -> Rendered:
    """A model: its constants, its actions by process, its properties; of a class all that it declares."""
    if isinstance(model, Model):
        declared_actions, declared_properties = model.actions, {**model.properties, **model.constraints}
    else:
        declared_actions = model.declared_actions
        declared_properties = {**model.declared_properties, **model.declared_constraints}
    doc = (model.__doc__ or "").strip().partition("\n\n")[0]
    actions = [
        (_signature(a.name, a.parameters), escape(a.process.name if a.process else ""), escape(_first(a.doc)))
        for a in declared_actions.values()
    ]
    properties = [
        (_signature(p.name, p.parameters), escape(p.described), escape(_first(p.doc)))
        for p in declared_properties.values()
    ]
    constants = constants_table(model)
    markup = (
        f"<p><b>{escape(model.name)}</b> {escape(doc)}</p>{constants.html()}"
        f"<details><summary>actions ({len(actions)})</summary>"
        f"{table(('action', 'process', 'what it does'), actions)}</details>"
        f"<details><summary>properties ({len(properties)})</summary>"
        f"{table(('property', 'kind', 'what it says'), properties)}</details>"
    )
    return Rendered(markup, f"{model.name}: {doc}\n{constants.text()}")


def _signature(name: str, parameters: Iterable[str]) -> str:
    inside = ", ".join(parameters)
    return element("code", escape(f"{name}({inside})" if inside else name))


def _first(doc: str) -> str:
    return doc.partition("\n\n")[0].replace("\n", " ")


def space_view(space: Space) -> Drawn:
    """A state space: its result, and its graph if that is small, else its levels."""
    result = result_view(space.result)
    return Joined(result, state_graph(space) if len(space.sources) <= SMALL else levels_chart(space.result))
