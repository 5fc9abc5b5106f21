"""The width of texts, and how they are wrapped or cut.

A reader's font is unknown. Widths are those of DejaVu Sans, the widest of the requested fonts: in any other font a text
is narrower than measured, and stays in its box.
"""

import re
import unicodedata

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"

#: The widths of the characters from space to tilde, in hundredths of the font size.
_PLAIN = (
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84,
    84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99, 69,
    61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63,
    59, 82, 59, 59, 52, 64, 34, 64, 84,
)  # fmt: skip
_BOLD = (
    35, 46, 52, 84, 70, 100, 87, 31, 46, 46, 52, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70, 70, 70, 40, 40, 84,
    84, 84, 58, 100, 77, 76, 73, 83, 68, 68, 82, 84, 37, 37, 77, 64, 100, 84, 85, 73, 85, 77, 72, 68, 81, 77, 110, 77,
    72, 73, 46, 37, 46, 84, 50, 50, 67, 72, 59, 72, 68, 44, 72, 71, 34, 34, 67, 34, 104, 71, 69, 72, 72, 49, 60, 48, 71,
    65, 92, 65, 65, 58, 71, 37, 71, 84,
)  # fmt: skip
_FIRST = 32
#: The widths of all others: letters and arrows, and full-width East Asian characters and emoji.
_OTHER, _FULL = 85, 110
#: A word that is too long for a line is broken after one of these characters, if possible.
_PIECES = re.compile(r"[^_\-./,:]*[_\-./,:]?")


def width_of(text: str, size: float = 12, bold: bool = False) -> float:
    """The maximal width of a line."""
    table = _BOLD if bold else _PLAIN
    total = 0
    for character in text:
        place = ord(character) - _FIRST
        total += table[place] if 0 <= place < len(table) else _width_of_other(character)
    return total * size / 100


def _width_of_other(character: str) -> int:
    if character == "\N{MIDDLE DOT}":
        return 38
    if unicodedata.combining(character):
        return 0
    return _FULL if unicodedata.east_asian_width(character) in "WF" else _OTHER


def fit(text: str, room: float, size: float = 12) -> str:
    """`text`, cut to a width of `room`; the first letter always stays."""
    if width_of(text, size) <= room:
        return text
    while len(text) > 1 and width_of(text + "\N{HORIZONTAL ELLIPSIS}", size) > room:
        text = text[:-1]
    return text + "\N{HORIZONTAL ELLIPSIS}"


def wrap(text: str, room: float, size: float, bold: bool = False) -> list[str]:
    """`text` in lines of at most `room`; longer words are broken.

    Examples:
        >>> wrap("the quick brown fox", 75, 14)
        ['the quick', 'brown fox']
        >>> wrap("parent_staged", 60, 14)
        ['parent_', 'staged']
    """
    if width_of(text, size, bold) <= room:
        return [text]
    lines, line = [], ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if width_of(joined, size, bold) <= room:
            line = joined
            continue
        if line:
            lines.append(line)
        *full, line = _broken(word, room, size, bold)
        lines += full
    return [*lines, line]


def _broken(word: str, room: float, size: float, bold: bool) -> list[str]:
    """A word in pieces that fit."""
    if width_of(word, size, bold) <= room:
        return [word]
    lines, line = [], ""
    for piece in _PIECES.findall(word):
        for part in [piece] if width_of(piece, size, bold) <= room else piece:
            if line and width_of(line + part, size, bold) > room:
                lines.append(line)
                line = ""
            line += part
    return [*lines, line]
