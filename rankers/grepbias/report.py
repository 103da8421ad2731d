"""The tables of a set of logits as a folder of files."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from metrics.errors import InputError
from metrics.io.file_kinds import part_of, text_kind
from metrics.io.files import replacing, write_text
from metrics.reports.formats.tables import Row, to_csv, to_markdown
from metrics.results.preference import PREFERENCE_DEPTH
from metrics.runs import Run

from .dataset import Pair
from .logits import LogitRun
from .published import AVERAGE, published, published_bias
from .selection import Selection
from .tables import (
    Table,
    accuracy_table,
    before_and_after,
    preference_table,
    ranking_table,
    reduction_table,
    word_table,
)

#: The name of its file: too many rows for a page.
NAME = "published"
_COLUMNS = (
    *("table", "mode", "train_on", "tested_on", "value"),
    *("published", "computed", "difference"),
)
_SHARES = ("male", "female", "neutral")


class _Cell(NamedTuple):
    """A cell of a row of one of the tables; a number is None where there is none."""

    row: Row
    tested_on: object
    value: str
    published: object
    computed: object


def comparison_table(tables: Sequence[Table]) -> Table:
    """One row for each published number whose cell the other tables of a report have."""
    rows: list[Row] = [
        {
            "table": table.name,
            "mode": cell.row.get("mode", ""),
            "train_on": cell.row["train_on"],
            "tested_on": cell.tested_on,
            "value": cell.value,
            "published": cell.published,
            "computed": cell.computed,
            "difference": float(str(cell.computed)) - float(str(cell.published)),
        }
        for table in tables
        for cell in _cells(table)
        if cell.published is not None and cell.computed is not None
    ]
    return Table(NAME, "Beside the published values", _COLUMNS, rows)


def _cells(table: Table) -> Iterator[_Cell]:
    if table.name == "table3_preference":
        for row in table.rows:
            for share in _SHARES:
                yield _Cell(row, row["tested_on"], share, row[f"published_{share}"], row[share])
    elif table.name == "table6_reduction":
        for row in table.rows:
            # Below the rows of the models stands their mean.
            for name, number in published(6).get((str(row["train_on"]),), {}).items():
                value = name.replace("difference", "bias")
                yield _Cell(row, AVERAGE, value, number, row[value])
    else:
        theirs = {row["train_on"]: row for row in table.rows if row.get("values") == "published"}
        for row in table.rows:
            if row.get("values") == "ours" and row["train_on"] in theirs:
                for name in table.columns[2:]:
                    known = theirs[row["train_on"]][name]
                    yield _Cell(row, name, "accuracy", known, row[name])


#: Tables that a report always or mostly has; models of other modes add tables of their names.
FILES = (
    "report.md",
    "table1_full.csv",
    "table2_adapter.csv",
    "table3_preference.csv",
    "table4_words.csv",
    "table5_debiased.csv",
    "preference_debiased.csv",
    "table6_reduction.csv",
    f"{NAME}.csv",
)
_HEADING = "# Grep-BiasIR\n"
PART = part_of("a report on Grep-BiasIR", "report.md", text_kind("it", _HEADING))
_PUBLISHED_ACCURACY = {"full": 1, "adapter": 2}
_NUMBERED = {"full": "table1_full", "adapter": "table2_adapter"}


def make_tables(
    runs: Sequence[LogitRun],
    pairs: Sequence[Pair],
    rankings: Sequence[Run] = (),
    depth: int = PREFERENCE_DEPTH,
    selection: Selection = "own",
) -> list[Table]:
    """Every table that the logits allow: 1 to 4 from plain runs, 5 and 6 from debiased ones.

    `rankings` are runs over the documents; they have Table 3 only, over all categories.
    """
    of_rankings = [ranking_table(rankings, pairs, depth)] if rankings else []
    if not runs and rankings:
        return of_rankings
    plain = [run for run in runs if not run.is_debiased]
    if not plain:
        raise InputError(
            "all logits come from debiased models.", remedy="Add the logits of alpha 0,0,0."
        )
    tables = []
    for mode in sorted({run.mode for run in plain}, key=lambda mode: _NUMBERED.get(mode, mode)):
        own = [run for run in plain if run.mode == mode]
        name = _NUMBERED.get(mode, f"accuracy_{mode}")
        title = f"Accuracy, {mode}: trained on row, tested on"
        tables.append(accuracy_table(own, name, title, _PUBLISHED_ACCURACY.get(mode, 0)))
    title = "Preferred wordings, average with the training category"
    tables.append(preference_table(plain, "table3_preference", title))
    tables += of_rankings
    tables.append(word_table(pairs))
    if chosen := before_and_after(runs, selection):
        after = [run for _, run in chosen]
        modes = dict.fromkeys(run.mode for run in after)
        for mode in modes:
            own = [run for run in after if run.mode == mode]
            name = "table5_debiased" if len(modes) == 1 else f"table5_debiased_{mode}"
            title = f"Accuracy after debiasing, {mode}: trained on row, tested on"
            tables.append(accuracy_table(own, name, title, 5))
        title = "Preferred wordings after debiasing, average with the training category"
        tables.append(preference_table(after, "preference_debiased", title, is_plain=False))
        tables.append(reduction_table(chosen))
    return [*tables, comparison_table(tables)]


def write_report(tables: Sequence[Table], folder: Path, remarks: Sequence[str] = ()) -> list[Path]:
    """Write each table as CSV and all of them as `report.md`; all files appear, or none.

    `remarks` on the logits stand above the tables, see `logit_remarks`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = {folder / f"{table.name}.csv": to_csv(table.rows, table.columns) for table in tables}
    sections = [
        f"## {table.title}\n\n{to_markdown(table.rows, table.columns)}"
        for table in tables
        if table.name != NAME
    ]
    before, after = published_bias()
    about = (
        "Published values are those of Sundararaman & Subramanian 2022 (BERT). Their mean bias, "
        f"out of the cells of Table 6: {before:.4f} before and {after:.4f} after debiasing. "
        "Averages of Tables 3 and 6 include the training category, those of 1, 2 and 5 do not."
    )
    beginning = [line for remark in remarks for line in (remark, "")]
    texts[folder / "report.md"] = "\n".join([_HEADING, about, "", *beginning, *sections])
    with ExitStack() as stack:
        for path, text in texts.items():
            write_text(stack.enter_context(replacing(path)), text)
    return list(texts)
