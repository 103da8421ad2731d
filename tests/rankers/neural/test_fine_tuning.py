"""Fine-tuning by the trainers of sentence-transformers, and its test in folds."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from sentence_transformers import CrossEncoder as SentenceCrossEncoder

from metrics.runs import read_run
from rankers.neural.model_folder import load_model
from rankers.neural.pretrained import count_parameters
from rankers.neural.transformer_models import BiEncoder, CrossEncoder
from tests.program import failure, run_json
from tests.rankers.neural.material import Material, make_material, save_sentence_encoder, tiny_bert

CPU = torch.device("cpu")
TRIPLES = [
    ("river report", "the river is new", "a small bakery"),
    ("engine report", "many engine years", "the orchid of light"),
    ("violin", "violin work", "city market"),
    ("glacier", "a glacier", "people and light"),
]


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return make_material(tmp_path_factory.mktemp("material"))


@pytest.fixture(scope="module")
def encoder(material: Material) -> Path:
    """A folder of a random encoder."""
    model = tiny_bert(material.collection.read_text().splitlines())
    save_sentence_encoder(model, material.folder / "encoder", {})
    return material.folder / "encoder"


def options(material: Material, encoder: Path, output: Path, *more: object) -> list[object]:
    return [
        "fine-tune", "--model", encoder, "--qrels", material.qrels, "--run", material.run,
        "--collection", material.collection, "--queries", material.queries, "--device", "cpu",
        "--learning-rate", 0.01, "--max-tokens", 24, "--output", output, *more,
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["bi-encoder", "cross-encoder"])
@pytest.mark.parametrize("lora", [0, 16])
def test_a_model_learns_its_triples_by_heart_and_is_a_folder_that_others_read(
    material: Material, encoder: Path, tmp_path: Path, kind: str, lora: int
) -> None:
    epochs = 150 if kind == "bi-encoder" else 60
    lines = "".join("\t".join(triple) + "\n" for triple in TRIPLES)
    (tmp_path / "triples.tsv").write_text(lines, encoding="utf-8")
    made = run_json(
        "fine-tune", "--model", encoder, "--triples", tmp_path / "triples.tsv",
        "--collection", material.collection, "--queries", material.queries, "--device", "cpu",
        "--learning-rate", 0.001, "--batch-size", 4, "--epochs", epochs, "--kind", kind,
        "--lora", lora, "--output", tmp_path / "tuned",
    )  # fmt: skip

    assert made["n_steps"] == (120 if kind == "cross-encoder" else 150)
    model = load_model(str(tmp_path / "tuned"), CPU)
    assert isinstance(model, CrossEncoder if kind == "cross-encoder" else BiEncoder)
    assert (made["trained_parameters"] < count_parameters(model)["total"] / 2) == bool(lora)
    queries, positives, negatives = zip(*TRIPLES, strict=True)
    relevant, other = (model(model.prepare(queries, texts)) for texts in (positives, negatives))
    assert (relevant > other).all()


def test_the_same_seed_gives_the_same_weights(
    material: Material, encoder: Path, tmp_path: Path
) -> None:
    for name, seed in (("first", 1), ("again", 1), ("other", 2)):
        run_json(*options(material, encoder, tmp_path / name, "--seed", seed, "--max-steps", 2))

    first, again, other = (
        (tmp_path / name / "model.safetensors").read_bytes() for name in ("first", "again", "other")
    )
    assert first == again != other


def test_frozen_layers_keep_their_weights(
    material: Material, encoder: Path, tmp_path: Path
) -> None:
    frozen = ("--frozen-layers", 1, "--max-steps", 2)
    run_json(*options(material, encoder, tmp_path / "tuned", *frozen))

    before, after = (load_file(at / "model.safetensors") for at in (encoder, tmp_path / "tuned"))
    changed = {name for name in after if not torch.equal(before[name], after[name])}
    assert changed
    assert all("layer.1" in name for name in changed)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--frozen-layers", 3), "the model has 2 layers"),
        (("--frozen-layers", 1, "--lora", 4), "Leave out --frozen-layers"),
        (("--triples", "both"), "leave nothing to do for --qrels and --run"),
    ],
)
def test_what_cannot_be_trained_is_refused(
    material: Material, encoder: Path, tmp_path: Path, more: tuple[object, ...], sentence: str
) -> None:
    (tmp_path / "both").write_text("river\tthe river\tan engine\n", encoding="utf-8")
    more = tuple(tmp_path / "both" if one == "both" else one for one in more)

    assert sentence in failure(*options(material, encoder, tmp_path / "tuned", *more))
    assert not (tmp_path / "tuned").exists()


def test_a_cross_encoder_of_sentence_transformers_is_read_as_one(
    material: Material, encoder: Path, tmp_path: Path
) -> None:
    theirs = SentenceCrossEncoder(str(encoder), num_labels=1, device="cpu", max_length=64)
    theirs.save_pretrained(str(tmp_path / "theirs"))

    ours = load_model(str(tmp_path / "theirs"), CPU)

    assert isinstance(ours, CrossEncoder)
    pairs = [("river report", "the river is new"), ("engine", "a small engine")]
    expected = theirs.predict(pairs, activation_fn=torch.nn.Identity(), convert_to_tensor=True)
    queries, texts = zip(*pairs, strict=True)
    torch.testing.assert_close(ours(ours.prepare(queries, texts)), expected, atol=1e-5, rtol=0)


def cross_validate(material: Material, encoder: Path, output: Path, *more: object) -> list[object]:
    call = options(material, encoder, output, "--scores", material.magnitudes, *more)
    return ["cross-validate", *call[1:], "--folds", 2, "--seeds", 2, "--max-steps", 2]


def test_each_query_is_ranked_by_models_that_have_not_seen_it(
    material: Material, encoder: Path, tmp_path: Path
) -> None:
    rows: list[dict[str, Any]] = run_json(*cross_validate(material, encoder, tmp_path / "cv"))

    assert [row["system"] for row in rows] == ["x", "untrained", "fine-tuned"]
    assert rows[2]["values"].keys() == {"nDCG", "RaB", "ARaB", "NFaiRR", "TExFAIR"}
    assert rows[2]["p"].keys() == {"x", "untrained"}
    folds = [read_run(tmp_path / "cv" / "folds" / f"seed-0-fold-{fold}.run") for fold in (0, 1)]
    assert sorted(qid for fold in folds for qid in fold.qids) == sorted(str(n) for n in range(10))
    card = json.loads((tmp_path / "cv" / "cross-validation.json").read_text())
    assert card["design"] == {"folds": 2, "depth": 100}


def test_an_interrupted_cross_validation_goes_on_and_another_is_refused(
    material: Material, encoder: Path, tmp_path: Path
) -> None:
    call = cross_validate(material, encoder, tmp_path / "cv")
    first = run_json(*call)
    folds = sorted((tmp_path / "cv" / "folds").glob("*.run"))
    bytes_before = folds[1].read_bytes()
    folds[1].unlink()
    written = folds[0].stat().st_mtime_ns

    again = run_json(*call)
    more = run_json(*call, "--seeds", 3)
    refused = failure(*call, "--batch-size", 4)

    assert again == first
    assert folds[1].read_bytes() == bytes_before
    assert folds[0].stat().st_mtime_ns == written
    assert len(list((tmp_path / "cv" / "folds").glob("*.run"))) == 6
    assert more[1]["values"] == first[1]["values"]
    assert "other settings or files" in refused


def test_more_folds_than_queries_are_refused(
    material: Material, encoder: Path, tmp_path: Path
) -> None:
    call = cross_validate(material, encoder, tmp_path / "cv")

    assert "too few for 11 folds" in failure(*call, "--folds", 11)
