"""Files that nobody means well with, or that broke on their way, by name."""

import gzip
import io
import struct
import zipfile
from collections.abc import Callable

_QUERIES = "q1\twho leads a country\nq2\twho cares\n"


def _zip(**members: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def zip_of_entries(n: int, *, zip64: bool = False) -> bytes:
    """A zip whose directory has `n` empty entries of 46 bytes and a name of one byte each."""
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 0, 20, *(0,) * 15)
    local = struct.pack("<4s5H3L2H", b"PK\3\4", 20, *(0,) * 9)
    named = entry[:28] + struct.pack("<H", 1) + entry[30:] + b"a"
    start = local[:26] + struct.pack("<H", 1) + local[28:] + b"a"
    directory = named * n
    end = struct.pack(
        "<4s4H2LH", b"PK\5\6", 0, 0, *(min(n, 0xFFFF),) * 2, len(directory), len(start), 0
    )
    if not zip64:
        return start + directory + end
    at = len(start) + len(directory)
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, n, n, len(directory), len(start))
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, at, 1)
    full = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return start + directory + end64 + locator + full


def _changed(packed: bytes, change: Callable[[bytearray], None]) -> bytes:
    altered = bytearray(packed)
    change(altered)
    return bytes(altered)


def _mark_encrypted(packed: bytearray) -> None:
    for mark, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        packed[packed.index(mark) + at] |= 1


def _strange_method(packed: bytearray) -> None:
    for mark, at in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
        packed[packed.index(mark) + at] = 97


def _wrong_sum(packed: bytearray) -> None:
    for mark, at in ((b"PK\3\4", 14), (b"PK\1\2", 16)):
        packed[packed.index(mark) + at] ^= 0xFF


_PACKED = _zip(**{"a.tsv": _QUERIES.encode(), "b.tsv": b"q3\tlatin \xe9\r"})

#: Content by what is wrong with it. The name of the file has the extension before the colon.
HOSTILE: dict[str, bytes] = {
    "txt: nothing": b"",
    "txt: one blank": b" ",
    "tsv: carriage returns in Latin-1": "q1\tcafé\rq2\tnaïve\r".encode("latin-1"),
    "tsv: Latin-1": "q1\tcafé\n".encode("latin-1"),
    "tsv: UTF-16 cut in a unit": _QUERIES.encode("utf-16")[:-1],
    "tsv: UTF-16 without mark, cut": _QUERIES.encode("utf-16-be")[:-1],
    "tsv: a lone surrogate": b"\xff\xfe" + "q1\t".encode("utf-16-le") + b"\x00\xd8\n\0",
    "tsv: UTF-8 surrogate": b"q1\t\xed\xa0\x80\n",
    "tsv: mark, then other bytes": b"\xef\xbb\xbf" + b"q1\t\xff\xfe\n",
    "tsv: mark, then other bytes and carriage returns": b"\xef\xbb\xbfq1\t\xff\xfe\rq2\tx\r",
    "tsv: a mark alone": b"\xff\xfe",
    "tsv: UTF-32 cut": _QUERIES.encode("utf-32")[:-3],
    "tsv: UTF-32 beyond Unicode": b"\xff\xfe\0\0" + b"\xff" * 8,
    "pdf: a document": b"%PDF-1.7\r%\xe2\xe3\xcf\xd3\r1 0 obj\r<</Type/Catalog>>\rendobj\r",
    "png: a picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)),
    "bin: every byte": bytes(range(256)) * 4,
    "tsv: NULs": b"q1\ta\0b\n",
    "tsv: controls": b"q1\ta\x1b[2J\x07\x7f\n",
    "tsv: marks of direction": "q1\t\u202eevil\u202c\n".encode(),
    "tsv: one long line": b"q1\t" + b"x" * 300_000,
    "csv: a quote that never ends": b'qid,query,label\nq1,"who,n\n' * 3,
    "csv: a large cell": b"qid,query,label\nq1," + b"x" * 200_000 + b",n\n",
    "csv: columns of one name": b"qid,qid,worker,label\n1,2,w,n\n",
    "csv: a number beyond counting": b"query_id,worker,label\n" + b"9" * 5_000 + b",w,n\n",
    "json: deep": b"[" * 100_000,
    "json: deep objects": b'{"a":' * 50_000,
    "json: a number beyond counting": b'[{"id": ' + b"9" * 5_000 + b"}]",
    "json: infinite": b'[{"id": 1e999, "data": NaN}]',
    "json: half a pair": b'[{"id": "\\ud800", "data": {"text": "\\udc00"}}]',
    "json: scalars": b'[1, null, "x", [[]], {}]',
    "jsonl: rows that are none": b'{"qid": []}\n[]\nnull\n1\n"x"\n',
    "yaml: aliases": b"a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b]\n",
    "xml: entities": b'<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>',
    "gz: cut": gzip.compress(_QUERIES.encode() * 50)[:-12],
    "gz: no gzip": b"\x1f\x8b\x08\0" + b"\xff" * 40,
    "gz: cut UTF-16 inside": gzip.compress(_QUERIES.encode("utf-16")[:-1]),
    "zst: no frame": b"\x28\xb5\x2f\xfd" + b"\xff" * 40,
    "bz2: no stream": b"BZh9" + b"\xff" * 40,
    "xz: no stream": b"\xfd7zXZ\0" + b"\xff" * 40,
    "parquet: a head": b"PAR1" + b"\0" * 40,
    "parquet: head and tail": b"PAR1" + b"\xff" * 40 + struct.pack("<L", 2**31 - 1) + b"PAR1",
    "arrow: a head": b"ARROW1\0\0" + b"\xff" * 40,
    "sqlite: a head": b"SQLite format 3\0" + b"\0" * 100,
    "zip: empty": _zip(),
    "zip: cut": _PACKED[:-30],
    "zip: a head": b"PK\3\4" + b"\0" * 60,
    "zip: an end alone": _zip()[:22],
    "zip: bad inside": _PACKED,
    "zip: encrypted": _changed(_PACKED, _mark_encrypted),
    "zip: a strange method": _changed(_PACKED, _strange_method),
    "zip: a wrong sum": _changed(_PACKED, _wrong_sum),
    "zip: leads outside": _zip(**{"../../evil.tsv": b"q1\tx\n", "/etc/x.tsv": b"q1\ty\n"}),
    "zip: names of nothing": _zip(**{"a/": b"", "__MACOSX/x": b"x", ".hidden": b"x"}),
    "zip: a zip": _zip(**{"a.zip": _PACKED, "b.zip": _PACKED}),
    "zip: a manifest that is none": _zip(**{"bundle.json": b"[]", "manifest.json": b"\xff"}),
    "zip: many entries": zip_of_entries(3_000),
    "zip: many entries by zip64": zip_of_entries(3_000, zip64=True),
    "xlsx: a spreadsheet": _zip(**{"[Content_Types].xml": b"<a/>", "xl/workbook.xml": b"<a/>"}),
}


def file_name(what: str) -> str:
    """The name that a hostile file is sent with."""
    return f"hostile.{what.partition(':')[0]}"
