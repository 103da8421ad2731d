"""The tables of a set of logits as a folder of files."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from ..errors import InputError
from ..io.file_kinds import part_of, text_kind
from ..io.files import replacing, write_text
from ..reports.formats.tables import to_csv, to_markdown
from ..results.preference import PREFERENCE_DEPTH
from ..runs import Run
from .dataset import Pair
from .logits import LogitRun
from .tables import (
    Table,
    accuracy_table,
    before_and_after,
    preference_table,
    ranking_table,
    reduction_table,
    word_table,
)

# What Sundararaman & Subramanian 2022 report, trained on Career; never computed here.
PUBLISHED = (
    "Published (BERT, trained on Career): full fine-tuning .8250 on its own category and .5538 on "
    "the mean of the others; adapter .8917 and .7130; bias 11.14 % before and 5.7 % after "
    "debiasing."
)
#: What a report always or mostly holds; models of other modes add tables of their names.
FILES = (
    "report.md",
    "table1_full.csv",
    "table2_adapter.csv",
    "table3_preference.csv",
    "table4_words.csv",
    "table5_debiased.csv",
    "table6_reduction.csv",
)
_HEADING = "# Grep-BiasIR\n"
PART = part_of("a report on Grep-BiasIR", "report.md", text_kind("it", _HEADING))
_NUMBERED = {"full": "table1_full", "adapter": "table2_adapter"}


def make_tables(
    runs: Sequence[LogitRun],
    pairs: Sequence[Pair],
    rankings: Sequence[Run] = (),
    depth: int = PREFERENCE_DEPTH,
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
        tables.append(accuracy_table(own, name, f"Accuracy, {mode}: trained on row, tested on"))
    title = "Wordings preferred on the categories that were not trained on"
    tables.append(preference_table(plain, "table3_preference", title))
    tables += of_rankings
    tables.append(word_table(pairs))
    if chosen := before_and_after(runs):
        after = [run for _, run in chosen]
        tables.append(preference_table(after, "table5_debiased", f"{title}, after debiasing"))
        tables.append(reduction_table(chosen))
    return tables


def write_report(tables: Sequence[Table], folder: Path) -> list[Path]:
    """Write each table as CSV and all of them as `report.md`; all files appear, or none."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {folder / f"{table.name}.csv": to_csv(table.rows, table.columns) for table in tables}
    sections = [f"## {table.title}\n\n{to_markdown(table.rows, table.columns)}" for table in tables]
    texts[folder / "report.md"] = "\n".join([_HEADING, PUBLISHED, "", *sections])
    with ExitStack() as stack:
        for path, text in texts.items():
            write_text(stack.enter_context(replacing(path)), text)
    return list(texts)
