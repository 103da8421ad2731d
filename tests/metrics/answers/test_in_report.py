"""The chain in a report: its table, its picture, and the page that holds both."""

import csv
import json
from pathlib import Path

import pytest

from tests.program import failure, run

N = 40


@pytest.fixture
def study(tmp_path: Path) -> list[str]:
    """A call of `fairpool report` on a made-up study of forty queries with their answers."""
    texts, lists, answers, labels = {}, [], [], []
    for n in range(N):
        docnos = [f"d{n}-{place}" for place in range(4)]
        for place, docno in enumerate(docnos):
            texts[docno] = ("he said", "she said", "her road", "his")[(place + n) % 4]
            labels.append(f"{docno},{('en', 'de')[(place * n) % 2]}\n")
        lists += [f"q{n} Q0 {docno} {r} {-r} x\n" for r, docno in enumerate(docnos)]
        sentences = [{"text": "He saw her.", "citations": [n // 3 % 4, n % 3]}]
        answers.append({"qid": f"q{n}", "references": docnos, "answer": sentences})
    files = {
        "collection.tsv": "".join(f"{docno}\t{text}\n" for docno, text in texts.items()),
        "queries.tsv": "".join(f"q{n}\tquestion {n}\n" for n in range(N)),
        "bm25.run": "".join(lists),
        "answers.jsonl": "".join(json.dumps(answer) + "\n" for answer in answers),
        "labels.csv": "".join(labels),
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    return [
        *("report", "--collection", str(tmp_path / "collection.tsv")),
        *("--queries", str(tmp_path / "queries.tsv"), "--run", f"BM25={tmp_path / 'bm25.run'}"),
        *("--answers", f"BM25={tmp_path / 'answers.jsonl'}", "-o", str(tmp_path / "report")),
    ]


def test_a_report_has_the_picture_and_the_table_of_a_chain(
    study: list[str], tmp_path: Path
) -> None:
    run(*study)
    folder = tmp_path / "report"
    page = (folder / "index.html").read_text()
    for kind in ("svg", "pdf", "png", "csv"):
        assert (folder / f"chain_bands.{kind}").stat().st_size > 0
        assert f'href="chain_bands.{kind}"' in page
    # It is in the page itself, which stands alone.
    title = "From retrieved to answered: each group's share at every step."
    assert f'alt="{title.replace(chr(39), "&#39;")}' in page
    with (folder / "chain.csv").open(newline="") as file:
        rows = {(row["figure"], row["step"], row["group"]): row for row in csv.DictReader(file)}
    change = rows["change", "retrieved > cited", "f"]
    assert float(change["low"]) <= float(change["value"]) <= float(change["high"])
    assert rows["count", "citations, document by sentence", ""]["value"] == "70"
    assert "bias (logtc)" in {figure for figure, _, _ in rows}
    assert "citations, document by sentence" in page


def test_its_groups_may_be_those_of_labels(study: list[str], tmp_path: Path) -> None:
    run(*study, "--labels", tmp_path / "labels.csv")
    with (tmp_path / "report" / "chain.csv").open(newline="") as file:
        groups = {row["group"] for row in csv.DictReader(file) if row["figure"] == "share"}
    assert groups == {"de", "en"}
    (tmp_path / "answers.jsonl").write_text(json.dumps({"qid": "t1", "answer": "A."}))
    assert "no answer of BM25 is to a query" in failure(*study)


def test_a_report_without_answers_has_no_chain(study: list[str], tmp_path: Path) -> None:
    at = study.index("--answers")
    run(*study[:at], *study[at + 2 :])
    assert not (tmp_path / "report" / "chain.csv").exists()
