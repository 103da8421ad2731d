"""`python -m measurements.neural.adversary_tasks`: training against bias on three made-up tasks.

A passage is relevant where most of its words are those of an answer, with noise; a share of the
passages has a male or a female phrase: nearly all (*most*), few (*few*), or mostly the relevant
ones (*confounded*), where gender helps to tell them. A ranker of word vectors, their mean and one
hidden layer learns relevance (*base*), and is trained on from there: without anything (the
control), with an adversary, and with the penalty; with `--bert` a random BERT of one layer is. The
defaults are trained with each of their strengths, of which a probe on the triples of the training
chooses one. All of it is measured on passages that no training has seen: AUC and margin of
relevance, in logits; the *lean* of the scores, gendered minus not, and the *gap*, the size of male
minus female, in standard deviations, both within relevant and irrelevant passages; and what a fresh
adversary reads on the pairs of queries that it was not trained on: balanced accuracy, the mean over
splits. The table is printed in Markdown, whatever it says: the mean over the seeds, and each seed
in brackets.
"""

import argparse
import copy
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from rankers.grepbias import Alpha
from rankers.neural.attack import attack, represent
from rankers.neural.debiasing import Adversarial, Debiasing, DocumentGenders, Regulariser
from rankers.neural.probing import Probe, choose
from rankers.neural.reranking import score_pairs
from rankers.neural.starting import Start, start_model
from rankers.neural.training import Trainer
from rankers.neural.triples import Triple, TripleList
from rankers.presets import PUBLISHED_ADVERSARY
from rankers.training_settings import STRENGTHS, AdversarySettings, TrainingSettings
from tests.rankers.neural.material import TOPICS, WORDS

ANSWERS = ("explains", "method", "steps", "guide", "answer")
OTHERS = ("advert", "login", "sale", "cookies", "banner")
PHRASES = {
    "M": ("he and his brother", "his father said he"),
    "F": ("she and her sister", "her mother said she"),
    "N": ("",),
}
NOISE = 0.1
N_TRIPLES, N_TESTED = 300, 250
DIMENSIONS = 32
SPLITS = 4
LEARNING_RATE = 3e-3


@dataclass(frozen=True)
class Task:
    """Shares of the relevant and of the irrelevant passages that are gendered."""

    relevant: float
    irrelevant: float


TASKS = {"most": Task(0.88, 0.82), "few": Task(0.15, 0.15), "confounded": Task(0.7, 0.3)}


@dataclass
class Material:
    """Triples, and the genders of their passages."""

    triples: list[Triple]
    gender: dict[str, str] = field(default_factory=dict)

    @property
    def genders(self) -> DocumentGenders:
        gendered = {docno: gender != "N" for docno, gender in self.gender.items()}
        return DocumentGenders(self.gender, gendered)


def make_material(task: Task, n_triples: int, seed: int) -> Material:
    """Triples of a task: a relevant and an irrelevant passage on the topic of a query."""
    rng = random.Random(f"{task} {seed}")
    material = Material([])
    for number in range(n_triples):
        topic = rng.choice(TOPICS)
        sides = []
        for is_relevant, share in ((True, task.relevant), (False, task.irrelevant)):
            gender = rng.choice("MF") if rng.random() < share else "N"
            docno = f"{number}{'+' if is_relevant else '-'}"
            material.gender[docno] = gender
            sides.append((_text(rng, topic, gender, is_relevant=is_relevant), docno))
        (positive, relevant), (negative, irrelevant) = sides
        query = f"{topic} report"
        material.triples.append(Triple(query, positive, negative, relevant, irrelevant))
    return material


def _text(rng: random.Random, topic: str, gender: str, *, is_relevant: bool) -> str:
    looks_relevant = is_relevant != (rng.random() < NOISE)
    n_answers = 2 if looks_relevant else 1
    words = [topic, *rng.choices(ANSWERS, k=n_answers), *rng.choices(OTHERS, k=3 - n_answers)]
    words += rng.choices(WORDS, k=5)
    rng.shuffle(words)
    words.insert(rng.randrange(len(words)), rng.choice(PHRASES[gender]))
    return " ".join(filter(None, words))


ALPHA = Alpha(1, 1, 1)
CONTROL, CHOSEN = "trained on, without anything", "strength"


def one_strength(genders: DocumentGenders) -> dict[str, Debiasing]:
    """The ways that are trained with one strength."""
    published = AdversarySettings(**PUBLISHED_ADVERSARY)
    return {
        "adversary, as published": Adversarial(DIMENSIONS, genders, published),
        "penalty in logits, equal relevance": Regulariser(ALPHA, genders, "equal", "logit"),
        "penalty in logits, of triples": Regulariser(ALPHA, genders, "triple", "logit"),
    }


def of_strength(way: str, strength: float, genders: DocumentGenders) -> Debiasing:
    """A default with one of its strengths."""
    if way == "adversary, default":
        return Adversarial(DIMENSIONS, genders, AdversarySettings(factor=strength))
    return Regulariser(Alpha(*(strength * weight for weight in ALPHA)), genders)


class MeanOfWords(nn.Module):
    """A ranker of passages: word vectors, dropout, their mean, a hidden layer, and its output.

    The hidden layer is what an adversary reads.
    """

    def __init__(self, words: Iterable[str], seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self._places = {word: place for place, word in enumerate(dict.fromkeys(words))}
        self.words = nn.EmbeddingBag(len(self._places), DIMENSIONS, mode="mean")
        self.hidden = nn.Sequential(nn.Dropout(0.1), nn.Linear(DIMENSIONS, DIMENSIONS), nn.Tanh())
        self.output = nn.Linear(DIMENSIONS, 1)

    def prepare(self, _queries: Sequence[str], texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        rows = [[self._places[word] for word in text.split()] for text in texts]
        starts = np.cumsum([0, *(len(row) for row in rows[:-1])])
        return torch.tensor([place for row in rows for place in row]), torch.from_numpy(starts)

    def score_and_represent(self, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        vectors = self.hidden(self.words(*batch))
        return self.output(vectors)[:, 0], vectors

    def forward(self, batch: tuple[Tensor, Tensor]) -> Tensor:
        return self.score_and_represent(batch)[0]


def start(seed: int, *, is_bert: bool) -> Any:
    """The untrained ranker."""
    phrases = " ".join(phrase for of_gender in PHRASES.values() for phrase in of_gender)
    words = [*TOPICS, *WORDS, *ANSWERS, *OTHERS, "report", *phrases.split()]
    if not is_bert:
        return MeanOfWords(words, seed)
    bert = Start("bert", dimensions=DIMENSIONS, layers=1, seed=seed)
    return start_model(bert, lambda: words, torch.device("cpu"))[0]


def train(
    model: Any, material: Material, seed: int, epochs: int, debiasing: Debiasing | None
) -> Any:
    """A copy of the model that is trained on."""
    trained = copy.deepcopy(model)
    torch.manual_seed(seed)
    settings = TrainingSettings(
        LEARNING_RATE, batch_size=32, epochs=epochs, loss="cross-entropy", keep="last", seed=seed
    )
    Trainer(trained, TripleList(material.triples), settings, debiasing=debiasing).train()
    return trained


def measured(model: Any, material: Material) -> dict[str, float]:
    """The measures of a model on passages that no training has seen."""
    sides = [(t.query, t.positive, t.positive_docno) for t in material.triples]
    sides += [(t.query, t.negative, t.negative_docno) for t in material.triples]
    pairs = [(query, text) for query, text, _ in sides]
    scores = np.array(score_pairs(model, pairs))
    gender = np.array([material.gender[docno] for *_, docno in sides])
    relevant = np.array([docno.endswith("+") for *_, docno in sides])
    means = {(r, g): scores[(relevant == r) & (gender == g)].mean() for r in (0, 1) for g in "MFN"}
    gendered = [scores[(relevant == r) & (gender != "N")].mean() for r in (0, 1)]
    vectors = represent(model, pairs)
    queries = [query for query, _ in pairs]
    reads = [
        attack(vectors, (gender != "N").tolist(), queries, seed=split).balanced_accuracy
        for split in range(SPLITS)
    ]
    return {
        "AUC": float((scores[relevant][:, None] > scores[~relevant]).mean()),
        "margin": float(scores[relevant].mean() - scores[~relevant].mean()),
        "lean": float(np.mean([gendered[r] - means[r, "N"] for r in (0, 1)]) / scores.std()),
        "gap": float(np.mean([abs(means[r, "M"] - means[r, "F"]) for r in (0, 1)]) / scores.std()),
        "read": float(np.mean([read for read in reads if read is not None])),
    }


def rows_of(
    task: Task, seed: int, *, is_bert: bool = False
) -> Iterator[tuple[str, dict[str, float]]]:
    """The measures of each way on a task."""
    training = make_material(task, N_TRIPLES, seed)
    tested = make_material(task, N_TESTED, seed + 1_000)
    genders = training.genders
    base = train(start(seed, is_bert=is_bert), training, seed, 4 if is_bert else 10, None)
    yield "base", measured(base, tested)
    others = one_strength(genders)

    def trained(debiasing: Debiasing | None) -> Any:
        return train(base, training, seed + 100, 6 if is_bert else 15, debiasing)

    control = trained(None)
    yield CONTROL, measured(control, tested)
    for way, debiasing in others.items():
        yield way, measured(trained(debiasing), tested)
    for way, alpha in {"adversary, default": None, "penalty, default": ALPHA}.items():
        models = {
            strength: trained(of_strength(way, strength, genders)) if strength else control
            for strength in STRENGTHS
        }
        probe = Probe(TripleList(training.triples), genders, seed, alpha)
        chosen = choose({strength: probe.read(model) for strength, model in models.items()})
        yield way, {**measured(models[chosen], tested), CHOSEN: chosen}


def table(results: Mapping[tuple[str, str], Sequence[Mapping[str, float]]]) -> Iterator[str]:
    """The results by task and way as a table in Markdown."""
    names = list(dict.fromkeys(name for rows in results.values() for row in rows for name in row))
    yield f"| task | way | {' | '.join(names)} |"
    yield "|---|---|" + "---|" * len(names)
    for (task, way), rows in results.items():
        cells = []
        for name in names:
            values = [row[name] for row in rows if name in row]
            each = ", ".join(_short(value) for value in values)
            mean = _short(float(np.mean(values))) if values and name != CHOSEN else ""
            cells.append(f"{mean} ({each})" if mean else each)
        yield f"| {task} | {way} | {' | '.join(cells)} |"


def _short(value: float) -> str:
    """Two decimals, and no zero before the point."""
    return (
        f"{value:.2f}".replace("-0.", "-.").removeprefix("0") if abs(value) < 1 else f"{value:.1f}"
    )


def main() -> None:
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--bert", action="store_true")
    options = parser.parse_args()
    results: dict[tuple[str, str], list[dict[str, float]]] = {}
    for name in options.tasks:
        for seed in range(options.seeds):
            for way, row in rows_of(TASKS[name], seed, is_bert=options.bert):
                results.setdefault((name, way), []).append(row)
                numbers = ", ".join(f"{key} {value:.3f}" for key, value in row.items())
                print(f"{name}, seed {seed}, {way}: {numbers}", flush=True)  # noqa: T201
    for line in table(results):
        print(line)  # noqa: T201


if __name__ == "__main__":
    main()
