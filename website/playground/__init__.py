"""The playground: the page ``playground.html``, on which the kernel runs in the reader's browser.

Its text is ``README.md``, its template ``playground.html``. ``playground.js`` runs in the page, ``worker.js`` and
``in_browser.py`` in a worker, and ``frame.js`` in the frame with the trace. ``offline.js`` caches all files for the
next visit. The package's modules are packed unchanged.
"""

import base64
import hashlib
import inspect
import io
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

from website.keeping import ROOT
from website.playground import runtime
from workbench.commands import skeleton
from workbench.kernel import InputError
from workbench.registry.configurations import shipped
from workbench.showing.pictures.markup import Markup, element
from workbench.showing.view.base.html import drawn_style, live_script

#: Sphinx's name for the page.
PAGE = "playground"
#: Configurations with more states than this take too long in a browser.
MOST_STATES = 6_000

_HERE = Path(__file__).parent
_GUIDE = ROOT / "docs" / "modelling.md"
#: A script that imports what the worker imports, and every model, using only the standard library; it prints the files.
_IMPORTED = """
import json, sys
sys.path[:0] = sys.argv[1:]
import in_browser
from workbench.registry import protocols
for protocol in protocols().values():
    for model in protocol.models:
        protocol.model(model)
    if protocol.picture:
        protocol.part(protocol.picture)
print(json.dumps([module.__file__ for name, module in sys.modules.items() if name.partition(".")[0] == "workbench"]))
"""


def context(words: str) -> dict[str, Any]:
    """The values for the template. `words` is the page's text as HTML, including its heading."""
    return {
        "words": re.sub("<h1>.*?</h1>", "", words, count=1, flags=re.DOTALL),
        "first": first_model(),
        "skeleton": inspect.getsource(skeleton).partition('"""\n\n')[2].replace("Skeleton", "SharedCounter"),
        "configurations": configurations(),
        "most": MOST_STATES,
        "digest": base64.b64encode(hashlib.sha256(_frame_script().encode()).digest()).decode(),
    }


def finish(folder: Path) -> None:
    """Write the files that the page loads into the built site."""
    inside = folder / PAGE
    inside.mkdir(exist_ok=True)
    for package in (runtime.PYODIDE, runtime.CODEMIRROR):
        for name, content in runtime.files(package, ROOT / "build").items():
            (inside / name).write_bytes(content)
    (inside / "workbench.zip").write_bytes(packed())
    (inside / "frame.html").write_text(frame())
    for name in ("playground.js", "playground.css", "worker.js"):
        (inside / name).write_bytes((_HERE / name).read_bytes())
    kept = [folder / f"{PAGE}.html", *sorted(inside.iterdir())]
    version = hashlib.sha256(b"".join(path.read_bytes() for path in kept)).hexdigest()[:16]
    names = [path.relative_to(folder).as_posix() for path in kept]
    head = f"const VERSION = {json.dumps(version)};\nconst FILES = {json.dumps(names)};\n"
    (folder / f"{PAGE}.offline.js").write_text(head + _read("offline.js"))


def first_model() -> str:
    """The model that the page begins with: the first one of the guide, without the lines that check it."""
    _, _, code = _GUIDE.read_text().partition("```python\n")
    _, language, rest = code.partition("\n```")[0].partition("from workbench.language import *\n")
    return language + rest.partition("\nresult = ")[0]


def configurations() -> dict[str, list[dict[str, Any]]]:
    """The configurations by folder: their names, titles and numbers of states."""
    folders: dict[str, list[dict[str, Any]]] = {}
    for name, path in shipped().items():
        settings = tomllib.loads(path.read_text())
        entry = {"name": name, "title": settings["title"], "states": settings["expect"]["distinct"]}
        folders.setdefault(name.partition("/")[0], []).append(entry)
    return folders


def frame() -> str:
    """The page in a frame, with a place for its body; the policy of the page around it allows its script alone."""
    style = Markup(drawn_style() + _read("frame.css"))
    head = element("head", element("meta", charset="utf-8"), element("title", "playground"), element("style", style))
    script = element("script", Markup(_frame_script()))
    main = element("main", Markup("<!-- body -->"), script, class_="wb")
    body = element("body", main, data_opens="OPENS")
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en', style='color-scheme: SCHEME')}\n"


def _frame_script() -> str:
    """The script that plays a trace, and reports to the page."""
    return live_script(_read("frame.js"))


def _read(name: str) -> str:
    return (_HERE / name).read_text()


def packed() -> bytes:
    """The modules that the worker imports, and the configurations, as an archive.

    Raises:
        InputError: If a module needs more than the standard library.
    """
    command = [sys.executable, "-S", "-c", _IMPORTED, str(ROOT), str(_HERE)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=_HERE)
    if done.returncode:
        raise InputError(f"the playground's modules take more than Python's library: {done.stderr.strip()[-300:]}")
    paths = [*map(Path, json.loads(done.stdout)), *shipped().values()]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, name in [(_HERE / "in_browser.py", "in_browser.py"), *((p, p.relative_to(ROOT)) for p in paths)]:
            archive.writestr(zipfile.ZipInfo(str(name)), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
