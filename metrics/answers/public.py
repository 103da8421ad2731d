"""Answers and their chain for notebooks: objects of many types in, data frames out."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, InputTypeError
from ..extras import need
from ..public import public
from ..runs import Run
from ..runs.columns import as_frame
from ..sources import load_magnitudes, qrels_of, runs_of
from ..texts.labels import labels_of, read_labels
from ..texts.lexicon import BUILT_IN, Lexicon, read_lexicon
from ..texts.magnitude_store import Magnitudes
from ..vocabulary import LEVEL, Order, Tokenizer
from .answer import Answer, Answers, gathered
from .chain import Chain, Terms, chains_of
from .groups import Groups, groups_of_labels, groups_of_words
from .judged_rows import attribution_rows, judged_rows
from .judgments import Judgments, Kind, judgments_of
from .reading import QIDS, USUAL, Columns, answers_in, answers_of
from .rows import COLUMNS, NUMBERS, differences_of, per_query_rows, rows_of

if TYPE_CHECKING:
    import pandas as pd

_SOURCE = "Give a path, records (a list of dictionaries), a frame, or {system: one of these}."


@public
def read_answers(
    source: Any,
    *,
    qid: str = "",
    answer: str = "",
    references: str = "",
    citations: str = "",
    system: str = "",
    first_mark: int = 1,
) -> list[Answers]:
    """Read what systems answered, one `Answers` for each system.

    `source` is a file of JSON lines as TREC's tracks have them (RAG 2024 to 2026, RAGTIME) or plain
    `{qid, answer, citations}`, packed or not; the same as a list of dictionaries or a data frame;
    `{system: one of these}`; or several files in a list. An answer is a list of sentences with
    citations (places in the references from 0, docids, or `{docid: score}`), or a text that cites
    as a whole or by marks `[n]`, of which `first_mark` calls the first reference.

    `qid`, `answer`, `references`, `citations` and `system` name the members or columns where they
    are called otherwise. References and citations may be objects with an id, such as documents of
    LangChain and nodes of LlamaIndex.

    Oddities that have a rule (a citation outside of the references or by a number that they do not
    have, an answer without a citation, a query answered twice) are counted in `.oddities`. Raises
    `InputError` with file and line for what is not an answer.
    """
    columns = Columns(qid, answer, references, citations, system, first_mark)
    return gathered(each_answer(source, columns))


def each_answer(source: Any, columns: Columns = USUAL, system: str = "") -> Iterator[Answer]:
    """The answers of a source one by one, of files nothing is kept; see `read_answers`."""
    if isinstance(source, str | Path):
        yield from _called(answers_in(source, columns), system)
    elif isinstance(source, Answers):
        yield from _called(source.values(), system or source.name)
    elif isinstance(source, Mapping) and source and all(map(_is_text, source.values())):
        records = ({"qid": qid, "answer": text} for qid, text in source.items())
        yield from _called(answers_of(records), system)
    elif isinstance(source, Mapping) and not _is_record(source, columns):
        for name, part in source.items():
            yield from each_answer(part, columns, str(name))
    elif (frame := as_frame(source)) is not None:
        rows = (dict(zip(frame, row, strict=True)) for row in zip(*frame.values(), strict=True))
        yield from _called(answers_of(rows, columns), system)
    elif isinstance(source, Iterable):
        for part in [source] if isinstance(source, Mapping) else source:
            if isinstance(part, Mapping | Answer):
                yield from _called(answers_of([part], columns), system)
            else:
                yield from each_answer(part, columns, system)
    else:
        raise InputTypeError(f"the answers are {type(source).__name__}.", remedy=_SOURCE)


def _is_text(value: Any) -> bool:
    """Return whether this is the text of an answer, and no path of a file."""
    return isinstance(value, str) and not Path(value).suffix[1:].isalnum()


def _is_record(value: Any, columns: Columns) -> bool:
    """Return whether a mapping is one answer, which names its query, and not systems by name."""
    return isinstance(value, Mapping) and any(name in value for name in (columns.qid, *QIDS))


def _called(answers: Iterable[Answer], system: str) -> Iterator[Answer]:
    """The answers under the name that somebody gave, if any."""
    for answer in answers:
        yield replace(answer, system=system) if system else answer


@public
def chain(
    runs: Any,
    answers: Any,
    scores: Any = None,
    *,
    labels: Any = None,
    attribute: str = "",
    lexicon: Lexicon | Mapping[str, Iterable[str]] | str | Path | None = None,
    tokenizer: Tokenizer | None = None,
    cutoff: int = 0,
    qrels: Any = None,
    nuggets: Any = None,
    support: Any = None,
    attribution: Sequence[str] = (),
    baseline: str = "",
    order: Order = "default",
    level: float = LEVEL,
    seed: int = 0,
    per_query: bool = False,
) -> "pd.DataFrame":
    """Measure groups of documents from what was retrieved to what was answered: a data frame.

    `runs` are as `evaluate` takes them: one for all systems, or each system's own by its name.
    `answers` are as `read_answers` takes them. Groups are those of `labels` (a file, a frame,
    `{docno: group}`; of several attributes name one by `attribute`), or those of the word list in
    the texts or scored collection `scores`. `lexicon` and `tokenizer` also count the words of the
    answers. `cutoff` is how many retrieved documents were read (0: the whole list). With `qrels`
    the odds of being cited compare documents of one query and grade, else of one query and rank.

    Rows, by `figure`: the mean *share* of each group at each step (retrieved, plain and
    discounted by rank; referenced; cited, all sentences alike or by their words; answered, in
    words); the *change* of that share between steps, over the same queries; of two groups their
    *bias* (second minus first) and its *amplification*; the *total variation* between cited and
    retrieved beside its value by chance; the *attribution ratio* of a group; its *odds of being
    cited* net of rank or grade; and *counts*, without which the others mean little: citations that
    are not in the list, documents without a group, answers without citations. With a `baseline`
    the changes of the other systems minus its own follow.

    `nuggets` and `support` are judgments of the answers that exist, files of JSON lines or
    dictionaries: `{qid, run_id, nuggets: [{importance, assignment}]}` as nuggetizer writes them,
    `{..., support_eval: [...]}` as the TREC RAG track does, or `{qid, run_id, support: ["FS", None,
    "PS"]}`, one for each sentence. Their rows are the shares of nuggets that answers state, and
    the weighted precision and recall of support. `attribution` names two systems, the same one
    with one label on the documents and with another: *attribution bias (CAB)* is the mean
    difference, *attribution sensitivity (CAS)* its mean size, of precision and recall of their
    citations against the relevant documents of `qrels`, in percent.

    `low` and `high` are the ends of the interval at `level` over queries (by chance: of permuted
    citations); `withheld` says why there are none: fewer than 30 queries, or fewer than 80 % of the
    documents at a step have a group (`known`). With `per_query` the columns are those of
    `evaluate(..., per_query=True)`, for `compare`.

    Raises `InputError` where no answer is to a query of its run, or no document has a group.
    """
    pandas = need("pandas")
    terms = chain_terms(
        scores, labels, attribute, lexicon, tokenizer, cutoff=cutoff, qrels=qrels, seed=seed
    )
    measured = chains_of(each_answer(answers), run_by_system(runs_of(runs, order)), terms)
    if per_query:
        rows = [row for of_system in measured for row in per_query_rows(of_system)]
        frame: pd.DataFrame = pandas.DataFrame(rows)
        return frame
    judged = read_judgments(nuggets, support)
    table: pd.DataFrame = pandas.DataFrame(
        table_rows(measured, baseline, level, judged=judged, attribution=attribution),
        columns=COLUMNS,
    )
    # A column of None alone would not be numeric.
    return table.astype(dict.fromkeys(NUMBERS, float))


def read_judgments(nuggets: Any = None, support: Any = None) -> dict[Kind, Judgments]:
    """The judgments that are given, by their kind."""
    sources: dict[Kind, Any] = {"nuggets": nuggets, "support": support}
    return {kind: judgments_of(of, kind) for kind, of in sources.items() if of is not None}


def table_rows(
    chains: list[Chain],
    baseline: str,
    level: float = LEVEL,
    *,
    judged: Mapping[Kind, Judgments] | None = None,
    attribution: Sequence[str] = (),
) -> list[dict[str, object]]:
    """The rows of all systems, what is judged of them, then their differences to the baseline."""
    rows = [row for of_system in chains for row in rows_of(of_system, level)]
    for kind, judgments in (judged or {}).items():
        rows += judged_rows(chains, judgments, kind, level)
    rows += attribution_rows(chains, attribution, level) if attribution else []
    return rows + (differences_of(chains, baseline, level) if baseline else [])


def chain_terms(
    scores: Any,
    labels: Any = None,
    attribute: str = "",
    lexicon: Lexicon | Mapping[str, Iterable[str]] | str | Path | None = None,
    tokenizer: Tokenizer | None = None,
    *,
    cutoff: int = 0,
    qrels: Any = None,
    seed: int = 0,
) -> Terms:
    """The terms of a chain from the arguments of `chain`."""
    groups, words, cut = document_groups(scores, labels, attribute, lexicon, tokenizer)
    grades = None if qrels is None else qrels_of(qrels)
    return Terms(groups, cutoff, words, cut, grades, seed)


def document_groups(
    scores: Any,
    labels: Any,
    attribute: str,
    lexicon: Lexicon | Mapping[str, Iterable[str]] | str | Path | None,
    tokenizer: Tokenizer | None,
) -> tuple[Groups, Lexicon | None, Tokenizer]:
    """The groups of documents, and the words and the tokenizer that count the words of answers.

    With labels an answer has words to count only where a lexicon is named: those groups are others.
    """
    if labels is not None:
        numbers = read_labels(labels) if isinstance(labels, str | Path) else labels_of(labels)
        words = None if lexicon is None else read_lexicon(lexicon)
        return groups_of_labels(numbers, attribute), words, tokenizer or "word"
    if scores is None:
        raise InputError("the groups of documents are not known.", remedy="Give labels or scores.")
    magnitudes = load_magnitudes(scores, lexicon, tokenizer)
    cut: Any = magnitudes.metadata.tokenizer
    return groups_of_words(magnitudes), _words_of(magnitudes, lexicon), cut


def _words_of(magnitudes: Magnitudes, lexicon: Any) -> Lexicon | None:
    """The word list of a scored collection: the one that is given, or a built-in one."""
    metadata = magnitudes.metadata
    is_named = lexicon is not None or metadata.lexicon_name in BUILT_IN
    words = read_lexicon(lexicon or metadata.lexicon_name) if is_named else None
    return words if words and words.sha256 == metadata.lexicon_sha256 else None


def run_by_system(runs: Sequence[Run]) -> Callable[[str], Run]:
    """The run of a system: the only one, or the one of its name."""
    by_name = {run.name: run for run in runs}

    def run_of(system: str) -> Run:
        if len(runs) == 1:
            return runs[0]
        if system not in by_name:
            raise InputError(
                f"no run has the name {system!r} of the answers.",
                remedy=f"Give runs and answers the same names; the runs are {', '.join(by_name)}.",
            )
        return by_name[system]

    return run_of
