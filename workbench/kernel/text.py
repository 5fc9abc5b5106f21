"""Text from elsewhere, made fit to be shown."""


def printable(text: str) -> str:
    r"""`text` in which characters that a terminal obeys, or that nobody can see, are written as escapes.

    These are control characters, line and paragraph separators, marks that turn the direction of writing around, and
    what Unicode has not assigned. The result is one line.

    Examples:
        >>> printable("w1\x1b[2J\nholds")
        'w1\\x1b[2J\\nholds'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def printable_lines(text: str) -> str:
    r"""As :func:`printable`, for text that may have several lines.

    Examples:
        >>> printable_lines("one\ntwo\r\x07")
        'one\ntwo\\r\\x07'
    """
    return "\n".join(map(printable, text.split("\n")))
