from dataclasses import replace
from pathlib import Path

import pytest

from metrics.reports.formats.display_names import short_names
from metrics.reports.formats.latex import latex_of
from metrics.reports.formats.layout import Column, Table, Value, csv_of, markdown_of, number_text
from tests.latex import compile_latex

TABLE = Table(
    name="example",
    title="100% of A_B & {C}",
    columns=[
        Column("cutoff", "Cut-off"),
        Column("run", "Model"),
        Column("RaB_tf", "RaB", "TF"),
        Column("RaB_tf_change", "", "TF", change=True),
        Column("RaB_bool", "RaB", "Bool"),
        Column("RaB_bool_change", "", "Bool", change=True),
    ],
    rows=[
        {
            "cutoff": 5,
            "run": "A|B_$",
            "RaB_tf": 0.0931,
            "RaB_tf_change": -0.00749,
            "RaB_bool": -0.0371,
            "RaB_bool_change": 0.006,
        },
        {
            "cutoff": 5,
            "run": r"\input{x}",
            "RaB_tf": None,
            "RaB_tf_change": None,
            "RaB_bool": -0.0001,
            "RaB_bool_change": -0.0001,
        },
        {
            "cutoff": 10,
            "run": "C~^#%",
            "RaB_tf": 0.5,
            "RaB_tf_change": None,
            "RaB_bool": 0.25,
            "RaB_bool_change": 0.0,
        },
    ],
    notes=["A note."],
    block="cutoff",
    record={"n_queries": 43},
)


def test_changes_stand_with_an_arrow_behind_the_value() -> None:
    assert TABLE.body[0] == ["5", "A|B_$", "0.093 (↓0.007)", "-0.037 (↑0.006)"]


def test_an_undefined_value_is_a_dash_and_nothing_is_minus_zero() -> None:
    assert TABLE.body[1] == ["", r"\input{x}", "–", "0.000 (=0.000)"]
    assert number_text(-0.0001, 3) == "0.000"


def test_a_new_block_repeats_its_value_and_starts_a_body_of_its_own() -> None:
    assert [len(block) for block in TABLE.blocks] == [2, 1]
    assert TABLE.blocks[1][0][0] == ("10", True)


def test_csv_has_full_precision_and_what_holds_for_the_whole_table() -> None:
    lines = csv_of(TABLE).splitlines()

    assert lines[0] == ("cutoff,run,RaB_tf,RaB_tf_change,RaB_bool,RaB_bool_change,n_queries")
    assert lines[1] == "5,A|B_$,0.0931,-0.00749,-0.0371,0.006,43"
    assert lines[2] == r"5,\input{x},,,-0.0001,-0.0001,43"


def test_markdown_shows_names_as_they_are() -> None:
    text = markdown_of(TABLE)

    assert r"| A\|B\_$ |" in text
    assert "| ---: | --- | ---: | ---: |" in text


def test_latex_escapes_every_name_and_rules_as_booktabs_does() -> None:
    text = latex_of(TABLE)

    assert r"A\textbar{}B\_\$" in text
    assert r"\textbackslash{}input\{x\}" in text
    assert r"\multicolumn{2}{c}{TF}" in text
    assert r"\cmidrule(lr){3-4}" in text
    assert r"$-$0.037 & ~($\uparrow$0.006)" in text
    assert text.count(r"\midrule") == 2
    assert r"\caption{100\% of A\_B \& \{C\} (43 queries).}" in text


def test_a_table_without_groups_has_one_line_of_titles() -> None:
    plain = replace(
        TABLE, columns=[replace(column, group="") for column in TABLE.columns], block=""
    )

    assert r"\cmidrule" not in latex_of(plain)
    assert latex_of(plain).count(r"\midrule") == 1


def test_a_table_of_many_rows_is_split_into_floats_that_fit_a_page() -> None:
    many = latex_of(replace(TABLE, rows=[TABLE.rows[0]] * 60))

    assert many.count(r"\begin{table}") == 2
    assert "(43 queries), part 1 of 2.}" in many


def test_a_narrow_table_takes_a_column_and_a_wide_one_the_page() -> None:
    wide = replace(TABLE, rows=[{**TABLE.rows[0], "run": "A model of a long name"}])
    assert r"\begin{table}" in latex_of(TABLE)
    assert r"\begin{table*}" in latex_of(wide)


def test_a_table_too_wide_for_a_page_is_split_by_its_groups() -> None:
    columns = [
        Column("run", "Model"),
        *(Column(f"v{n}", "A title of a column", f"Group {n // 4}") for n in range(8)),
    ]
    rows: list[dict[str, Value]] = [{"run": "A", **{f"v{n}": 0.5 for n in range(8)}}]
    text = latex_of(Table(name="wide", title="Wide.", columns=columns, rows=rows))
    assert text.count(r"\begin{tabular}") == 2
    assert text.count("Group 0") == text.count("Group 1") == 1


def test_notes_stand_below_the_first_part_and_the_others_name_it() -> None:
    many = latex_of(replace(TABLE, rows=[TABLE.rows[0]] * 60))

    assert many.count("A note.") == 1
    assert r"Notes as below Table~\ref{tab:example}." in many


def test_abbreviations_of_head_and_cells_are_explained() -> None:
    assert "RaB: rank bias, male minus female; TF: term frequency" in latex_of(TABLE)
    assert "ARaB" not in latex_of(TABLE)


def test_numbers_stand_at_their_point_whatever_follows_them() -> None:
    columns = [Column("v", "V"), Column("v_p", "", change=True, kind="p"), Column("n", "n")]
    rows: list[dict[str, Value]] = [
        {"v": -0.5, "v_p": 0.0001, "n": 4},
        {"v": 0.25, "v_p": 0.5, "n": 1_500},
        {"v": None, "v_p": None, "n": 0},
    ]
    lines = latex_of(Table(name="t", title="T.", columns=columns, rows=rows)).splitlines()
    assert r"\begin{tabular}{r@{}lr}" in lines
    assert r"\multicolumn{2}{c}{V} & n \\" in lines
    head = lines.index(r"\midrule")
    cells = [r"$-$0.500 & *** & 4 \\", r"0.250 &  & 1,500 \\", r"-- &  & 0 \\"]
    assert lines[head + 1 : head + 4] == cells


def test_a_small_p_is_said_to_be_below_a_thousandth() -> None:
    columns = [Column("p", "p", kind="p")]
    rows: list[dict[str, Value]] = [{"p": p} for p in (0.0, 0.00099, 0.001, None)]
    table = Table(name="t", title="T.", columns=columns, rows=rows)
    assert table.body == [["< 0.001"], ["< 0.001"], ["0.001"], ["–"]]


def test_long_names_of_runs_are_short_in_print_and_explained_below() -> None:
    name = "SPLADE_P_P_ENSEMBLE_DISTIL"
    table = Table(
        name="t", title="T.", columns=[Column("run", "Model")], rows=[{"run": name}], runs=[name]
    )
    lines = latex_of(table).splitlines()
    assert r"SPLADE\_P\_P \\" in lines
    assert r"SPLADE\_P\_P is" in lines[-2]
    assert name in csv_of(table)


def test_names_that_begin_alike_are_told_apart_in_print() -> None:
    names = ["dl20.BM25", "REP_LLAMA_STEP_100", "REP_LLAMA_STEP_200"]
    assert short_names(names) == {
        "dl20.BM25": "dl20.BM25",
        "REP_LLAMA_STEP_100": "REP_LL…EP_100",
        "REP_LLAMA_STEP_200": "REP_LL…EP_200",
    }


def test_every_minus_of_a_cell_is_one_and_a_hyphen_stays_one() -> None:
    rows: list[dict[str, Value]] = [{"run": "bert-2", "v": "-0.034 [-0.05, -.01]"}]
    table = Table("t", "T.", [Column("run", "Model"), Column("v", "V")], rows)
    assert r"bert-2 & $-$0.034 [$-$0.05, $-$.01] \\" in latex_of(table).splitlines()


def test_equivalence_is_marked_behind_a_difference() -> None:
    columns = [
        Column("v", "V"),
        Column("v_p", "", change=True, kind="p"),
        Column("v_e", "", change=True, kind="equivalence"),
    ]
    rows: list[dict[str, Value]] = [
        {"v": 0.01, "v_p": p, "v_e": e} for p, e in ((0.04, 0.04), (0.2, 0.01), (0.2, 0.05))
    ]
    table = Table("t", "T.", columns, rows)
    assert table.body == [["0.010*≈"], ["0.010≈"], ["0.010"]]
    assert r"0.010 & *$\approx$ \\" in latex_of(table).splitlines()


def test_tables_of_two_commands_have_labels_of_their_own() -> None:
    many = replace(TABLE, rows=[TABLE.rows[0]] * 60)
    assert r"\label{tab:field-example}" in latex_of(many, prefix="field-")
    assert r"\ref{tab:field-example}" in latex_of(many, prefix="field-")


@pytest.mark.long
def test_the_latex_compiles(tmp_path: Path) -> None:
    many = replace(TABLE, rows=list(TABLE.rows) * 30, title="r, ρ, τ")

    compile_latex([latex_of(TABLE), latex_of(many)], tmp_path)

    assert (tmp_path / "paper.pdf").stat().st_size > 0
