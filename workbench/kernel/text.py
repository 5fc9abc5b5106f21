"""Foreign text, made fit to print."""


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
