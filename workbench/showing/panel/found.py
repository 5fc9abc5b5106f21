"""A finding in a real table, beside the model that explains it."""

from collections.abc import Callable
from typing import Any

import ipywidgets

from workbench.audits.findings import Finding
from workbench.kernel import InputError
from workbench.kernel.constants import spell
from workbench.showing.panel.lifetime import Panel
from workbench.showing.panel.pane import Pane
from workbench.showing.panel.panel import Workbench
from workbench.showing.view.audited import finding_view
from workbench.showing.view.html import Drawn, Joined


class FindingPanel(Panel, ipywidgets.VBox):
    """A finding: the table's picture, and below it the model with the settings under which it comes to the same.

    The panel checks the model at once and shows its trace; the button flips the switch that repairs it.

    Args:
        finding: One that has a state of the model.

    Attributes:
        panel: Workbench
    """

    def __init__(self, finding: Finding) -> None:
        if finding.model is None:
            raise InputError(f"the panel cannot show a finding on {finding.property}, which the model does not have")
        self.finding = finding
        self._cause = dict(finding.model.differing() if finding.cause is None else finding.cause)
        self.panel = Workbench(type(finding.model), **self._cause)
        self.panel.session.select(finding.violates())
        settings = spell(finding.repair, finding.model.declared.constants).replace(" ", " and ")
        self._button = ipywidgets.Button(description=f"repair: {settings}", layout={"width": "auto"})
        self._button.on_click(self._repair)
        self._button.disabled = not finding.repair
        super().__init__([Pane(finding_view(finding).html()), self._button, self.panel])

    def static(self) -> Drawn:
        return Joined(finding_view(self.finding), self.panel.static())

    def _when_static(self, call: Callable[[], object]) -> None:
        self.panel._when_static(call)

    def _repair(self, _: Any) -> None:
        self.panel.apply({**self._cause, **self.finding.repair})
