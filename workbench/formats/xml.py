"""What XML can hold."""

import re

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    r"""`text` with a replacement character for each that XML has no way to write, such as a bell.

    Examples
    --------
    >>> xml_text("a <b>\x07")
    'a <b>\ufffd'
    """
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
