"""What a file looks like decides what people are told who gave it for something else."""

import gzip
import random
from pathlib import Path

import pytest

from metrics.io.contents import contents_of
from metrics.io.run_names import named_apart, run_name, run_tag
from metrics.runs import read_run
from tests.program import failure

RUN = "q1 Q0 d1 1 2.5 BM25\nq1 Q0 d2 2 -1e-3 BM25\n"
LOOKS = {
    "run": RUN,
    "qrels": "q1 0 d1 2\nq1 0 d2 0\n",
    "texts": "q1\twhat is a run\nq2\tsix words of a longer text\n",
    "ids": "q1\nq2\n",
    "labels": "1,who was she, really,f\n2,why,n\n",
    "votes": "task,worker,label\n1,a,n\n",
    "lexicon": "she,f\nhe,m\n",
}


@pytest.mark.parametrize(("kind", "text"), LOOKS.items(), ids=LOOKS)
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_kind_is_told_by_the_first_lines(
    tmp_path: Path, kind: str, text: str, ending: str
) -> None:
    path = tmp_path / f"anything{ending}"
    path.write_bytes(gzip.compress(text.encode()) if ending else text.encode())

    looks = contents_of(path)

    assert looks is not None
    assert looks.kind == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"_id": "d1", "title": "", "text": "she"}\n', "texts"),
        ('{"labels": [1]}\n', None),
        ("qid,label\n1,n\n2,f\n", "model labels"),
        ("qid,label,score\n1,n,.9\n2,f,\n", "model labels"),
        ("task,worker,label,model\n1,x,n,gpt\n", "model labels"),
        ("Query_ID;label\n1;n\n", None),
        ('[{"data": {"qid": "1"}, "predictions": [{"result": []}]}]', "model labels"),
        ('[{"data": {"qid": "1"}, "predictions": []}]', None),
        ('[{"annotations": [{"id": 1}], "data": {}, "predictions": [{"result": []}]}]', "votes"),
        ("qid,query,label\n1,why,n\n", "labels"),
        ("word,group\nshe,f\n", "lexicon"),
        ("19335\tfour words 1 2\n", "texts"),
        ("7\tcounting to 3\n", "texts"),
        ("7\twho is 3 4 x\n", "texts"),
        ("7\t0\td1\t3\n", "qrels"),
        ("a\tb\tc\nno tab here\n", None),
        ("", None),
        ("\n \n", None),
        ("\xe9t\xe9", None),
    ],
)
def test_what_could_be_taken_for_something_else(
    tmp_path: Path, text: str, kind: str | None
) -> None:
    (tmp_path / "file").write_bytes(text.encode("latin-1"))

    looks = contents_of(tmp_path / "file")

    assert (looks.kind if looks else None) == kind


def test_random_bytes_are_nothing_and_no_fault(tmp_path: Path) -> None:
    draw = random.Random(1)
    for number in range(200):
        path = tmp_path / "file.gz" if number % 2 else tmp_path / "file"
        path.write_bytes(draw.randbytes(draw.randrange(200)))
        contents_of(path)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("dl20.BM25.run", "dl20.BM25"),
        ("dl20.REP_LLAMA_100.run.gz", "dl20.REP_LLAMA_100"),
        ("bm25.res", "bm25"),
        ("input.bm25.txt.zst", "input.bm25"),
        ("a b:c.trec", "a_b_c"),
        (".run", ".run"),
        ("run", "run"),
    ],
)
def test_a_run_is_named_by_its_file(file: str, name: str) -> None:
    assert run_name(Path("folder.of.runs") / file) == name


def test_runs_of_one_name_are_named_by_their_tags(tmp_path: Path) -> None:
    files = []
    for tag in ("BM25", "monoT5 large"):
        path = tmp_path / tag / "output.run"
        path.parent.mkdir()
        path.write_text(RUN.replace("BM25", tag))
        files.append((run_name(path), path))

    assert [name for name, _ in named_apart(files)] == ["BM25", "monoT5_large"]
    assert [name for name, _ in named_apart([("A", files[0][1]), ("A", files[1][1])])] == ["A", "A"]
    assert [name for name, _ in named_apart([files[0], files[0]])] == ["output", "output"]
    assert run_tag(tmp_path / "none") == ""
    assert read_run(files[0][1]).name == "output"


def test_a_file_for_the_wrong_option_is_told_with_the_right_one(tmp_path: Path) -> None:
    paths = {kind: tmp_path / f"{kind}.file" for kind in LOOKS}
    for kind, path in paths.items():
        path.write_text(LOOKS[kind])
    (tmp_path / "c.tsv").write_text("d1\tshe\nd2\the\n")
    (tmp_path / "r.run").write_text(RUN)

    def told(*options: object) -> str:
        return failure("measure", "--collection", tmp_path / "c.tsv", *options)

    judged = told("--run", paths["qrels"])
    assert judged.endswith(
        "It looks like relevance judgements (4 columns, the last is a whole number). Use --qrels."
    )
    assert told("--run", tmp_path / "r.run", "--qrels", paths["run"]).endswith("Use --run.")
    assert "looks like" not in told("--run", tmp_path / "nothing")
