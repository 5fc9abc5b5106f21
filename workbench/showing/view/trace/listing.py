"""The texts of a model, for models that are texts: each is folded away, with numbered lines."""

from workbench.kernel import Machine
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.view.base.html import folded


def listing(model: Machine, prefix: str, is_open: bool = False) -> Markup:
    """All sources of a model.

    Args:
        prefix: The beginning of the ids of lines, unique on a page; the place follows, such as ``Hudi.tla:40``.
    """
    return joined(
        folded(element("code", file), _numbered(text, f"{prefix}{file}"), is_open, class_="wb-listing")
        for file, text in model.sources.items()
    )


def _numbered(text: str, id: str) -> Markup:
    lines = enumerate(text.rstrip().split("\n"), 1)
    shown = (element("li", element("code", line.rstrip("\r").expandtabs()), id=f"{id}:{at}") for at, line in lines)
    return element("ol", *shown, class_="wb-scroll", tabindex=0)
