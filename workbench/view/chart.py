"""What all charts are: data with a picture for a live notebook (plotly) and a static twin (SVG)."""

import json
from typing import Any

from workbench.view.html import MIDDLE, Picture

PLOTLY = "application/vnd.plotly.v1+json"


class Chart(Picture):
    """A chart: ``figure()`` is interactive, ``svg()`` needs no script."""

    def figure(self) -> Any:
        """The chart as a plotly figure."""
        raise NotImplementedError

    def bundle(self) -> dict[str, Any]:
        return {**super().bundle(), PLOTLY: json.loads(self.figure().to_json())}


def layout(title: str, height: float) -> dict[str, Any]:
    """What all plotly figures share: no background, and a colour that is legible on light and dark pages."""
    return {
        "title": {"text": title, "font": {"size": 14}, "x": 0},
        "height": height,
        "margin": {"l": 10, "r": 10, "t": 48, "b": 10},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": MIDDLE, "size": 12},
        "showlegend": False,
    }


AXIS = {"automargin": True, "gridcolor": "rgba(128,128,128,0.25)", "zerolinecolor": "rgba(128,128,128,0.5)"}
