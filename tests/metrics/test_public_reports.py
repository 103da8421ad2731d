"""Small files in the shape of public reports: measured as they should be, or said why not.

nDCG is worked by hand: (1 + 1 / log2(3)) / 2 of two queries whose document is first and second.
"""

import json
from pathlib import Path

import pytest

from metrics import read_queries
from tests import program

RUN = "q1 Q0 d1 1 3 s\nq1 Q0 d2 2 2 s\nq1 Q0 d3 3 1 s\nq2 Q0 d2 1 2 s\nq2 Q0 d3 2 1 s\n"
TEXTS = "d1\tHe left.\nd2\tShe left.\nd3\tHer mother.\n"
BY_HAND = 0.8155


def ndcg(folder: Path, qrels: str, run: str = RUN, texts: str = TEXTS) -> float:
    """nDCG@5 with these judgments."""
    for name, text in (("s.run", run), ("c.tsv", texts), ("qrels", qrels)):
        (folder / name).write_text(text)
    files = ("--run", f"A={folder / 's.run'}", "--collection", folder / "c.tsv")
    terms = ("--measure", "nDCG", "--cutoff", "5", "--qrels", folder / "qrels", "--json")
    [row] = json.loads(program.run("measure", *files, *terms))["rows"]
    return float(row["value"])


#: Judgments of the same two documents, as data sets have them.
JUDGMENTS = {
    "columns of ir_datasets without names": "q1\td1\t1\t0\nq2\td3\t1\t0\n",
    "JSON lines of MTEB": '{"query-id":"q1","corpus-id":"d1","score":1.0}\n'
    '{"query-id":"q2","corpus-id":"d3","score":1.0}\n',
}  # fmt: skip


@pytest.mark.parametrize("what", JUDGMENTS)
def test_judgments_of_data_sets_are_those_of_trec(what: str, tmp_path: Path) -> None:
    value = ndcg(tmp_path, JUDGMENTS[what])
    assert value == pytest.approx(BY_HAND, abs=5e-5)


def test_documents_called_as_decimals_meet_their_judgments(tmp_path: Path) -> None:
    run = "q1 Q0 1.0 1 3 s\nq1 Q0 2.0 2 2 s\n"
    texts = "1.0\tHe left.\n2.0\tShe left.\n"
    assert ndcg(tmp_path, "q1 0 1.0 1\n", run, texts) == 1.0


def test_conversational_turns_are_the_queries_of_their_file(tmp_path: Path) -> None:
    run = "31.0 Q0 d1 1 3 s\n31.1 Q0 d2 1 2 s\n32.0 Q0 d3 1 1 s\n"
    for name, text in (("s.run", run), ("c.tsv", TEXTS), ("q.tsv", "31.0\twho\n32.0\twhat\n")):
        (tmp_path / name).write_text(text)
    files = ("--run", f"A={tmp_path / 's.run'}", "--collection", tmp_path / "c.tsv")
    terms = ("--measure", "RaB", "--cutoff", "5", "--queries", tmp_path / "q.tsv", "--json")
    rows = json.loads(program.run("measure", *files, *terms))["rows"]
    assert {row["n_queries"] for row in rows} == {2}


def test_judgments_of_documents_called_otherwise_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prefixed = "q1 0 msmarco_passage_d1 1\nq2 0 msmarco_passage_d3 1\n"
    assert ndcg(tmp_path, prefixed) == 0
    assert "no id in common: 'msmarco_passage_d1'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("q.tsv", 'qid\tquery\nq1\t"who said ""hi"" first"\nq2\twho left\n', 'who said "hi" first'),
        ("q.csv", 'q1,"who left, and when",n\nq2,who came,n\n', "who left, and when"),
    ],
)
def test_quotes_around_a_text_are_none_of_it(
    name: str, content: str, text: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert read_queries(path, "all").texts["q1"] == text
