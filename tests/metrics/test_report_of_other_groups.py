"""Reports on word lists whose groups are not female and male words alone."""

import math
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests import program
from tests.metrics.test_report import inputs, rows_of

LISTS = {
    "two": "christ,christian\nmosque,muslim\n",
    "more": "he,m\nshe,f\nthey,x\n",
    "three": "christ,christian\nmosque,muslim\ntemple,hindu\n",
}
DOCUMENTS = (
    "d1\tChrist he said\nd2\tthe mosque and she\nd3\tcold\nd4\ta mosque they saw\n"
    "d5\ttemple he he\nd6\tgrass\n"
)


class Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)


def text_of(page: Path) -> str:
    reader = Text()
    reader.feed(page.read_text(encoding="utf-8"))
    return " ".join(" ".join(reader.pieces).split())


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("groups") / "study"
    options = inputs(folder)
    (folder / "collection.tsv").write_text(DOCUMENTS, encoding="utf-8")
    found = {}
    for name, words in LISTS.items():
        (folder / f"{name}.csv").write_text(words, encoding="utf-8")
        scores, report = folder / f"{name}.parquet", folder / name
        program.run(
            "score",
            folder / "collection.tsv",
            "--lexicon",
            folder / f"{name}.csv",
            "--output",
            scores,
        )
        program.run(
            "report", "--scores", scores, *options[2:], "--cutoff", "2,5", "--output", report
        )
        found[name] = report
    return found


def test_a_list_of_two_other_groups_has_every_measure_by_their_names(
    reports: dict[str, Path],
) -> None:
    """By hand: of the first five, d2 and d4 have muslim words, d1 christian ones in two lists."""
    rows = rows_of(reports["two"] / "table3_bias.csv")
    [bm25] = [row for row in rows if (row["run"], row["cutoff"]) == ("BM25", "5")]
    assert float(bm25["RaB_tf"]) == pytest.approx(4 * math.log(2) / 15)
    text = text_of(reports["two"] / "index.html")
    assert "Positive values lean towards the words of muslim, negative ones towards" in text
    assert "Bias of the models" in text
    assert "NFaiRR" in text
    assert "male" not in text
    assert "Gender" not in text
    latex = (reports["two"] / "table3_bias.tex").read_text(encoding="utf-8")
    assert "rank bias, muslim minus christian" in latex


def test_further_groups_do_not_count_in_rab_and_say_what_is_left_out(
    reports: dict[str, Path],
) -> None:
    text = text_of(reports["more"] / "index.html")
    assert "Gender bias of the models" in text
    assert "Positive values lean towards the male words" in text
    assert "FaiRR and NFaiRR, which are defined for two groups: the word list has f, m, x." in text
    assert (reports["more"] / "table3_bias.csv").exists()


def test_three_other_groups_have_no_rab_and_the_report_says_why(reports: dict[str, Path]) -> None:
    text = text_of(reports["three"] / "index.html")
    assert "RaB and ARaB, which compare two groups, f and m or a word list's only two" in text
    assert "the word list has christian, hindu, muslim." in text
    assert not (reports["three"] / "table3_bias.csv").exists()
    assert "TExFAIR" in text
