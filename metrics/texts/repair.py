"""Repairing texts that were decoded by the wrong encoding: "sheâ€™s" becomes "she’s".

With the broken letters a gender word is another word, and is not counted. The repair is that of
ftfy (Speer 2019), its step for encodings alone: nothing else of a text changes.
"""

from importlib.metadata import version
from typing import Any

import orjson

from ..extras import need
from .collection import TEXT_FIELDS


def repair_name() -> str:
    """The program and version that repairs, for the record; `InputError` where it is missing."""
    need("ftfy")
    return f"ftfy {version('ftfy')}"


def repair_text(text: str) -> str:
    """The text with its encoding repaired.

    >>> repair_text("SheÃ©la said sheâ€™s here")
    'Shéla said she’s here'
    """
    fixed: str = need("ftfy").fix_encoding(text)
    return fixed


def repair_line(line: bytes, format_: str) -> bytes:
    """A line of a collection with its text repaired; docno, and a line that is none, stay."""
    if line.isascii() and (format_ == "tsv" or b"\\u" not in line):
        return line
    try:
        return (_repair_tsv if format_ == "tsv" else _repair_json)(line)
    except ValueError:
        # Whoever reads it says what is wrong with it, and where.
        return line


def _repair_tsv(line: bytes) -> bytes:
    docno, tab, text = line.partition(b"\t")
    return docno + tab + repair_text(text.decode()).encode()


def _repair_json(line: bytes) -> bytes:
    fields: Any = orjson.loads(line)
    if not isinstance(fields, dict):
        return line
    for name in (*TEXT_FIELDS, "title"):
        if isinstance(text := fields.get(name), str):
            fields[name] = repair_text(text)
    return orjson.dumps(fields)
