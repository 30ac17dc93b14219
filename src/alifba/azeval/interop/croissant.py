"""Croissant metadata (MLCommons, version 1.0) of an item file."""

from __future__ import annotations

import hashlib
from typing import Any

import alifba
from alifba.items import Item

_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "format": "cr:format",
    "jsonPath": "cr:jsonPath",
    "md5": "cr:md5",
    "recordSet": "cr:recordSet",
    "repeated": "cr:repeated",
    "sc": "https://schema.org/",
    "source": "cr:source",
}


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
