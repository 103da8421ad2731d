"""Results of Mechanical Turk with one query per HIT, whatever its columns are called."""

import re
from collections.abc import Mapping, Sequence

from ...errors import InputError
from ...remedies import Remedy
from .column_names import is_no_answer, usual_among
from .mturk_answers import TASK_ANSWERS
from .table import Table

#: Names of answers to checks, which are never taken for queries by default.
CHECK = re.compile(r"gold|check|control|ctrl|attention|captcha|honeypot", re.IGNORECASE)
_INPUT, _ANSWER = "Input.", "Answer."
_OFFERED = 8
_NUMBER = re.compile(r"\d+$")


def only_question(
    table: Table, checks: set[str], columns: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Find the columns of the only query of a HIT, beside `columns`; and notes."""
    answer = answer_of(table, columns_of_answers(table, checks))
    roles_of = completed(table, {**columns, "label": answer})
    roles = ", ".join(f"{role} {name}" for role, name in roles_of.items())
    return roles_of, [f"Read as one query per HIT: {roles}."]


def completed(table: Table, columns: Mapping[str, str]) -> dict[str, str]:
    """`columns` with the text and id of the query, where there is one query per HIT."""
    if "*" in columns["label"] and not is_whole(table, columns["label"].removesuffix(".*")):
        return dict(columns)
    inputs = [name for name in table.columns if name.startswith(_INPUT)]
    usual = usual_among(inputs, prefix=_INPUT)
    if "query_id" not in usual and "Input.id" in inputs:
        usual["query_id"] = "Input.id"
    qid = columns.get("query_id", usual.get("query_id", ""))
    texts = [name for name in inputs if name != qid]
    named = {"query": usual.get("query", texts[0] if len(texts) == 1 else "")}
    named["query_id"] = qid if _is_id(table, qid) else ""
    return {role: name for role, name in named.items() if name} | dict(columns)


def columns_of_answers(table: Table, checks: set[str], prefix: str = _ANSWER) -> list[str]:
    """The columns that may be the answer, without checks of the worker and comments."""
    return [
        name
        for name in table.columns
        if name.startswith(prefix)
        and name not in table.parts
        and name not in checks
        and not CHECK.search(name)
        and not is_no_answer(_bare(name))
    ]


def answer_of(table: Table, columns: Sequence[str]) -> str:
    """The only one of the columns, or the one with the usual name of a label; else an error."""
    usual = usual_among([_bare(name) for name in columns]).get("label")
    named = [name for name in columns if _bare(name) == usual]
    if len(columns) == 1 or named:
        return (named or list(columns))[0]
    offered = columns or [name for name in table.columns if name.startswith(_ANSWER)]
    raise InputError(
        "it is not clear which column is the answer.",
        path=table.path,
        line=1,
        remedies=[Remedy("to say which", {"columns": of}) for of in _likely(table, offered)],
        remedy="" if offered else "It has no Answer column.",
    )


def is_whole(table: Table, name: str) -> bool:
    """Return whether the column is an answer composed of the columns of its choices."""
    return name in table.columns and any(part.startswith(f"{name}.") for part in table.parts)


def _likely(table: Table, answers: Sequence[str]) -> list[dict[str, str]]:
    """Mappings to offer: numbered answers beside numbered inputs of as many, else each answer."""
    patterns = list(dict.fromkeys(_NUMBER.sub("*", name) for name in answers))
    inputs = [name for name in table.columns if name.startswith(_INPUT)]
    texts = dict.fromkeys(_NUMBER.sub("*", name) for name in inputs)
    numbered = [name for name in texts if name.endswith("*")]
    if any(name.endswith("*") for name in patterns) and numbered:
        return [
            {"label": pattern, "query": text}
            for pattern in patterns if pattern.endswith("*")
            for text in numbered
        ][:_OFFERED]  # fmt: skip
    return [{"label": name} for name in answers[:_OFFERED]]


def _bare(name: str) -> str:
    return name.removeprefix(f"{TASK_ANSWERS}.").removeprefix(_ANSWER)


def _is_id(table: Table, name: str) -> bool:
    """Return whether every row has one word there."""
    return bool(name) and all(len(row.cells.get(name, "").split()) == 1 for row in table.rows)
