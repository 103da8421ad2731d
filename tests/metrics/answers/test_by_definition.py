"""A chain written down once more, query by query and in loops, on lists with all that occurs."""

from math import log2, sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from scipy import stats

import metrics

Shares = dict[str, float]


def _mean(shares: list[Shares], weights: list[float] | None = None) -> Shares | None:
    weights = weights or [1.0] * len(shares)
    if not shares:
        return None
    total = sum(weights)
    groups = shares[0]
    return {g: sum(w * s[g] for w, s in zip(weights, shares, strict=True)) / total for g in groups}


def _steps(listed: list[str], answer: dict[str, Any], known: dict[str, Shares]) -> dict[str, Any]:
    """The shares of one query at each step, by the definitions of the documentation."""
    at = [(1 / log2(rank + 1), known[d]) for rank, d in enumerate(listed, start=1) if d in known]
    sentences, words = [], []
    for sentence in answer["answer"]:
        docnos = [
            answer["references"][c] if isinstance(c, int) else c for c in sentence["citations"]
        ]
        shares = _mean([known[d] for d in dict.fromkeys(docnos) if d in known])
        if shares:
            sentences.append(shares)
            words.append(float(len(sentence["text"].split())))
    return {
        "retrieved": _mean([s for _, s in at]),
        "retrieved (discounted)": _mean([s for _, s in at], [w for w, _ in at]),
        "referenced": _mean([known[d] for d in answer["references"] if d in known]),
        "cited": _mean(sentences),
        "cited (by words)": _mean(sentences, words),
    }


def _check(
    lists: dict[str, list[str]], answers: list[dict[str, Any]], labels: dict[str, Shares]
) -> int:
    groups = sorted({g for of in labels.values() for g in of})
    known = {d: {g: of.get(g, 0) / sum(of.values()) for g in groups} for d, of in labels.items()}
    table = metrics.chain(lists, answers, labels=labels)
    rows = {(r["figure"], r["step"], r["group"]): r for r in table.to_dict("records")}
    of_query = [_steps(lists[answer["qid"]], answer, known) for answer in answers]
    n_checked = 0
    for (figure, step, group), row in rows.items():
        if figure not in {"share", "change"} or step == "answered" or "> answered" in step:
            continue
        before, _, after = step.partition(" > ")
        values = [
            steps[after or before][group] - (steps[before][group] if after else 0)
            for steps in of_query
            if steps[before] and (not after or steps[after])
        ]
        assert row["n_queries"] == len(values)
        assert row["value"] == pytest.approx(fmean(values), abs=1e-12)
        if not row["withheld"]:
            half = stats.t.ppf(0.975, len(values) - 1) * stdev(values) / sqrt(len(values))
            ends = (fmean(values) - half, fmean(values) + half)
            assert (row["low"], row["high"]) == pytest.approx(ends, abs=1e-12)
            n_checked += 1
    both = [s for s in of_query if s["retrieved"] and s["cited"]]
    variation = [sum(abs(s["cited"][g] - s["retrieved"][g]) for g in groups) / 2 for s in both]
    found = rows["total variation", "retrieved > cited", ""]["value"]
    assert found == pytest.approx(fmean(variation), abs=1e-12)
    for group in groups:
        ratio = fmean(s["cited"][group] for s in both) / fmean(s["retrieved"][group] for s in both)
        found = rows["attribution ratio", "retrieved > cited", group]["value"]
        assert found == pytest.approx(ratio, abs=1e-12)
    return n_checked


def test_shares_changes_and_intervals_are_those_of_their_definitions() -> None:
    random = np.random.default_rng(5)
    documents = [f"d{n}" for n in range(300)]
    labels: dict[str, Shares] = {
        d: dict(zip("abc", random.dirichlet([0.5] * 3).tolist(), strict=True))
        for d in documents
        if random.random() < 0.9
    }
    lists, answers = {}, []
    for n in range(60):
        listed = random.choice(documents, random.integers(8, 30), replace=False).tolist()
        lists[f"q{n}"] = listed
        # Some references lie outside of the list, and some sentences cite nothing.
        references = list(dict.fromkeys([*listed[:10], *random.choice(documents, 2).tolist()]))
        sentences = [
            {
                "text": "word " * int(random.integers(1, 9)),
                "citations": random.choice(len(references), random.integers(0, 4)).tolist(),
            }
            for _ in range(random.integers(1, 6))
        ]
        answers.append({"qid": f"q{n}", "references": references, "answer": sentences})
    assert _check(lists, answers, labels) >= 20


@pytest.mark.shared_data
def test_a_real_track_cut_at_ten_has_the_figures_of_the_definitions(shared_data: Path) -> None:
    folder = shared_data / "ragtime"
    lines = (folder / "doc_languages.tsv").read_text().splitlines()
    language = dict(line.split("\t") for line in lines)
    labels = {docno: {of: 1.0} for docno, of in language.items()}
    run = metrics.read_run(folder / "T2_run_1.txt")
    (read,) = metrics.read_answers(folder / "T1_run_3.jsonl")
    answers = [
        {
            "qid": qid,
            "references": list(answer.references),
            "answer": [{"text": s.text, "citations": list(s.citations)} for s in answer.sentences],
        }
        for qid, answer in read.items()
    ]
    assert _check({q: run.documents(q) for q in run}, answers, labels) > 30
    # Cut at ten, many citations lie outside of the list: nothing from it to them has an interval.
    assert _check({q: run.documents(q)[:10] for q in run}, answers, labels) > 10
