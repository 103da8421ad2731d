"""The bundle of a batch that asks adaptively: its agreement is computed again by the same votes."""

import json
from pathlib import Path

import pytest
from pytest_django import Settings

from annotation.models import AdaptivePolicy
from tests import program
from tests.annotation.test_bundle import COLLECTION, RUN, batch_of_votes, bundle
from tests.bundles import changed, contents
from tests.commands import run_json
from tests.measured import storages_in

pytestmark = pytest.mark.django_db


def adaptive_votes() -> str:
    """Sixty queries: two votes each, of every third, on which these differ, a third one."""
    lines = ["query_id,worker,label,gold,query"]
    for number in range(60):
        differ = number % 3 == 0
        labels = ("n", "f", "n") if differ else ("n" if number % 2 else "f",) * 2
        lines += [
            f"q{number},A{(number // 10 + place) % 6},{label},,what is {number}"
            for place, label in enumerate(labels)
        ]
    return "\n".join(lines) + "\n"


@pytest.fixture
def made(tmp_path: Path, settings: Settings) -> Path:
    settings.STORAGES = storages_in(tmp_path / "storage")
    (tmp_path / "votes.csv").write_text(adaptive_votes())
    (tmp_path / "collection.tsv").write_text(COLLECTION)
    (tmp_path / "bm25.run").write_text(RUN)
    program.run_json("score", tmp_path / "collection.tsv", "--output", tmp_path / "m.parquet")
    batch = batch_of_votes(tmp_path / "votes.csv")
    AdaptivePolicy.objects.create(
        batch=batch, question="gender", full_share=0.1, most_votes=5, seed=4
    )
    run_json("label", "decide", "batch")
    run_json(
        "study", "add-files", "study", "--magnitudes", tmp_path / "m.parquet",
        "--run", f"BM25={tmp_path / 'bm25.run'}",
    )  # fmt: skip
    return bundle(tmp_path)


@pytest.mark.long
def test_agreement_is_that_of_the_page_and_is_verified(made: Path) -> None:
    files = contents(made)
    [name] = [name for name in files if name.endswith("agreement.json")]
    stored = json.loads(files[name])
    shown = run_json("batch", "agreement", "batch")

    assert run_json("study", "verify-bundle", made)["ok"]
    for field in ("n_votes", "raw_agreement", "gwet_ac1", "krippendorff_alpha", "warnings"):
        assert stored[field] == shown[field], field
    # Of the third votes only those of the share that got three in any case count.
    assert 120 <= stored["n_votes"] < 140
    assert any("adaptively" in words for words in stored["warnings"])


@pytest.mark.long
def test_agreement_of_all_its_votes_is_found_out(made: Path) -> None:
    AdaptivePolicy.objects.all().delete()
    whole = run_json("batch", "agreement", "batch")["raw_agreement"]["value"]
    files = contents(made)
    [name] = [name for name in files if name.endswith("agreement.json")]
    stored = json.loads(files[name])["raw_agreement"]["value"]
    forged = changed(made, name, f'"value": {stored}', f'"value": {whole}')

    assert whole != stored
    with pytest.raises(Exception, match="raw_agreement"):
        run_json("study", "verify-bundle", forged)
