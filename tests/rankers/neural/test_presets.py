"""The preset of AdvBERT as its authors' program trains, and what BERT can start from."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import transformers

from rankers.neural.debiasing import Adversarial, DocumentGenders
from rankers.neural.model_folder import load_model, save_model
from rankers.neural.starting import Start, start_model
from rankers.neural.training import Trainer
from rankers.neural.transformer_models import CrossEncoder
from rankers.neural.triples import Triple, TripleList
from rankers.presets import PRESETS, PUBLISHED_ADVERSARY
from rankers.training_settings import AdversarySettings, TrainingSettings
from tests.program import failure, run_json
from tests.rankers.neural.material import Material, make_material
from tests.rankers.neural.test_known_models import save_t5

CPU = torch.device("cpu")
STUDY = "rekabsaz_kopeinik_schedl_2021"
TEXTS = ["river he and his brother", "river many people work"]
TRIPLES = [Triple("river", TEXTS[0], TEXTS[1], "a", "b")]


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return make_material(tmp_path_factory.mktemp("material"))


def preset_bert() -> CrossEncoder:
    start = Start("bert", dimensions=16, layers=1, head="first token")
    model, _ = start_model(start, lambda: TEXTS, CPU)
    assert isinstance(model, CrossEncoder)
    return model


def preset_settings(**changes: object) -> TrainingSettings:
    fields = TrainingSettings.__dataclass_fields__
    named = {k: v for k, v in PRESETS[STUDY].bert.items() if k in fields}
    return TrainingSettings(**{**named, **changes})


def test_the_head_reads_the_first_position_as_it_is(tmp_path: Path) -> None:
    model = preset_bert().train()
    assert PRESETS[STUDY].bert["head"] == model.head == "first token"
    scores, vectors = model.eval().score_and_represent(model.prepare(["river"] * 2, TEXTS))

    head = model.model.classifier
    logits = vectors @ head.weight.T + head.bias
    torch.testing.assert_close(scores, logits[:, 1] - logits[:, 0])
    # Not even dropout stands between, and the folder brings the same head back.
    assert model.model.dropout.p == 0
    assert not hasattr(model.model.bert.pooler, "dense")
    save_model(model, tmp_path / "m", {})
    again = load_model(str(tmp_path / "m"), CPU)
    torch.testing.assert_close(again(again.prepare(["river"] * 2, TEXTS)), scores)


def gradients(debiasing: Adversarial, **changes: object) -> list[float]:
    """The length of the whole gradient before the first step, and after clipping."""
    torch.manual_seed(0)
    model = preset_bert()
    lengths = []

    def note(optimizer: torch.optim.Optimizer, *_args: object) -> None:
        groups = [group["params"] for group in optimizer.param_groups]
        grads = [p.grad.flatten() for p in itertools.chain(*groups) if p.grad is not None]
        lengths.append(float(torch.cat(grads).norm()))

    trainer = Trainer(
        model, TripleList(TRIPLES), preset_settings(epochs=1, **changes), debiasing=debiasing
    )
    for optimizer in trainer._optimizers:
        optimizer.register_step_pre_hook(note)
    trainer.train()
    return lengths


def test_the_gradient_is_that_of_both_sides_and_clipped_over_ranker_and_adversary() -> None:
    genders = DocumentGenders(gendered={"a": True})

    def lengths(**changes: object) -> tuple[float, ...]:
        torch.manual_seed(1)
        settings = AdversarySettings(**PUBLISHED_ADVERSARY)
        found = gradients(Adversarial(16, genders, settings), **changes)
        return (*found, sum(length**2 for length in found) ** 0.5)

    *_, mean = lengths(clip=0.0, sides="mean")
    *_, both = lengths(clip=0.0)
    assert both == pytest.approx(2 * mean, rel=1e-4)
    assert both > 1
    *parts, clipped = lengths()
    assert clipped == pytest.approx(1, rel=1e-3)
    assert max(parts) < 0.999


@pytest.mark.parametrize(
    ("preset", "patience"), [(STUDY, 5), ("rekabsaz_schedl_2020", 6), ("fairpool", None)]
)
def test_the_rate_is_halved_when_the_released_scheduler_halves_it(
    preset: str, patience: int | None
) -> None:
    """`ReduceLROnPlateau` with the released patience, beside ours with that of the preset."""
    patiences = {PRESETS[preset].bert.get("patience", TrainingSettings().patience)}
    ours = preset_settings(epochs=20, validate_every=1, stop_after=0, patience=patiences.pop())
    rates = []
    trainer = Trainer(preset_bert(), TripleList(TRIPLES), ours, validate=lambda: 0.5)
    rate_of: Callable[[], float] = lambda: trainer._optimizers[0].param_groups[0]["lr"]  # noqa: E731
    trainer.train(lambda _loss: rates.append(rate_of()))
    if patience is None:
        assert rates.index(rates[0] / 2) == 7
        return
    theirs = torch.optim.Adam([torch.zeros(1)], lr=ours.learning_rate)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
        theirs, mode="max", patience=patience, factor=0.5
    )
    expected = []
    for _ in range(20):
        expected.append(theirs.param_groups[0]["lr"])
        scheduler.step(0.5)
    assert rates == pytest.approx(expected)


def train_bert(material: Material, output: Path, init: object, *more: object) -> list[object]:
    return [
        "train", "--model", "bert", "--init", init, "--qrels", material.qrels, "--run",
        material.run, "--collection", material.collection, "--queries", material.queries,
        "--device", "cpu", "--output", output, "--dimensions", 8, "--layers", 1,
        "--negatives-per-positive", 1, *more,
    ]  # fmt: skip


def test_a_base_model_of_the_preset_goes_on_with_the_preset_alone(
    material: Material, tmp_path: Path
) -> None:
    study = ("--preset", STUDY)
    run_json(*train_bert(material, tmp_path / "base", "random", *study))

    made = run_json(*train_bert(material, tmp_path / "more", tmp_path / "base", *study))
    assert made["transferred_parameters"] > 0
    assert failure(*train_bert(material, tmp_path / "other", tmp_path / "base"))
    assert not (tmp_path / "other").exists()


def save_small(folder: Path, kind: str, **changes: object) -> Path:
    """A random model of this class of transformers, with the tokenizer of a BERT."""
    tokenizer = preset_bert().tokenizer
    model_class = getattr(transformers, kind)
    sizes: dict[str, object] = {"vocab_size": len(tokenizer)}
    sizes |= dict.fromkeys(("n_embd", "hidden_size"), 16) | {"n_layer": 1, "n_head": 2}
    sizes |= {"num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    model_class(model_class.config_class(**sizes, **changes)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("kind", ["knrm", "t5", "gpt2", "nli", "ner", "empty"])
def test_a_start_from_another_kind_of_model_is_refused_in_words(
    material: Material, tmp_path: Path, kind: str
) -> None:
    folder = tmp_path / kind
    if kind == "knrm":
        save_model(start_model(Start("knrm", dimensions=8), lambda: TEXTS, CPU)[0], folder, {})
    elif kind == "t5":
        save_t5(folder)
    elif kind == "gpt2":
        save_small(folder, "GPT2LMHeadModel")
    elif kind == "nli":
        save_small(folder, "BertForSequenceClassification", num_labels=3)
    elif kind == "ner":
        save_small(folder, "BertForTokenClassification", num_labels=2)
    else:
        folder.mkdir()

    said = failure(*train_bert(material, tmp_path / "m", folder))

    assert str(folder) in said
    assert "fault of Fairpool" not in said
    assert not (tmp_path / "m").exists()


def test_an_encoder_of_another_architecture_is_a_start(material: Material, tmp_path: Path) -> None:
    folder = save_small(tmp_path / "electra", "ElectraForPreTraining", embedding_size=16)

    made = run_json(*train_bert(material, tmp_path / "m", folder))
    assert made["transferred_parameters"] > 0


def test_fine_tuning_a_model_without_padding_is_refused_in_words(
    material: Material, tmp_path: Path
) -> None:
    folder = save_small(tmp_path / "gpt2", "GPT2LMHeadModel")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.pad_token = None
    tokenizer.save_pretrained(folder)

    said = failure(
        "fine-tune", "--model", folder, "--kind", "cross-encoder", "--qrels", material.qrels,
        "--run", material.run, "--collection", material.collection, "--queries",
        material.queries, "--device", "cpu", "--output", tmp_path / "m",
    )  # fmt: skip
    assert "pads texts" in said
