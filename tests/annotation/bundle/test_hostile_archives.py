"""A bundle of somebody else decides neither how much memory its verification takes nor how long."""

import json
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import pytest

from annotation.reports.bundle.archive import FORMAT
from annotation.reports.bundle.described import named_files
from annotation.reports.bundle.verify import verify_bundle
from metrics.errors import InputError

_MEGABYTE = 1 << 20
_MOST_MEGABYTES = 300
_VERIFY = (
    "import sys\n"
    "from annotation.reports.bundle.verify import verify_bundle\n"
    "from metrics.errors import InputError\n"
    "try:\n    print(verify_bundle(sys.argv[1]).ok)\n"
    "except InputError:\n    print('refused')\n"
    "[most] = [one for one in open('/proc/self/status') if one.startswith('VmHWM')]\n"
    "print(most.split()[1])\n"
)
_PARAMETERS = {
    "categories": ["n", "f", "m", "o"], "method": "majority", "strict": False, "label_seed": 0,
    "n_categories": 4, "resamples": 100, "level": 0.95, "agreement_seed": 0,
    "interval": "queries", "queries_per_hit": 1,
}  # fmt: skip
_TABLES = {
    "queries.csv": b"qid,query,gold\n",
    "votes.csv": b"qid,worker,kind,category,repeated,set_aside\n",
    "labels.csv": b"qid,label,method,source,n_votes,n_for,confidence,decided_by,reason\n",
    "agreement.json": b"{}",
}


def bundle(path: Path, *, parameters: dict[str, Any] | None = None, **files: bytes) -> Path:
    """A bundle whose files are those of an empty study, except for `files` (`votes` for .csv)."""
    contents = dict(_TABLES)
    for name, content in files.items():
        [full] = [one for one in contents if one.startswith(name)] or [f"{name}.csv"]
        contents[full] = content
    contents["batch.json"] = json.dumps(
        {"name": "b", "parameters": parameters or _PARAMETERS}
    ).encode()
    contents = {f"batches/1/{name}": content for name, content in contents.items()}
    manifest = {"format": FORMAT, "study": {"name": "s"}, "files": dict.fromkeys(contents, "")}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
        archive.writestr("manifest.json", json.dumps(manifest))
    return path


def rows(line: str, n: int) -> bytes:
    return "".join(line.format(i=i) for i in range(n)).encode()


def one_line(path: Path) -> Path:
    return bundle(path, votes=_TABLES["votes.csv"] + b"a" * (100 * _MEGABYTE))


def zeros(path: Path) -> Path:
    return bundle(path, agreement=b"0" * (100 * _MEGABYTE))


def lists(path: Path) -> Path:
    return bundle(path, agreement=b"[" + b"[]," * 690_000 + b"[]]")


def votes(path: Path) -> Path:
    return bundle(
        path,
        queries=_TABLES["queries.csv"] + rows("q{i},x,\n", 50_000),
        votes=_TABLES["votes.csv"] + b"q1,w,human,n,0,0\n" * 2_000_000,
    )


def files(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(5_000):
            archive.writestr(str(number), b"")
    return path


def test_a_longer_list_of_files_cannot_hide(tmp_path: Path) -> None:
    path = files(tmp_path / "b.zip")
    content = path.read_bytes()
    end = content.rindex(b"PK\5\6")
    announced = bytearray(content[end:])
    announced[12:16] = bytes(4)
    # The record that says how long the list is would say nothing, and the 64-bit one all.
    path.write_bytes(content[:end] + b"PK\6\7" + bytes(16) + announced)
    with pytest.raises(InputError):
        verify_bundle(path)


def endless(path: Path) -> Path:
    """Something that can be read for ever."""
    path.symlink_to("/dev/zero")
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="the system counts memory otherwise")
@pytest.mark.parametrize(
    "make",
    [
        *(pytest.param(bomb, marks=pytest.mark.long) for bomb in (one_line, votes)),
        *(zeros, lists, files, endless),
    ],
)
def test_a_bomb_takes_little_memory(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    path = make(tmp_path / "b.zip")

    done = subprocess.run(
        [sys.executable, "-c", _VERIFY, path],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )

    verdict, kilobytes = done.stdout.split()
    assert verdict in ("refused", "False")
    assert int(kilobytes) < _MOST_MEGABYTES * 1024


@pytest.mark.parametrize(
    "changed",
    [
        {"resamples": 10**9},
        {"resamples": 10.5},
        {"resamples": True},
        {"categories": [str(number) for number in range(1000)]},
        {"categories": None},
        {"n_categories": 10**9},
        {"level": float("nan")},
        {"label_seed": -1},
        {"unknown": 1},
    ],
    ids=str,
)
def test_parameters_out_of_range_are_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    path = bundle(tmp_path / "b.zip", parameters=_PARAMETERS | changed)
    with pytest.raises(InputError) as caught:
        verify_bundle(path)
    assert caught.value.path == str(path)


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_deeply_nested_json_is_refused(tmp_path: Path, depth: int) -> None:
    path = bundle(tmp_path / "b.zip", agreement=b"[" * depth + b"]" * depth)
    with pytest.raises(InputError) as caught:
        verify_bundle(path)
    assert caught.value.path == "batches/1/agreement.json"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_packing_are_refused(tmp_path: Path, method: int) -> None:
    path = tmp_path / "b.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("manifest.json", b"{}")
    with pytest.raises(InputError):
        verify_bundle(path)


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    path = bundle(tmp_path / "b.zip")
    with (
        zipfile.ZipFile(path, "a") as archive,
        pytest.warns(UserWarning, match="votes.csv"),
    ):
        archive.writestr("batches/1/votes.csv", b"")
    with pytest.raises(InputError):
        verify_bundle(path)


@pytest.mark.parametrize("name", ["../votes.csv", "/votes.csv", "batches\\1\\votes.csv"])
def test_names_that_lead_out_are_refused(tmp_path: Path, name: str) -> None:
    path = bundle(tmp_path / "b.zip")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, b"")
    with pytest.raises(InputError, match="leads out"):
        verify_bundle(path)


def test_links_are_refused(tmp_path: Path) -> None:
    path = bundle(tmp_path / "b.zip")
    link = zipfile.ZipInfo("files/1/queries.tsv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(InputError, match="link"):
        verify_bundle(path)


def test_an_included_file_unpacks_to_no_more_than_the_zip_has(tmp_path: Path) -> None:
    path = bundle(tmp_path / "b.zip")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("files/1/collection.tsv", bytes(_MEGABYTE))
    with pytest.raises(InputError, match="packed"):
        verify_bundle(path)


def test_files_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    path = bundle(tmp_path / "b.zip")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("files/1/collection.tsv", bytes(_MEGABYTE))
        again = copy(archive.getinfo("files/1/collection.tsv"))
        again.filename = "files/2/collection.tsv"
        archive.filelist.append(again)
    with pytest.raises(InputError, match="overlap"):
        verify_bundle(path)


def test_damage_inside_a_file_is_an_error_of_input(tmp_path: Path) -> None:
    path = bundle(tmp_path / "b.zip", votes=_TABLES["votes.csv"] + rows("q{i},w,x,n,0,0\n", 1_000))
    content = bytearray(path.read_bytes())
    place = content.index(b"votes.csv") + 200
    content[place : place + 50] = bytes(50)
    path.write_bytes(content)
    with pytest.raises(InputError):
        verify_bundle(path)


def test_a_run_in_two_places_is_refused(tmp_path: Path) -> None:
    header = "run,qid,rank,docno,in_collection,counts,n_tokens,f_tc,f_tf,m_tc,m_tf\n"
    row = "{run},q1,{rank},d,1,1,3,1,1.0,0,0.0\n"
    lines = [row.format(run=run, rank=rank) for run, rank in (("A", 1), ("B", 1), ("A", 2))]
    path = bundle(
        tmp_path / "b.zip",
        queries=_TABLES["queries.csv"] + b"q1,x,\n",
        votes=_TABLES["votes.csv"] + b"q1,w,human,n,0,0\n",
        labels=_TABLES["labels.csv"] + b"q1,n,majority,unanimous,1,1,,,\n",
        documents=(header + "".join(lines)).encode(),
        bias=b"run\n" + b"A\n" * 100,
    )
    with pytest.raises(InputError) as caught:
        verify_bundle(path)
    assert caught.value.path == "batches/1/documents.csv"


@pytest.mark.parametrize(
    "wrong", [{"size": -1}, {"size": "x"}, {"name": "n" * 2_000}, {"digest": "0" * 2_000}]
)
def test_a_file_that_cannot_be_one_is_refused(wrong: dict[str, Any]) -> None:
    known = {"kind": "run", "name": "BM25", "size": 3, "digest": "blake3:0", "path": None}
    assert [file.size for file in named_files({"inputs": [known]}, "b.zip")] == [3]
    with pytest.raises(InputError, match="inputs cannot be read"):
        named_files({"inputs": [known | wrong]}, "b.zip")
