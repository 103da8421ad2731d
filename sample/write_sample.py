"""Write the sample study from its hand-written material: `python -m sample.write_sample`.

    collection.tsv   docno<TAB>text: short passages
    queries.tsv      qid<TAB>text
    truth.csv        qid,query,label: the true category, in the layout of released label files
    qrels.txt        qid 0 docno grade: 2 for the facet that was asked about, 1 for its subject

The same material and seed give the same bytes on every machine.
"""

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from metrics.io.files import write_text
from sample.material import GENDERS, Facet, Subject, read_subjects
from sample.people import TOWNS, cast

SEED = 2020
PASSAGES_PER_FACET = 16
SHORTEST, LONGEST = 30, 80  # words of a passage
_CHOICE = re.compile(r"\[([^\]]+)\]")


@dataclass(frozen=True)
class Passage:
    subject: str
    facet: str
    text: str


def write_sample(folder: Path, seed: int = SEED) -> None:
    """Write the four files into `folder`, each whole or not at all."""
    subjects = read_subjects()
    passages = [
        # A subject draws its own random numbers, so that a new one leaves the others as they are.
        passage
        for subject in subjects
        for passage in subject_passages(subject, Random(f"{seed}:{subject.name}"))
    ]
    Random(f"{seed}:docnos").shuffle(passages)
    documents = [(f"d{number:04}", passage) for number, passage in enumerate(passages, start=1)]
    facet_queries = [
        (subject.name, facet.name, category, text)
        for subject in subjects
        for facet in subject.facets
        for category, text in facet.queries
    ]
    Random(f"{seed}:qids").shuffle(facet_queries)
    queries = [(str(number), *query) for number, query in enumerate(facet_queries, start=1001)]

    def lines(rows: Iterator[str]) -> str:
        return "".join(f"{row}\n" for row in rows)

    write_text(folder / "collection.tsv", lines(f"{d}\t{p.text}" for d, p in documents))
    write_text(folder / "queries.tsv", lines(f"{q}\t{text}" for q, _, _, _, text in queries))
    write_text(folder / "truth.csv", lines(f"{q},{text},{c}" for q, _, _, c, text in queries))
    write_text(
        folder / "qrels.txt",
        lines(
            f"{qid} 0 {docno} {2 if passage.facet == facet else 1}"
            for qid, subject, facet, _, _ in queries
            for docno, passage in documents
            if passage.subject == subject
        ),
    )


def subject_passages(subject: Subject, random: Random) -> Iterator[Passage]:
    """The passages of a subject; no two of a facet say the same things about the same people."""
    for facet in subject.facets:
        seen: set[tuple[str, ...]] = set()
        people = shares(subject.people, random)
        while len(seen) < PASSAGES_PER_FACET:
            sentences = draw_sentences(subject, facet, people[len(seen)], random)
            text = " ".join(
                _CHOICE.sub(lambda m: random.choice(m[1].split("|")), s) for s in sentences
            )
            key = tuple(
                re.sub(r"\W+", " ", _CHOICE.sub("", sentence)) for sentence in sorted(sentences)
            )
            if key not in seen and SHORTEST <= len(text.split()) <= LONGEST:
                seen.add(key)
                yield Passage(subject.name, facet.name, text)


def shares(people: str, random: Random) -> list[str]:
    """Gender of the people in each passage of a facet: the letters of `people`, in proportion."""
    letters = [people[i * len(people) // PASSAGES_PER_FACET] for i in range(PASSAGES_PER_FACET)]
    random.shuffle(letters)
    return letters


def draw_sentences(subject: Subject, facet: Facet, who: str, random: Random) -> list[str]:
    """Sentences of one passage: facts in the order of the material, people before or after."""
    genders = GENDERS[who]
    scenes = random.sample(subject.scenes, len(genders))
    town = random.choice(TOWNS)
    people = [
        cast(scene, gender, town, random) for scene, gender in zip(scenes, genders, strict=True)
    ]
    random.shuffle(people)
    facts = random.sample(range(len(facet.sentences)), random.choice((2, 3, 3, 4)))
    sentences = [facet.sentences[index] for index in sorted(facts)]
    if random.random() < 0.25:  # noqa: PLR2004 - a passage may wander to another side of its subject
        other = random.choice([side for side in subject.facets if side is not facet])
        sentences.append(random.choice(other.sentences))
    return people + sentences if random.random() < 1 / 3 else sentences + people


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output-dir", type=Path, default=Path(__file__).parent)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    write_sample(options.output_dir, options.seed)


if __name__ == "__main__":
    main()
