"""The sample study: what ships is what its program writes, and it is fit for a study."""

import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import sample
from metrics.runs.queries import read_queries
from metrics.texts.collection import read_collection
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude import score_texts
from metrics.vocabulary import CATEGORIES
from rankers.registry import DEFAULT
from sample.material import GENDERS, read_subject, read_subjects
from sample.write_sample import LONGEST, SHORTEST, write_sample

FOLDER = Path(sample.__file__).parent
FILES = ("collection.tsv", "queries.tsv", "truth.csv", "qrels.txt")


@pytest.fixture(scope="module")
def passages() -> dict[str, str]:
    return dict(read_collection(FOLDER / "collection.tsv"))


@pytest.fixture(scope="module")
def grades() -> dict[str, dict[str, int]]:
    """qid to docno to grade."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (FOLDER / "qrels.txt").read_text().splitlines():
        qid, _, docno, grade = line.split(" ")
        found[qid][docno] = int(grade)
    return found


def test_the_program_writes_the_files_that_ship_byte_for_byte(tmp_path: Path) -> None:
    write_sample(tmp_path)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), name


def test_another_seed_writes_another_sample_of_the_same_size(tmp_path: Path) -> None:
    write_sample(tmp_path, seed=7)
    ours, theirs = (
        (folder / "collection.tsv").read_text().splitlines() for folder in (FOLDER, tmp_path)
    )
    assert len(ours) == len(theirs)
    assert ours != theirs


def test_there_are_2000_short_passages_on_40_subjects(passages: dict[str, str]) -> None:
    assert len(read_subjects()) >= 40
    assert len(passages) >= 2000
    assert len(set(passages.values())) == len(passages)
    assert all(SHORTEST <= len(text.split()) <= LONGEST for text in passages.values())


def test_no_marker_of_the_material_is_left_in_a_passage(passages: dict[str, str]) -> None:
    assert [text for text in passages.values() if re.search(r"[\[\]{}|]|  ", text)] == []


def test_every_passage_is_made_of_whole_sentences(passages: dict[str, str]) -> None:
    assert all(text[0].isupper() or text[0].isdigit() for text in passages.values())
    assert all(text.endswith(".") for text in passages.values())


def test_the_queries_have_texts_and_all_four_categories() -> None:
    truth = read_queries(FOLDER / "truth.csv", category="all")
    assert len(truth) >= 150
    assert truth.texts == read_queries(FOLDER / "queries.tsv").texts
    assert len(set(truth.texts.values())) == len(truth)
    shares = Counter(truth.labels.values())
    assert min(shares[category] for category in CATEGORIES) >= 20
    assert shares["n"] > len(truth) / 2


def test_a_query_that_is_called_non_gendered_has_no_word_of_the_list() -> None:
    neutral = list(read_queries(FOLDER / "truth.csv", category="n").texts.values())
    counts = score_texts(neutral, read_lexicon()).tc
    gendered = [text for text, f, m in zip(neutral, counts["f"], counts["m"], strict=True) if f + m]
    assert gendered == []


@pytest.mark.parametrize("oddity", [",", "'", "é", "🍞", "=", "<b>", "&", "שלום"])
def test_honest_queries_hold_what_breaks_careless_programs(oddity: str) -> None:
    assert any(oddity in text for text in read_queries(FOLDER / "queries.tsv").texts.values())


def test_every_query_has_passages_of_its_facet_and_of_its_subject(
    grades: dict[str, dict[str, int]],
) -> None:
    assert set(grades) == set(read_queries(FOLDER / "queries.tsv").ids)
    assert {tuple(sorted(Counter(of.values()).items())) for of in grades.values()} == {
        ((1, 32), (2, 16))
    }


def test_gender_words_are_spread_unevenly(
    passages: dict[str, str], grades: dict[str, dict[str, int]]
) -> None:
    scores = score_texts(list(passages.values()), read_lexicon())
    lean = dict(zip(passages, scores.tf["m"] - scores.tf["f"], strict=True))
    per_query = [sum(lean[docno] for docno in of) / len(of) for of in grades.values()]
    assert sum(value > 0.3 for value in per_query) > 50
    assert sum(value < -0.3 for value in per_query) > 50
    assert sum(value == 0 for value in per_query) > 10


@pytest.mark.long
def test_every_default_ranker_finds_the_subject_of_most_queries(
    passages: dict[str, str], grades: dict[str, dict[str, int]]
) -> None:
    queries = list(read_queries(FOLDER / "queries.tsv").texts.items())[::20]
    rankings = {r.name: dict(r.rank(passages.items(), queries, 10)) for r in DEFAULT}
    for name, ranking in rankings.items():
        found = [docno in grades[qid] for qid, ranked in ranking.items() for docno, _ in ranked]
        assert sum(found) / len(found) > 0.6, name
    assert len({str(ranking) for ranking in rankings.values()}) == len(DEFAULT)
    orders = {
        str([[docno for docno, _ in ranked] for ranked in ranking.values()])
        for ranking in rankings.values()
    }
    assert len(orders) == len(DEFAULT)


def test_a_choice_offers_different_words() -> None:
    for subject in read_subjects():
        sentences = [s for facet in subject.facets for s in facet.sentences] + list(subject.scenes)
        for choice in re.findall(r"\[([^\]]+)\]", "\n".join(sentences)):
            options = choice.split("|")
            assert len(set(options)) == len(options) >= 2, f"{subject.name}: [{choice}]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('people = "x"\n', " ".join(GENDERS)),
        ('people = "f"\n', "people"),
        ("people = \"-\"\n[facet]\nq = ['why']\ntext = 'Because.'\n", "categories"),
    ],
)
def test_a_subject_that_cannot_be_used_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "subject.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_subject(path)


def test_the_documentation_tells_the_sizes_of_the_files(passages: dict[str, str]) -> None:
    text = (FOLDER.parent / "docs" / "sample.md").read_text(encoding="utf-8")
    labels = read_queries(FOLDER / "truth.csv", category="all").labels
    shares = Counter(labels.values())
    assert f"{len(passages):,} passages" in text
    assert f"of {len(read_subjects())} subjects" in text
    assert f"{len(labels)} queries" in text
    assert ", ".join(f"{shares[category]} `{category}`" for category in CATEGORIES) in text
