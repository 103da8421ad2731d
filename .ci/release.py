"""Checks what `make wheel` and `make docs` built, and says whether it can be released, and how.

    release.py [--dry | --tag] FOLDER     FOLDER is what DIST=FOLDER make wheel left
    release.py --digests FILE ...         prints SHA-256 and name of each

With `--dry` the changelog needs no date yet, and the tree may be at work; with `--tag` the tag is
made here, for a person to push. Writes into FOLDER the fixtures for other programs as a zip, the
recipe for conda-forge, the list of the files of the image and, last, SHA256SUMS of all that is
released. Builds nothing: what was tested is what is released. Ends with 1 and a sentence each where
something is missing.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import image

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "var" / "site"
FIXTURES = ROOT / "fixtures"
RECIPE = ROOT / "deploy" / "conda" / "recipe.yaml"
SUMS = "SHA256SUMS"
#: Megabytes of our own files in the image, before the packages that it installs.
_LARGEST_IMAGE = 20


def versions() -> dict[str, str]:
    """The version by the file that states it."""
    texts = {
        "metrics/version.py": r'^VERSION = "(.+)"$',
        "CITATION.cff": r"^version: (.+)$",
        # Changes under way have no version yet: `_of_the_commit` asks for one and its date.
        "CHANGELOG.md": r"^## (?!Unreleased$)(\S+)",
    }
    found = {}
    for name, pattern in texts.items():
        match = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        found[name] = match[1] if match else "none"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found["pyproject.toml"] = project["version"]
    found["codemeta.json"] = json.loads((ROOT / "codemeta.json").read_text())["version"]
    return found


def missing(dist: Path, version: str, *, dry: bool) -> Iterator[str]:
    """Yield each obstacle to a release as a sentence."""
    stated = versions()
    if len(set(stated.values())) > 1:
        yield f"The versions differ: {stated}."
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        yield f"A tag is v1.2.3, and the version is {version}."
    if not dry:
        yield from _of_the_commit(version)
    yield from _of_the_packages(dist / "fairpool", "fairpool", version, with_source=True)
    crowd = (ROOT / "mturk_local/version.py").read_text(encoding="utf-8")
    crowd_version = re.findall(r'"([\d.]+)"', crowd)[0]
    yield from _of_the_packages(dist / "mturk-local", "mturk_local", crowd_version)
    index = SITE / "index.html"
    if not index.is_file() or f"Fairpool {version}" not in index.read_text(encoding="utf-8"):
        yield f"No documentation of {version} in var/site: run `make docs`."
    megabytes = sum(image.files().values()) / 1_000_000
    if megabytes > _LARGEST_IMAGE:
        yield f"Files of {megabytes:.0f} MB enter the image: see .dockerignore."


def _of_the_commit(version: str) -> Iterator[str]:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first = next((line for line in changelog.splitlines() if line.startswith("## ")), "")
    if not re.fullmatch(r"## \S+ \(\d{4}-\d{2}-\d{2}\)", first):
        yield "The first section of CHANGELOG.md has no date: write `## 1.2.3 (2026-01-31)`."
    if _git("status", "--porcelain"):
        yield "Only commits travel, and some files are not committed: see `git status`."
    if not list((ROOT / "tests/upgrades" / version).glob("*")):
        yield f"No data of {version} for later versions: run `python -m tests.upgrades.writing`."
    tagged = _git("tag", "--list", f"v{version}") and _git("rev-parse", f"v{version}^{{commit}}")
    if tagged and tagged != _git("rev-parse", "HEAD"):
        yield f"v{version} is the tag of another commit: write the next version."


def _of_the_packages(
    folder: Path, name: str, version: str, *, with_source: bool = False
) -> Iterator[str]:
    """Check that the folder has the wheel, `with_source` also the source, and nothing else."""
    wanted = {f"{name}-{version}-py3-none-any.whl"}
    if with_source:
        wanted.add(f"{name}-{version}.tar.gz")
    found = {path.name for path in folder.glob("*")}
    if found != wanted:
        yield f"{folder} has {sorted(found)}, not {sorted(wanted)}: run `DIST=... make wheel`."
        return
    for file in sorted(wanted):
        stated = _stated(folder / file)
        if stated != version:
            yield f"{file} says inside that it is {stated}."


def _stated(package: Path) -> str:
    """The version in the metadata of a wheel or of a source distribution."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as wheel:
            [name] = [one for one in wheel.namelist() if one.endswith(".dist-info/METADATA")]
            text = wheel.read(name)
    else:
        with tarfile.open(package) as source:
            file = source.extractfile(f"{package.name.removesuffix('.tar.gz')}/PKG-INFO")
            text = file.read() if file else b""
    return str(HeaderParser().parsestr(text.decode())["Version"])


def _git(*words: str) -> str:
    return subprocess.run(  # noqa: S603 - our own words
        ["git", *words],  # noqa: S607 - the git of whoever releases
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def pack_fixtures(dist: Path, version: str) -> None:
    """Write the folder of fixtures as a zip with the same bytes wherever it is written."""
    with zipfile.ZipFile(dist / f"fairpool-fixtures-{version}.zip", "w") as archive:
        for path in sorted(path for path in FIXTURES.rglob("*") if path.is_file()):
            name = f"fairpool-fixtures/{path.relative_to(FIXTURES).as_posix()}"
            archive.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED)


def write_recipe(dist: Path, version: str) -> None:
    """Write the recipe for conda-forge, of the source that is released."""
    filled = {"version": version, "sha256": digest(dist / f"fairpool/fairpool-{version}.tar.gz")}
    recipe = RECIPE.read_text(encoding="utf-8")
    for name, value in filled.items():
        recipe = re.sub(rf'^  {name}: "0"$', f'  {name}: "{value}"', recipe, flags=re.MULTILINE)
    (dist / "recipe.yaml").write_text(recipe, encoding="utf-8")


def write_list(dist: Path) -> list[str]:
    """Describe in `dist` all that is released; the lines of SHA256SUMS."""
    entering = "".join(f"{digest(ROOT / path)}  {path}\n" for path in sorted(image.files()))
    (dist / "image-files.txt").write_text(entering, encoding="utf-8")
    pages = sorted(path for path in SITE.rglob("*") if path.is_file())
    described = "".join(f"{digest(path)}  {path.relative_to(SITE)}\n" for path in pages)
    (dist / "site-files.txt").write_text(described, encoding="utf-8")
    files = sorted(path for path in dist.rglob("*") if path.is_file() and path.name != SUMS)
    lines = [f"{digest(path)}  {path.relative_to(dist).as_posix()}" for path in files]
    (dist / SUMS).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="before the commit that is released")
    parser.add_argument("--tag", action="store_true", help="make the tag")
    parser.add_argument("--digests", action="store_true", help="print those of files, no more")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    options = parser.parse_args()
    if options.digests:
        for path in options.paths:
            print(f"{digest(path)}  {path.name}")
        return 0
    [dist] = options.paths
    version = versions()["metrics/version.py"]
    found = list(missing(dist, version, dry=options.dry))
    if found:
        print(*found, sep="\n", file=sys.stderr)
        return 1
    entering = image.files()
    pack_fixtures(dist, version)
    write_recipe(dist, version)
    print(*write_list(dist), sep="\n")
    print(f"image: {len(entering)} files of ours, {sum(entering.values()) / 1e6:.1f} MB")
    print(f"docker build --tag fairpool:{version} .")
    tag = ["tag", "--annotate", f"v{version}", "--message", f"Fairpool {version}"]
    if options.tag and not options.dry:
        _git(*tag)
    else:
        print(f'git {" ".join(tag[:-1])} "{tag[-1]}"')
    print(f"git push origin v{version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
