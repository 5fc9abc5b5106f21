"""The tab What if: the single changes that flip a verdict, and the smallest sets that repair a violation."""

from workbench.checking.questions.whatif import Attempt, Repairs, never_happen, repairs
from workbench.kernel import Result
from workbench.kernel.meaning.values import counted
from workbench.showing.panel.fields import Button, Checkbox
from workbench.showing.panel.parts import Box, Pane, Part
from workbench.showing.panel.tab import Tab
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.session.hints import how_checked, try_changes
from workbench.showing.session.jobs import Job
from workbench.showing.view.base.html import badge, folded, table

_REPAIR = "the smallest sets of changes that repair the selected property"


class WhatIf(Tab):
    """Tables whose rows can be applied to the panel."""

    def build(self) -> list[Part]:
        self._integers = Checkbox("numbers too, one up and one down", False, on_change=self.again)
        self._repair = Button("Find repairs", _REPAIR, self._mend)
        self._single = Pane(on_send=self._apply)
        self._sets = Pane(on_send=self._apply_set)
        self._flips = self.working("flips", self._show, "the single changes")
        self._repairs = self.working("repairs", self._show_repairs, "the repairs")
        self._attempts: dict[str, Attempt] = {}
        self._combined: dict[str, Attempt] = {}
        row = Box([self._integers, self._repair], "wb-toolbar")
        return [row, self._repairs, self._sets, self._flips, self._single]

    def refresh(self, result: Result) -> None:
        if self._attempts:
            self._draw_single(stale=True)  # it stays in sight, so that nothing jumps
        if not self._repairs.aside.key:
            self._sets.html = ""
        broken = _broken(result)
        self._repair.disabled = not broken
        self._repair.tip = _REPAIR if broken else "nothing is violated here, so there is nothing to repair"
        integers, aside, kept = self._integers.value, self._flips.aside, self.session.kept
        assert kept is not None

        def work(job: Job) -> list[Attempt]:
            def make() -> list[Attempt]:
                return try_changes(self.session, aside, job, result, self._show, integers=integers)

            return kept.get(("flips", integers), make, job)

        aside.start((self.session.number, integers), "Checking every single change", work)

    def _show(self, attempts: list[Attempt]) -> None:
        self._attempts = {attempt.in_line: attempt for attempt in attempts}
        self._draw_single(stale=False)

    def _draw_single(self, stale: bool) -> None:
        every = list(self._attempts.values())
        telling = [attempt for attempt in every if _is_telling(attempt)]
        rest = [attempt for attempt in every if not _is_telling(attempt)]
        content = element("p", element("b", "Every single change"), ", from here")
        if telling:
            content += _table(telling)
        if rest:
            count = counted(len(rest), "change does nothing here", "changes do nothing here")
            content += folded(count, _table(rest), data_name="nothing")
        self._single.html = element("div", content, class_="wb-stale" if stale else None)

    def _mend(self) -> None:
        with self.session.lock:
            result, chosen, kept = self.session.result, self.session.verdict, self.session.kept
            broken = [] if result is None else _broken(result)
            if result is None or kept is None or not broken:
                return
            name = chosen.name if chosen is not None and chosen.name in broken else broken[0]
            integers, aside = self._integers.value, self._repairs.aside

            def work(job: Job) -> Repairs:
                def make() -> Repairs:
                    how = f"sets of one size checked, for {name}"
                    return repairs(result.model, name, integers=integers, **how_checked(result, aside, job, how))

                return kept.get(("repairs", name, integers), make, job)

            aside.start((self.session.number, name, integers), f"Looking for repairs of {name}", work)

    def _show_repairs(self, repairs: Repairs) -> None:
        self._combined = {attempt.in_line: attempt for attempt in repairs.found}
        if repairs.found:
            name = element("b", repairs.name)
            head = element("p", "The smallest sets of changes after which ", name, " holds")
            self._sets.html = head + _table(repairs.found)
        else:
            how = "none" if repairs.complete else "none found, and not every set could be decided"
            text = f"Repairs of {repairs.name}: {how} ({repairs.tried} sets tried)"
            self._sets.html = element("p", text)

    def _apply(self, text: str) -> None:
        if text in self._attempts:  # otherwise the table changed before the click arrived
            self.session.apply(self._attempts[text].changes)

    def _apply_set(self, text: str) -> None:
        if text in self._combined:
            self.session.apply(self._combined[text].changes)


def _is_telling(attempt: Attempt) -> bool:
    """Whether a change flips a verdict, or leaves one open."""
    return bool(attempt.flipped) or (attempt.result is not None and bool(attempt.result.undecided))


def _broken(result: Result) -> list[str]:
    return [verdict.name for verdict in result.violated]


def _table(attempts: list[Attempt]) -> Markup:
    """A row per attempt. Those that flip a verdict come first, the cheapest at the top."""
    order = sorted(attempts, key=lambda attempt: (not attempt.flipped, attempt.price))
    rows = [_row(attempt) for attempt in order]
    return table(("change", "verdicts that differ", "", ""), rows)


def _row(attempt: Attempt) -> tuple[str, str, str, str]:
    apply = element("button", "Apply", class_="wb-button", data_send=attempt.in_line, title="set this in the panel")
    name = element("code", attempt.in_line)
    if attempt.result is None:
        return name, str(attempt.error), "", ""
    flipped = [badge(after.word) + " " + element("code", after.name) for _, after in attempt.flipped]
    unknown = [badge("unknown", f"{v.name} unknown") for v in attempt.result.verdicts if v.holds is None]
    effects = flipped + unknown
    if attempt.mends and attempt.never:
        never = Markup(never_happen([element("code", name) for name in attempt.never]))
        effects.append(element("span", "but then ", never, class_="wb-note"))
    words = joined(effects, element("br")) or element("span", "none", class_="wb-note")
    return name, words, counted(attempt.result.distinct, "state"), apply
