"""What if: which single changes flip a verdict, and which smallest sets repair a violation."""

from typing import TYPE_CHECKING, Any

import ipywidgets

from workbench.kernel import Result
from workbench.kernel.values import counted, spell
from workbench.questions.whatif import Attempt, Repairs, flips, repairs
from workbench.view.html import badge, element, escape, table
from workbench.widgets.jobs import Job
from workbench.widgets.pane import Pane
from workbench.widgets.tab import Tab, button

if TYPE_CHECKING:
    from workbench.widgets.panel import Workbench

#: The longest that one change is checked.
MOST_SECONDS = 20.0


class WhatIfTab(Tab):
    """Tables whose rows can be applied to the panel."""

    title = "What if"

    def __init__(self, panel: "Workbench") -> None:
        super().__init__(panel)
        self._integers = ipywidgets.Checkbox(False, description="numbers too, one up and one down", indent=False)
        self._integers.observe(self._again, "value")
        self._repair = button("Find repairs", "wrench", "the smallest sets of changes that repair it", self._mend)
        self._single = Pane(on_send=self._apply)
        self._sets = Pane(on_send=self._apply)
        self._attempts: list[Attempt] = []
        row = ipywidgets.HBox([self._integers, self._repair]).add_class("wb-toolbar")
        self.children = [row, self._working, self._sets, self._single]

    def refresh(self, result: Result) -> None:
        self._single.html = self._sets.html = ""
        self._repair.disabled = not _broken(result)
        model, names, symmetry = result.model, [v.name for v in result.verdicts], result.symmetry
        integers = self._integers.value

        def work(job: Job) -> list[Attempt]:
            def progress(done: int, of: int) -> None:
                self.say(f"{done} of {of} changes checked")

            return flips(
                model, names, integers=integers, before=result, on_progress=progress, should_stop=job.should_stop,
                symmetry=symmetry, engine="local", max_seconds=MOST_SECONDS,
            )  # fmt: skip

        self.compute("Checking every single change", work, self._show)

    def _show(self, attempts: list[Attempt]) -> None:
        self._attempts = attempts
        self._single.html = element("p", "<b>Every single change</b>, from here") + _table(attempts, 0)

    def _again(self, _: Any) -> None:
        with self.panel.lock:
            self._shown = None
            self.opened()

    def _mend(self) -> None:
        with self.panel.lock:
            result, chosen = self.panel.result, self.panel.verdict
            broken = [] if result is None else _broken(result)
            if result is None or not broken:
                return
            name = chosen.name if chosen is not None and chosen.name in broken else broken[0]
            model, names, symmetry = result.model, [v.name for v in result.verdicts], result.symmetry

            def work(job: Job) -> Repairs:
                def progress(done: int, of: int) -> None:
                    self.say(f"{name}: {done} of {of} sets of one size checked")

                return repairs(
                    model, name, names, before=result, on_progress=progress, should_stop=job.should_stop,
                    symmetry=symmetry, engine="local", max_seconds=MOST_SECONDS,
                )  # fmt: skip

            self.compute(f"Looking for repairs of {name}", work, self._show_repairs)

    def _show_repairs(self, repairs: Repairs) -> None:
        known = list(self._attempts)
        self._attempts = known + repairs.found
        if repairs.found:
            head = f"The smallest sets of changes after which <b>{escape(repairs.property)}</b> holds"
            self._sets.html = element("p", head) + _table(repairs.found, len(known))
        else:
            how = "none" if repairs.complete else "none found, and not every set could be decided"
            text = f"Repairs of {repairs.property}: {how} ({repairs.tried} sets tried)"
            self._sets.html = element("p", escape(text))

    def _apply(self, number: str) -> None:
        with self.panel.lock:
            self.panel.apply(self._attempts[int(number)].changes)


def _broken(result: Result) -> list[str]:
    return [verdict.name for verdict in result.violated]


def _table(attempts: list[Attempt], first: int) -> str:
    """A row per attempt, those that flip something first."""
    order = sorted(range(len(attempts)), key=lambda at: not attempts[at].flipped)
    rows = [_row(attempts[at], first + at) for at in order]
    return table(("change", "verdicts that differ", "", ""), rows)


def _row(attempt: Attempt, number: int) -> tuple[str, str, str, str]:
    apply = element("button", "Apply", class_="wb-button", data_send=str(number), title="set this in the panel")
    name = element("code", escape(spell(attempt.changes)))
    if attempt.result is None:
        return name, escape(attempt.error), "", ""
    flipped = [f"{badge(after.word)} <code>{escape(after.name)}</code>" for _, after in attempt.flipped]
    unknown = [badge("unknown", f"{v.name} unknown") for v in attempt.result.verdicts if v.holds is None]
    told = "<br>".join(flipped + unknown) or '<span class="wb-note">none</span>'
    return name, told, counted(attempt.result.distinct, "state"), apply
