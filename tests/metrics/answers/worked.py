"""Two queries whose chain is worked out by hand: lists, labels, answers and word list."""

from typing import Any

from metrics.answers.chain import Chain, Terms, chain_of
from metrics.answers.groups import groups_of_labels
from metrics.answers.reading import answers_of
from metrics.runs import Run
from metrics.texts.labels import labels_of
from metrics.texts.lexicon import read_lexicon

LISTS = {"q1": ["d1", "d2", "d3", "d4", "d5"], "q2": ["e1", "e2", "e3", "e4"]}
#: d4 has no group.
LABELS = {
    "d1": "m", "d2": "f", "d3": "m", "d5": "f", "e1": "f", "e2": "m", "e3": "m", "e4": "f",
}  # fmt: skip
WORDS = {"f": ["her", "wife", "women"], "m": ["he", "his", "brother"]}
#: One as TREC RAG 2024 has it, one of 2025 with docids.
ANSWERS: list[dict[str, Any]] = [
    {
        "run_id": "A",
        "topic_id": "q1",
        "references": ["d1", "d3", "d2"],
        "answer": [
            {"text": "He was the first president .", "citations": [0, 1]},
            {"text": "His wife ran the farm .", "citations": [2]},
            {"text": "Nothing else is known .", "citations": []},
        ],
    },
    {
        "metadata": {"run_id": "A", "narrative_id": "q2"},
        "references": ["e2", "e1", "e4"],
        "answer": [
            {"text": "The women voted .", "citations": ["e2"]},
            {"text": "Her brother did not .", "citations": ["e1", "e4", "e2"]},
        ],
    },
]


def worked_chain() -> Chain:
    terms = Terms(groups_of_labels(labels_of(LABELS)), lexicon=read_lexicon(WORDS))
    return chain_of("A", Run.from_dict(LISTS, "lists"), answers_of(ANSWERS), terms)
