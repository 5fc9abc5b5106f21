"""The configuration of Sphinx; ``python -m website`` prepares the sources and runs it."""

import shutil
from multiprocessing import Value
from pathlib import Path
from typing import Any

from website import front, gallery, playground, reference
from website.keeping import CODE
from website.staging import FILES, FRONT, SCRIPT, STYLE, docname
from workbench import __version__
from workbench.registry import addresses
from workbench.showing.panel import bundle
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.view.base.html import drawn_style, live_script

project = "Lakehouse workbench"
release = version = __version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.linkcode"]

# Pages ---------------------------------------------------------------------------------------------------------------

html_theme = "furo"
html_title = project
html_baseurl = addresses.SITE
html_static_path = ["static"]
templates_path = ["playground"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"}), ("gallery.js", {"defer": "defer"})]
html_copy_source = False
suppress_warnings = ["ref.python"]  # warns of two classes with an attribute of the same name, which is fine
html_show_copyright = False
highlight_language = "none"  # where a page does not name one
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"

# Markdown and notebooks ----------------------------------------------------------------------------------------------

myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block"]
nb_execution_mode = "off"  # shows the saved outputs
nb_merge_streams = True

# Docstrings ----------------------------------------------------------------------------------------------------------

default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"  # a docstring need not repeat it
napoleon_google_docstring = True
napoleon_use_ivar = True
napoleon_use_rtype = False
toc_object_entries_show_parents = "hide"
add_module_names = False


# Insertions into pages, and progress ---------------------------------------------------------------------------------

#: The picture that a chat shows for a link to a page without a picture of its own.
CARD = "_images/panel-light.png"

#: The sidebar of pages that are not listed in it, by the values that it depends on.
_NAVIGATIONS: dict[Any, str] = {}

#: How many pages have been read and written, by all processes of this build.
_COUNTS = {"read": Value("i"), "written": Value("i")}


def note_inputs(app: Any, name: str, content: list[str]) -> None:
    """Make Sphinx read a page again if something inserted into it has changed."""
    of_code = name == playground.PAGE or name.startswith(f"{reference.FOLDER}/")
    for file in (f"{name}.player", front.DATA if name == docname(FRONT) else "", CODE if of_code else ""):
        if Path(app.srcdir, file).is_file():
            app.env.note_dependency(file)


def note_navigation(app: Any, env: Any) -> list[str]:
    """Write all pages again if the navigation at their side, or a title in it, changes."""
    below = sorted((page, tuple(pages)) for page, pages in env.toctree_includes.items())
    shown = [(page, [(name, env.titles[name].astext()) for name in pages]) for page, pages in below]
    changed = shown != getattr(env, "navigation", shown)
    env.navigation = shown
    return list(env.all_docs) if changed else []


def share_navigation(app: Any, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Make the navigation once for all pages that it does not name, at one depth below one folder: it takes longest."""
    if "orphan" in app.env.metadata.get(name, ()):
        make = context["toctree"]

        def toctree(**options: Any) -> str:
            key = name.partition("/")[0], name.count("/"), *sorted(options.items())
            if key not in _NAVIGATIONS:
                _NAVIGATIONS[key] = make(**options)
            return _NAVIGATIONS[key]

        context["toctree"] = toctree


def count(phase: str) -> None:
    counter = _COUNTS[phase]
    with counter.get_lock():
        counter.value += 1
        if counter.value % 10 == 0:
            print(f"pages {phase}: {counter.value}", flush=True)


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """The page that shows the code of a name; all names are on pages of one folder."""
    source = reference.source(info["module"], info["fullname"])
    return source and f"../{FILES}/{source}.html"


def add_card(app: Any, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Tell chats what to show of a link to the page: they take whole addresses alone."""
    if site := addresses.SITE:
        own = name + gallery.STILL
        image = own if Path(app.srcdir, own).is_file() else CARD
        card = {"title": context.get("title", project), "url": f"{site}{name}.html", "image": site + image}
        context["metatags"] += joined(element("meta", property=f"og:{key}", content=card[key]) for key in card)


def add_player(app: Any, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Insert a trace, with the script that plays it, into its page of the gallery."""
    player = Path(app.srcdir, f"{name}.player")
    if player.is_file():
        at = {file: context["pathto"](f"_static/{file}", resource=True) for file in (STYLE, SCRIPT)}
        live = joined(
            [
                element("link", rel="stylesheet", href=at[STYLE]),
                element("div", Markup(player.read_text()), class_="wb player"),
                element("script", src=at[SCRIPT]),
            ]
        )
        context["body"] = context["body"].replace(gallery.PLAYER, live)
        context["title"] = f"{context['title']} ({context['meta']['property']})"


def add_front(app: Any, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Put the switches into the front page."""
    if name == docname(FRONT):
        context["body"] = front.put(context["body"], Path(app.srcdir), "_static")


def add_playground(app: Any, name: str, template: str, context: dict[str, Any], doctree: Any) -> str | None:
    """Give the playground's page its own template, with its text below the playground."""
    if name != playground.PAGE:
        return None
    context["playground"] = playground.context(context["body"])
    return "playground.html"


def add_assets(app: Any, error: Exception | None) -> None:
    """Write the style sheet and the script that the package's drawings need."""
    if error is None:
        static = Path(app.outdir, "_static")
        (static / STYLE).write_text(drawn_style())
        (static / SCRIPT).write_text(live_script(states=True))
        (static / front.PANEL_STYLE).write_text(bundle.STYLE)
        playground.finish(Path(app.outdir))
        for picture in Path(app.srcdir, gallery.FOLDER).rglob("*"):
            if picture.suffix in (gallery.ANIMATED, gallery.STILL):
                shutil.copy(picture, Path(app.outdir, picture.relative_to(app.srcdir)))
        if (frames := Path(app.srcdir, front.FOLDER)).is_dir():
            shutil.rmtree(Path(app.outdir, front.FOLDER), ignore_errors=True)
            shutil.copytree(frames, Path(app.outdir, front.FOLDER), ignore=shutil.ignore_patterns("*.json"))


def setup(app: Any) -> None:
    app.connect("source-read", note_inputs)
    app.connect("env-updated", note_navigation)
    app.connect("doctree-read", lambda *_: count("read"))
    app.connect("html-page-context", lambda *_: count("written"))
    app.connect("html-page-context", share_navigation, priority=400)  # before the theme uses it
    app.connect("html-page-context", add_player)
    app.connect("html-page-context", add_front)
    app.connect("html-page-context", add_card)
    app.connect("html-page-context", add_playground)
    app.connect("build-finished", add_assets)
