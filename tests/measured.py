"""A small study from its files to its bias report, for the tests of what a report shows."""

import io
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.models import Batch, Study, StudyReport
from annotation.reports.operations.reports import create_report, make_report
from annotation.reports.operations.request import ReportRequest
from annotation.schemes.released import has_released_layout
from annotation.studies.operations.files import add_study_file
from annotation.studies.operations.pool import PoolTerms, study_pool
from annotation.studies.operations.pool_documents import keep_pool_documents
from annotation.studies.operations.score import study_score
from annotation.vocabulary import FileKind
from tests.commands import run

HOSTILE = "<script>alert(1)</script> & she"
COLLECTION = f"d1\the and his son\nd2\t{HOSTILE}\nd3\train falls\nd4\ther mother said\n"
QUERIES = {"q1": "one", "q2": "<b>two</b>", "q3": "three", "q4": "four"}
RANKINGS = {
    "BM25": {"q1": "d1 d2 d3", "q2": "d2 d1 d4", "q3": "d3 d4 d1", "q4": "d4 d3 d2"},
    "LSA": {"q1": "d3 d1 d2", "q2": "d4 d2 d3", "q3": "d1 d3 d4", "q4": "d2 d4 d1"},
}
VOTES = {"q1": "nnn", "q2": "nnf", "q3": "mmm", "q4": "nff"}


def storages_in(folder: Path) -> dict[str, Any]:
    """The storages of the settings, but the files of studies in `folder`."""
    files = settings.STORAGES["files"] | {"OPTIONS": {"location": str(folder)}}
    return {**settings.STORAGES, "files": files}


def measured_study(folder: Path, words: str = "", groups: str = "") -> Study:
    """A study that is scored, by a word list of its own or the usual one, pooled and labelled."""
    study = Study.objects.create(name="s")
    queries = "".join(f"{qid}\t{text}\n" for qid, text in QUERIES.items())
    _add(study, FileKind.COLLECTION, "collection.tsv", COLLECTION)
    _add(study, FileKind.QUERIES, "queries.tsv", queries)
    if words:
        _add(study, FileKind.LEXICON, "words.csv", words)
    for name, rankings in RANKINGS.items():
        lines = [
            f"{qid} Q0 {docno} {rank} {9 - rank} x\n"
            for qid, docnos in rankings.items()
            for rank, docno in enumerate(docnos.split(), start=1)
        ]
        _add(study, FileKind.RUN, f"{name}.run", "".join(lines))
    study_score(study=study, actor="test")
    terms = PoolTerms(rank_cutoff=3, groups=groups)
    pool = study_pool(study=study, name="p", terms=terms, actor="test")
    keep_pool_documents(study=study, pool=pool)
    votes = [
        f"{qid},w{worker},{label},{QUERIES[qid]}\n"
        for qid, labels in VOTES.items()
        for worker, label in enumerate(labels)
    ]
    file = folder / "votes.csv"
    file.write_text("query_id,worker,label,query\n" + "".join(votes))
    run("label", "import-votes", file, "--name", "b", "--study", "s", "--voters", "simulated")
    run("label", "decide", "b")
    Batch.objects.filter(name="b").update(pool=pool)
    return study


def _add(study: Study, kind: str, name: str, content: str) -> None:
    stream = io.BytesIO(content.encode())
    add_study_file(study=study, kind=kind, stream=stream, filename=name, actor="test")


def asked(study: Study, **changed: object) -> ReportRequest:
    values = {
        "runs": list(RANKINGS),
        "scored": study.files.get(kind=FileKind.MAGNITUDES).name,
        "batches": [next(one.pk for one in study.batches.all() if has_released_layout(one.scheme))],
        "cutoffs": [2, 3],
        "baseline": "BM25",
        "paired": {"BM25": "LSA"},
    }
    return ReportRequest(**{**values, **changed})  # type: ignore[arg-type]


def report_of(study: Study) -> StudyReport:
    """Its report, made."""
    report = create_report(study=study, request=asked(study), actor="test")
    return make_report(report_id=report.pk)
