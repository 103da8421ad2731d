"""What each kept file of votes and of labels of models gives: the record beside it.

Run as a module, it writes the record anew, for a change that is meant.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.prolific.submission_list import read_submissions
from annotation.schemes import built_in_scheme
from annotation.schemes.released import options_of
from annotation.vocabulary import CATEGORY_QUESTION
from metrics.errors import InputError
from metrics.votes.files.answers import Answer
from metrics.votes.files.label_files import read_model_labels
from metrics.votes.files.people import Choice
from metrics.votes.files.reader import read_votes

HERE = Path(__file__).parent
CASES, EXPORTS = HERE / "cases", HERE / "exports"
RECORD = HERE / "pins.json"
WORDS = {"Female": "f", "Male": "m", "Non-gendered": "n", "Other or multiple genders": "o",
         "I cannot tell": "u"}  # fmt: skip
PEOPLE = ("ann", "bob", "cem")

#: Options beside none at all, by the file.
OPTIONS: dict[str, dict[str, Any]] = {
    "wide_capitals.csv": {"labels": {"F": "f"}},
    "wide_num.csv": {"labels": {"1": "f", "2": "m", "0": "n"}},
    "toloka.tsv": {
        "columns": {
            "query_id": "INPUT:qid",
            "query": "INPUT:text",
            "label": "OUTPUT:result",
            "worker": "ASSIGNMENT:worker_id",
        },
    },
    "task_answers.csv": {"columns": {"label": "Answer.taskAnswers.gender"}},
    "on.csv": {"labels": {"female": "f", "male": "m"}},
    "missing.csv": {"labels": {"None": ""}},
    "h_gender_n.csv": {"choice": Choice(people=("gender_1", "gender_2", "gender_3"))},
    "label_studio.csv": {"columns": {"label": "gender"}},
    "label_studio_min.json": {"columns": {"label": "gender"}},
}


def files_of_votes() -> list[list[Path]]:
    alone = sorted(path for path in [*CASES.iterdir(), *EXPORTS.iterdir()]
                   if path.suffix in {".csv", ".tsv", ".json", ".jsonl"})  # fmt: skip
    together = [[CASES / f"ls_store{at}.json" for at in (1, 2)],
                [EXPORTS / "doccano" / f"{one}.jsonl" for one in PEOPLE],
                [EXPORTS / "potato" / f"{one}.json" for one in PEOPLE]]  # fmt: skip
    return [*([path] for path in alone), *together]


def outcome(read: Callable[[], Iterator[str]]) -> list[str]:
    try:
        return list(read())
    except InputError as error:
        return [f"refused: {error}".replace(f"{error.path}", Path(str(error.path)).name)]


def votes(paths: list[Path], **options: Any) -> Iterator[str]:
    terms = {"columns": {}, "labels": {}, "gold": {}, **options}
    terms["labels"] = WORDS | terms["labels"]
    found = read_votes(paths, **terms)
    yield from (f"{kind}: {_line(one)}" for kind, of in (
        ("vote", found.votes), ("cannot tell", found.cannot_tell), ("repeated", found.repeated),
    ) for one in of)  # fmt: skip
    yield from (f"{none.reason}: {_line(none.answer)}" for none in found.set_aside)
    yield from (f"model: {' | '.join(map(str, one))}" for one in found.models)
    yield from (f"note: {note}" for note in found.notes)


def _line(one: Answer) -> str:
    told = (one.qid, one.worker, one.answer, one.gold, one.seconds, one.answered_at, one.line)
    return " | ".join("" if value is None else str(value) for value in told)


def models(path: Path) -> Iterator[str]:
    question = built_in_scheme(CATEGORY_QUESTION).questions[0]
    found = read_model_labels(path, options=options_of(question))
    yield from (" | ".join(map(str, one)) for one in found.labels)
    yield from (f"note: {note}" for note in found.notes)


def submissions(path: Path) -> Iterator[str]:
    for one in read_submissions(path):
        yield " | ".join(one)


def recorded() -> Iterator[tuple[str, list[str]]]:
    for paths in files_of_votes():
        name = " ".join(path.relative_to(HERE).as_posix() for path in paths)
        yield f"votes {name}", outcome(lambda paths=paths: votes(paths))  # type: ignore[misc]
        if options := OPTIONS.get(paths[0].name):
            chosen = lambda paths=paths, options=options: votes(paths, **options)  # noqa: E731
            yield f"votes {name}, as chosen", outcome(chosen)
    for path in [*sorted((CASES / "models").iterdir()), EXPORTS / "label_studio.json"]:
        name = path.relative_to(HERE).as_posix()
        yield f"models {name}", outcome(lambda path=path: models(path))  # type: ignore[misc]
    for name in ("prolific.csv", "api.csv", "semionly.csv", "symmetric.csv"):
        yield f"submissions {name}", outcome(lambda name=name: submissions(CASES / name))  # type: ignore[misc]


FOUND = dict(recorded())


@pytest.mark.parametrize("name", FOUND)
def test_a_kept_file_is_read_as_recorded(name: str) -> None:
    assert FOUND[name] == json.loads(RECORD.read_text())[name]


def test_every_record_is_that_of_a_file() -> None:
    assert set(json.loads(RECORD.read_text())) == set(FOUND)


if __name__ == "__main__":
    RECORD.write_text(json.dumps(FOUND, indent=0, ensure_ascii=False) + "\n")
