"""Croissant metadata (MLCommons, version 1.0) of an item file."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from typing import Any

import alifba
from alifba.items import Item

# The context of Croissant 1.0, word for word: a validator warns of any other.
_CONTEXT: dict[str, Any] = json.loads(
    (files("alifba.azeval.interop") / "data" / "croissant_context.json").read_text(encoding="utf-8")
)


def croissant(name: str, description: str, data: bytes, path: str = "data/test.jsonl") -> dict[str, Any]:
    """Metadata for the item file `path`, seen from the metadata, with the bytes `data`; a field for each of `Item`."""
    file = path.rpartition("/")[2]
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"items/{field}",
            "name": field,
            "dataType": "sc:Text",
            **({"repeated": True} if field == "answer_aliases" else {}),
            "source": {"fileObject": {"@id": file}, "extract": {"column": field}},
        }
        for field in Item.model_fields
    ]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name,
        "description": description,
        "license": "https://creativecommons.org/licenses/by/4.0/",
        "version": alifba.__version__,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file,
                "name": file,
                "contentUrl": path,
                "encodingFormat": "application/jsonlines",
                "sha256": hashlib.sha256(data).hexdigest(),
            }
        ],
        "recordSet": [{"@type": "cr:RecordSet", "@id": "items", "name": "items", "field": fields}],
    }
