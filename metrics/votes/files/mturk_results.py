"""The results of a Mechanical Turk batch, as its requester downloads them.

One row is one assignment: `HITId`, `AssignmentId`, `WorkerId`, `AssignmentStatus`,
`WorkTimeInSeconds`, what the HIT showed (`Input.*`) and what the worker answered (`Answer.*`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import InputError
from .answers import (
    REJECTED,
    SUPERSEDED,
    Answer,
    NoVote,
    with_pair_ids,
    with_whole_ids,
)
from .mturk_answers import TASK_ANSWERS
from .mturk_single import (
    CHECK,
    answer_of,
    columns_of_answers,
    completed,
    is_whole,
    only_question,
)
from .plain import check_query_id, seconds_of
from .table import Row, Table

IDENTITY = ("HITId", "AssignmentId", "WorkerId")
#: Named in the header for the requester to fill in, and left out of the rows.
MAY_END_EARLY = frozenset({"Approve", "Reject"})
_WORKER = ("worker", "WorkerId")
ROLES = ("label", "query", "query_id", "gold", "docno", "passage")
#: What is asked about, in the order of a `Question`.
_INPUTS = ("query", "query_id", "gold", "docno", "passage")


def is_results(table: Table) -> bool:
    return set(IDENTITY) <= set(table.columns)


@dataclass(frozen=True)
class Question:
    """One question of every row: where its answer, text and query id are.

    `place` tells the row's questions apart. `expected` is the right answer of a gold question, or
    the column that holds it.
    """

    answer: str
    place: str
    text: str = ""
    qid: str = ""
    expected: str = ""
    docno: str = ""
    passage: str = ""


def read_results(
    tables: Sequence[Table], columns: Mapping[str, str], gold: Mapping[str, str]
) -> tuple[list[Answer], list[NoVote], list[str]]:
    """Read the result files of a batch, oldest first: answers, answers that are not votes, notes.

    Layouts may differ between the files: `Answer.stance*` is `Answer.stance` in one and
    `Answer.stance1` to `Answer.stance5` in the next, and a gold question need not be in every file.

    `columns` has `label`, `query` (text), `query_id`, `gold` (known answer, else empty) and, of
    pairs, `docno` and `passage`, each a column or a pattern with one `*`: {"label": "Answer.adj_*",
    "query": "Input.adj_*"} makes every pair of columns a query. Without `columns`, each `Answer.X`
    with an `Input.X` is a query, unless its name says that it checks the worker. Without a
    `query_id` the id is made of the HIT and the place; a place without id and answer is skipped.
    `gold` maps answer columns (also with a `*`) to the expected answer, or to the column that
    has it.

    An assignment that a later file repeats is superseded. It is not a vote, nor is a rejected one.
    """
    columns = {role: name for role, name in columns.items() if (role, name) != _WORKER}
    last = {_assignment(row): number for number, table in enumerate(tables) for row in table.rows}
    answers: list[Answer] = []
    apart: list[NoVote] = []
    notes: list[str] = []
    _check_gold(tables, gold)
    for number, table in enumerate(tables):
        questions, odd = _questions(table, columns, gold)
        notes += [note for note in (*table.notes, *odd) if note not in notes]
        for row in table.rows:
            of_row = _answers(table, row, questions)
            if last[_assignment(row)] != number:
                apart += [NoVote(answer, SUPERSEDED) for answer in of_row]
            elif row.cells.get("AssignmentStatus", "").strip().lower() == "rejected":
                apart += [NoVote(answer, REJECTED) for answer in of_row]
            else:
                answers += of_row
    answers, changed = with_whole_ids(answers)
    return with_pair_ids(answers), apart, notes + changed


def _assignment(row: Row) -> tuple[str, str]:
    return row.cells["AssignmentId"], row.cells["WorkerId"]


def _answers(table: Table, row: Row, questions: Sequence[Question]) -> list[Answer]:
    for name in IDENTITY:
        if not row.cells[name].strip():
            raise InputError(f"{name} is empty.", path=table.path, line=row.line)
    time = seconds_of(row.cells.get("WorkTimeInSeconds", ""), table.path, row.line)
    n_answers = sum(1 for name, cell in row.cells.items() if name.startswith("Answer.") and cell)
    share = None if time is None else time / max(n_answers, 1)
    hit = row.cells["HITId"].strip()
    answers = []
    for question in questions:
        expected = question.expected
        qid = row.cells[question.qid].strip() if question.qid else ""
        if question.qid and not qid:
            if not row.cells[question.answer].strip():
                continue
            raise InputError(f"{question.qid} is empty.", path=table.path, line=row.line)
        check_query_id(qid, table, row.line)
        answers.append(
            Answer(
                path=table.path,
                line=row.line,
                qid=qid or ":".join(filter(None, (hit, question.place))),
                worker=row.cells["WorkerId"].strip(),
                answer=row.cells[question.answer],
                text=row.cells[question.text] if question.text else "",
                gold=row.cells[expected].strip() if expected in row.cells else expected,
                seconds=share,
                docno=row.cells[question.docno].strip() if question.docno else "",
                passage=row.cells[question.passage] if question.passage else "",
                hit=hit,
            )
        )
    return answers


def _questions(
    table: Table, columns: Mapping[str, str], gold: Mapping[str, str]
) -> tuple[list[Question], list[str]]:
    checks = [
        Question(answer, place, _twin(table, answer), expected=expected.replace("*", place))
        for pattern, expected in gold.items()
        for answer, place in _fitting(table, pattern)
    ]
    # The whole name of a check is its place, so that no query has the same.
    checks = [
        Question(check.answer, check.answer.removeprefix("Answer."), check.text, "", check.expected)
        for check in checks
    ]
    taken = {check.answer for check in checks}
    if "label" in columns:
        return [*_asked_for(table, columns), *checks], []
    pairs = [
        name
        for name in table.columns
        if name.startswith("Answer.") and _twin(table, name) and name not in taken
    ]
    if columns or not pairs:
        roles, reading_notes = only_question(table, taken, columns)
        return [*_asked_for(table, roles), *checks], reading_notes
    # The header lists the answers as text (1, 10, 2) and the inputs as the requester wrote them.
    pairs.sort(key=lambda name: table.columns.index(_twin(table, name)))
    queries = [name for name in pairs if not CHECK.search(name)]
    if not queries:
        roles, reading_notes = only_question(table, taken, columns)
        return [*_asked_for(table, roles), *checks], reading_notes
    notes = [_said("Read as queries", queries)]
    if left := [name for name in pairs if name not in queries]:
        notes.append(_said("Left out, because their names say that they check the worker", left))
    if other := [
        name
        for name in table.columns
        if name.startswith("Answer.") and name not in {*pairs, *taken, *table.parts}
    ]:
        notes.append(_said("Left out, because no Input column has their name", other))
    questions = [
        Question(name, name.removeprefix("Answer."), _twin(table, name)) for name in queries
    ]
    return [*questions, *checks], notes


def _said(what: str, names: Sequence[str]) -> str:
    return f"{what}: {', '.join(names)}."


def _twin(table: Table, answer: str) -> str:
    """The Input column of the same name, or ""."""
    name = answer.replace(f"{TASK_ANSWERS}.", "Answer.", 1).replace("Answer.", "Input.", 1)
    return name if name in table.columns else ""


def _asked_for(table: Table, columns: Mapping[str, str]) -> list[Question]:
    if unknown := sorted(set(columns) - set(ROLES)):
        raise InputError(
            f"no column of Mechanical Turk's results is a {unknown[0]!r}.",
            remedy=f"A column may be {', '.join(ROLES)}.",
        )
    columns = completed(table, columns)
    questions = []
    for answer, place in _matching(table, columns["label"]):
        names = [columns.get(role, "").replace("*", place) for role in _INPUTS]
        table.need(*filter(None, names))
        questions.append(Question(answer, place, *names))
    return questions


def _matching(table: Table, pattern: str) -> list[tuple[str, str]]:
    """The columns that fit `pattern`, at least one, each with what its `*` stands for."""
    fitting = _fitting(table, pattern)
    if not fitting:
        raise InputError(
            f"has no column like {pattern!r}; it has {_alike(table, pattern)}.",
            path=table.path,
            line=1,
            remedy="Name one of its columns, or several with one * in their place.",
        )
    return fitting


def _check_gold(tables: Sequence[Table], gold: Mapping[str, str]) -> None:
    """Raise `InputError` for a pattern of check answers that no file has."""
    for pattern in gold:
        if not any(_fitting(table, pattern) for table in tables):
            _matching(tables[0], pattern)


def _fitting(table: Table, pattern: str) -> list[tuple[str, str]]:
    """The columns like `pattern`, each with what its `*` stands for, in natural order.

    The `*` stands for at least one character, or for none if only such a column fits.
    """
    if pattern.endswith(".*") and is_whole(table, pattern.removesuffix(".*")):
        return [(pattern.removesuffix(".*"), "")]
    if pattern == TASK_ANSWERS and TASK_ANSWERS in table.parts:
        return [(answer_of(table, columns_of_answers(table, set(), TASK_ANSWERS + ".")), "")]
    before, star, after = pattern.partition("*")
    places = [
        (name, name[len(before) : len(name) - len(after)])
        for name in table.columns
        if star
        and name not in table.parts
        and name.startswith(before)
        and name.endswith(after)
        and len(name) > len(before) + len(after)
    ]
    if not places and before + after in table.columns:
        return [(before + after, "")]
    return sorted(places, key=lambda pair: (not pair[1].isdecimal(), len(pair[1]), pair[1]))


def _alike(table: Table, pattern: str) -> str:
    """The columns of the pattern's kind, `Answer.` or `Input.`; all where there are none."""
    kind = pattern.partition(".")[0] + "."
    whole = [name for name in table.columns if name not in table.parts]
    return ", ".join([name for name in whole if name.startswith(kind)] or whole)
