"""The script and style of all panels, which a Jupyter kernel sends once, and not with each panel."""

import hashlib
import json
import threading
from importlib import resources

import traitlets
from IPython.core.getipython import get_ipython
from ipywidgets import Widget

from workbench.showing.view.base.html import canvas_script, drawn_style, player_script, script

_HERE = resources.files(__package__)
#: The style of drawings, players and panels.
STYLE = f"{drawn_style()}:is(html, :where(:host)) {{\n{_HERE.joinpath('panel.css').read_text(encoding='utf-8')}}}"
#: The module that renders panels. It has the style, too, so that no page shows a panel without it.
SCRIPT = "".join(
    [
        f"const STYLE = {json.dumps(STYLE)};\n",
        player_script(),
        canvas_script(),
        script("runs.js"),
        script("surface.js", folder=_HERE),
    ]
)
#: The module that renders a panel by the script of its bundle.
LOADER = f'const DIGEST = "{hashlib.sha256(SCRIPT.encode()).hexdigest()}";\n' + script("loader.js", folder=_HERE)


class Bundle(Widget):
    """A widget that is never displayed: panels refer to it for their script."""

    script = traitlets.Unicode(SCRIPT).tag(sync=True)


_lock = threading.Lock()  # panels may be made in any thread
_bundle: Bundle | None = None


def shared_bundle() -> Bundle | None:
    """The bundle of this Jupyter kernel, opened before the panels that refer to it; None elsewhere.

    Other servers, such as marimo's, may serve several pages from one process. A widget belongs to one of them.
    """
    global _bundle
    if not hasattr(get_ipython(), "kernel"):
        return None
    with _lock:
        if _bundle is None or _bundle.comm is None:  # someone has closed all widgets
            _bundle = Bundle()
        return _bundle
