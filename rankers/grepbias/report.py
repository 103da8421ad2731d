"""The tables of a set of logits as a folder of files."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from metrics.errors import InputError
from metrics.io.file_kinds import part_of, text_kind
from metrics.io.files import replacing, write_text
from metrics.reports.formats.tables import to_csv, to_markdown
from metrics.results.preference import PREFERENCE_DEPTH
from metrics.runs import Run

from . import comparison
from .dataset import Pair
from .logits import LogitRun
from .published import published_bias
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
    f"{comparison.NAME}.csv",
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
    return [*tables, comparison.comparison_table(tables)]


def write_report(tables: Sequence[Table], folder: Path, remarks: Sequence[str] = ()) -> list[Path]:
    """Write each table as CSV and all of them as `report.md`; all files appear, or none.

    `remarks` on the logits stand above the tables, see `logit_remarks`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = {folder / f"{table.name}.csv": to_csv(table.rows, table.columns) for table in tables}
    sections = [
        f"## {table.title}\n\n{to_markdown(table.rows, table.columns)}"
        for table in tables
        if table.name != comparison.NAME
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
