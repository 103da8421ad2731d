"""What a file looks like decides what people are told who gave it for something else."""

import gzip
import random
from pathlib import Path

import pytest

from metrics.io.contents import contents_of, only_contents
from metrics.io.run_files import run_files
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
        ("ranx.json", "ranx"),
        ("pyterrier.csv.gz", "pyterrier"),
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


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("q1 d1 1 22\nq1 d2 2 21\n", None),
        ("q1 0 d1 1\nq2 0 d2 0\n", "qrels"),
        ("query-id\tcorpus-id\tscore\nq1\td1\t1\n", "qrels"),
        ("d1\tHe left.\nd2\tShe left.\n", "texts"),
        ("d1\tleft\nd2\tright\n", None),
        ("q1,left\nq2,right\nq3,up\nq4,down\nq5,in\nq6,out\n", None),
        ("she,f\nhe,m\n", "lexicon"),
        ("d1\nd2\n", None),
        (RUN, "run"),
    ],
)
def test_a_layout_is_named_only_where_no_other_fits(
    text: str, kind: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    looks = only_contents(path)
    assert (None if looks is None else looks.kind) == kind


def test_ids_and_texts_between_commas_are_no_word_list(tmp_path: Path) -> None:
    path = tmp_path / "queries.csv"
    path.write_text("1,who is he\n2,what is she\n")

    assert only_contents(path) is None


def test_a_run_in_a_folder_is_known_by_what_it_holds(tmp_path: Path) -> None:
    files = {
        "a.run": "1 Q0 d 1 2 a\n",
        "ranx.json": '{"1": {"d": 2.0}}',
        "pandas.csv": ",qid,docno,score\n0,1,d,2.0\n",
        "a.run.meta.json": '{"parameters": {"k1": 0.9}}',
        "table.json": '{\n  "fairpool": {"version": "1"}}',
        "measures.csv": "run,measure,value\na,RaB,1\n",
        "README.md": "Runs\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)

    assert [name for name, _ in run_files(tmp_path)] == ["a", "pandas", "ranx"]
