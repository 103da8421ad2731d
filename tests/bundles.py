"""Bundles of studies, taken apart and put together otherwise."""

import hashlib
import json
import zipfile
from pathlib import Path


def contents(path: Path) -> dict[str, bytes]:
    """The files of a bundle by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def with_files(path: Path, changes: dict[str, bytes], *, sums: bool = True) -> Path:
    """The bundle `changed.zip` with other files; with `sums` their checksums, as a forger would."""
    files = contents(path) | changes
    if sums:
        manifest = json.loads(files["manifest.json"])
        named = changes.keys() - {"manifest.json"}
        manifest["files"] |= {name: hashlib.sha256(changes[name]).hexdigest() for name in named}
        files["manifest.json"] = json.dumps(manifest).encode()
    out = path.with_name("changed.zip")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        packed = {entry.filename: entry.compress_type for entry in old.infolist()}
        for name, content in files.items():
            new.writestr(name, content, packed.get(name, zipfile.ZIP_DEFLATED))
    return out


def changed(path: Path, name: str, old: str, new: str, *, sums: bool = True) -> Path:
    """The same with a text of one file replaced where it stands first."""
    text = contents(path)[name].decode()
    assert old in text
    return with_files(path, {name: text.replace(old, new, 1).encode()}, sums=sums)
