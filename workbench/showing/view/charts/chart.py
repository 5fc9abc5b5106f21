"""The base of all charts: data with one description of a picture, from which both outputs are made."""

from typing import Any

from workbench.registry.programs import needs
from workbench.showing.pictures.markup import Markup
from workbench.showing.view.base.html import Figure
from workbench.showing.view.charts.plot import Plot, figure, svg

PLOTLY = "application/vnd.plotly.v1+json"


class Chart(Figure):
    """A chart: ``figure()`` is interactive, ``svg()`` needs no script; both are made of ``plot()``."""

    def plot(self) -> Plot:
        """The layout of the picture."""
        raise NotImplementedError

    def svg(self) -> Markup:
        return svg(self.plot())

    def figure(self) -> Any:
        """The chart as a plotly figure."""
        needs("lab", "an interactive chart", "plotly")
        import plotly.graph_objects as go  # slow to load, and needed only here

        return go.Figure(figure(self.plot()))

    def bundle(self) -> dict[str, Any]:
        return {**super().bundle(), PLOTLY: figure(self.plot())}
