"""The command `report`: one small study, looked at from all sides."""

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from tests import program
from tests.latex import CLASSES, compile_latex

DOCUMENTS = {
    "d1": "He said that his father and his son were men.",
    "d2": "She told her mother about it.",
    "d3": "The engine is cold and the road is wet.",
    "d4": "A man and a woman met; he greeted her.",
    "d5": "The boy is a good son.",
    "d6": "Grass grows on both sides of the river.",
}
RUNS = {
    "BM25": ("d1 d2 d3 d4 d5 d6", "d3 d6 d2 d1 d4 d5", "d6 d3 d5 d4 d2 d1"),
    "<Neural>&_$": ("d1 d5 d4 d2 d3 d6", "d5 d1 d4 d3 d2 d6", "d1 d5 d6 d4 d3 d2"),
    "Random": ("d3 d6 d5 d4 d2 d1", "d3 d6 d4 d2 d5 d1", "d6 d3 d4 d1 d2 d5"),
}


def inputs(folder: Path) -> list[str]:
    """A small study in `folder`, and the options that name it."""
    folder.mkdir()
    lines = "".join(f"{docno}\t{text}\n" for docno, text in DOCUMENTS.items())
    (folder / "collection.tsv").write_text(lines, encoding="utf-8")
    (folder / "queries.tsv").write_text("q1\tone\nq2\ttwo\nq3\tthree\n", encoding="utf-8")
    (folder / "qrels.txt").write_text("q1 0 d3 1\nq2 0 d1 2\nq3 0 d6 1\n", encoding="utf-8")
    program.run("score", folder / "collection.tsv", "--output", folder / "m.parquet")
    options = ["--scores", str(folder / "m.parquet")]
    for place, (name, rankings) in enumerate(RUNS.items()):
        path = folder / f"{place}.run"
        path.write_text(
            "".join(
                f"q{number} Q0 {docno} {rank} {10 - rank} x\n"
                for number, ranking in enumerate(rankings, start=1)
                for rank, docno in enumerate(ranking.split())
            ),
            encoding="utf-8",
        )
        options += ["--run", f"{name}={path}"]
    asked, judged = str(folder / "queries.tsv"), str(folder / "qrels.txt")
    return [*options, "--queries", asked, "--qrels", judged]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return inputs(tmp_path_factory.mktemp("studies") / "study")


@pytest.fixture(scope="module")
def report(study: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("report") / "report"
    same = study[study.index("--run") + 1]
    program.run(
        "report",
        *study,
        "--cutoff",
        "2,5",
        "--output",
        output,
        "--labels-note",
        "made up",
        "--paired",
        "<Neural>&_$=Random",
        "--baseline",
        "BM25",
        "--counterfactual",
        same,
    )
    return output


class Addresses(HTMLParser):
    """Everything that a page loads or points to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in {"src", "href"}]


@pytest.mark.long
def test_the_same_inputs_elsewhere_give_the_same_bytes(tmp_path: Path) -> None:
    outputs = []
    for name in ("here", "over_there"):
        options = inputs(tmp_path / name)
        outputs.append(tmp_path / name / "report")
        program.run("report", *options, "--cutoff", "2,5", "--output", outputs[-1])

    here, there = ({path.name: path.read_bytes() for path in sorted(o.iterdir())} for o in outputs)
    assert here == there
    assert not any(b"over_there" in content for content in there.values())


def test_every_table_and_figure_comes_in_every_format_with_its_numbers(report: Path) -> None:
    names = {path.name for path in report.iterdir()}

    for table in ("table1_effectiveness", "table3_bias", "fairness", "distributions", "crbo"):
        assert {f"{table}.csv", f"{table}.md", f"{table}.tex"} <= names
    for figure in (
        "figure1_bias",
        "figure1_bias_bool",
        "figure2_cutoffs",
        "distributions_figure",
        "pareto",
    ):
        assert {f"{figure}.{kind}" for kind in ("csv", "svg", "png", "pdf")} <= names


def test_the_front_is_ndcg_against_the_mean_size_of_arab(report: Path) -> None:
    rows = rows_of(report / "per_query.csv")

    def values(run: str, measure: str, magnitude: str) -> list[float]:
        mine = [row for row in rows if (row["run"], row["magnitude"]) == (run, magnitude)]
        return [float(row["value"]) for row in mine if row["measure"].startswith(measure)]

    points = rows_of(report / "pareto.csv")
    assert {point["run"] for point in points} == set(RUNS)
    for point in points:
        sizes = [abs(value) for value in values(point["run"], "ARaB", "tf")]
        assert float(point["bias"]) == pytest.approx(fmean(sizes))
        assert float(point["effectiveness"]) == pytest.approx(
            fmean(values(point["run"], "nDCG", ""))
        )


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_table_3_is_what_score_runs_computes(study: list[str], report: Path) -> None:
    printed: dict[str, Any] = json.loads(
        program.run("measure", *study, "--magnitude", "tf,bool", "--cutoff", "2,5", "--json")
    )

    computed = {
        (row["run"], str(row["cutoff"]), f"{row['measure']}_{row['magnitude']}"): row["value"]
        for row in printed["rows"]
    }
    table = rows_of(report / "table3_bias.csv")
    assert len(table) == 4  # Two models at two cut-offs; the twin has no row of its own.
    for row in table:
        for name in ("RaB_tf", "ARaB_tf", "RaB_bool", "ARaB_bool"):
            value = computed[row["run"], row["cutoff"], name]
            assert float(row[name]) == value
            if row["run"] != "BM25":
                twin = computed["Random", row["cutoff"], name]
                assert float(row[f"{name}_change"]) == twin - value
    assert {row["tokenizer"] for row in table} == {"word"}
    assert {row["n_queries"] for row in table} == {"3"}


def test_the_page_stands_alone_and_names_what_it_was_made_from(report: Path) -> None:
    page = (report / "index.html").read_text(encoding="utf-8")

    addresses = Addresses()
    addresses.feed(page)
    local = [address for address in addresses.found if not address.startswith("data:")]
    assert all((report / address).is_file() for address in local)
    assert "&lt;Neural&gt;&amp;_$" in page
    assert "<Neural>" not in page
    assert "<script" not in page
    assert "prefers-color-scheme: dark" in page
    for fact in ("Tokeniser", "Word list", "Order of a ranking", "Run BM25", "made up"):
        assert fact in page
    assert len(re.findall(r"\(blake3:[0-9a-f]{64}\)", page)) >= 5
    assert str(report.parent) not in page


def test_changes_to_a_random_twin_and_exceptions_are_counted(report: Path) -> None:
    text = (report / "table3_bias.md").read_text(encoding="utf-8")

    # One model against the baseline: 2 cut-offs x 2 measures x 2 magnitudes.
    assert re.search(r"Of 8 cells of the other models, \d are higher than those of BM25", text)
    assert re.search(r"In \d of 8 cells a random initialisation lowers", text)


@pytest.mark.long
def test_other_word_lists_and_magnitudes_stand_in_one_table(
    study: list[str], tmp_path: Path
) -> None:
    collection = Path(study[study.index("--scores") + 1]).with_name("collection.tsv")
    words = tmp_path / "swapped.csv"
    words.write_text("he,f\nhis,f\nfather,f\nson,f\nshe,m\nher,m\n")
    swapped, output = tmp_path / "swapped.parquet", tmp_path / "report"
    program.run("score", collection, "--lexicon", words, "--output", swapped)
    program.run("report", *study, "--cutoff", "2", "--sensitivity", swapped, "--output", output)

    rows = rows_of(output / "sensitivity.csv")
    assert len(rows) == 2 * 2 * 5  # Measures, word lists, magnitudes.
    own = [row for row in rows if row["with_lexicon"] == "rekabsaz_schedl_2020"]
    other = [row for row in rows if row["with_lexicon"] != "rekabsaz_schedl_2020"]
    assert len(own) == len(other)
    assert (own[0]["kendall"], own[0]["n_turned"]) == ("1.0", "0")
    values = [
        row["value"]
        for row in json.loads(program.run("measure", *study, "--measure", "RaB@2", "--json"))[
            "rows"
        ]
    ]
    assert (float(own[0]["least"]), float(own[0]["greatest"])) == (min(values), max(values))
    assert any(int(row["n_turned"]) for row in other)
    short = tmp_path / "short.tsv"
    short.write_text("d1\the\n")
    program.run("score", short, "--output", tmp_path / "short.parquet")
    other_scores = ("--sensitivity", tmp_path / "short.parquet")
    assert "another collection" in program.failure(
        "report", *study, *other_scores, "--output", tmp_path / "none"
    )


def test_crbo_is_one_for_a_run_that_the_swap_does_not_change(report: Path) -> None:
    (row,) = rows_of(report / "crbo.csv")

    assert float(row["CRBO"]) == 1


def test_every_value_of_every_query_is_in_one_file(study: list[str], report: Path) -> None:
    rows = rows_of(report / "per_query.csv")
    printed = json.loads(program.run("measure", *study, "--measure", "RaB@2", "--json"))

    for row in printed["rows"]:
        values = [
            float(r["value"])
            for r in rows
            if (r["run"], r["measure"], r["magnitude"]) == (row["run"], "RaB", "tf")
        ]
        assert len(values) == 3
        assert sum(values) / 3 == pytest.approx(row["value"])


@pytest.mark.parametrize("document_class", CLASSES.values(), ids=CLASSES)
def test_all_tables_compile_in_every_layout_of_a_paper(
    report: Path, tmp_path: Path, document_class: str
) -> None:
    tables = [path.read_text(encoding="utf-8") for path in sorted(report.glob("*.tex"))]

    compile_latex(tables, tmp_path, document_class)

    assert len(tables) >= 12
    assert (tmp_path / "paper.pdf").stat().st_size > 0


def test_what_was_chosen_stands_in_every_artefact(report: Path) -> None:
    for path in report.glob("*.json"):
        chosen = json.loads(path.read_text(encoding="utf-8"))["record"]
        assert (chosen["baseline"], chosen["magnitudes"]) == ("BM25", "tf; bool"), path
        assert chosen["paired"] == "<Neural>&_$ and Random", path
    for text in ("Baseline", "BM25", "Pairs of trained and random", "tf = sum over"):
        assert text in " ".join(
            (report / "provenance.tex")
            .read_text(encoding="utf-8")
            .replace(r"\allowbreak{}", "")
            .split()
        )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--baseline", "Nobody"], "'Nobody'"),
        (["--paired", "BM25"], "--paired BM25: "),
        (["--published", "rekabsaz_schedl_2020"], "6 documents"),
        (["--background", "Nobody"], "'Nobody'"),
    ],
)
def test_what_cannot_be_reported_is_one_plain_line_and_writes_nothing(
    study: list[str], tmp_path: Path, change: list[str], message: str
) -> None:
    output = tmp_path / "report"

    assert message in program.failure("report", *study, "--output", output, *change)

    assert not output.exists()
