"""The program on TREC DL 2019, where its files are: the numbers of the authors' own program."""

import csv
import os
import subprocess
import sys
from math import fsum
from pathlib import Path

import pytest

from .conftest import PROGRAM

#: Beside a checkout; the test of the wheel, which runs elsewhere, names the place.
DATA = Path(
    os.environ.get("FAIRPOOL_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data"
)


@pytest.mark.long
@pytest.mark.filterwarnings("default")
def test_score_runs_gives_the_published_programs_means() -> None:
    if not (folder := DATA / "msmarco_dl19").is_dir():
        pytest.skip("the real collections (../shared/data) are not beside this checkout")
    with (folder / "reference_per_query.csv").open(encoding="utf-8", newline="") as file:
        theirs = [
            row
            for row in csv.DictReader(file)
            if (row["tokenizer"], row["wordlist"]) == ("split_space", "sigir20_32")
        ]
    words = DATA / "wordlists" / "wordlist_genderspecific.sigir20.txt"
    runs = [
        part
        for path in (folder / "runs").glob("*.run")
        for part in ("--run", f"{path.stem}={path}")
    ]

    done = subprocess.run(
        [sys.executable, "-m", PROGRAM, "measure", "--collection", folder / "collection.tsv",
         "--lexicon", words, "--tokenizer", "whitespace", *runs,
         "--magnitude", "logtc,tc,bool", "--cutoff", "10"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip

    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert len(rows) == 6 * 2 * 3
    for row in rows:
        column = f"{row['measure']}_{row['magnitude'].replace('logtc', 'tf')}"
        values = [float(one[column]) for one in theirs if one["run"] == f"dl19.{row['run']}"]
        # Theirs are rounded to six decimals.
        assert float(row["value"]) == pytest.approx(fsum(values) / 43, abs=1e-6), row
