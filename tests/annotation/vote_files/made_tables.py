"""Tables of votes made at random, with the votes that were put in, and how they are read.

Run as a module with a number, it makes so many and prints what is wrong and how much is asked.
"""

import csv
import io
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from metrics.errors import InputError
from metrics.votes.files.reader import read_votes


def words(*lines: str) -> tuple[str, ...]:
    return tuple(word for line in lines for word in line.split())


#: First names of several countries, some of which are words as well.
FIRST_NAMES = words(
    "anna bob cyd dora emil fatima george hana ivan julia kofi lena mehmet nora oscar priya",
    "quentin rosa samir tina ulrich vera wei xenia yusuf zoe peter alexander ahmed charity fred",
    "grace hope olga pablo ruth sofia tomas ursula victor wanda mary james claude bert amira",
    "bjorn chiara deniz elif farid giulia hugo isla joao katarina luca maya niko omar petra",
    "rahul sven tariq umut viktor wilma yara zofia ali beatriz chen dmitri esra femi gloria",
)
NUMBERED = ("annotator{}", "rater_{}", "r{}", "Coder {}", "worker-{}", "human{}_label", "label_{}")
#: Columns of nobody with answers in them, and those with something else.
RESULTS = words(
    "majority gold predicted consensus final_label truth curated ensemble winner aggregated",
    "reference model prediction adjudicated verdict selected clf",
)
OTHERS = {
    "lang": ("en", "de"), "split": ("train", "dev"), "n_votes": ("2", "3"), "length": ("12", "7"),
    "agreement": ("0.5", "1.0"), "comment": ("so, so", ""), "date": ("2024-01-01", "2024-01-02"),
    "price": ("3", "4"), "source": ("web", "log"), "topic": ("work", "home"),
}  # fmt: skip
IDS = ("query_id", "qid", "item_id", "task")
PEOPLE_IDS = ("worker", "annotator", "respondent", "ResponseId", "participant_id")
WORDS = (("f", "m", "o"), ("Female", "Male", "Other"), ("yes", "no", "both"))
QUESTIONS = ("gender", "stance", "bias")
Vote = tuple[str, str, str]


@dataclass
class Made:
    """A table as a file has it, what its words mean, and the votes of each question in it."""

    what: str
    content: bytes
    labels: dict[str, str]
    votes: list[set[Vote]] = field(default_factory=list)


def made(seed: int) -> Made:
    """The table of a seed."""
    rng = random.Random(seed)
    answers = rng.choice(WORDS)
    shape = rng.choices(("long", "columns", "rows"), (3, 5, 2))[0]
    n_questions = rng.choices((1, 2, 3), (93, 5, 2))[0]
    named = rng.random() < 0.5
    n_people = rng.randint(2, 5)
    if named:
        people = rng.sample(FIRST_NAMES, n_people)
    else:
        pattern = rng.choice(NUMBERED)
        people = [pattern.format(at) for at in range(1, n_people + 1)]
    ids = _ids(rng)
    said = [
        {(qid, person): rng.choice(answers) for qid in ids for person in people
         if rng.random() < 0.9}
        for _ in range(n_questions)
    ]  # fmt: skip
    table = {"long": _long, "columns": _columns, "rows": _rows}[shape](
        rng, ids, people, said, answers
    )
    labels = dict(zip(answers, "fmo", strict=True))
    votes = [
        {(_whole(qid), person, labels[word]) for (qid, person), word in of.items()} for of in said
    ]
    what = f"{shape}, {n_questions} questions, {'names' if named else 'numbers'}: {table[0]}"
    return Made(what, _written(rng, table), labels, votes)


def _ids(rng: random.Random) -> list[str]:
    kind = rng.choice(("text", "number", "float"))
    numbers = rng.sample(range(1, 900), rng.randint(4, 12))
    return [{"text": f"q{at}x", "number": f"{at}", "float": f"{at}.0"}[kind] for at in numbers]


def _whole(qid: str) -> str:
    return qid.removesuffix(".0")


def _long(
    rng: random.Random, ids: list[str], people: list[str], said: list[dict[tuple[str, str], str]],
    _answers: tuple[str, ...],
) -> list[list[str]]:  # fmt: skip
    names = ["label"] if len(said) == 1 else list(QUESTIONS[: len(said)])
    others = rng.sample(sorted(OTHERS), rng.randint(0, 2))
    header = [rng.choice(IDS), rng.choice(("worker", "annotator", "rater")), *names, *others]
    rows = [
        [qid, person, *(of.get((qid, person), "") for of in said),
         *(rng.choice(OTHERS[name]) for name in others)]
        for qid in ids for person in people
    ]  # fmt: skip
    return [header, *rows]


def _columns(
    rng: random.Random, ids: list[str], people: list[str], said: list[dict[tuple[str, str], str]],
    answers: tuple[str, ...],
) -> list[list[str]]:  # fmt: skip
    others = rng.sample(sorted(OTHERS), rng.randint(0, 2))
    results = rng.sample(RESULTS, rng.choice((0, 0, 1)))
    cells = {
        (person if len(said) == 1 else f"{QUESTIONS[at]}_{person}"): [
            of.get((qid, person), "") for qid in ids
        ]
        for at, of in enumerate(said)
        for person in people
    }
    cells |= {name: [rng.choice(OTHERS[name]) for _ in ids] for name in others}
    cells |= {name: [rng.choice(answers) for _ in ids] for name in results}
    names = list(cells)
    rng.shuffle(names)
    rows = [[qid, *(cells[name][at] for name in names)] for at, qid in enumerate(ids)]
    return [[rng.choice(IDS), *names], *rows]


def _rows(
    rng: random.Random,
    ids: list[str],
    people: list[str],
    said: list[dict[tuple[str, str], str]],
    _answers: tuple[str, ...],
) -> list[list[str]]:
    del said[1:]
    pattern = rng.choice(("q{}", "Q{}", "item_{}", "question {}"))
    names = {qid: pattern.format(at) for at, qid in enumerate(ids, 1)}
    rows = [[person, *(said[0].get((qid, person), "") for qid in ids)] for person in people]
    # No id has a blank.
    ids_of = {qid: name.replace(" ", "_") for qid, name in names.items()}
    said[0] = {(ids_of[qid], person): word for (qid, person), word in said[0].items()}
    return [[rng.choice((*PEOPLE_IDS, "name")), *names.values()], *rows]


def _written(rng: random.Random, table: list[list[str]]) -> bytes:
    mark = rng.choice(",,\t;")
    text = io.StringIO()
    quoting: Literal[0, 1] = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    writer = csv.writer(text, delimiter=mark, quoting=quoting,
                        lineterminator=rng.choice(("\n", "\r\n")))  # fmt: skip
    writer.writerows(table)
    begin = f"sep={mark}\n" if mark == ";" and rng.random() < 0.3 else ""
    encoding = rng.choice(("utf-8", "utf-8-sig"))
    return (begin + text.getvalue()).encode(encoding)


def outcome(table: Made, folder: Path) -> str:
    """right, asked, or what is wrong in silence."""
    path = folder / "votes.csv"
    path.write_bytes(table.content)
    try:
        found = read_votes([path], labels=table.labels)
    except InputError as error:
        return "asked" if error.advice() else f"refused: {error}"
    votes = {(one.qid, one.worker, one.answer) for one in found.votes}
    return "right" if votes in table.votes and len(table.votes) == 1 else "wrong"


def outcomes(seeds: range) -> Iterator[tuple[int, str, Made]]:
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            table = made(seed)
            yield seed, outcome(table, Path(folder)), table


if __name__ == "__main__":
    counts: Counter[str] = Counter()
    for seed, result, table in outcomes(range(int(sys.argv[1]))):
        counts[result.partition(":")[0]] += 1
        if result != "right":
            print(seed, result, table.what)  # noqa: T201
    print(counts)  # noqa: T201
