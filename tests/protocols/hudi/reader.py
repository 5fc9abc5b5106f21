"""Reads a Hudi table with Hudi's own reader, in the environment of the writers: ``reader.py FOLDER``.

It prints the rows as one JSON object: from keys to values.
"""

import json
import sys

import pyarrow as pa
from hudi import HudiTableBuilder

rows = pa.Table.from_batches(HudiTableBuilder.from_base_uri(sys.argv[1]).build().read())
print(json.dumps(dict(zip(rows["id"].to_pylist(), rows["value"].to_pylist(), strict=True))))
