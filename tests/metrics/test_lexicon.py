from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import InputError
from metrics.texts.lexicon import read_lexicon


def write(folder: Path, content: str | bytes, name: str = "words.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_the_built_in_list_has_32_female_and_32_male_words() -> None:
    lexicon = read_lexicon()

    assert lexicon.groups == ("f", "m")
    assert [len(words) for words in lexicon.words] == [32, 32]
    assert {"she", "stepdaughter", "gals"} <= set(lexicon.words[0])
    assert {"he", "godfather", "lads"} <= set(lexicon.words[1])


def test_words_are_lower_cased_and_sorted_within_their_sorted_groups(tmp_path: Path) -> None:
    lexicon = read_lexicon(write(tmp_path, "Zoe,w\nÉmile,m\nadam,m\nADAM,m\n\n  eva , w \n"))

    assert lexicon.name == "words"
    assert lexicon.groups == ("m", "w")
    assert lexicon.words == (("adam", "émile"), ("eva", "zoe"))
    assert lexicon.group_of["eva"] == "w"


def test_any_number_of_groups_is_possible(tmp_path: Path) -> None:
    assert read_lexicon(write(tmp_path, "they,neutral\n")).groups == ("neutral",)
    three = read_lexicon(write(tmp_path, "she,f\nhe,m\nthey,non_binary\n"))
    assert three.groups == ("f", "m", "non_binary")


@given(st.permutations(["she,f", "HE,m", "him,m", "queen,f", "he,m"]))
def test_the_checksum_depends_on_the_words_alone(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("lists")
    lexicon = read_lexicon(write(folder, "\n".join(lines), name="other.csv"))

    # sha256sum of the lines "queen,f", "she,f", "he,m", "him,m", each ended by a line feed.
    assert lexicon.sha256 == "2582c09f183f4ac7a62c953bc9e59a65348734b78e33ef11a177d842fd35ad25"


def test_windows_line_ends_a_byte_order_mark_and_a_header_are_understood(tmp_path: Path) -> None:
    path = write(tmp_path, b"\xef\xbb\xbfword,group\r\nshe,f\r\nhe,m\r\n")

    assert read_lexicon(path).words == (("she",), ("he",))


def test_a_first_line_is_a_header_only_where_both_its_cells_say_so(tmp_path: Path) -> None:
    path = write(tmp_path, b"word,f\nhe,label\n")

    assert read_lexicon(path).group_of == {"word": "f", "he": "label"}


@pytest.mark.parametrize(
    ("content", "line", "data"),
    [
        ("she,f\nhe,m\nShe,m\n", 3, '"she"'),
        ("she,f\nhe\n", 2, ""),
        ("she,f\n,m\n", 2, ""),
        ("she,her,f\n", 1, ""),
        ("step mother,f\n", 1, ""),
        ("she,\n", 1, ""),
        ("she,F\n", 1, ""),
        ("she,1st\n", 1, ""),
        ("she,f-x\n", 1, ""),
        (b"she,f\nh\xe9,m\n", 2, "UTF-8"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, content: str | bytes, line: int, data: str) -> None:
    path = write(tmp_path, content)

    with pytest.raises(InputError) as caught:
        read_lexicon(path)
    assert data in str(caught.value)

    assert (caught.value.path, caught.value.line) == (str(path), line)


@pytest.mark.parametrize("content", ["", "\n\n", "word,group\n"])
def test_a_list_without_words_is_an_error(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError):
        read_lexicon(write(tmp_path, content))


def test_a_missing_list_and_a_folder_are_plain_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_lexicon(tmp_path / "none.csv")
    with pytest.raises(InputError):
        read_lexicon(tmp_path)
