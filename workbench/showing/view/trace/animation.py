"""A trace as one SVG in which its states follow each other, for pages that show images and run no scripts.

The drawing is whole without its style sheet: it shows the last state, beside the labels of all steps. The style sheet
shows one state after the other, unless the reader prefers less motion. It is CSS rather than SMIL, since only CSS can
ask for that; both run where the file is an image.
"""

import math

from workbench.kernel import InputError, Trace
from workbench.kernel.meaning.arguments import plain
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.text import printable
from workbench.kernel.meaning.values import counted
from workbench.showing.pictures.letters import FONT, width_of, wrap
from workbench.showing.pictures.markup import Markup, element
from workbench.showing.pictures.paint import BLUE_TINT, INK, MUTED, PAPER, STYLE
from workbench.showing.view.base.difference import brief as short
from workbench.showing.view.trace.trace import TraceView, trace_view

_SIZE, _LINE, _ROOM, _MARGIN = 13, 17, 250, 12
#: The time that the last state stays, in multiples of the others' time.
_LAST = 3


def animated_svg(trace: Trace | TraceView, *, seconds: float = 2.0) -> Markup:
    """One SVG that shows the picture of each state for some seconds, beside the labels of all steps.

    Args:
        seconds: The time that each state stays; the last one stays longer.

    Raises:
        InputError: If `seconds` is not a number above 0.
    """
    seconds = plain(seconds)
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
        raise InputError(f"seconds = {brief(seconds)} is not accepted; it takes a number above 0")
    view = trace if isinstance(trace, TraceView) else trace_view(trace)
    drawn = [view.picture(index) for index in range(len(view.steps))]
    rows, labels = _labels(view)
    room = max((text_width for *_, text_width in labels), default=0) + 2 * _MARGIN
    width = room + max(picture.size[0] for picture in drawn)
    height = max(_MARGIN + labels[-1][1] + _LINE, *(picture.size[1] for picture in drawn))
    frames = []
    for index, (picture, (top, bottom)) in enumerate(zip(drawn, rows, strict=True)):
        row = element("rect", x=4.0, y=top, width=room - 8.0, height=bottom - top, rx=4.0, fill=BLUE_TINT)
        frames.append(
            element(
                "g",
                row,
                element("g", picture.content(f"{view.prefix}{index}-"), transform=f"translate({room:.1f} 0)"),
                class_=f"{view.prefix}step {view.prefix}{index}",
                visibility=None if index == len(drawn) - 1 else "hidden",
            )
        )
    texts = (
        element("text", words, x=x, y=y + _LINE * 0.75, font_size=_SIZE, fill=MUTED if quiet else INK)
        for x, y, words, quiet, _ in labels
    )
    return element(
        "svg",
        element("title", drawn[-1].label),
        element("style", STYLE + _timing(view.prefix, len(drawn), seconds)),
        element("rect", width=width, height=height, rx=8.0, fill=PAPER),
        *frames,
        *texts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:.1f} {height:.1f}",
        width=width,
        height=height,
        role="img",
        aria_label=f"{counted(len(drawn), 'state')}; the last is: {drawn[-1].label}",
        font_family=FONT,
        data_picture=view.trace.model.name,
    )


_Label = tuple[float, float, str, bool, float]


def _labels(view: TraceView) -> tuple[list[tuple[float, float]], list[_Label]]:
    """For each step the upper and lower end of its row, and all lines of text: where, what, and how wide."""
    indent = width_of(f"{len(view.steps)}  ", _SIZE)
    rows: list[tuple[float, float]] = []
    lines: list[_Label] = []
    y: float = _MARGIN

    def say(words: str, number: str) -> None:
        nonlocal y
        if number:
            lines.append((_MARGIN, y, number, True, indent))
        for line in wrap(printable(words), _ROOM - indent, _SIZE):
            lines.append((_MARGIN + indent, y, line, not number, indent + width_of(line, _SIZE)))
            y += _LINE

    for step in view.steps:
        top = y
        say(short(step.label), str(step.number))
        rows.append((top - 2, y + 1))
        y += 4
    if view.ending:
        say(view.ending, "")
    return rows, lines


def _timing(prefix: str, count: int, seconds: float) -> Markup:
    """The style sheet that shows one frame after the other in an endless loop; the last one stays longer."""
    if count == 1:
        return Markup()
    whole = seconds * (count - 1 + _LAST)
    shares = {"": 100 * seconds / whole, "last": 100 * seconds * _LAST / whole}
    frames = "".join(
        f"@keyframes {prefix}show{kind}{{0%{{visibility:visible}}{share:.4f}%,100%{{visibility:hidden}}}}"
        for kind, share in shares.items()
    )
    delays = "".join(f".{prefix}{index}{{animation-delay:{seconds * index - whole:g}s}}" for index in range(count))
    return Markup(
        f"{frames}@media screen and (prefers-reduced-motion:no-preference){{"
        f".{prefix}step{{animation:{prefix}show {whole:g}s step-end infinite}}"
        f".{prefix}{count - 1}{{animation-name:{prefix}showlast}}{delays}"
        f"svg:hover>.{prefix}step{{animation-play-state:paused}}}}"
    )
