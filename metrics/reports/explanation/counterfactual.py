"""A ranking beside the one that the same ranker makes once the genders are swapped."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any

from ...measures.rank_biased_overlap import rbo
from ...runs import Run
from ...texts.lexicon import Lexicon
from ...vocabulary import Missing, Tokenizer
from .explain import Document, Explanation, explain, visible


@dataclass(frozen=True)
class Rank:
    """One rank of both lists; None where a list is shorter.

    `new_rank` is where the original document stands in the counterfactual list, `old_rank` where
    the counterfactual one stood in the original; None for a document that the run does not have.
    """

    original: Document | None
    new_rank: int | None
    counterfactual: Document | None
    old_rank: int | None


@dataclass(frozen=True)
class SideBySide:
    """Both rankings of one query. `crbo` is extrapolated RBO, p = .9, of the ranks shown."""

    run: str
    crbo: float
    original: Explanation
    counterfactual: Explanation
    ranks: Sequence[Rank]

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {"run": self.run, "crbo": self.crbo, "ranks": [asdict(rank) for rank in self.ranks]}


def side_by_side(
    runs: tuple[Run, Run],
    qid: str,
    texts: tuple[Mapping[str, str], Mapping[str, str]],
    lexicon: Lexicon,
    *,
    tokenizer: Tokenizer = "word",
    magnitude_name: str = "tf",
    depth: int = 10,
    missing: Missing = "error",
) -> SideBySide:
    """The first `depth` ranks of the original and the counterfactual run of one ranker.

    `texts` are those of the original and of the counterfactual collection. Raises `InputError` as
    `explain` does.
    """
    original, counterfactual = (
        explain(
            run,
            qid,
            known,
            lexicon,
            tokenizer=tokenizer,
            magnitude_name=magnitude_name,
            depth=depth,
            missing=missing,
        )
        for run, known in zip(runs, texts, strict=True)
    )
    old, new = (
        {docno: rank for rank, docno in enumerate(run.documents(qid), start=1)} for run in runs
    )
    ranks = [
        Rank(
            before,
            new.get(before.docno) if before else None,
            after,
            old.get(after.docno) if after else None,
        )
        for before, after in zip_longest(original.documents, counterfactual.documents)
    ]
    crbo = rbo(runs[0].documents(qid), runs[1].documents(qid), depth=depth).ext
    return SideBySide(runs[0].name, crbo, original, counterfactual, ranks)


def side_by_side_text(sides: SideBySide, query: str = "", *, width: int = 48) -> str:
    """Both lists for a terminal; control characters of the texts are shown as a blank."""
    query_text = f": {visible(query)}" if query else ""
    title = f"Run {sides.run}; CRBO {sides.crbo:.4f}; magnitude {sides.original.magnitude}"
    left, right = "original (rank with swapped genders)", "swapped genders (original rank)"
    lines = [f"Query {sides.original.qid}{query_text}", title, "", f"     {left:<{width}}  {right}"]
    for place, pair in enumerate(sides.ranks, start=1):
        cells = (_cell(pair.original, pair.new_rank), _cell(pair.counterfactual, pair.old_rank))
        for number, (before, after) in enumerate(zip(*cells, strict=True)):
            rank = f"{place:3d}" if number == 0 else "   "
            lines.append(f"{rank}  {before[:width]:<{width}}  {after[:width]}".rstrip())
    return "\n".join([*lines, ""])


def _cell(document: Document | None, elsewhere: int | None) -> tuple[str, str, str]:
    if document is None:
        return "", "", ""
    words = [word for counts in document.words.values() for word in counts]
    bias = document.running.get("ARaB")
    so_far = "" if bias is None else f"; ARaB so far {bias:.4f}"
    return (
        f"{visible(document.docno)} ({elsewhere or '-'})",
        "(not in the collection)" if document.text is None else visible(document.text),
        f"{', '.join(words) or '-'}{so_far}",
    )
