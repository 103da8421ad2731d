"""An answer that was written from retrieved documents: its sentences, and what they cite."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

#: The longest list of references that the tracks allow.
MOST_REFERENCES = 100
#: Oddities that are counted, and how a notice names them.
ODDITIES: Mapping[str, str] = {
    "outside_list": "citations of a document that the retrieved list does not have",
    "outside": "citations of a document that is not among the references of its answer",
    "out_of_range": "citations by a number that the references do not have, left out",
    "uncited": "answers without any citation",
    "empty": "answers without a word",
    "repeated": "answers to a query that the system had answered before, left out",
    "long": f"answers with more than {MOST_REFERENCES} references",
    "twice": "references that occur twice in one answer",
    "tags": "answers that hold HTML tags, whose letters count as words",
}


@dataclass(frozen=True)
class Sentence:
    """A sentence of an answer, with the ids of the documents that it cites, each once."""

    text: str
    citations: tuple[str, ...] = ()

    @property
    def n_words(self) -> int:
        """The number of its words: what stands between blanks, a full stop alone as well."""
        return len(self.text.split())


@dataclass(frozen=True)
class Answer:
    """The answer of a system to one query.

    `references` are the documents that it says it used, in its order and each once; `oddities`
    counts what has a rule and so is not an error, by the names of `ODDITIES`.
    """

    qid: str
    sentences: tuple[Sentence, ...]
    references: tuple[str, ...] = ()
    system: str = ""
    oddities: Mapping[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Its sentences, with a blank between them."""
        return " ".join(sentence.text for sentence in self.sentences)

    @property
    def cited(self) -> list[str]:
        """The documents that it cites, each once, in the order of their first citation."""
        cited = (docno for sentence in self.sentences for docno in sentence.citations)
        return list(dict.fromkeys(cited))


@dataclass(frozen=True, eq=False)
class Answers(Mapping[str, Answer]):
    """The answers of one system by query, in the order of their file, and what was odd in them."""

    name: str
    by_query: Mapping[str, Answer]
    oddities: Mapping[str, int] = field(default_factory=dict)

    def __getitem__(self, qid: str) -> Answer:
        return self.by_query[qid]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_query)

    def __len__(self) -> int:
        return len(self.by_query)

    def __repr__(self) -> str:
        return f"<Answers {self.name}: {len(self):,} queries>"


def notices_of(name: str, oddities: Mapping[str, int]) -> list[str]:
    """A sentence for each kind of oddity of a system, in the order of `ODDITIES`."""
    return [
        f"{name}: {oddities[kind]:,} {words}."
        for kind, words in ODDITIES.items()
        if oddities.get(kind)
    ]


class FirstAnswers:
    """The rule for several answers of a system to one query: the first stands.

    `counts` has the oddities of those that stand, and the number of others as `repeated`.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._qids: set[str] = set()

    def has(self, answer: Answer) -> bool:
        """Count the answer; return whether it stands."""
        if answer.qid in self._qids:
            self.counts["repeated"] += 1
            return False
        self._qids.add(answer.qid)
        self.counts.update(answer.oddities)
        return True


def gathered(answers: Iterable[Answer]) -> list[Answers]:
    """The answers by system, in their order; of several to one query the first."""
    by_system: dict[str, dict[str, Answer]] = {}
    firsts: dict[str, FirstAnswers] = {}
    for answer in answers:
        kept = by_system.setdefault(answer.system, {})
        if firsts.setdefault(answer.system, FirstAnswers()).has(answer):
            kept[answer.qid] = answer
    return [Answers(name, kept, firsts[name].counts) for name, kept in by_system.items()]
