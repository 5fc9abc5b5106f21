"""A space of any size as a density, which a page draws by itself on a canvas (``density.js``)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from workbench.kernel import Trace
from workbench.kernel.meaning.values import counted
from workbench.showing.pictures.markup import Markup, element
from workbench.showing.view.base.html import Drawn, noted
from workbench.showing.view.graph.density_picture import density_svg
from workbench.showing.view.graph.graph import Space, notes_on
from workbench.showing.view.graph.whole import path_of, variables_of
from workbench.showing.view.trace.trace import packed


@dataclass(frozen=True, repr=False)
class Density(Drawn):
    """All states of a space by depth and by the values of a variable, to look at in a page that runs scripts.

    Attributes:
        title: With the counts of states and of violating ones.
        notes: What the states stand for, and which states are missing.
        lenses: Each lens that rows can show, with its gain; those that the property reads are marked.
        data: What the page draws:

            - ``fault``: the invariant whose violations are counted, or None; ``states``: how many there are;
            - ``lenses``: each with its ``name``, its ``values`` as texts, the share of the uncertainty about the
              violation that it takes away (``gain``), and whether the property itself reads it (``read``);
            - ``others``: remarks on lenses for which there was no room;
            - ``levels``, ``counts``, ``wrong``, ``samples``, and for each lens a list in ``columns``: the tuples of the
              :class:`workbench.checking.spaces.cube.Cube`;
            - ``path``: for each state of the trace its ``tuple``, and the ``label`` of the step to it;
            - ``variables``: each that varies, with its ``name``, its ``values`` as texts, and which of them the sample
              of each tuple has (``of``).
        way: Gives a shortest trace to a state.
        asks: Whether the page has a kernel to play such a trace.
    """

    title: str
    notes: tuple[str, ...]
    data: dict[str, Any] = field(compare=False)
    way: Callable[[int], Trace] = field(compare=False)
    asks: bool = False

    def __len__(self) -> int:
        states: int = self.data["states"]
        return states

    def html(self) -> Markup:
        return element(
            "figure",
            element("figcaption", self.title),
            *map(noted, self.notes),
            element("p", "The density appears where scripts may run.", class_="wb-note wb-without"),
            class_="wb-density",
            data_density=packed(self.data),
            data_asks="" if self.asks else None,
        )

    def svg(self) -> Markup:
        """The initial view as a static picture."""
        return density_svg(self.data, self.title)

    def text(self) -> str:
        lenses = [
            f"{lens['name']}: {len(lens['values']):,} values"
            + (f", takes away {lens['gain']:.0%} of the uncertainty" if self.data["fault"] else "")
            + (", read by the property itself" if lens["read"] else "")
            for lens in self.data["lenses"]
        ]
        return "\n".join([self.title, *lenses, *(f"note: {note}" for note in self.notes)])


def density(space: Space, fault: str | None = None, *, trace: Trace | None = None) -> Density:
    """A space of any size as a density: each state is counted, none is left out and none is sampled.

    Args:
        fault: The invariant whose violations give the hue; by default the first that is violated.
        trace: A behaviour to draw over it; by default, that of `fault`, or of the first violated property.
    """
    cube = space.cube(fault)
    violated = sorted(space.result.violated, key=lambda verdict: verdict.name != cube.fault)
    trace = trace or next((verdict.trace for verdict in violated if verdict.trace is not None), None)
    path, missing = path_of(space, trace)
    labels = [] if trace is None else [step.label for step in trace.steps]
    data = {
        "fault": cube.fault,
        "states": len(space),
        "lenses": [
            {"name": lens.name, "values": lens.values, "gain": lens.gain, "read": lens.is_read} for lens in cube.lenses
        ],
        "others": [f"{lens.name} has no room among the others" for lens in cube.others],
        "levels": cube.levels.tolist(),
        "columns": [column.tolist() for column in cube.columns],
        "counts": cube.counts.tolist(),
        "wrong": cube.wrong.tolist(),
        "samples": cube.samples.tolist(),
        "path": [
            {"tuple": int(cube.tuples[number]), "label": label} for number, label in zip(path, labels, strict=False)
        ],
        "variables": [
            variable for variable in variables_of(space, space.rows_of(cube.samples)) if len(variable["values"]) > 1
        ],
    }
    wrong = int(cube.wrong.sum())
    tells = f", {wrong:,} of them violate {cube.fault}" if cube.fault else ""
    title = f"{space.model.name}: {counted(len(space), 'state')} by depth{tells}"
    counts = ["Under symmetry all counts are of representatives"] if space.result.symmetry else []
    return Density(title, (*missing, *counts, *notes_on(space)), data, space.trace_to)
