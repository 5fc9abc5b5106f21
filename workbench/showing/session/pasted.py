"""What somebody has pasted: the permalink of a trace of the model that is in sight."""

from workbench.formats.permalink import open_permalink, parse_permalink
from workbench.kernel import InputError, Trace
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.machine import ModelClass


def pasted(line: str, model: ModelClass) -> tuple[Trace, tuple[str, ...]]:
    """The trace that a permalink stands for, and the expressions that it says to watch.

    The expressions are texts here. They are Python, and who runs them should have read them.

    Raises:
        InputError: If the line is no permalink, or not one of `model`.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> trace, watches = pasted("workbench:bakery_published#0/0.0,3.0&watch=len%28s.claims%29", Bakery)
        >>> len(trace), watches
        (3, ('len(s.claims)',))
    """
    link = parse_permalink(line)
    if link.model != model.declared.name:
        raise InputError(f"permalink {brief(line)} is for model {link.model}; give one for {model.declared.name}")
    return open_permalink(line, lambda _: model), link.watches
