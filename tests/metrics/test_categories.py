"""Word lists of categories in the `.dic` format, by hand and hostile."""

from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.texts.categories import CategorySource, read_categories

DIC = "%\n1\taffect\n02\tsocial (Social Words)\n%\nhappy\t1\nfriend*\t1\t2\nfriends\t2\nthey 2\n"


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "words.dic"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_percentages_by_hand(tmp_path: Path) -> None:
    lexicon = read_categories(written(tmp_path, DIC))
    assert lexicon.categories == ("affect", "social")
    texts = ["They were happy, happy FRIENDS!", "friend friendship afriend x", ""]
    # They (social), happy happy (affect), friends (affect and social, each once) of 5 tokens.
    # friend, friendship (both), of 4. Nothing, of none.
    expected = [[60, 40], [50, 50], [0, 0]]
    assert lexicon.percentages(texts, "word").tolist() == expected


def test_line_ends_marks_and_blanks_are_no_part_of_words(tmp_path: Path) -> None:
    odd = "\ufeff" + DIC.replace("\n", "\r\n").replace("\t", " \t ") + "\r\n\r\n"
    found = read_categories(written(tmp_path, odd))
    plain = read_categories(written(tmp_path, DIC))
    assert (found.categories, found.words, found.prefixes) == (
        plain.categories,
        plain.words,
        plain.prefixes,
    )


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", None),
        ("happy\t1\n", None),
        ("%\n1\taffect\n", None),
        ("%\n%\nhappy\t1\n", None),
        ("%\n1\taffect\n%\n", None),
        ("%\n1\ta\n%\nx\t1\n%\n", None),
        ("x\n%\n1\ta\n%\nx\t1\n", None),
        ("%\n1\n%\nx\t1\n", 2),
        ("%\none\taffect\n%\nx\t1\n", 2),
        ("%\n1\taffect\n01\tsocial\n%\nx\t1\n", 3),
        ("%\n1\taffect\n2\taffect\n%\nx\t1\n", 3),
        ("%\n1\ta,b\n%\nx\t1\n", 2),
        ("%\n1\ta=b\n%\nx\t1\n", 2),
        ("%\n1\t" + "a" * 101 + "\n%\nx\t1\n", 2),
        ("%\n" + "9" * 5000 + "\ta\n%\nx\t1\n", 2),
        ("%\n1\taffect\n%\nhappy\n", 4),
        ("%\n1\taffect\n%\nhappy\t2\n", 4),
        ("%\n1\taffect\n%\nhappy\t-1\n", 4),
        ("%\n1\taffect\n%\nhappy\t\u0661\n", 4),
        ("%\n1\taffect\n%\nkind of\t1\n", 4),
        ("%\n1\taffect\n%\nlike\t(1 134)125/464\n", 4),
        ("%\n1\taffect\n%\n*\t1\n", 4),
        ("%\n1\taffect\n%\nha*py\t1\n", 4),
        ("%\n1\taffect\n%\nx\t1\nha\0ppy\t1\n", 5),
        (b"%\n1\taffect\n%\nx\t1\nna\xefve\t1\n", 5),
    ],
)
def test_a_damaged_list_is_an_error_with_its_line(
    tmp_path: Path, content: str | bytes, line: int | None
) -> None:
    with pytest.raises(InputError) as caught:
        read_categories(written(tmp_path, content))
    assert caught.value.line == line
    assert caught.value.path is not None


def test_words_that_no_text_has_are_named(tmp_path: Path) -> None:
    lexicon = read_categories(written(tmp_path, DIC + "don't\t1\n:)\t1\n"))
    assert lexicon.unmatchable("word") == [":)", "don't"]


def test_documents_that_the_collection_lacks_follow_the_rule(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_text("d1\thappy days\nd2\tfriend\n")
    source = CategorySource(read_categories(written(tmp_path, DIC)), tmp_path / "c.tsv")
    with pytest.raises(InputError) as caught:
        source.read({"d1", "d3", "d4"})
    assert "lacks 2 of the documents" in str(caught.value)
    assert "the first being 'd3'" in str(caught.value)
    (zero, _), (skipped, _) = (source.read({"d1", "d3"}, rule) for rule in ("zero", "skip"))
    assert zero.values[zero.rows(["d1", "d3"])].tolist() == [[50, 0], [0, 0]]
    assert skipped.rows(["d1", "d3", "d2"]).tolist() == [0, -1, -1]
