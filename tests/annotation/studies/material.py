"""A small study as files: what its owner has on disk before it begins."""

from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

from annotation.models import Study, StudyFile
from annotation.studies.operations.files import add_study_file
from annotation.vocabulary import FileKind

SUBJECTS = ("queen", "king", "bread", "nurse, she said", "he is a smith", "rivers")


def lines(rows: Iterable[str]) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()


def collection(n: int = 60) -> bytes:
    return lines(f"d{i}\tpassage {i} about a {SUBJECTS[i % len(SUBJECTS)]}" for i in range(n))


def queries(n: int = 12) -> bytes:
    return lines(f"q{i}\twhat is known about {SUBJECTS[i % len(SUBJECTS)]} {i}" for i in range(n))


def a_run(seed: int, n_queries: int = 12, n_documents: int = 60, depth: int = 10) -> bytes:
    """Ten documents for each query, in an order that the seed decides."""
    return lines(
        f"q{q} Q0 d{(q * (seed + 1) + rank * 7) % n_documents} {rank} {50 - rank} model{seed}"
        for q in range(n_queries)
        for rank in range(1, depth + 1)
    )


def add(study: Study, kind: str, content: bytes, filename: str, name: str = "") -> StudyFile:
    return add_study_file(
        study=study, kind=kind, stream=BytesIO(content), filename=filename, name=name, actor="test"
    )


def with_files(study: Study, runs: Iterable[str] = ("A", "B")) -> Study:
    """The study with everything that scoring and pooling need."""
    add(study, FileKind.COLLECTION, collection(), "collection.tsv")
    add(study, FileKind.QUERIES, queries(), "queries.tsv")
    for seed, name in enumerate(runs):
        add(study, FileKind.RUN, a_run(seed), f"{name}.run")
    return study


def below(folder: Path) -> list[str]:
    """Every file below a folder, by its path within."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
