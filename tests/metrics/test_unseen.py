"""Characters that nobody sees are refused in names, and printed as their codes."""

from pathlib import Path

import pytest

from metrics.errors import InputError
from metrics.io.run_names import run_name
from metrics.io.unseen import all_visible, check_visible, has_unseen, visible
from metrics.reports.formats.escaped_latex import latex_text
from metrics.reports.formats.latex import latex_of
from metrics.reports.formats.layout import Column, Table, Value
from metrics.reports.formats.tables import to_latex
from metrics.runs import check_run_name
from tests.latex import compile_latex

#: Controls, marks that embed, override or isolate a direction, and those that stand alone.
UNSEEN = [*"\x00\x07\x1b\x7f\x85\u202a\u202d\u202e\u2066\u2069"]
ALONE = [*"\u00ad\u061c\u200b\u200e\u200f\u2028\u2060\ufeff"]


@pytest.mark.parametrize("sign", UNSEEN + ALONE)
def test_a_run_is_not_named_with_what_nobody_sees(sign: str) -> None:
    with pytest.raises(InputError):
        check_run_name(f"BM{sign}25")
    assert check_run_name(run_name(f"BM{sign}25.run")) == "BM_25"


@pytest.mark.parametrize("sign", UNSEEN)
def test_a_name_with_what_turns_text_around_is_refused_and_told_visibly(sign: str) -> None:
    assert has_unseen(f"a{sign}b")
    with pytest.raises(InputError) as caught:
        check_visible(f"a{sign}b", "a model")
    assert f"U+{ord(sign):04X}" in str(caught.value)
    assert sign not in visible(f"a{sign}b")


@pytest.mark.parametrize("text", ["", "BM25", "שלום", "می\u200cخواهم", "a\tb\r\nc"])
def test_words_of_real_languages_are_taken(text: str) -> None:
    assert not has_unseen(text)
    assert visible(text).replace("[U+000D]", "\r") == text


@pytest.mark.parametrize("sign", UNSEEN + ALONE)
def test_latex_has_the_code_of_a_character_without_a_shape(sign: str) -> None:
    assert latex_text(f"a{sign}b") == f"a[U+{ord(sign):04X}]b"
    assert all_visible("a\nb") == "a\nb"


@pytest.mark.long
def test_a_table_of_such_names_compiles(tmp_path: Path) -> None:
    names = [f"a{sign}b" for sign in UNSEEN + ALONE]
    rows: list[dict[str, Value]] = [{"run": name, "value": 0.5} for name in names]
    columns = [Column("run", names[0]), Column("value", names[1])]
    table = Table(name="t", title=f"Of {names[2]}", columns=columns, rows=rows, notes=[names[3]])
    compile_latex([latex_of(table), to_latex(rows, ["run", "value"])], tmp_path)
