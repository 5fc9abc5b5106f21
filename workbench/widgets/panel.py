"""The panel around a model: controls, verdicts at every change, and tabs that look closer."""

import threading
import time
from pathlib import Path
from typing import Any

import ipywidgets

from workbench.configurations import Configuration
from workbench.engines.check import check
from workbench.kernel import InputError, Model, ModelError, Result, Trace, Verdict
from workbench.kernel.values import counted
from workbench.view import result_view, trace_view, what_changed
from workbench.view.html import Drawn, Joined, badge, element, escape
from workbench.widgets.charts_tab import ChartsTab
from workbench.widgets.compare_tab import CompareTab
from workbench.widgets.controls import Controls, grid, switch
from workbench.widgets.graph_tab import GraphTab
from workbench.widgets.jobs import Job, Runner
from workbench.widgets.pane import Pane
from workbench.widgets.player import with_static
from workbench.widgets.presets import Start, presets, start_from
from workbench.widgets.tab import Tab, button, complaint
from workbench.widgets.tabs import StepTab, TraceTab, Verdicts
from workbench.widgets.whatif_tab import WhatIfTab

#: While a check takes no longer than this, every change is checked at once.
LIVE_SECONDS = 1.5
#: The same for the first check, during which the engine is loaded.
FIRST_SECONDS = 3.0
#: How long a change waits for another one.
DEBOUNCE_SECONDS = 0.05
#: How often progress is shown.
PROGRESS_SECONDS = 0.2
#: How much memory a check may take before it stops with what it found.
MOST_BYTES = 2 * 2**30
#: How long a panel waits for its first result before it is shown without one.
PATIENCE_SECONDS = 3.0

_BY_HAND, _DEFAULTS = "settings made by hand", "the model's defaults"


class Workbench(ipywidgets.VBox):
    """A panel around a model: flip a switch, and see at once what breaks, and why.

    Parameters
    ----------
    what : str, Model, type of Model, Configuration or path
        A model, its name (also ``path/to/file.py:Class``), or a named configuration to start from: its file, or just
        its name, such as ``v2_race``.
    **constants
        Values for some of the constants.

    Attributes
    ----------
    result, before : Result or None
        What was found last, and before the last change.
    selected : str or None
        The property whose trace is shown.

    Examples
    --------
    >>> panel = Workbench("bakery", Writers=2, LazyReap=False)
    >>> panel.wait()["NonCrashedProgress"].word
    'violated'
    >>> panel.apply({"LazyReap": True})
    >>> panel.wait()["NonCrashedProgress"].word, panel.change.partition(",")[0]
    ('holds', 'LazyReap on: NonCrashedProgress now holds')
    """

    def __init__(self, what: Any, /, **constants: Any) -> None:
        self.lock = threading.RLock()
        self.runner, self.aside = Runner(self.lock), Runner(self.lock)
        self.result: Result | None = None
        self.before: Result | None = None
        self.change = ""
        self.selected: str | None = None
        start = start_from(what).with_constants(constants)
        self.model_class = type(start.model)
        self._configuration: Configuration | None = None
        self._live, self._began = True, 0.0
        self._by_default = True  # whether the ticks follow the constants; not any more once somebody has chosen
        self._make_controls()
        self._make_tabs()
        super().__init__([self._head, self._bar, self._status, self._verdict, self._tabs])
        self.add_class("wb-panel")
        self._begin(start)

    # Making the parts ----------------------------------------------------------------------------------------------

    def _make_controls(self) -> None:
        model = self.model_class
        doc = (model.__doc__ or "").strip().partition("\n\n")[0]
        title = Pane(f"<p><b>{escape(model.name)}</b> &nbsp;{escape(' '.join(doc.split()))}</p>")
        self._controls = Controls(model, self._changed)
        self._presets: dict[str, Path | None] = {_BY_HAND: None, _DEFAULTS: None, **presets(model)}
        self._preset = ipywidgets.Dropdown(
            options=list(self._presets), description="settings", layout={"width": "auto"}, style=self._controls.style,
            tooltip="start from the model's defaults or from a named configuration",
        )  # fmt: skip
        self._preset.observe(self._chosen, "value")
        self._properties = {
            name: switch(name, f"check this {declared.kind}: {declared.doc.partition(chr(10) * 2)[0]}", True)
            for name, declared in model.declared_properties.items()
        }
        sets = ", ".join(model.symmetry)
        self._symmetry = switch(f"symmetry ({sets})", f"take the names in {sets} as interchangeable")
        boxes = [*self._properties.values(), *([self._symmetry] if model.symmetry else [])]
        for box in boxes:
            box.observe(self._ticked, "value")
        self._checked = ipywidgets.Accordion([grid(boxes, 200)], titles=["properties"], selected_index=None)
        self._preset.add_class("wb-left")
        self._head = ipywidgets.VBox([title, self._preset, self._controls, self._checked])

    def _make_tabs(self) -> None:
        self._run = button("Run", "play", "check with these settings", self.run)
        self._stop = button("Stop", "stop", "stop, and keep what was found", self.stop)
        self._stop.disabled = True
        self._progress = Pane()
        self._bar = ipywidgets.HBox([self._run, self._stop, self._progress])
        self._bar.add_class("wb-toolbar").add_class("wb-run").add_class("wb-section")
        self._status = Pane()
        self._verdict = Pane(on_send=self._select)
        self._step_tab = StepTab(self)
        self.tabs: list[Tab] = [
            Verdicts(self),
            TraceTab(self),
            self._step_tab,
            GraphTab(self),
            ChartsTab(self),
            WhatIfTab(self),
            CompareTab(self),
        ]
        self._tabs = ipywidgets.Tab(self.tabs, titles=[tab.title for tab in self.tabs], selected_index=0)
        self._tabs.add_class("wb-tabs")
        self._tabs.observe(self._opened, "selected_index")

    # Settings ------------------------------------------------------------------------------------------------------

    def _begin(self, start: Start) -> None:
        """Set everything as `start` says, and check."""
        self._quiet = True
        self._configuration = start.configuration
        self._controls.assign(start.model.constants)
        self._by_default = start.properties is None
        for name, box in self._properties.items():
            box.value = name in (start.properties or ())
        self._tick(start.model)
        self._symmetry.value = start.symmetry
        self._name_settings()
        self._quiet = False
        self.run()

    def _tick(self, model: Model) -> None:
        """Tick what is checked by default, unless somebody has chosen; what the constants switch off is not offered."""
        quiet, self._quiet = self._quiet, True
        defaults = [declared.name for declared in model.select()]
        for name, box in self._properties.items():
            box.disabled = name not in model.properties
            if self._by_default:
                box.value = name in defaults
        self._quiet = quiet

    def _name_settings(self) -> None:
        """Let the list of settings say which ones these are."""
        quiet, self._quiet = self._quiet, True
        one = self._configuration
        names = [name for name, path in self._presets.items() if one is not None and path == one.path]
        if one is None and not self._model().differing():
            names = [_DEFAULTS]
        self._preset.value = names[0] if names else _BY_HAND
        offered = [box for box in self._properties.values() if not box.disabled]
        ticked = sum(box.value for box in offered)
        symmetry = f"; symmetry {'on' if self._symmetry.value else 'off'}" if self.model_class.symmetry else ""
        self._checked.set_title(0, f"{ticked} of {len(offered)} properties are checked{symmetry}")
        self._quiet = quiet

    def _model(self) -> Model:
        """A model with the constants that are set."""
        return self.model_class(**self._controls.values())

    def _chosen(self, change: Any) -> None:
        """A preset was chosen."""
        with self.lock:
            if self._quiet or change["new"] == _BY_HAND:
                return
            path = self._presets[change["new"]]
            try:
                self._begin(Start(self.model_class()) if path is None else start_from(path))
            except InputError as error:
                self._complain(str(error))

    def _ticked(self, change: Any) -> None:
        if not self._quiet:
            self._by_default = self._by_default and change["owner"] is self._symmetry
            self._changed()

    def _changed(self) -> None:
        """A person changed a setting."""
        with self.lock:
            self._configuration = None
            self._after_change()

    def _after_change(self) -> None:
        live = self._live and not (self.runner.busy and self._elapsed() > LIVE_SECONDS)
        self.runner.cancel()
        self._stop.disabled = True
        try:
            self._tick(self._model())
            self._name_settings()
        except (InputError, ModelError) as error:
            self._complain(str(error))
            return
        if live:
            self._start(DEBOUNCE_SECONDS)
        else:
            self._outdated("Something has changed since this result: press Run.")

    def apply(self, constants: dict[str, Any]) -> None:
        """Set some constants, and check if that is quick."""
        with self.lock:
            self._controls.assign({name: self._parsed(name, value) for name, value in constants.items()})
            self._changed()

    def _parsed(self, name: str, value: Any) -> Any:
        return self.model_class.declared_constants[name].parse(name, value)

    # Checking ------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Check with the settings as they are."""
        with self.lock:
            self._start(0)

    def stop(self) -> None:
        """Stop the check; what it found so far is shown."""
        self.runner.stop()

    def wait(self, seconds: float | None = None) -> Result | None:
        """Wait until the check has ended; its result."""
        self.runner.wait(seconds)
        return self.result

    def _elapsed(self) -> float:
        return time.perf_counter() - self._began

    def _start(self, delay: float) -> None:
        try:
            model = self._model()
        except (InputError, ModelError) as error:
            self._complain(str(error))
            return
        names = model.applicable(name for name, box in self._properties.items() if box.value)
        symmetry = self._symmetry.value
        self._began = time.perf_counter()
        self._stop.disabled = False
        self.aside.cancel()
        told = self._began

        def work(job: Job) -> Result:
            def progress(at: Any) -> None:
                nonlocal told
                if time.perf_counter() - told > PROGRESS_SECONDS:
                    told = time.perf_counter()
                    with self.lock:
                        if not job.should_stop():
                            self._outdated(_progress(at))

            return check(
                model, names, symmetry=symmetry, engine="local", max_bytes=MOST_BYTES,
                on_progress=progress, should_stop=job.should_stop,
            )  # fmt: skip

        self.runner.start(work, self._arrived, self._complain, delay)

    def _arrived(self, result: Result) -> None:
        """Show a result; called from the thread that made it, with the lock held."""
        self._stop.disabled = True
        limit = LIVE_SECONDS if self.result is not None else FIRST_SECONDS
        self._live = result.complete and result.seconds <= limit
        self.before, self.result = self.result, result
        self.change = what_changed(self.before, result) if self.before is not None and result.complete else ""
        self.selected = self._most_telling(result)
        self._status.html = self._expectation(result)
        self._show_progress(result)
        self._draw_verdict()
        self._opened()

    def _most_telling(self, result: Result) -> str | None:
        """What is violated since the last change, else what was selected, else what has a trace, the violated first."""
        names = [verdict.name for verdict in result.verdicts]
        broken = [verdict.name for verdict in result.violated]
        known = [] if self.before is None else [verdict.name for verdict in self.before.violated]
        new = [name for name in broken if name not in known]
        if new and self.before is not None:
            return new[0]
        if self.selected in names and result[self.selected].trace is not None:
            return self.selected
        return next(iter([*broken, *(v.name for v in result.verdicts if v.trace is not None), *names]), None)

    def _show_progress(self, result: Result) -> None:
        how = "every change is checked at once" if self._live else "press Run after a change"
        counts = f"{result.distinct:,} states, depth {result.depth}, {result.seconds:.2f} s"
        stopped = "" if result.complete else badge("unknown", f"incomplete: {result.stopped}") + " "
        self._progress.html = element("p", f"{stopped}{counts} \N{MIDDLE DOT} {how}", class_="wb-note")

    def _expectation(self, result: Result) -> str:
        """Whether the result is as the named configuration says."""
        one = self._configuration
        if one is None or not one.expect or result.model.constants != one.model.constants:
            return ""
        differences = one.differences(result)
        if not differences:
            note = f"{escape(one.title)}: as expected."
            return element("p", note, class_="wb-note") if one.as_expected(result) else ""
        lines = "".join(element("li", escape(line)) for line in differences)
        return f'<div class="wb-wrong">Not as {escape(one.path.name)} expects:<ul>{lines}</ul></div>'

    # Verdicts ------------------------------------------------------------------------------------------------------

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the selected property."""
        chosen = [] if self.result is None else [v for v in self.result.verdicts if v.name == self.selected]
        return chosen[0] if chosen else None

    def _draw_verdict(self) -> None:
        assert self.result is not None
        chips = "".join(_chip(verdict, verdict.name == self.selected) for verdict in self.result.verdicts)
        line = element("span", escape(self.change)) if self.change else ""
        self._verdict.html = (
            f'<div class="wb-headline">{_headline(self.result)}{line}</div><div class="wb-chips">{chips}</div>'
        )

    def _select(self, name: str) -> None:
        with self.lock:
            self.selected = name
            self._draw_verdict()
            if self.verdict is not None and self.verdict.trace is not None and self._tabs.selected_index == 0:
                self._tabs.selected_index = 1
            else:
                self._opened()

    def _complain(self, text: str) -> None:
        self._stop.disabled = True
        self._outdated("")
        self._status.html = complaint(text)

    def _outdated(self, text: str) -> None:
        """The verdicts shown are of other settings than those that are set; `text` says what is to come."""
        self._progress.html = element("p", escape(text))
        self._status.html = ""
        if self._verdict.html and "wb-stale" not in self._verdict.html:
            self._verdict.html = f'<div class="wb-stale">{self._verdict.html}</div>'

    def _opened(self, _: Any = None) -> None:
        with self.lock:
            self.tabs[self._tabs.selected_index or 0].opened()

    def step_from(self, trace: Trace, step: int) -> None:
        """Go on by hand from a step of a trace."""
        self._step_tab.begin(trace, step)
        self._tabs.selected_index = self.tabs.index(self._step_tab)

    def __repr__(self) -> str:
        return "Workbench, still checking" if self.result is None else f"Workbench\n{result_view(self.result).text()}"

    # Without a kernel ----------------------------------------------------------------------------------------------

    def _repr_mimebundle_(self, **options: Any) -> Any:
        self.wait(PATIENCE_SECONDS)
        return with_static(super()._repr_mimebundle_(**options), self.static())

    def static(self) -> Drawn | None:
        """The result with the trace of the selected property, to be shown where there is no kernel."""
        with self.lock:
            if self.result is None:
                return None
            shown = result_view(self.result)
            verdict = self.verdict
            return shown if verdict is None or verdict.trace is None else Joined(shown, trace_view(verdict.trace))


def _progress(at: Any) -> str:
    rate = at.states / at.seconds if at.seconds else 0
    parts = [f"level {at.level}", f"{at.states:,} states", f"{rate:,.0f} states/s", f"frontier {at.frontier:,}"]
    return " \N{MIDDLE DOT} ".join([*parts, f"{at.seconds:.0f} s"])


def _headline(result: Result) -> str:
    if result.holds:
        return badge("holds", "everything holds")
    if result.violated:
        return badge("violated", f"{len(result.violated)} of {len(result.verdicts)} violated")
    if result.undecided:
        return badge("unknown", f"{len(result.undecided)} of {len(result.verdicts)} not decided")
    return badge("unknown", "nothing is checked")


def _chip(verdict: Verdict, selected: bool) -> str:
    states = "" if verdict.trace is None else f" {counted(len(verdict.trace), 'state')}"
    return element(
        "button",
        badge(verdict.word),
        element("span", escape(verdict.name), element("span", states, class_="wb-note")),
        class_="wb-chip",
        data_send=verdict.name,
        aria_pressed=str(selected).lower(),
        title=verdict.why or "show its trace, if it has one",
    )
