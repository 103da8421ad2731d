"""Training on Grep-BiasIR: tiny encoders for the shape of the paper, a real one for numbers."""

import shutil
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
import torch
import transformers

from metrics.errors import InputError
from rankers.grepbias import CATEGORIES, Alpha, LogitRun, Pair, read_logits, read_pairs
from rankers.grepbias.statistics import accuracy, gender_gap, mean_other_accuracy, other_categories
from rankers.neural.grepbias import Encoder, encode_once, settings_for, train_adapters, train_tuned
from rankers.neural.grepbias_features import PairEncoder, frozen_features
from rankers.neural.grepbias_tuning import PREPARE, LowRank
from rankers.neural.pretrained import count_parameters
from tests.program import run_json
from tests.rankers.neural.material import save_sentence_encoder, tiny_bert
from tests.rankers.neural.weights import state_hash

pytestmark = pytest.mark.shared_data


@pytest.fixture(scope="session")
def grepbias(shared_data: Path) -> Path:
    return shared_data / "grepbias"


@pytest.fixture(scope="session")
def pairs(grepbias: Path) -> list[Pair]:
    return read_pairs(grepbias)


@pytest.fixture(scope="session")
def tiny(pairs: list[Pair], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a random encoder of two layers."""
    folder = tmp_path_factory.mktemp("tiny")
    model = tiny_bert([f"{pair.query_text} {pair.text}" for pair in pairs], dimensions=128)
    model.model.bert.save_pretrained(folder)
    model.tokenizer.save_pretrained(folder)
    return str(folder)


def test_an_adapter_leaves_the_encoder_as_it_was(tiny: str, pairs: list[Pair]) -> None:
    encode = Encoder(tiny, device="cpu").load()
    before = state_hash(encode.encoder)

    vectors = frozen_features(encode, pairs[:24])
    train_adapters(vectors, pairs[:24], pairs[0].category, [Alpha()], settings_for("adapter"))

    assert state_hash(encode.encoder) == before


def test_the_adapter_of_bert_base_is_less_than_a_thousandth_of_a_percent() -> None:
    with torch.device("meta"):
        encoder = transformers.BertModel(transformers.BertConfig())
        layer = torch.nn.Linear(encoder.config.hidden_size, 1)
    total = count_parameters(encoder)["total"]

    assert count_parameters(layer)["total"] / total < 0.001 / 100


@pytest.mark.parametrize("mode", ["lora", "bottleneck"])
def test_small_adapters_train_a_small_share_and_start_as_the_encoder(
    tiny: str, pairs: list[Pair], mode: str
) -> None:
    plain, adapted = (Encoder(tiny, device="cpu").load() for _ in range(2))
    adapted = PairEncoder(PREPARE[mode](adapted.encoder), adapted._tokenizer, "cls")
    counts = count_parameters(adapted.encoder)

    torch.testing.assert_close(
        frozen_features(plain, pairs[:4]), frozen_features(adapted, pairs[:4])
    )
    assert 0 < counts["trainable"] < 0.1 * counts["total"]


def test_lora_adds_a_low_rank_update_to_a_frozen_layer() -> None:
    layer = torch.nn.Linear(3, 2)
    adapted = LowRank(layer, rank=1)
    torch.nn.init.ones_(adapted.up.weight)
    inputs = torch.tensor([1.0, 2.0, 3.0])

    # B A x is the same number for both outputs, scaled by 16 / r = 16.
    expected = layer(inputs) + 16 * (adapted.down.weight @ inputs)
    torch.testing.assert_close(adapted(inputs), expected)


def test_lora_in_an_encoder_of_another_kind_is_refused() -> None:
    with pytest.raises(InputError):
        PREPARE["lora"](torch.nn.Sequential(torch.nn.Linear(2, 2)))


@pytest.mark.parametrize("mode", ["full", "adapter", "lora", "bottleneck"])
def test_every_mode_writes_logits_that_the_report_reads(
    tiny: str, grepbias: Path, tmp_path: Path, mode: str
) -> None:
    run_json(
        "grepbias", "train", "--mode", mode, "--train-on", "Appearance", "--alpha", ".5,0,1",
        "--encoder", tiny, "--data", grepbias, "--epochs", 1, "--device", "cpu",
        "--pairing", "matched", "--output", tmp_path / "logits.csv",
    )  # fmt: skip

    (read,) = read_logits(tmp_path / "logits.csv")
    assert (read.mode, read.train_on, read.alpha) == (mode, "Appearance", Alpha(0.5, 0, 1))
    assert len(read.logit) == 702


def test_the_grid_trains_every_weighting_and_keeps_the_chosen(
    tiny: str, grepbias: Path, tmp_path: Path
) -> None:
    call = ("grepbias", "grid", "--encoder", tiny, "--data", grepbias, "--epochs", 1, "--output")
    made = run_json(*call, tmp_path / "grid", "--device", "cpu")
    tables = run_json(
        "grepbias", "report", tmp_path / "grid" / "logits.csv", "--data", grepbias,
        "--output", tmp_path / "tables",
    )  # fmt: skip

    assert made["models"] == 7 * 9**3
    assert len((tmp_path / "grid" / "grid.csv").read_text().splitlines()) == 1 + 7 * 9**3
    assert [row["values"] for row in tables["table2_adapter"]].count("ours") == 7


def test_gender_is_erased_from_the_vectors_of_a_bi_encoder(
    grepbias: Path, pairs: list[Pair], tmp_path: Path
) -> None:
    model = tiny_bert([f"{pair.query_text} {pair.text}" for pair in pairs], dimensions=32)
    save_sentence_encoder(model, tmp_path / "encoder", {})

    rows = run_json(
        "grepbias", "erase", "--model", tmp_path / "encoder", "--data", grepbias,
        "--output", tmp_path / "erased.csv", "--device", "cpu",
    )["rows"]  # fmt: skip

    assert [row["category"] for row in rows] == [*CATEGORIES, "mean"]
    assert rows[-1]["n_pairs"] == 232
    assert rows[-1]["gap_after"] < rows[-1]["gap_before"]


@pytest.fixture(scope="session")
def product_vectors(encoder_folder: Path, pairs: list[Pair]) -> torch.Tensor:
    return encode_once(Encoder(str(encoder_folder), "product", "cpu"), pairs)


def adapters(vectors: torch.Tensor, pairs: list[Pair], alpha: float, epochs: int) -> list[LogitRun]:
    settings = settings_for("adapter", learning_rate=1e-3, epochs=epochs)
    return [
        run
        for name in CATEGORIES
        for run in train_adapters(vectors, pairs, name, [Alpha(alpha, alpha, alpha)], settings)
    ]


def test_a_linear_layer_on_a_real_frozen_encoder_generalises(
    product_vectors: torch.Tensor, pairs: list[Pair]
) -> None:
    runs = adapters(product_vectors, pairs, 0, 8)

    assert fmean(accuracy(run, run.train_on).value for run in runs) > 0.95
    assert fmean(mean_other_accuracy(run) for run in runs) >= 0.80


def test_the_penalty_halves_the_gap_of_unseen_categories(
    product_vectors: torch.Tensor, pairs: list[Pair]
) -> None:
    gaps = [
        fmean(
            gender_gap(run, other_categories(run))
            for run in adapters(product_vectors, pairs, alpha, 40)
        )
        for alpha in (0, 0.25)
    ]

    assert gaps[1] <= gaps[0] / 2


@pytest.mark.long
def test_full_fine_tuning_of_a_real_encoder_does_not_generalise(
    encoder_folder: Path, pairs: list[Pair], tmp_path: Path
) -> None:
    shutil.copytree(encoder_folder, tmp_path / "encoder")  # a local folder like any other
    encoder = Encoder(str(tmp_path / "encoder"), device="cpu")
    trained = train_tuned(
        "full", encoder, pairs, "Career", alpha=Alpha(), settings=settings_for("full")
    )

    assert accuracy(trained, "Career").value > 0.9
    assert mean_other_accuracy(trained) < 0.60


@pytest.mark.long
def test_the_penalty_closes_the_gap_of_a_tiny_bert_and_bounds_its_logits(
    tiny: str, pairs: list[Pair]
) -> None:
    settings = settings_for("full", learning_rate=5e-4, epochs=12)
    plain, debiased, bound = (
        train_tuned(
            "full",
            Encoder(tiny, device="cpu"),
            pairs,
            "Career",
            alpha=Alpha(alpha, alpha, alpha),
            settings=settings,
        )
        for alpha in (0, 0.25, 2)
    )

    others = other_categories(plain)
    assert gender_gap(debiased, others) <= gender_gap(plain, others) / 5
    assert min(accuracy(run, "Career").value for run in (plain, debiased)) >= 0.95
    # What keeps relevant from irrelevant documents apart at alpha 2, see test_penalty.py.
    assert np.abs(bound.logit).mean() < 0.1 < np.abs(plain.logit).mean() / 10
