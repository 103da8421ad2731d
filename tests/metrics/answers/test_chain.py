"""The chain from retrieved to answered, by hand and on a real track."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import metrics
from metrics.answers.answer import ODDITIES
from metrics.answers.rows import COUNTS
from metrics.errors import InputError
from tests.metrics.answers.worked import ANSWERS, LABELS, LISTS, WORDS, worked_chain
from tests.program import failure, run


def test_each_step_has_the_shares_that_are_worked_out_by_hand() -> None:
    chain = worked_chain()
    by_hand = {
        # 1, 1/log2(3), ... over the documents that have a group: d4 has none.
        "retrieved (discounted)": [[0.404238, 0.595762], [0.558508, 0.441492]],
        "retrieved": [[0.5, 0.5], [0.5, 0.5]],
        "referenced": [[1 / 3, 2 / 3], [2 / 3, 1 / 3]],
        # The second sentence of q2 is shared by three documents: f 2/3, m 1/3.
        "cited": [[0.5, 0.5], [1 / 3, 2 / 3]],
        # Four and five words, the full stop among them: f (5 * 2/3) / 9.
        "cited (by words)": [[0.5, 0.5], [10 / 27, 17 / 27]],
        "answered": [[1 / 3, 2 / 3], [2 / 3, 1 / 3]],
    }
    assert set(chain.shares) == set(by_hand)
    for step, shares in by_hand.items():
        assert chain.shares[step] == pytest.approx(np.array(shares), abs=1e-6), step
    # log(1 + 2) - log(1 + 1), and the reverse.
    assert chain.lean == pytest.approx(np.array([0.405465, -0.405465]), abs=1e-6)
    assert (chain.known["retrieved"], chain.documents["retrieved"]) == (8, 9)


def test_amplification_is_the_change_of_the_bias_of_a_query() -> None:
    table = metrics.chain(LISTS, ANSWERS, labels=LABELS, lexicon=WORDS)
    value = _values(table)
    # -.191525 and .450349, the bias of m minus f.
    assert value["amplification", "retrieved (discounted) > cited", "m - f"] == pytest.approx(
        0.129412, abs=1e-6
    )
    assert value["amplification", "retrieved > cited", "m - f"] == pytest.approx(1 / 6)
    assert value["attribution ratio", "retrieved > cited", "m"] == pytest.approx(7 / 6)
    assert value["total variation", "retrieved > cited", ""] == pytest.approx(1 / 12)
    assert value["count", COUNTS["unlabelled"], ""] == 1
    assert value["count", COUNTS["citations"], ""] == 7


def test_against_the_discounted_share_every_figure_is_that_worked_by_hand() -> None:
    table = metrics.chain(LISTS, ANSWERS, labels=LABELS, lexicon=WORDS)
    value = _values(table)
    step = "retrieved (discounted) > cited"
    # Means of the cited shares over means of the retrieved ones.
    assert value["attribution ratio", step, "m"] == pytest.approx(1.124764, abs=1e-6)
    assert value["attribution ratio", step, "f"] == pytest.approx(0.865580, abs=1e-6)
    assert value["total variation", step, ""] == pytest.approx(0.160468, abs=1e-6)
    per_query = metrics.chain(LISTS, ANSWERS, labels=LABELS, lexicon=WORDS, per_query=True)
    of_query = {(row["qid"], row["measure"]): row["value"] for row in per_query.to_dict("records")}
    by_hand = {
        # Bias of the list, of the references, of the citations; amplification; total variation.
        "q1": (0.191525, 1 / 3, 0, -0.191525, 0.095762),
        "q2": (-0.117015, -1 / 3, 1 / 3, 0.450349, 0.225174),
    }
    for qid, numbers in by_hand.items():
        found = [
            of_query[qid, f"{name}: m"] - of_query[qid, f"{name}: f"]
            for name in ("retrieved (discounted)", "referenced", "cited", step)
        ]
        found.append(of_query[qid, "total variation (discounted)"])
        assert found == pytest.approx(numbers, abs=1e-6), qid
    # (m - f) / (m + f) of the words, 1/3 and -1/3.
    answered = [of_query[qid, "answered: m"] - of_query[qid, "answered: f"] for qid in by_hand]
    assert answered == pytest.approx([1 / 3, -1 / 3])


def test_below_thirty_queries_there_are_values_and_no_intervals() -> None:
    table = metrics.chain(LISTS, ANSWERS, labels=LABELS)
    assert table["low"].isna().all()
    shares = table[table["figure"] == "share"]
    assert shares["value"].notna().all()
    assert (shares["withheld"] != "").all()


def test_a_step_of_which_little_is_known_has_no_interval() -> None:
    lists = {f"q{n}": [f"d{n}-{place}" for place in range(4)] for n in range(60)}
    labels = {f"d{n}-{place}": "fm"[(n + place) % 2] for n in range(60) for place in range(4)}
    answers = [
        {"qid": qid, "answer": [{"text": "A.", "citations": [docnos[n % 3 == 0]]}]}
        for n, (qid, docnos) in enumerate(lists.items())
    ]
    known = _row(metrics.chain(lists, answers, labels=labels), "share", "cited", "f")
    assert known["low"] < known["value"] < known["high"]
    fewer = {docno: group for docno, group in labels.items() if not docno.startswith("d1")}
    row = _row(metrics.chain(lists, answers, labels=fewer), "share", "cited", "f")
    assert not np.isnan(row["low"])
    assert (row["known"], row["n_queries"]) == (pytest.approx(49 / 60), 49)
    fewer = {docno: group for docno, group in fewer.items() if not docno.startswith("d2")}
    row = _row(metrics.chain(lists, answers, labels=fewer), "share", "cited", "f")
    assert np.isnan(row["low"])
    assert not np.isnan(row["value"])
    assert row["known"] < 0.8


def test_a_citation_that_is_not_in_the_list_is_counted_in_the_table() -> None:
    answers = [{"qid": "q1", "answer": [{"text": "A.", "citations": ["d1", "e1", "x"]}]}]
    value = _values(metrics.chain(LISTS, answers, labels=LABELS))
    assert value["count", COUNTS["outside_list"], ""] == 2
    assert value["count", COUNTS["unlabelled_cited"], ""] == 1
    assert value["count", COUNTS["without_answer"], ""] == 1


def test_a_list_of_another_execution_gives_no_finding() -> None:
    lists = {f"q{n}": [f"d{n}-{place}" for place in range(10)] for n in range(60)}
    labels = {docno: "fm"[int(docno[-1]) < 5] for docnos in lists.values() for docno in docnos}
    answers = [
        {"qid": qid, "answer": [{"text": "A.", "citations": docnos[n % 3 : 7]}]}
        for n, (qid, docnos) in enumerate(lists.items())
    ]
    figures = ("change", "amplification", "attribution ratio", "odds of being cited")

    def found(of: dict[str, list[str]]) -> Any:
        table = metrics.chain(of, answers, labels=labels, baseline="")
        steps = table["step"].str.startswith("retrieved >") | (table["step"].str.contains("rank"))
        return table[table["figure"].isin(figures) & steps & table["value"].notna()]

    assert found(lists)["low"].notna().all()
    # Of seven citations three are of documents that only the other list had.
    other = {qid: docnos[3:] for qid, docnos in lists.items()}
    withheld = found(other)
    assert withheld["low"].isna().all()
    assert withheld["withheld"].str.contains("in the list").all()
    assert not withheld.empty


def test_answers_to_other_topics_are_refused_with_ids_of_both_sides() -> None:
    with pytest.raises(InputError, match=r"(?s)q1, q2.*|t9") as error:
        metrics.chain(LISTS, [{"qid": "t9", "answer": "Yes."}], labels=LABELS)
    assert {"t9", "q1"} <= set(error.value.remedy.replace(",", " ").replace(".", " ").split())


def test_labels_of_another_collection_are_refused_with_ids_of_both_sides() -> None:
    with pytest.raises(InputError) as error:
        metrics.chain(LISTS, ANSWERS, labels={"msmarco_1": "f", "msmarco_2": "m"})
    assert {"msmarco_1", "d1"} <= set(error.value.remedy.replace(",", " ").split())


def test_groups_may_come_from_the_words_of_the_documents() -> None:
    texts = {"d1": "he", "d2": "her", "d3": "his", "d4": "x", "d5": "wife", "e1": "women"}
    texts |= {"e2": "he he", "e3": "brother", "e4": "her wife"}
    by_words = metrics.chain(LISTS, ANSWERS, texts, lexicon=WORDS)
    by_labels = metrics.chain(LISTS, ANSWERS, labels=LABELS, lexicon=WORDS)
    assert by_words["value"].tolist() == pytest.approx(by_labels["value"].tolist(), nan_ok=True)


def test_systems_stand_side_by_side_and_the_difference_to_one_of_them_below() -> None:
    answers = {"A": ANSWERS, "B": [{"qid": "q1", "answer": [{"text": "A.", "citations": ["d1"]}]}]}
    table = metrics.chain(LISTS, answers, labels=LABELS, baseline="A")
    assert set(table["run"]) == {"A", "B"}
    (row,) = table[
        (table["figure"] == "change minus that of A")
        & (table["step"] == "retrieved > cited")
        & (table["group"] == "m")
    ].to_dict("records")
    # q1 alone: 1 - .5 of B, minus .5 - .5 of A.
    assert (row["run"], row["value"], row["n_queries"]) == ("B", 0.5, 1)


def test_values_per_query_are_what_compare_takes() -> None:
    lists = {f"q{n}": ["d1", "d2", "d3", "d5"] for n in range(40)}
    answers = {
        system: [
            {"qid": qid, "answer": [{"text": "A.", "citations": [cited[n % len(cited)]]}]}
            for n, qid in enumerate(lists)
        ]
        for system, cited in {"A": ["d1", "d2"], "B": ["d2", "d1", "d1"]}.items()
    }
    per_query = metrics.chain(lists, answers, labels=LABELS, per_query=True)
    compared = metrics.compare(per_query)
    assert set(compared["measure"]) >= {"cited: m", "retrieved > cited: m", "total variation"}
    assert (compared["n"] == 40).all()


@pytest.mark.shared_data
def test_a_real_track_has_the_figures_of_two_other_implementations(shared_data: Path) -> None:
    folder = shared_data / "ragtime"
    lines = (folder / "doc_languages.tsv").read_text().splitlines()
    table = metrics.chain(
        folder / "T2_run_1.txt",
        folder / "T1_run_3.jsonl",
        labels=dict(line.split("\t") for line in lines),
    )
    plain = {"en": (0.0047, -0.0142, 0.0236), "es": (0.0097, -0.0058, 0.0253),
             "ru": (-0.0052, -0.0171, 0.0067), "zh": (-0.0092, -0.0248, 0.0064)}  # fmt: skip
    discounted = {"en": (0.0034, -0.0108, 0.0175), "es": (0.0045, -0.0072, 0.0163),
                  "ru": (-0.0010, -0.0088, 0.0069), "zh": (-0.0069, -0.0190, 0.0052)}  # fmt: skip
    for before, expected in (("retrieved", plain), ("retrieved (discounted)", discounted)):
        for group, numbers in expected.items():
            row = _row(table, "change", f"{before} > cited", group)
            assert tuple(round(row[name], 4) for name in ("value", "low", "high")) == numbers
    value = _values(table)
    # The shares as well, over the queries that have both.
    both = {"en": (0.3400, 0.3387, 0.3434), "es": (0.2854, 0.2802, 0.2899),
            "ru": (0.1256, 0.1298, 0.1246), "zh": (0.2490, 0.2513, 0.2421)}  # fmt: skip
    per_query = metrics.chain(
        folder / "T2_run_1.txt",
        folder / "T1_run_3.jsonl",
        labels=dict(line.split("\t") for line in lines),
        per_query=True,
    ).pivot_table(index="qid", columns="measure", values="value")
    cites = per_query[per_query["cited: en"].notna()]
    for group, numbers in both.items():
        steps = ("retrieved (discounted)", "retrieved", "cited")
        means = [round(cites[f"{step}: {group}"].mean(), 4) for step in steps]
        assert tuple(means) == numbers
    assert value["total variation", "retrieved (discounted) > cited", ""] == pytest.approx(
        0.0842, abs=5e-5
    )
    assert value["count", COUNTS["citations"], ""] == 2730
    assert value["count", COUNTS["outside_list"], ""] == 0
    assert value["count", COUNTS["uncited"], ""] == 2


@pytest.mark.shared_data
def test_plain_and_discounted_shares_of_a_real_run_have_a_name_each(shared_data: Path) -> None:
    folder = shared_data / "ragtime"
    lines = (folder / "doc_languages.tsv").read_text().splitlines()
    labels = dict(line.split("\t") for line in lines)
    run = metrics.read_run(folder / "T2_run_1.txt")
    measures = ["LabelShare@1", "LabelShare@10", "LabelExposure@10"]
    table = metrics.evaluate(run, measures, labels=labels)
    values = dict(
        zip(table["measure"] + "@" + table["cutoff"].astype(str), table["value"], strict=True)
    )

    def shares(name: str) -> list[float]:
        measure, _, cutoff = name.partition("@")
        names = [f"{measure}(group={group})@{cutoff}" for group in ("en", "es", "ru", "zh")]
        return [round(values[each], 4) for each in names]

    assert shares("LabelShare@1") == [0.3107, 0.3495, 0.1068, 0.2330]
    assert shares("LabelExposure@10") == [0.3449, 0.2802, 0.1194, 0.2555]
    # Lists with fewer than ten documents count less where documents are pooled.
    per_query = metrics.evaluate(run, "LabelShare(group=en)@10", labels=labels, per_query=True)
    lengths = per_query["qid"].map(lambda qid: len(run.documents(qid)[:10]))
    pooled = (per_query["value"] * lengths).sum() / lengths.sum()
    assert (shares("LabelShare@10")[0], round(pooled, 3)) == (0.3415, 0.344)


def test_the_command_writes_the_table_the_values_and_the_picture(tmp_path: Path) -> None:
    files = _files(tmp_path)
    call = ("chain", "--run", f"lists={files['run']}", "--answers", files["answers"])
    out, drawn = tmp_path / "chain.csv", tmp_path / "chain.svg"
    run(*call, "--labels", files["labels"], "-o", out, "--figure", drawn)
    assert out.read_text().splitlines()[0].startswith("run,figure,step,group,value,low,high")
    assert drawn.read_text().startswith("<?xml")
    first = drawn.read_bytes()
    run(*call, "--labels", files["labels"], "-o", out, "--figure", drawn)
    assert drawn.read_bytes() == first
    assert "labels" in failure(*call)


#: What is odd in answers, and what is said of it; with "refused" nothing is measured.
ODD: dict[str, tuple[dict[str, Any], str]] = {
    "another topic set": ({"qid": "2024-1", "answer": "He."}, "refused: 2024-1 q1"),
    "another collection": (
        {"qid": "q1", "references": ["msmarco_1"], "answer": [{"text": "A.", "citations": [0]}]},
        "outside_list",
    ),
    "no sentence": ({"qid": "q1", "references": ["d1"], "answer": []}, "empty"),
    "an empty text": ({"qid": "q1", "answer": "", "citations": ["d1"]}, "empty"),
    "no answer": ({"qid": "q1", "answer": None}, "refused: answer"),
    "references longer than 100": (
        {
            "qid": "q1",
            "references": ["d1", *map(str, range(100))],
            "answer": [{"text": "A.", "citations": [0]}],
        },
        "long",
    ),
    "citations as floats": (
        {"qid": "q1", "references": ["d1"], "answer": [{"text": "A.", "citations": [0.0]}]},
        "refused: 0.0",
    ),
    "a citation as a float": (
        {"qid": "q1", "references": ["d1"], "answer": [{"text": "A.", "citations": 0.5}]},
        "refused: float",
    ),
    "HTML": ({"qid": "q1", "answer": "<p>He <b>left</b>.</p>", "citations": ["d1"]}, "tags"),
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_is_said_by_the_table_and_by_the_command(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record, expected = ODD[name]
    files = _files(tmp_path)
    files["answers"].write_text(json.dumps(record) + "\n")
    call = [
        *("chain", "--run", f"lists={files['run']}", "--answers", files["answers"]),
        *("--labels", files["labels"]),
    ]
    if expected.startswith("refused"):
        said = failure(*call)
        with pytest.raises(InputError) as error:
            metrics.chain(LISTS, [record], labels=LABELS)
        for words in expected.split()[1:]:
            assert words in said
            assert words in f"{error.value} {error.value.remedy}"
        return
    table = metrics.chain(LISTS, [record], labels=LABELS)
    assert _values(table)["count", COUNTS[expected], ""] == 1
    run(*call, "-o", tmp_path / "chain.csv")
    assert ODDITIES[expected] in capsys.readouterr().err


def _files(folder: Path) -> dict[str, Path]:
    files = {name: folder / name for name in ("run", "answers", "labels")}
    files["run"].write_text(
        "".join(
            f"{qid} Q0 {docno} {rank} {-rank} x\n"
            for qid, docnos in LISTS.items()
            for rank, docno in enumerate(docnos, start=1)
        )
    )
    files["answers"].write_text("".join(json.dumps(answer) + "\n" for answer in ANSWERS))
    files["labels"].write_text("".join(f"{d},{g}\n" for d, g in LABELS.items()))
    return files


def _values(table: Any) -> Mapping[tuple[str, str, str], float]:
    keys = zip(table["figure"], table["step"], table["group"], strict=True)
    return dict(zip(keys, table["value"], strict=True))


def _row(table: Any, figure: str, step: str, group: str) -> dict[str, Any]:
    (row,) = table[
        (table["figure"] == figure) & (table["step"] == step) & (table["group"] == group)
    ].to_dict("records")
    return dict(row)
