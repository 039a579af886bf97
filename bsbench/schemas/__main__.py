"""Writes the JSON Schemas of all files again, beside this file."""

import json
from pathlib import Path

from bsbench.schemas import schemas

for _name, _schema in schemas().items():
    Path(__file__).with_name(f"{_name}.json").write_text(
        json.dumps(_schema, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
