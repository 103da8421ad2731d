"""The adversary's steps and schedule, the probe around a training, and what the penalty pairs."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from metrics.texts.lexicon import read_lexicon
from metrics.texts.scoring import score_collection
from rankers.grepbias import Alpha
from rankers.neural.debiasing import Adversarial, DocumentGenders, Regulariser, Step
from rankers.neural.probing import Probe, Reading, choose, warning
from rankers.neural.training import Trainer
from rankers.neural.triples import Triple, TripleList
from rankers.training_settings import (
    STRENGTHS,
    AdversaryInput,
    AdversarySettings,
    TrainingSettings,
)
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


def test_making_all_vectors_alike_hides_nothing_from_the_adversary() -> None:
    model = Lookup()
    _, triples, _ = two_triples()
    sides = (model.prepare([], [MALE, NEUTRAL]), model.prepare([], [NEUTRAL, FEMALE]))

    def lost(scale: float, adversary_input: AdversaryInput) -> float:
        torch.manual_seed(0)
        settings = AdversarySettings(adversary_steps=1, adversary_input=adversary_input)
        with torch.no_grad():
            model.vectors.weight *= scale
        *_, extra = Adversarial(8, GENDERS, settings).loss(model, triples, sides)
        with torch.no_grad():
            model.vectors.weight /= scale
        return float(extra.detach())

    assert lost(1e-3, "standardised") == pytest.approx(lost(1, "standardised"), rel=1e-3)
    assert lost(1e-3, "raw") != pytest.approx(lost(1, "raw"), rel=1e-3)


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

    assert {name: one["mitigation"]["strengths"] for name, one in made.items()} == {
        "ours": [*STRENGTHS], "study": [1], "own": [1],
    }  # fmt: skip
    adversaries = {name: one["mitigation"]["adversary"] for name, one in made.items()}
    assert adversaries["study"] == {
        "adversary_steps": 1, "factor": 1.0, "schedule": "constant", "adversary_rate": 1,
        "adversary_input": "raw",
    }  # fmt: skip
    assert adversaries["ours"]["adversary_steps"] > 1
    assert adversaries["own"] == {
        "adversary_steps": 2, "factor": 0.5, "schedule": "ramp", "adversary_rate": 3,
        "adversary_input": "raw",
    }  # fmt: skip
    card = json.loads((tmp_path / "ours" / "model.json").read_text())
    for when in ("before", "after"):
        read = card["probe"][when]["attack"]
        assert 0 <= read["low"] <= read["balanced_accuracy"] == card["probe"][when]["bias"] <= 1
        assert 0 <= card["probe"][when]["ordered"] <= 1


def lookup_triples() -> TripleList:
    """Triples on many queries, whose relevant passages are the gendered ones."""
    return TripleList(
        [
            Triple(f"{topic} {word}", f"{topic} {text}", f"{topic} {other}", docno, "c")
            for topic in TOPICS
            for word in WORDS[:5]
            for text, other, docno in ((MALE, NEUTRAL, "a"), (FEMALE, "many city years light", "b"))
        ]
    )


def test_a_stronger_probe_at_the_end_is_said() -> None:
    model = tiny_bert([*TOPICS, *WORDS, MALE, FEMALE, NEUTRAL])
    words = model.model.bert.embeddings.word_embeddings.weight
    known = words.detach().clone()
    probe = Probe(lookup_triples(), GENDERS, seed=0)

    with torch.no_grad():
        words.zero_()  # nothing is read but the length
    blind = probe.read(model)
    with torch.no_grad():
        words.copy_(known * 5)
    seeing = probe.read(model)

    assert blind.bias is not None
    assert seeing.bias is not None
    assert seeing.bias > blind.bias + 0.02
    assert seeing.attack is not None
    assert seeing.attack.is_above_chance
    assert "bias" in warning(blind, seeing)
    assert "bias" not in warning(seeing, blind)


def test_relevance_that_is_lost_is_said() -> None:
    before, after = Reading(0.9, 0.8), Reading(0.87, 0.6)
    assert "relevance" in warning(before, after)
    assert not warning(before, Reading(0.89, 0.6))
    assert not warning(before, Reading(0.89, None))


@pytest.mark.parametrize(
    ("readings", "chosen"),
    [
        ({0: (0.9, 0.8), 0.1: (0.9, 0.7), 1: (0.9, 0.6)}, 1),
        ({0: (0.9, 0.8), 0.1: (0.9, 0.7), 1: (0.85, 0.5)}, 0.1),  # the strongest costs relevance
        ({0: (0.9, 0.8), 0.1: (0.9, 0.62), 1: (0.9, 0.61)}, 0.1),  # as good, and weaker
        ({0: (0.9, 0.5), 0.1: (0.9, 0.6), 1: (0.4, 0.5)}, 0),  # nothing is there to remove
        ({0: (0.9, None), 0.1: (0.9, None)}, 0),
    ],
)
def test_the_weakest_strength_is_chosen_that_keeps_relevance_and_leaves_least(
    readings: dict[float, tuple[float, float | None]], chosen: float
) -> None:
    assert choose({strength: Reading(*each) for strength, each in readings.items()}) == chosen


def test_the_bias_of_the_penalty_is_the_difference_of_genders_in_standard_deviations() -> None:
    """By hand: scores 0 and 2 of relevant, 4 and 4 of irrelevant passages; deviation 1.658."""

    class OfGender(torch.nn.Module):
        def prepare(self, _queries: list[str], texts: list[str]) -> torch.Tensor:
            return torch.tensor([float(text) for text in texts])

        def forward(self, batch: torch.Tensor) -> torch.Tensor:
            return batch

    triples = [Triple("q", "0", "4", "a", "a"), Triple("q", "2", "4", "b", "b")] * 5
    model: Any = OfGender()

    reading = Probe(TripleList(triples), GENDERS, 0, Alpha(1, 1, 1)).read(model)

    deviation = np.std([0, 2, 4, 4])
    assert reading.bias == pytest.approx(np.mean([2, 0]) / deviation)
    assert reading.ordered == 0
    few = Probe(TripleList(triples[:8]), GENDERS, 0, Alpha(1, 1, 1)).read(model)
    assert few.bias is None


@pytest.mark.parametrize("method", ["adversarial", "regulariser"])
def test_the_chosen_model_is_that_of_its_strength_alone(
    material: Material, tmp_path: Path, method: str
) -> None:
    def trained(name: str, *more: object) -> tuple[dict[str, Any], bytes]:
        call = debias(material, tmp_path / name, "--method", method, "--batch-size", 16, *more)
        return run_json(*call), (tmp_path / name / "model.safetensors").read_bytes()

    several, chosen = trained("several", "--strengths", "1,0,0.5")
    strength = several["probe"]["strength"]
    assert list(several["probe"]["strengths"]) == ["0", "0.5", "1"]
    assert several["probe"]["after"] == several["probe"]["strengths"][f"{strength:g}"]
    alone = {s: trained(f"alone{s:g}", "--strengths", s) for s in (0.0, strength)}

    assert chosen == alone[strength][1]
    assert alone[strength][0]["probe"]["after"] == several["probe"]["after"]
    assert several["mitigation"]["strengths"] == [0, 0.5, 1]
    assert not list(tmp_path.glob("*.checkpoint"))
    _, *same = debias(material, tmp_path / "plain", "--batch-size", 16)
    del same[same.index("--method") : same.index("--method") + 2]
    del same[same.index("--scores") : same.index("--scores") + 2]
    run_json("train", *same)
    assert (tmp_path / "plain" / "model.safetensors").read_bytes() == alone[0.0][1]


def test_an_interrupted_choice_goes_on_with_the_strength_that_was_trained(
    material: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = debias(material, tmp_path / "m", "--batch-size", 16, "--strengths", "0,1")
    step, steps = Trainer._step, []

    def interrupting(trainer: Trainer, batch: list[Triple]) -> None:
        step(trainer, batch)
        steps.append(len(batch))
        if len(steps) == trainer.n_steps + 2:
            os.kill(os.getpid(), signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "_step", interrupting)
        said = failure(*call)
    assert f"{tmp_path / 'm.1.checkpoint'}: interrupted after 2 steps" in said
    assert (tmp_path / "m.0.checkpoint").exists()
    assert "m.0.checkpoint" in failure(*call)

    steps.clear()
    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "_step", interrupting)
        resumed = run_json(*call, "--resume")
    assert len(steps) == resumed["n_steps"] - 2
    first = (tmp_path / "m" / "model.safetensors").read_bytes()
    assert run_json(*call, "--force") == resumed
    assert (tmp_path / "m" / "model.safetensors").read_bytes() == first
    assert not list(tmp_path.glob("*.checkpoint"))


class Scores(torch.nn.Module):
    """A model whose scores are its inputs."""

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        return batch


def test_the_penalty_pairs_passages_of_equal_relevance() -> None:
    triples = [Triple("q", "x", "y", "a", "c"), Triple("r", "x", "y", "b", "c")]
    sides = (torch.tensor([5.0, 3.0]), torch.tensor([-9.0, -7.0]))

    _, _, extra = Regulariser(Alpha(1, 1, 1), GENDERS, unit="logit").loss(Scores(), triples, sides)

    # The two relevant passages, male and female; the irrelevant ones are both neutral.
    assert float(extra) == (5 - 3) ** 2


def test_the_penalty_in_deviations_does_not_depend_on_the_scale_of_scores() -> None:
    triples = [Triple("q", "x", "y", "a", "c"), Triple("r", "x", "y", "b", "c")]
    regulariser = Regulariser(Alpha(1, 1, 1), GENDERS)
    scores = torch.tensor([5.0, 3.0, -9.0, -7.0], requires_grad=True)

    *_, extra = regulariser.loss(Scores(), triples, (scores[:2], scores[2:]))
    *_, tenth = regulariser.loss(Scores(), triples, (scores[:2] / 10, scores[2:] / 10))
    (gradient,) = torch.autograd.grad(extra, scores)
    *_, alike = regulariser.loss(Scores(), triples, (torch.ones(2), torch.ones(2)))

    assert float(extra.detach()) == pytest.approx((5 - 3) ** 2 / scores.detach().var().item())
    assert float(tenth.detach()) == pytest.approx(float(extra.detach()))
    # Shrinking all scores gains nothing.
    assert float(gradient @ scores.detach()) == pytest.approx(0, abs=1e-6)
    assert float(alike) == 0


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
        regulariser = Regulariser(Alpha(1, 1, 1), genders, pairing, "logit")
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
    assert "no scores of the triples' passages" in said
    assert not (tmp_path / "m").exists()
    run(*debias(material, tmp_path / "m", "--scores", some.with_suffix(".parquet")))
