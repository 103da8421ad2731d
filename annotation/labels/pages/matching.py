"""Matching of the columns of vote files, and of their answers with categories."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from annotation.labels.operations.votes_read import asked_question, words_of
from annotation.schemes import CANNOT_TELL_WORDS, Scheme
from annotation.schemes.released import options_of
from metrics.errors import InputError
from metrics.votes.files.columns import (
    ColumnGroup,
    column_groups,
    distinct_answers,
    roles_of,
    usual_columns,
)
from metrics.votes.files.meanings import suggested_option
from metrics.votes.files.people import NOTHING_CHOSEN, Choice
from metrics.votes.files.plain import NEEDED
from metrics.votes.files.reader import FileAnswers, VoteTables, read_answers
from metrics.votes.files.table import Table

_LEFT_OUT = "-"
_ROLES = {
    "query_id": "Query id",
    "worker": "Worker",
    "label": "Answer",
    "query": "Query text",
    "gold": "Gold answer",
    "seconds": "Seconds",
    "answered_at": "Answered at",
    "docno": "Passage id",
    "passage": "Passage text",
}
#: Most different answers of labels, and most columns of a table of votes.
_MOST_ANSWERS = 50
_MOST_COLUMNS = 300


def field_of(what: str, name: str) -> str:
    """Return the name of the form field for a column or an answer."""
    return f"{what}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"


class Matching(forms.Form):
    """The fields for one upload: of columns, of expected answers, and of the answers found.

    Fields missing in `form_data` have the values that the files suggest, so that the first preview
    needs no choice. `problem` says why the answers cannot be read as matched. `choice` is that of
    columns of people. `question` is the only one of `scheme`; left out, that for the categories.
    """

    def __init__(
        self,
        form_data: Mapping[str, Any],
        files: VoteTables,
        scheme: Scheme | None = None,
        choice: Choice = NOTHING_CHOSEN,
    ) -> None:
        self.question = asked_question(scheme)
        self.options = options_of(self.question)
        self._words = words_of(scheme)
        self._options = [
            ("", "Choose"),
            *((code, self.question.words([code])) for code in self.question.codes),
            (self.options.cannot_tell, CANNOT_TELL_WORDS),
            (_LEFT_OUT, "Leave out"),
        ]
        self.choice = choice
        tables = files.tables
        self.vote_files = files
        self.is_results = files.are_results
        self.groups = column_groups(files)
        self.n_rows = sum(len(table.rows) for table in tables)
        self.answers: FileAnswers | None = None
        self.problem: InputError | None = None
        if len(self.groups) > _MOST_COLUMNS:
            raise InputError(
                f"has {len(self.groups):,} columns; at most {_MOST_COLUMNS} are read.",
                path=tables[0].path,
                remedy="Is this a table of votes?",
            )
        usual = {f"column-{role}": name for role, name in usual_columns(files).items()}
        super().__init__({**usual, **{name: form_data[name] for name in form_data}})
        self.fields["layout"] = forms.ChoiceField(
            choices=[(layout.name, layout.title) for layout in files.possible],
            required=False,
            label="Read as",
        )
        self.data = {**self.data, "layout": files.format.name}
        self._add_columns()
        try:
            self.answers = read_answers(files, columns=self.columns, gold=self.gold)
            self._add_answers(self.answers, tables)
        except InputError as error:
            self.answers, self.problem = None, error

    @property
    def columns(self) -> dict[str, str]:
        """Choices of columns as `read_answers` takes them, without those that no file has."""
        chosen = {name.removeprefix("column-"): self.data.get(name, "") for name in self._columns}
        return {
            role: pattern
            for role, pattern in chosen.items()
            if pattern in {group.pattern for group in self.groups}
        }

    @property
    def gold(self) -> dict[str, str]:
        """The expected answers, by the pattern of their columns."""
        expected = {
            group.pattern: str(self.data.get(name, "")).strip()
            for group, name in self._expected.items()
        }
        return {
            pattern: answer
            for pattern, answer in expected.items()
            if answer and pattern != self.columns.get("label")
        }

    @property
    def labels(self) -> dict[str, str]:
        """Categories by answer; "" leaves an answer out."""
        return {
            answer: "" if code == _LEFT_OUT else code
            for name, answer in self._answers.items()
            if (code := self.data.get(name, "")) in dict(self._options) and code
        }

    @property
    def left_out(self) -> dict[str, str]:
        """The answers that somebody left out, as a mapping to nothing."""
        return {answer: code for answer, code in self.labels.items() if not code}

    @property
    def is_complete(self) -> bool:
        """True if every answer of the files has its category."""
        return self.answers is not None and len(self.labels) == len(self._answers)

    @property
    def layout_field(self) -> forms.BoundField | None:
        """The choice among formats, where the files could be read in several ways."""
        return self["layout"] if len(self.vote_files.possible) > 1 else None

    @property
    def people(self) -> list[tuple[str, bool, str, str]]:
        """Columns that may be people: whether each is read as one, and its two fields."""
        table = self.vote_files.tables[0]
        columns = [(name, True) for name in table.people]
        columns += [(name, False) for name in table.others]
        return [
            (name, is_person, field_of("person", name), field_of("shown", name))
            for name, is_person in columns
        ]

    @property
    def column_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self._columns]

    @property
    def answer_rows(self) -> list[tuple[str, int, forms.BoundField]]:
        """Each answer of the files, how often it is given, and its field."""
        return [
            (answer, self._counts[answer], self[name]) for name, answer in self._answers.items()
        ]

    @property
    def gold_rows(self) -> list[tuple[ColumnGroup, forms.BoundField]]:
        """The columns that may be gold questions, each with the field of what is expected."""
        label = self.columns.get("label")
        return [
            (group, self[name]) for group, name in self._expected.items() if group.pattern != label
        ]

    def _add_columns(self) -> None:
        patterns = [group.pattern for group in self.groups]
        self._columns = []
        for role in roles_of(self.vote_files):
            among, none = patterns, "None"
            if self.is_results:
                kind = "Answer." if role == "label" else "Input."
                among = [pattern for pattern in patterns if pattern.startswith(kind)]
                none = _NOT_SAID.get(role, none)
            elif role in NEEDED:
                none = "Choose"
            name = f"column-{role}"
            self.fields[name] = forms.ChoiceField(
                choices=[("", none), *((column, column) for column in among)],
                required=False,
                label=_ROLES[role],
            )
            self._columns.append(name)
        self._expected = {
            group: f"expected-{number}"
            for number, group in enumerate(self.groups)
            if self.is_results and group.pattern.startswith("Answer.")
        }
        for group, name in self._expected.items():
            self.fields[name] = forms.CharField(
                required=False, label=f"Expected answer of {group.pattern}"
            )

    def _add_answers(self, read: FileAnswers, tables: Sequence[Table]) -> None:
        self._counts = distinct_answers([*read.answers, *read.models])
        if len(self._counts) > _MOST_ANSWERS:
            raise InputError(
                f"the answers have {len(self._counts):,} different values.",
                path=tables[0].path,
                remedy="Match the column that holds the label.",
            )
        self._answers = {}
        data = dict(self.data)
        for answer in self._counts:
            name = field_of("label", answer)
            self._answers[name] = answer
            data.setdefault(name, self._suggested(answer))
            self.fields[name] = forms.ChoiceField(
                choices=self._options,
                required=False,
                label=f"Category of {answer}",
                # The browser requires it for the import, not for a preview.
                widget=forms.Select(attrs={"required": True}),
            )
        self.data = data

    def _suggested(self, answer: str) -> str:
        """The option that the answer says by itself; "" where a person has to say it."""
        word = answer.strip()
        code = self._words.get(word, self._words.get(word.lower(), word))
        return code if code in dict(self._options) else suggested_option(self.options, word)


#: Explanation for results of Mechanical Turk without matched columns.
_NOT_SAID = {
    "label": "All beside an Input",
    "query_id": "HIT and place",
}
