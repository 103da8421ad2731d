"""The adversary's steps and schedule, the probe around a training, and what the penalty pairs."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from metrics.texts.lexicon import read_lexicon
from metrics.texts.scoring import score_collection
from rankers.grepbias import Alpha
from rankers.neural.debiasing import Adversarial, DocumentGenders, Regulariser, Step
from rankers.neural.probing import Probe
from rankers.neural.training import Trainer
from rankers.neural.triples import Triple, TripleList
from rankers.training_settings import AdversarySettings, TrainingSettings
from tests.program import failure, run, run_json
from tests.rankers.neural.material import TOPICS, WORDS, Material, make_material, tiny_bert

MALE, FEMALE, NEUTRAL = "he and his brother", "she and her sister", "many people work"
GENDERS = DocumentGenders({"a": "M", "b": "F", "c": "N"}, {"a": True, "b": True, "c": False})


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return make_material(tmp_path_factory.mktemp("material"))


def two_triples() -> tuple[object, list[Triple], tuple[object, object]]:
    """A BERT with two triples as it reads them."""
    triples = [Triple("q", MALE, NEUTRAL, "a", "c"), Triple("q", NEUTRAL, FEMALE, "c", "b")]
    model = tiny_bert([MALE, FEMALE, NEUTRAL]).eval()
    sides = (
        model.prepare(["q", "q"], [triple.positive for triple in triples]),
        model.prepare(["q", "q"], [triple.negative for triple in triples]),
    )
    return model, triples, sides


def test_the_adversary_takes_its_other_steps_alone() -> None:
    model, triples, sides = two_triples()
    losses: list[torch.Tensor] = []
    debiasing = Adversarial(32, GENDERS, AdversarySettings(adversary_steps=4))

    debiasing.loss(model, triples, sides, Step(0.5, losses.append))

    assert len(losses) == 3
    for loss in losses:
        loss.backward()
    assert all(parameter.grad is None for parameter in model.parameters())  # type: ignore[attr-defined]
    assert all(parameter.grad is not None for parameter in debiasing.modules().parameters())


class Lookup(torch.nn.Module):
    """A ranker whose vectors are those of its texts, without any dropout."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.vectors = torch.nn.Embedding(3, 8)
        self.output = torch.nn.Linear(8, 1)

    def prepare(self, _queries: list[str], texts: list[str]) -> torch.Tensor:
        return torch.tensor([(MALE, FEMALE, NEUTRAL).index(text) for text in texts])

    def score_and_represent(self, batch: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        vectors = self.vectors(batch)
        return self.output(vectors)[:, 0], vectors


def test_more_steps_leave_an_adversary_that_knows_more() -> None:
    triples = [Triple("q", MALE, NEUTRAL, "a", "c"), Triple("q", NEUTRAL, FEMALE, "c", "b")]

    def lost(steps: int) -> float:
        model = Lookup()
        torch.manual_seed(0)
        settings = AdversarySettings(adversary_steps=steps, factor=0)
        debiasing = Adversarial(8, GENDERS, settings)
        rates = TrainingSettings(1e-3, epochs=20, batch_size=2, loss="cross-entropy")
        Trainer(model, TripleList(triples), rates, debiasing=debiasing).train()
        sides = (model.prepare([], [MALE, NEUTRAL]), model.prepare([], [NEUTRAL, FEMALE]))
        *_, extra = debiasing.loss(model, triples, sides)
        return float(extra.detach())

    assert lost(10) < lost(1) / 2


def test_the_factor_grows_over_the_training_where_it_is_said_so() -> None:
    ramp = AdversarySettings(factor=2, schedule="ramp")
    shares = [ramp.factor_at(share) for share in (0.0, 0.1, 0.5, 1.0)]

    # 2 (2 / (1 + e^-10p) - 1), by hand.
    assert shares == pytest.approx([0, 0.9242, 1.9732, 1.9998], abs=1e-4)
    assert AdversarySettings(factor=2).factor_at(0) == 2
    model, triples, sides = two_triples()
    *_, extra = Adversarial(32, GENDERS, ramp).loss(model, triples, sides, Step(0.0))
    extra.backward()
    embeddings = model.model.bert.embeddings.word_embeddings.weight  # type: ignore[attr-defined]
    assert float(embeddings.grad.abs().sum()) == 0


def debias(material: Material, output: Path, *more: object) -> list[object]:
    return [
        "debias", "--method", "adversarial", "--model", "bert", "--layers", 1, "--dimensions", 16,
        "--scores", material.magnitudes, "--qrels", material.qrels, "--run", material.run,
        "--collection", material.collection, "--queries", material.queries, "--device", "cpu",
        "--output", output, *more,
    ]  # fmt: skip


def test_the_settings_of_the_adversary_are_ours_the_studys_or_the_options(
    material: Material, tmp_path: Path
) -> None:
    study = ("--preset", "rekabsaz_kopeinik_schedl_2021")
    own = ("--lambda", 0.5, "--lambda-schedule", "ramp", "--adversary-rate", 3)
    made = {
        name: run_json(*debias(material, tmp_path / name, *more))
        for name, more in {
            "ours": (), "study": study, "own": (*study, "--adversary-steps", 2, *own),
        }.items()
    }  # fmt: skip

    adversaries = {name: one["mitigation"]["adversary"] for name, one in made.items()}
    published = {"adversary_steps": 1, "factor": 1.0, "schedule": "constant", "adversary_rate": 1}
    assert adversaries["study"].items() >= published.items()
    assert adversaries["ours"]["adversary_steps"] > 1
    assert adversaries["own"] == {
        "adversary_steps": 2, "factor": 0.5, "schedule": "ramp", "adversary_rate": 3,
    }  # fmt: skip
    card = json.loads((tmp_path / "ours" / "model.json").read_text())
    for when in ("before", "after"):
        assert 0 <= card["probe"][when]["low"] <= card["probe"][when]["balanced_accuracy"] <= 1


def test_a_stronger_probe_at_the_end_is_said() -> None:
    texts = [MALE, FEMALE, NEUTRAL, "many city years light"]
    model = tiny_bert([*TOPICS, *WORDS, *texts])
    triples = TripleList(
        [
            Triple(f"{topic} {word}", f"{topic} {text}", f"{topic} {other}", docno, "c")
            for topic in TOPICS
            for word in WORDS[:5]
            for text, other, docno in ((MALE, NEUTRAL, "a"), (FEMALE, texts[3], "b"))
        ]
    )
    words = model.model.bert.embeddings.word_embeddings.weight
    known = words.detach().clone()

    with torch.no_grad():
        words.zero_()  # nothing is read but the length
    probe = Probe(model, triples, GENDERS, seed=0)
    with torch.no_grad():
        words.copy_(known * 5)
    said = probe.finish()
    results = probe.results()
    assert results["after"]["low"] > 0.5
    assert results["after"]["balanced_accuracy"] > results["before"]["balanced_accuracy"]
    assert said

    probe = Probe(model, triples, GENDERS, seed=0)
    with torch.no_grad():
        words.zero_()
    assert not probe.finish()


class Scores(torch.nn.Module):
    """A model whose scores are its inputs."""

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        return batch


def test_the_penalty_pairs_passages_of_equal_relevance() -> None:
    triples = [Triple("q", "x", "y", "a", "c"), Triple("r", "x", "y", "b", "c")]
    sides = (torch.tensor([5.0, 3.0]), torch.tensor([-9.0, -7.0]))

    _, _, extra = Regulariser(Alpha(1, 1, 1), GENDERS).loss(Scores(), triples, sides)

    # The two relevant passages, male and female; the irrelevant ones are both neutral.
    assert float(extra) == (5 - 3) ** 2


def test_the_penalty_keeps_the_margin_of_relevance_and_closes_the_gap() -> None:
    """Scores are learned freely, one for each relevance and gender."""

    class Cells(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            start = torch.tensor([[1.0, -1.0, 0.0], [0.5, -0.5, 0.0]])
            self.scores = torch.nn.Parameter(start)

        def prepare(self, _queries: list[str], texts: list[str]) -> torch.Tensor:
            return torch.tensor([["re".index(text[0]), "MFN".index(text[1])] for text in texts])

        def forward(self, batch: torch.Tensor) -> torch.Tensor:
            return self.scores[batch[:, 0], batch[:, 1]]

    rng = np.random.default_rng(0)
    genders = DocumentGenders({f"{side}{g}": g for side in "re" for g in "MFN"})
    triples = [
        Triple("q", f"r{g}", f"e{h}", f"r{g}", f"e{h}") for g, h in rng.choice([*"MFN"], (64, 2))
    ]
    ends = {}
    for pairing in ("equal", "triple"):
        model = Cells()
        settings = TrainingSettings(0.02, batch_size=16, epochs=200, loss="cross-entropy")
        regulariser = Regulariser(Alpha(1, 1, 1), genders, pairing)
        Trainer(model, TripleList(triples), settings, debiasing=regulariser).train()
        ends[pairing] = model.scores.detach()

    margin = {name: float((cells[0] - cells[1]).mean()) for name, cells in ends.items()}
    gap = {name: float((c[:, 0] - c[:, 1]).abs().mean() / c.std()) for name, c in ends.items()}
    assert margin["equal"] > 5
    assert margin["triple"] < 1
    assert gap["equal"] < 0.01


def test_scores_of_another_collection_are_refused(material: Material, tmp_path: Path) -> None:
    lines = material.collection.read_text(encoding="utf-8").splitlines(keepends=True)
    some, none = tmp_path / "some.tsv", tmp_path / "none.tsv"
    some.write_text("".join(lines[:30]), encoding="utf-8")
    none.write_text("x\triver\n", encoding="utf-8")
    for path in (some, none):
        score_collection(path, path.with_suffix(".parquet"), lexicon=read_lexicon())

    said = failure(*debias(material, tmp_path / "m", "--scores", none.with_suffix(".parquet")))
    assert "the scores of no passage" in said
    assert not (tmp_path / "m").exists()
    run(*debias(material, tmp_path / "m", "--scores", some.with_suffix(".parquet")))
