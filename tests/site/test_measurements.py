"""Each kind of measurement walks once on little data; docs/measurements.md lists them all."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from measurements import (
    collection_backgrounds,
    dawid_skene_convergence,
    few_judgments,
    few_labels_coverage,
    repetitions,
    reproduced,
    small_samples,
)
from measurements.bench import agreement
from metrics.api import evaluate
from metrics.statistics.few_labels import Sample, mean

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_lists_every_program_and_no_other() -> None:
    page = (ROOT / "docs/measurements.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"python -m measurements\.([a-z0-9_.]+)", page))
    folder = ROOT / "measurements"
    programs = {path.relative_to(folder) for path in folder.rglob("*.py") if _is_program(path)}
    # The others in these folders are started by the program itself.
    own = {path for path in programs if path.name == "__main__.py"}
    own |= {path for path in programs if path.parts[0] not in {"bench", "fuzz"}}
    assert listed == {
        ".".join(path.with_suffix("").parts).removesuffix(".__main__") for path in own
    }


def _is_program(path: Path) -> bool:
    return '__name__ == "__main__"' in path.read_text(encoding="utf-8")


def test_dawid_skene_is_compared_with_where_plain_rounds_end() -> None:
    for start, end, ours in dawid_skene_convergence.compared("good", studies=1):
        assert end.likelihood >= start.likelihood
        assert end.likelihood - ours.likelihood <= dawid_skene_convergence.NEAR


def test_intervals_from_few_labels_are_drawn_from_the_released_labels(shared_data: Path) -> None:
    pool = few_labels_coverage.Pool(shared_data / "gender_queries")
    rows = list(few_labels_coverage.coverage(pool, 3, 7, "300 mean of five"))
    assert rows
    assert all(row.startswith("| ") for row in rows)


def test_backgrounds_are_those_that_measures_divide_by_and_take_off(tmp_path: Path) -> None:
    described = collection_backgrounds.write([ROOT / "sample/collection.tsv"], tmp_path)
    run = {"1": {"d0001": 3.0, "d0002": 2.0, "d0003": 1.0}}
    measures = ["FaiRR@5", "NFaiRR(background=collection)@5", "RaB@5", "RaB-adjusted@5"]
    assert len(described) == 4
    for file, of in described.items():
        values = evaluate(run, measures, tmp_path / file)["value"]
        fairr, nfairr, rab, adjusted = values
        assert nfairr == pytest.approx(fairr / of["ideal_fairr"][5])
        assert adjusted == pytest.approx(rab - of["mean_bias"]["tf"])


@pytest.mark.parametrize("share", [0.0, 0.7])
@pytest.mark.parametrize("measure", [repetitions.figure, repetitions.difference])
def test_intervals_over_queries_and_three_seeds_hold(measure: Any, share: float) -> None:
    """The short form of `python -m measurements.repetitions`: .95 within three standard errors."""
    held = measure(50, 3, share, 300, is_skewed=False)
    assert 0.91 <= held.drawn <= 0.99
    # With seeds fixed they are of these very models, and miss the method where seeds decide.
    assert (held.fixed < 0.85) == (share > 0)


def pool_values(pool: few_judgments.Values) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(pool.people[key], pool.model[key]) for key in pool.people]


@pytest.mark.shared_data
def test_intervals_from_few_judgments_hold_with_judges_that_err_as_real_ones(
    shared_data: Path,
) -> None:
    """The short form of `python -m measurements.few_judgments`."""
    judges = few_judgments.judges(shared_data / "rag25" / "judgments.csv")
    assert {"overrates", "constant", "reversed", "RAG 2025"} < set(judges)
    assert sum("topic" in name for name in judges) == 15
    assert all(np.allclose(chances.sum(axis=1), 1) for chances in judges.values())
    source = few_judgments.Source(shared_data / "msmarco_dl19")
    for judge, worth in (("overrates", 1.3), ("RAG 2025", 1.1), ("reversed", 0.95)):
        pool = source.values(judges[judge], 1)
        for figure in ("figure", "difference"):
            z, f = pool.people["nDCG@10", figure], pool.model["nDCG@10", figure]
            found = few_judgments.cell([(z, f)], 50, 200, 1)
            # Of 200 samples: .95 less four standard errors.
            assert found.coverage > 0.89
            assert found.widest < 1.05
            assert found.worth > worth
    edges = [(z, z), (z * 0, z), (z, z * 0)]
    for (people, model), n in product([*pool_values(pool), *edges], (29, 30, 198)):
        for name, design in (("simple", few_judgments.simple), *few_judgments.DESIGNS.items()):
            drawn = design(np.random.default_rng(n), people, model, n, 2)
            found_values, halves = few_judgments.estimates(people, model, drawn)
            for draw, (place, weight) in product(range(2), enumerate((None, 0.0))):
                rows = drawn.rows[draw][drawn.weights[draw] > 0]
                designs: dict[str, dict[str, Any]] = {
                    "strata": {"strata": few_judgments.thirds(model)},
                    "unequal chances": {"chances": few_judgments.growing_chances(model, n)},
                }
                sample = Sample.of(model, rows, people[rows], **designs.get(name, {}))
                one = mean(sample, weight=weight, target="pool", is_bounded=True)
                half = np.nan if one.high is None else one.high - one.value
                assert found_values[draw, place] == pytest.approx(one.value, abs=1e-9)
                assert halves[draw, place] == pytest.approx(half, abs=1e-9, nan_ok=True)
    pairs = source.pairs(judges["overrates"], 1)
    assert {name for name, _ in pairs} == {"P(relevant=2)@10", "DCG@10", "LabelRaB@10"}
    cells = dict.fromkeys([("nDCG@10", "figure", n) for n in few_judgments.SIZES], found)
    lines = list(few_judgments.table_lines({"a": cells, "topic 1": cells, "topic 2": cells}))
    assert [line.startswith("| ") for line in lines] == [True, True, False, False]
    assert "200 judged queries" in lines[-1]


def test_claims_about_small_samples_hold_in_a_few_draws() -> None:
    rows = dict(small_samples.alike_systems(60, 3))
    both = rows["systems alike, 54 of 54 queries judged"]
    assert float(both.split()[3].strip(";")) < 0.17  # .05 and four standard errors of 60 draws
    kept = dict(small_samples.adaptive_agreement(1, 3))["adaptive votes, 100% get three anyway"]
    of_kept, true = float(kept.split()[1]), float(kept.split()[3].strip(";"))
    assert of_kept == pytest.approx(true, abs=0.02)
    for claim in (small_samples.rare_shares, small_samples.constant_beliefs):
        assert all("." in found for _case, found in claim(3, 3))


def test_a_benchmark_gives_a_section_of_the_page(tmp_path: Path) -> None:
    assert agreement.run(tmp_path, quick=True).startswith("## ")


@pytest.mark.long
def test_values_of_other_programs_come_out_again_and_missing_clones_are_named(
    tmp_path: Path,
) -> None:
    by_authors, by_ir_measures, *others = reproduced.rows(tmp_path)
    assert by_authors.endswith("| 454 of 454 |")
    assert by_ir_measures.endswith("| 1,194 of 1,194 |")
    named = re.findall(r"github\.com/([\w./-]+)", " ".join(others))
    assert named == [address for address, _ in reproduced.REPOSITORIES.values()]
