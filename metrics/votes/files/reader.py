"""Reading files of votes of any program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ...errors import InputError
from ...io.ids import spreadsheet_text
from ...modules import defined_in
from ...remedies import Remedy
from . import mturk_results, plain
from .answers import Answer, NoVote, Votes, mapped
from .content import VoteFile
from .import_format import ImportFormat
from .model_labels import mapped_models
from .options import CATEGORY_OPTIONS, Options
from .people import NOTHING_CHOSEN, Choice
from .table import Table

NOTHING_SAID: Mapping[str, str] = MappingProxyType({})
IMPORT_FORMATS = defined_in(f"{__package__}.formats", ImportFormat)


@dataclass(frozen=True)
class VoteTables:
    """The files of one batch as tables, all of one format, and the formats that they could be."""

    format: ImportFormat
    tables: Sequence[Table]
    possible: Sequence[ImportFormat]

    @property
    def are_results(self) -> bool:
        """True if the files are read as results of Mechanical Turk."""
        return self.format.name == "mturk"

    @property
    def said(self) -> list[str]:
        """Notes on how the files were read."""
        notes = dict.fromkeys(note for table in self.tables for note in table.notes)
        return [f"Read as: {self.format.title}.", *notes]

    @property
    def usual(self) -> dict[str, str]:
        """The columns whose roles the format knows; the first file that has one decides."""
        return {role: name for table in reversed(self.tables) for role, name in table.usual.items()}


class FileAnswers(NamedTuple):
    """Answers in the words of the files, those that cannot count, and notes on the reading.

    `models` are answers of programs, by the name of each as the worker.
    """

    answers: list[Answer]
    apart: list[NoVote]
    notes: list[str]
    models: Sequence[Answer] = ()


def read_tables(
    paths: Sequence[str | Path],
    layout: str = "",
    choice: Choice = NOTHING_CHOSEN,
    columns: Mapping[str, str] = NOTHING_SAID,
) -> VoteTables:
    """The tables of vote files of one format: of `layout`, else the one that their content says.

    A person's choices override the content: `layout`; people (in a `choice`) mean one column per
    person; `columns` of a worker or a label mean one vote per line. Raises `InputError` for a file
    of another format, and for several files of one that has one.
    """
    choice = choice._replace(query_id=columns.get("query_id", ""))
    files = [VoteFile(path, choice) for path in paths]
    of_each = [_formats_of(file) for file in files]
    recognised = _in_all(of_each)
    possible = [*recognised, *_in_all([_fitting(file) for file in files])]
    layout_name = layout or ("wide" if choice.people else "")
    if layout_name:
        recognised = [format_ for format_ in possible if format_.name == layout_name]
    elif _are_there(files[0], columns):
        recognised = [format_ for format_ in recognised if format_.name != "wide"]
    if not recognised:
        raise _no_format(files, of_each, layout_name)
    of = recognised[0]
    if len(files) > 1 and not of.in_several_files:
        several = (format_.title for format_ in IMPORT_FORMATS.values() if format_.in_several_files)
        raise InputError(
            f"votes as {of.title!r} have to be in one file.",
            path=files[1].path,
            remedy=f"Import each file as a batch of its own. Several may be: {', '.join(several)}.",
        )
    possible = [format_ for format_ in IMPORT_FORMATS.values() if format_ in possible]
    tables = [of.read(file) for file in files]
    for table in tables:
        if not table.problem and all(row.model for row in table.rows):
            raise InputError(
                "holds no answer of a person.",
                path=table.path,
                remedy="Export the annotations, not the tasks alone; labels of models are imported "
                "on the page Models of a study.",
            )
    return VoteTables(of, tables, possible)


def _are_there(file: VoteFile, columns: Mapping[str, str]) -> bool:
    """Return whether the table as it stands has the named worker or label column."""
    named = {columns[role] for role in ("worker", "label") if role in columns}
    return bool(named) and not file.is_json and named <= set(file.table.columns)


def _in_all(of_each: Sequence[Sequence[ImportFormat]]) -> list[ImportFormat]:
    return [format_ for format_ in of_each[0] if all(format_ in others for others in of_each)]


def _formats_of(file: VoteFile) -> list[ImportFormat]:
    return [format_ for format_ in IMPORT_FORMATS.values() if format_.recognises(file)]


def _fitting(file: VoteFile) -> list[ImportFormat]:
    return [format_ for format_ in IMPORT_FORMATS.values() if format_.fits(file)]


def _no_format(
    files: Sequence[VoteFile], of_each: Sequence[Sequence[ImportFormat]], layout: str
) -> InputError:
    for file, formats in zip(files, of_each, strict=True):
        fitting = [format_ for format_ in formats if layout in ("", format_.name)]
        if not fitting:
            problem = (
                f"does not have the layout of {layout}"
                if layout
                else "does not have the layout of a known export"
            )
            return InputError(
                f"{problem} of votes.",
                path=file.path,
                line=1,
                remedy=f"Known are: {', '.join(known.title for known in IMPORT_FORMATS.values())}.",
            )
    return InputError(
        f"has another layout than {Path(files[0].path).name}.",
        path=next(f.path for f, of in zip(files, of_each, strict=True) if of[0] != of_each[0][0]),
        remedy="Import the files of each program as a batch of its own.",
    )


def read_answers(
    files: VoteTables, *, columns: Mapping[str, str], gold: Mapping[str, str]
) -> FileAnswers:
    """The answers of one batch. Several tables of Mechanical Turk's results are oldest first.

    Raises `InputError` with file and line, also for a second answer of a worker to a query where
    the format does not allow it.
    """
    tables = files.tables
    if problem := next((table.problem for table in tables if table.problem), None):
        raise problem
    if files.are_results:
        return FileAnswers(*mturk_results.read_results(tables, columns, gold))
    if gold:
        raise InputError(
            "expected answers are of answer columns of Mechanical Turk's results.",
            path=tables[0].path,
            remedy="Put those of gold questions in a column of their own, with the role gold.",
        )
    answers: list[Answer] = []
    apart: list[NoVote] = []
    models: list[Answer] = []
    notes: list[str] = []
    for table in tables:
        read, table_notes = plain.read_plain(table, _columns_in(table, tables, columns))
        for row, answer in zip(table.rows, read, strict=True):
            if row.apart:
                apart.append(NoVote(answer, row.apart))
            else:
                (models if row.model else answers).append(answer)
        notes += [*table.notes, *table_notes]
    if not files.format.keeps_repeats:
        _check_repeats(answers, tables)
    return FileAnswers(answers, apart, notes, models)


def _columns_in(
    table: Table, tables: Sequence[Table], columns: Mapping[str, str]
) -> dict[str, str]:
    """Leave out optional columns that only another file has."""
    elsewhere = {name for other in tables for name in other.columns} - set(table.columns)
    return {
        role: name
        for role, name in columns.items()
        if role in plain.NEEDED or name not in elsewhere
    }


def _check_repeats(answers: Sequence[Answer], tables: Sequence[Table]) -> None:
    first: dict[tuple[str, str], Answer] = {}
    for answer in answers:
        before = first.setdefault((answer.qid, answer.worker), answer)
        if before is not answer:
            where = f"{Path(before.path).name}:{before.line}"
            remedies = _telling_apart(answers, tables) if len(tables) == 1 else []
            raise answer.error(
                f"a second answer of {answer.worker!r} to the query {answer.qid!r}, after {where}"
                + (f" (record {before.record})." if before.record else "."),
                "" if remedies else "Another column may be the worker or the query's id.",
                remedies=remedies,
            )


def _telling_apart(answers: Sequence[Answer], tables: Sequence[Table]) -> list[Remedy]:
    """The columns by which no worker answers a query twice: as its id, or as the worker."""
    table = tables[0]
    taken = {name for role, name in table.usual.items() if role in {"query_id", "worker", "label"}}
    free = [name for name in table.columns if name not in taken]
    rows = [row for row in table.rows if not row.model and not row.apart]
    of_role = {
        role: [
            name for name in free
            if len({(key, row.cells.get(name, "")) for key, row in zip(keys, rows, strict=True)})
            == len(rows) and all(len(row.cells.get(name, "").split()) == 1 for row in rows)
        ]
        for role, keys in (
            ("query_id", [answer.worker for answer in answers]),
            ("worker", [answer.qid for answer in answers]),
        )
    }  # fmt: skip
    return [
        remedy
        for role, names in of_role.items()
        for remedy in plain.columns_offered(
            f"if that is the {role.removesuffix('_id')}", role, names
        )
    ]


def votes_of(read: FileAnswers, *, options: Options, labels: Mapping[str, str]) -> Votes:
    """The answers as votes; `InputError` for one that is neither mapped nor a category."""
    votes = mapped(read.answers, labels=labels, options=options)
    votes.models, notes = mapped_models(read.models, labels=labels, options=options)
    votes.set_aside = [*read.apart, *votes.set_aside]
    ids = dict.fromkeys(answer.qid for answer in read.answers)
    changed = [text for text in [spreadsheet_text("queries of the votes", ids)] if text]
    votes.notes = [*read.notes, *notes, *changed]
    return votes


def read_votes(
    paths: Sequence[str | Path],
    *,
    options: Options = CATEGORY_OPTIONS,
    columns: Mapping[str, str] = NOTHING_SAID,
    labels: Mapping[str, str] = NOTHING_SAID,
    gold: Mapping[str, str] = NOTHING_SAID,
    layout: str = "",
    choice: Choice = NOTHING_CHOSEN,
) -> Votes:
    """The votes of one batch; see `read_answers` for the files, `mapped` for the labels."""
    words = frozenset({*labels, *options.answers})
    tables = read_tables(paths, layout, choice._replace(words=words), columns)
    read = read_answers(tables, columns=columns, gold=gold)
    return votes_of(read, options=options, labels=labels)
