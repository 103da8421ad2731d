"""What fuzzing found: each input that did harm, and the refusal that it gets now."""

from pathlib import Path

import pytest

from measurements.fuzz import seeds
from metrics.errors import InputError
from metrics.runs.qrels import read_qrels
from metrics.runs.queries import read_queries
from metrics.texts.collection import read_collection
from mturk_local.errors import CrowdError
from mturk_local.forms import form_parse, key_check
from mturk_local.questions import check_external_url, check_html, question_parse
from rankers.grepbias import read_logits


@pytest.mark.parametrize(
    "read", [lambda path: list(read_collection(path)), read_queries, read_qrels]
)
@pytest.mark.parametrize("place", range(10, 40))
def test_an_archive_that_is_damaged_anywhere_is_refused(
    read: object, place: int, tmp_path: Path
) -> None:
    whole = bytearray(seeds.RUNS[6][1:])
    whole[place % len(whole)] ^= 0x55
    (tmp_path / "c.tsv.gz").write_bytes(whole)
    with pytest.raises(InputError):
        read(tmp_path / "c.tsv.gz")  # type: ignore[operator] # one of the readers above


@pytest.mark.parametrize("page", ["<form><![CDATC[<form>'>", "<![Cea[x]]"])
def test_a_page_that_cannot_be_read_is_no_hit(page: str) -> None:
    with pytest.raises(CrowdError, match="HTML5"):
        check_html(question_parse(seeds.html_question(page).decode()).content)


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(CrowdError):
        check_external_url("https://[", allow_loopback=True)


def test_the_height_of_a_frame_is_a_number_that_can_be_one() -> None:
    asked = seeds.html_question("<p>x").decode()
    for height in ("9" * 5_000, "\u00b2", "-1"):
        with pytest.raises(CrowdError, match="FrameHeight"):
            question_parse(asked.replace(">0<", f">{height}<"))


@pytest.mark.parametrize(
    "mapping",
    [
        "<PercentageMapping><MaximumSummedScore>0</MaximumSummedScore></PercentageMapping>",
        "<PercentageMapping><MaximumSummedScore>\ufffd1</MaximumSummedScore></PercentageMapping>",
        "<PercentageMapping/>",
        "<ScaleMapping><SummedScoreMultiplier>inf</SummedScoreMultiplier></ScaleMapping>",
        "<RangeMapping><SummedScoreRange/></RangeMapping>",
    ],
)
def test_a_key_by_which_nothing_can_be_scored_is_refused_when_it_is_made(mapping: str) -> None:
    key = f"<AnswerKey><QualificationValueMapping>{mapping}</QualificationValueMapping></AnswerKey>"
    with pytest.raises(CrowdError):
        key_check(key, form_parse(seeds.FORM))


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize(
    "bad", [b"Career,Career,q1\n", b"\xff\n", b'"Career', b"Career,x,1,2,m,1,1\n"]
)
def test_logits_that_are_none_are_refused_with_their_line(
    tmp_path: Path, bad: bytes, number: int
) -> None:
    lines = seeds.LOGITS[0][1:].splitlines(keepends=True)
    (tmp_path / "logits.csv").write_bytes(b"".join(lines[: number - 1]) + bad)
    with pytest.raises(InputError) as refused:
        read_logits(tmp_path / "logits.csv")
    assert refused.value.line == number
