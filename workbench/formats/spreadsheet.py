"""Tables as CSV for spreadsheets."""

import csv
import io
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from workbench.kernel.meaning.text import printable_lines

if TYPE_CHECKING:
    import pandas as pd

#: The signs that start a formula, also in their wide form.
_BEFORE_FORMULAS = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
_NEGATIVE = re.compile("-([0-9]+|0x[0-9a-f]+)?")


def to_csv(table: "pd.DataFrame") -> str:
    """A table as CSV: missing values are empty, and no spreadsheet takes a text for a formula.

    Examples:
        >>> import pandas as pd
        >>> print(to_csv(pd.DataFrame({"Size": [1, 2], "P": ["holds", None], "error": [None, "=1, a"]})), end="")
        Size,P,error
        1,holds,
        2,,"'=1, a"
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(harmless(map(str, table.columns)))
    plain = table.astype(object).where(table.notna(), "")
    for row in plain.itertuples(index=False):
        writer.writerow(harmless(printable_lines(str(value)) for value in row))
    return out.getvalue()


def harmless(row: Iterable[str]) -> list[str]:
    """A row with an apostrophe before each would-be formula; numbers, and "-" for nothing, are left alone."""
    return [f"'{text}" if text[:1] in _BEFORE_FORMULAS and not _NEGATIVE.fullmatch(text) else text for text in row]
