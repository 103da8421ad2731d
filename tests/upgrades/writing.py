"""`python -m tests.upgrades.writing`: keep a data folder and a bundle of this version as fixtures.

They are those of one small study: queries and pairs of query and passage, pooled, published,
answered and labelled, and a batch whose answers are not collected yet. It has no report, whose
figures would be most of the bytes. Databases hold times and random keys, so two runs differ.
"""

import io
import lzma
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

from metrics.version import VERSION
from tests.project import Project, new_project

FOLDER = Path(__file__).resolve().parent
BUNDLE, DATA = "bundle.zip", "data.tar.xz"
STUDY = "upgrades"
UNCOLLECTED = "uncollected"
#: Pool and scheme of each batch; the answers to the last one wait at the crowd service.
BATCHES = {
    "queries": ("queries", "gender"),
    "pairs": ("pairs", "relevance"),
    UNCOLLECTED: ("queries", "gender"),
}
COLLECTION = "d1\the and his son\nd2\tshe sings\nd3\train falls\nd4\ther mother said\n"
QUERIES = "q1\tsongs\nq2\tthe queen\nq3\tweather\nq4\tthe king\n"
TRUTH = "q1\tn\nq2\tf\nq3\tn\nq4\tm\n"
RANKINGS = {
    "BM25": {"q1": "d1 d2 d3", "q2": "d2 d1 d4", "q3": "d3 d4 d1", "q4": "d4 d3 d2"},
    "LSA": {"q1": "d3 d1 d2", "q2": "d4 d2 d3", "q3": "d1 d3 d4", "q4": "d2 d4 d1"},
}
MODEL_LABELS = "qid,label,score,model\nq1,n,0.8,m\nq2,f,0.7,m\nq3,n,0.6,m\n"


def write_version(folder: Path) -> None:
    """Write the bundle and the data folder of this version into `folder`."""
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="upgrades-") as place:
        project = new_project(Path(place) / "data")
        _make_study(project, Path(place))
        project.run("study", "bundle", STUDY, "--include-files", "--output", folder / BUNDLE)
        (project.data_dir / "site.log").unlink()
        _pack(project.data_dir, folder / DATA)


def _make_study(project: Project, place: Path) -> None:
    write = _writer(place)
    collection = write("collection.tsv", COLLECTION)
    queries = write("queries.tsv", QUERIES)
    runs = [part for name in RANKINGS for part in ("--run", write(f"{name}.run", _run(name)))]
    truth = {"gender": ("--truth", write("truth.tsv", TRUTH)), "relevance": ()}
    labels = write("model.csv", MODEL_LABELS)

    project.run("study", "create", STUDY)
    project.run(
        *("study", "add-files", STUDY, "--collection", collection, "--queries", queries), *runs
    )
    project.run("study", "pool", STUDY, "--name", "queries", "--rank-cutoff", "3")
    project.run("study", "pool-pairs", STUDY, "--name", "pairs", "--cutoff", "2")
    with project.site("--without-worker"):  # which would collect what is to wait
        for batch, (pool, scheme) in BATCHES.items():
            project.run("batch", "create", "--name", batch, "--pool", pool, "--scheme", scheme)
            project.run("batch", "publish", batch, "--yes")
            project.run("batch", "simulate", batch, "--seed", "1", *truth[scheme])
            if batch != UNCOLLECTED:
                project.run("batch", "collect", batch, "--approve")
                project.run("label", "decide", batch)
    project.run("label", "import-model-labels", STUDY, labels)


def _run(name: str) -> str:
    return "".join(
        f"{qid} Q0 {docno} {rank} {9 - rank} {name}\n"
        for qid, docnos in RANKINGS[name].items()
        for rank, docno in enumerate(docnos.split(), start=1)
    )


def _writer(place: Path) -> Callable[[str, str], Path]:
    def write(name: str, text: str) -> Path:
        path = place / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def _pack(data: Path, archive: Path) -> None:
    """Pack a data folder, in the order of names and without times and owners."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as tar:
        for path in sorted(path for path in data.rglob("*") if path.is_file()):
            entry = tarfile.TarInfo(path.relative_to(data).as_posix())
            entry.size = path.stat().st_size
            with path.open("rb") as file:
                tar.addfile(entry, file)
    archive.write_bytes(lzma.compress(plain.getvalue(), preset=9))


if __name__ == "__main__":
    target = FOLDER / VERSION
    if target.exists():
        sys.exit(f"{target} exists: released versions are kept as they are.")
    write_version(target)
    for path in target.iterdir():
        sys.stdout.write(f"{path.stat().st_size:,} bytes: {path}\n")
