"""Qrels of a batch of pairs, by each rule that decides its grades."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from annotation.labels.export.label_formats.qrels import QRELS_FILES, STANDING
from annotation.reports.bundle.scheme import decided_by
from annotation.schemes import About
from metrics.io.pair_ids import split_pair_id
from metrics.votes.deciding import METHODS, ORDERED_METHODS

if TYPE_CHECKING:
    from annotation.reports.bundle.layout import BatchTables


def qrels_files(tables: "BatchTables") -> dict[str, bytes]:
    """Lines `qid 0 docno grade` by the name of the file; none where no grades of pairs are asked.

    By votes only where there are some, and by the median where options have an order.
    """
    question = tables.scheme.question(tables.scheme.subset.question)
    if tables.scheme.about != About.PASSAGE or not question.grades:
        return {}
    by_votes = METHODS[:1] if question.is_nominal else ORDERED_METHODS
    by_rule: dict[str, Mapping[str, str]] = {
        STANDING: {
            row.qid: row.decided
            for row in tables.decisions
            if row.question == question.name and row.decided
        }
    }
    if any(row.question == question.name and row.counts for row in tables.answers):
        by_rule |= {
            rule: {
                row.item: row.label
                for row in decided_by(tables, question.name, rule).rows
                if row.label
            }
            for rule in by_votes
        }
    order = [row.qid for row in tables.queries if not row.gold]
    return {
        name: "".join(
            f"{qid} 0 {docno} {question.grades[by_rule[rule][item]]}\n"
            for item in order
            if item in by_rule[rule]
            for qid, docno in [split_pair_id(item)]
        ).encode()
        for rule, name in QRELS_FILES.items()
        if rule in by_rule
    }
