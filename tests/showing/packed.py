"""What a page has packed in its attributes, for the script that draws it."""

import base64
import gzip
import json
import re
from typing import Any


def unpacked(markup: str, name: str) -> Any:
    """The data in the first attribute ``data-<name>``."""
    packed = re.search(rf'data-{name}="([^"]*)"', markup)
    assert packed is not None
    return json.loads(gzip.decompress(base64.b64decode(packed[1])))
