"""The kernels against the definition: the same bits for every text, lexicon and tokenizer."""

import hashlib
import importlib
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metrics.kernels.vector import VECTOR
from metrics.texts import magnitude
from metrics.texts.collection import ID_FIELDS, TEXT_FIELDS
from metrics.texts.lexicon import Lexicon, read_lexicon
from metrics.texts.scan import reading
from metrics.texts.scan.fast import with_kernels
from metrics.texts.scan.reading import PADDING, StreamReader, Workspace
from metrics.texts.scan.scored import Scored, by_definition
from metrics.texts.scan.tables import _LETTERS_END, tables_of
from metrics.texts.scan.texts import score_texts
from metrics.vocabulary import TOKENIZERS, Tokenizer

BUILT_IN = read_lexicon()
ODD = Lexicon(
    "odd",
    ("a", "b"),
    (
        ("i", "daughter-in-law's", "k", "ſie", "they", "x's", "granddaughters", "o'", "1st", "_"),
        (
            "émile",
            "σας",
            "she\u0307",
            "daughter-in-law",
            "granddaughter",
            "(he)",
            "ß",
            "彼女",
            "a b",
        ),
    ),
)
LEXICONS = [BUILT_IN, ODD]

pieces = st.sampled_from(
    [word for lexicon in LEXICONS for words in lexicon.words for word in words]
    + [
        "'",
        "’",
        "’’",
        " ",
        "  ",
        "\u0085",
        "\u2028",
        "\x0b",
        "\r",
        "\t",
        "\0",
        "-",
        ".",
        "_",
        "@",
        "[",
    ]
    + [
        "K",
        "İ",
        "ſ",
        "Σ",
        "\u0301",
        "\u0307",
        "\U0001f469",
        "\U00010400",
        "é",
        "É",
        "Ǆ",
        "ẞ",
        "٣",
        "½",
    ]
    + ["\u0008", "\u0007s", "he\u0000", "SHE", "HERS", "grandmother", "grandmothers", "stepmothers"]
    + ["a" * 61, "b" * 64, "c" * 127, " " * 63]
)
texts = st.lists(pieces, max_size=40).flatmap(
    lambda parts: st.lists(st.booleans(), min_size=len(parts), max_size=len(parts)).map(
        lambda upper: "".join(p.upper() if u else p for p, u in zip(parts, upper, strict=True))
    )
)
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
passages = (texts | anything).map(lambda text: text.replace("\n", " "))


def workspace_of(data: bytes) -> Workspace:
    workspace = Workspace()
    assert StreamReader(io.BytesIO(data), Path("c.tsv")).fill(workspace)
    return workspace


def assert_same(fast: Scored, defined: Scored) -> None:
    assert fast.docnos.tolist() == defined.docnos.tolist()
    assert fast.scores.n_tokens.tolist() == defined.scores.n_tokens.tolist()
    for group in defined.scores.tc:
        assert fast.scores.tc[group].tolist() == defined.scores.tc[group].tolist()
        assert fast.scores.tf[group].tobytes() == defined.scores.tf[group].tobytes()
    assert fast.bad_line == defined.bad_line
    assert bytes(fast.digests) == defined.digests


def compare(data: bytes, lexicon: Lexicon, tokenizer: Tokenizer, format_: str = "tsv") -> None:
    fast = with_kernels(lexicon, tokenizer, format_)(workspace_of(data))
    assert_same(fast, by_definition(lexicon, tokenizer, format_)(workspace_of(data)))


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(
    st.lists(passages, min_size=1, max_size=6),
    st.sampled_from(LEXICONS),
    st.sampled_from(TOKENIZERS),
)
@example(["he\0 \0he he\0\0\0\0\0\0"], BUILT_IN, "whitespace")
@example(["daughter-in-law's daughter-in-law'sx"], ODD, "whitespace")
@example(["he" + " " * 61 + "he’s’ ’he", "x" * 62 + "’he", "x" * 63 + "’he"], BUILT_IN, "word")
@example(["he " * 2000], BUILT_IN, "word")
@example(["he\r", "\r", "he \r", " \r", "x" * 63 + "\r", "x" * 62 + " \r"], BUILT_IN, "whitespace")
def test_the_kernels_give_the_bits_of_the_definition(
    bodies: list[str], lexicon: Lexicon, tokenizer: Tokenizer
) -> None:
    lines = "".join(f"{i}é\t{text}\n" for i, text in enumerate(bodies))
    compare(lines.encode(), lexicon, tokenizer)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(TOKENIZERS))
@example(b"1\ta\xed\xa0\x80", "word")
@example(b"1\t\xc0\x80\n2\tb", "whitespace")
@example(b"1\t\xf4\x90\x80\x80", "word")
@example(b"1\t" + b"a" * 63 + b"\xe2\x80", "word")
@example(b"1\t" + b"a" * 62 + b"\xe2\x80\x99he", "word")
@example(b"\xff\ta", "word")
def test_any_bytes_are_refused_at_the_same_line(data: bytes, tokenizer: Tokenizer) -> None:
    compare(b"0\the\n" + data, BUILT_IN, tokenizer)
    # Behind a tab nearly everything is a text, and only UTF-8 can be wrong with it.
    compare(b"0\the\n1\t" + data.replace(b"\n", b" "), BUILT_IN, tokenizer)


@pytest.mark.long
@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.text(st.characters(categories=["Ll", "Lo", "Nd"]), min_size=1), min_size=1, max_size=30
    ),
    st.sampled_from(TOKENIZERS),
)
def test_any_lexicon_finds_its_own_words(words: list[str], tokenizer: Tokenizer) -> None:
    lowered = sorted({word.lower() for word in words if not set(word) & set(" \t\n\r")})
    lexicon = Lexicon("any", ("g",), (tuple(lowered),))
    lines = [f"{i}\t{' '.join(words[i:] + words[:i])}\n" for i in range(len(words))]
    lines += [f"u{i}\t{' '.join(words).upper()}\n" for i in range(2)]
    compare("".join(lines).encode(), lexicon, tokenizer)


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(
    st.lists(passages | st.text(max_size=20), min_size=1, max_size=6), st.sampled_from(TOKENIZERS)
)
@example(["he\nsaid he\n\nhe", "\n", "she\r"], "whitespace")
def test_texts_in_memory_are_scored_as_the_definition_says(
    bodies: list[str], tokenizer: Tokenizer
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "SMALL", 0)
        fast = score_texts(bodies, BUILT_IN, tokenizer)
    defined = magnitude.score_texts(bodies, BUILT_IN, tokenizer)

    assert fast.n_tokens.tolist() == defined.n_tokens.tolist()
    for group in BUILT_IN.groups:
        assert fast.tc[group].tolist() == defined.tc[group].tolist()
        assert fast.tf[group].tobytes() == defined.tf[group].tobytes()


def test_no_letter_lies_beyond_the_table_of_letters() -> None:
    beyond = "".join(map(chr, range(_LETTERS_END, 0x110000)))

    assert beyond.lower() == beyond
    assert not re.search(r"\w", beyond)


@pytest.mark.parametrize(
    "line", [b"d2\tshe", b"\tshe", b"", b"d 2\tshe", b'{"id": 2, "text": "he"}']
)
@pytest.mark.parametrize("format_", ["tsv", "jsonl"])
def test_a_mark_where_files_were_joined_is_no_part_of_a_docno(line: bytes, format_: str) -> None:
    first = b"d1\the" if format_ == "tsv" else b'{"id": 1, "text": "he"}'
    compare(first + b"\n\xef\xbb\xbf" + line + b"\n", BUILT_IN, "word", format_)


@pytest.mark.parametrize(
    "kernels",
    [
        "characters",
        "marks",
        "tokens",
        "words",
        "lines",
        "json_lines",
        "runs",
        "decimals",
        "swaps",
    ],
)
def test_kernels_are_compiled_anew_when_what_they_call_changes(kernels: str) -> None:
    module = importlib.import_module(f"metrics.kernels.{kernels}")
    for name, recorded in module.COMPILED_WITH.items():
        source = Path(
            importlib.import_module(f"metrics.kernels.{name}").__file__ or ""
        ).read_bytes()
        assert hashlib.sha256(source).hexdigest()[:16] == recorded, (
            f"{name}.py has changed: Numba's cache would keep the old code. "
            f"Record its new checksum in COMPILED_WITH of {kernels}.py."
        )


@pytest.mark.long
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_every_code_point_inside_and_between_words(tokenizer: Tokenizer) -> None:
    points = [chr(i) for i in range(0x110000) if not 0xD800 <= i < 0xE000 and i != 0x0A]
    step = 64
    for lexicon in LEXICONS:
        lines = [
            f"{start}\t"
            + "".join(f"he{c}she {c}him{c}" for c in points[start : start + step])
            + ".\n"
            for start in range(0, len(points), step)
        ]
        data = "".join(lines).encode()
        reader = StreamReader(io.BytesIO(data), Path("c.tsv"))
        fast, defined = (
            with_kernels(lexicon, tokenizer, "tsv"),
            by_definition(lexicon, tokenizer, "tsv"),
        )
        workspace = Workspace()
        while reader.fill(workspace):
            assert_same(fast(workspace), defined(workspace))


@pytest.mark.long
@pytest.mark.skipif(not VECTOR, reason="this processor has no vector look-up")
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@pytest.mark.parametrize("lexicon", LEXICONS)
def test_no_beginning_of_a_word_is_unlikely(lexicon: Lexicon, tokenizer: Tokenizer) -> None:
    tables = tables_of(lexicon, tokenizer)
    for words in lexicon.words:
        for word in words:
            if not word.isascii() or " " in word:
                continue
            for spelled in (word, word.upper()):
                letters = np.frombuffer(f"{spelled} \n".encode(), dtype=np.uint8)[:3].astype(int)
                low = tables.likely[np.arange(3), 0, letters & 15]
                high = tables.likely[np.arange(3), 1, letters >> 4]
                unmatchable = tokenizer == "word" and not word.replace("_", "").isalnum()
                assert unmatchable or np.bitwise_and.reduce(low & high)


json_values = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.integers(-(10**20), 10**20),
    st.sampled_from([None, True, False, 1.5, [], {}, ["a"], {"id": "x"}]),
)
names = st.sampled_from([*ID_FIELDS, *TEXT_FIELDS, "title", "other", "", "é"])
objects = st.dictionaries(names, json_values, max_size=6) | st.fixed_dictionaries(
    {"id": st.text(min_size=1, max_size=5) | st.integers(0, 10**9), "text": passages},
    optional={"title": st.text(max_size=10), "url": json_values},
)
as_json = st.tuples(objects, st.booleans(), st.sampled_from([None, 1, "\t"])).map(
    lambda drawn: json.dumps(drawn[0], ensure_ascii=drawn[1], indent=drawn[2]).replace("\n", " ")
)
lines_of_json = as_json.map(lambda text: text.encode("utf-8", "replace"))
broken = st.tuples(lines_of_json, st.integers(0, 400), st.binary(max_size=3)).map(
    lambda drawn: drawn[0][: drawn[1]] + drawn[2] + drawn[0][drawn[1] :]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(lines_of_json | broken, min_size=1, max_size=5), st.sampled_from(TOKENIZERS))
@example([b'{"id":"1","text":"a\\u00e9\\ud83d\\ude00\\n\\"\\\\\\/\\b\\f\\r\\t he"}'], "whitespace")
@example([b'{"id":"1","text":"\\ud83d"}'], "word")
@example([b'{"id":"1","text":"\\ud83d\\u0041"}'], "word")
@example([b'{"id":"1","text":"he\\u000"}'], "word")
@example([b'{"id":"1","text":"he\\'], "word")
@example([b'{"id":"1","text":"he" }\r'], "word")
@example([b'{"id":"1","text":"he", "id": "2"}'], "word")
@example([b'{"id":01,"text":"he"}'], "word")
@example([b'{"id":"1","text":"he","other":"\\x"}'], "word")
@example([b'{"id":"1","text":"he","docid":"\\x"}'], "word")
@example([b'{"id":"1","text":"he"}x'], "word")
@example([b'{"id":"1","text":"he",}'], "word")
@example([b'{"id":"1","text":"' + b"a" * 70 + b'\xff"}'], "word")
@example([b'{"id":"1","text":"he","passage":"\x01"}'], "word")
@example([b"{}", b'{"id":"1","text":"he"}'], "word")
@pytest.mark.long
def test_json_lines_are_read_as_the_definition_reads_them(
    lines: list[bytes], tokenizer: Tokenizer
) -> None:
    data = b"".join(line.replace(b"\n", b" ") + b"\n" for line in lines)
    compare(data, BUILT_IN, tokenizer, "jsonl")


@pytest.mark.parametrize("size", [1, 7, 63, 64, 65, 130])
@pytest.mark.parametrize("format_", ["tsv", "jsonl"])
def test_a_docno_with_a_blank_is_refused_wherever_it_is(size: int, format_: str) -> None:
    score = with_kernels(BUILT_IN, "word", format_)
    write = {"tsv": b"%b\the said so\n", "jsonl": b'{"id": "%b", "text": "he said so"}\n'}[format_]
    plain, blank = write % (b"d" * size), write % (b"d" * size + b" d")
    scored = score(workspace_of(plain + blank + plain))
    assert len(scored.docnos) == 1
    assert scored.bad_line == blank.removesuffix(b"\n")


def test_a_block_of_nothing_but_line_ends_is_refused_at_its_first() -> None:
    score = with_kernels(BUILT_IN, "word", "tsv")
    for size in (5, 3000, 3000 + PADDING, 200):
        scored = score(workspace_of(b"\n" * size))
        assert len(scored.docnos) == 0
        assert scored.bad_line == b""
