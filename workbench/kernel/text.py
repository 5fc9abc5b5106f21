"""Text, made fit to print."""

from collections.abc import Container, Iterable, Sequence


def printable(text: str) -> str:
    r"""`text` as one line, with escapes for characters that are invisible or control a terminal.

    These are control characters, line and paragraph separators, marks that change the direction of writing, and
    unassigned code points.

    Examples:
        >>> printable("w1\x1b[2J\nholds")
        'w1\\x1b[2J\\nholds'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def printable_lines(text: str) -> str:
    r"""As :func:`printable`, but keeps line breaks.

    Examples:
        >>> printable_lines("one\ntwo\r\x07")
        'one\ntwo\\r\\x07'
    """
    return "\n".join(map(printable, text.split("\n")))


def columns(rows: Iterable[Sequence[str]], right: Container[int] = ()) -> list[str]:
    """Rows as lines of aligned columns, those in `right` aligned to the right.

    Examples:
        >>> columns([("action", "taken"), ("commit", "1,200"), ("crash", "7")], right=[1])
        ['action  taken', 'commit  1,200', 'crash       7']
    """
    lines = [list(map(printable, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(f"{cell:{'>' if at in right else '<'}{widths[at]}}" for at, cell in enumerate(line)).rstrip()
        for line in lines
    ]
