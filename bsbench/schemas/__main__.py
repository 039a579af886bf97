"""Writes the JSON Schemas of all files again, beside this file."""

import json
from pathlib import Path

from bsbench.common.files import write_text
from bsbench.schemas import schemas

for _name, _schema in schemas().items():
    write_text(
        Path(__file__).with_name(f"{_name}.json"),
        json.dumps(_schema, indent=1, ensure_ascii=False) + "\n",
    )
