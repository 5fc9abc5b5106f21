"""A finding in a real table, next to the model that explains it."""

from workbench.audits.findings import Finding
from workbench.kernel import InputError
from workbench.kernel.meaning.constants import spell
from workbench.showing.panel.fields import Button
from workbench.showing.panel.panel import Workbench
from workbench.showing.panel.parts import Pane, Part
from workbench.showing.view.base.html import Drawn, Joined
from workbench.showing.view.pages.audited import finding_view


class FindingPanel(Workbench):
    """A finding: the table's picture, and below it the model, with settings under which it shows the same.

    The panel checks the model at once and shows its trace; the button flips the switch that repairs it.

    Args:
        finding: One that has a state of the model.
    """

    def __init__(self, finding: Finding) -> None:
        if finding.model is None:
            raise InputError(f"the panel cannot show a finding on {finding.property}, which the model does not have")
        self.finding = finding
        self._cause = dict(finding.model.differing() if finding.cause is None else finding.cause)
        super().__init__(type(finding.model.author), **self._cause)
        self.session.select(finding.violates())

    def _above(self) -> list[Part]:
        declared = self.session.settings.model_class.declared.constants
        settings = " and ".join(spell({name: value}, declared) for name, value in self.finding.repair.items())
        repair = Button(f"repair: {settings}", "set this in the panel", self._repair)
        repair.disabled = not self.finding.repair
        return [Pane(finding_view(self.finding).html()), repair]

    def static(self) -> Drawn:
        return Joined(finding_view(self.finding), super().static())

    def _repair(self) -> None:
        self.apply(**{**self._cause, **self.finding.repair})
