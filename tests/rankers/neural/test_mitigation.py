"""Training against bias: the penalty on scores, the adversary, and the attack."""

from pathlib import Path

import numpy as np
import pytest
import torch

from metrics.errors import InputError
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import open_magnitudes
from metrics.texts.scoring import score_collection
from rankers.grepbias import Alpha
from rankers.neural.attack import AttackResult, attack, balanced_interval, represent
from rankers.neural.debiasing import (
    Adversarial,
    DocumentGenders,
    Regulariser,
    document_genders,
    gendered_queries,
    reverse_gradient,
)
from rankers.neural.model_folder import save_model
from rankers.neural.triples import Triple
from tests.program import failure, run_json
from tests.rankers.neural.material import Material, make_material, tiny_bert
from tests.rankers.neural.weights import state_hash

GENDERS = DocumentGenders({"a": "M", "b": "F", "c": "N"}, {"a": True, "b": True, "c": False})


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return make_material(tmp_path_factory.mktemp("material"))


def test_the_genders_come_from_the_scored_collection(material: Material) -> None:
    genders = document_genders(open_magnitudes(material.magnitudes))

    assert [genders.gender[f"d{i}"] for i in range(3)] == ["M", "F", "N"]
    assert [genders.gendered[f"d{i}"] for i in range(3)] == [True, True, False]
    assert genders.magnitude["d2"] == 0 < genders.magnitude["d0"]


def test_a_pair_is_gendered_where_its_query_or_its_passage_is() -> None:
    queries = ["river report", "what did she say", "river report"]
    found = gendered_queries(queries, read_lexicon())
    genders = DocumentGenders(gendered={"a": True, "b": False}, gendered_queries=found)

    assert found == {"what did she say"}
    assert genders.is_gendered("river report", "a")
    assert genders.is_gendered("what did she say", "b")
    assert not genders.is_gendered("river report", "b")


def test_the_adversary_learns_from_the_label_of_the_pair() -> None:
    """The loss of a pair with a gendered query is that of a gendered passage."""
    triples = [Triple("q", TEXTS[0], TEXTS[1], "a", "b")]

    def lost(genders: DocumentGenders) -> float:
        torch.manual_seed(0)
        model = tiny_bert(TEXTS).eval()
        sides = (model.prepare(["q"], [TEXTS[0]]), model.prepare(["q"], [TEXTS[1]]))
        *_, extra = Adversarial(32, genders).loss(model, triples, sides)
        return float(extra.detach())

    neither = lost(DocumentGenders())
    by_query = lost(DocumentGenders(gendered_queries=frozenset(["q"])))
    assert by_query == lost(DocumentGenders(gendered={"a": True, "b": True}))
    assert by_query != neither


class Scores(torch.nn.Module):
    """A model whose scores are its inputs."""

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        return batch


def test_the_regulariser_is_equation_3_over_the_two_passages_of_a_triple() -> None:
    triples = [
        Triple("q", "x", "y", "a", "b"),  # male, female: 1 x (3 - 1)^2
        Triple("q", "x", "y", "a", "c"),  # male, neutral: .5 x (2 - 0)^2
        Triple("q", "x", "y", "b", "b"),  # no pair
    ]
    sides = (torch.tensor([3.0, 2.0, 9.0]), torch.tensor([1.0, 0.0, 0.0]))

    regulariser = Regulariser(Alpha(1, 0.5, 2), GENDERS, "triple", "logit")
    _, _, extra = regulariser.loss(Scores(), triples, sides)

    assert float(extra) == (4 + 2) / 2


def test_gradients_are_reversed_and_scaled() -> None:
    vectors = torch.ones(2, 2, requires_grad=True)
    (reverse_gradient(vectors, 0.5) * 3).sum().backward()

    assert vectors.grad is not None
    assert vectors.grad.tolist() == [[-1.5, -1.5], [-1.5, -1.5]]


TEXTS = ["river he and his brother", "river she and her sister", "river many people work"]


def test_the_adversary_learns_what_the_encoder_unlearns() -> None:
    triples = [
        Triple("river", TEXTS[i], TEXTS[j], "abc"[i], "abc"[j]) for i, j in ((0, 1), (1, 2), (2, 0))
    ]
    model = tiny_bert(TEXTS).eval()
    debiasing = Adversarial(32, GENDERS)
    reader = debiasing.modules()
    sides = tuple(
        model.prepare(["river"] * 3, [getattr(t, side) for t in triples])
        for side in ("positive", "negative")
    )

    def lost_after_a_step(module: torch.nn.Module) -> tuple[float, float]:
        """The adversary's loss before and after a step of the weights of `module` alone."""
        saved = {name: tensor.clone() for name, tensor in module.state_dict().items()}
        optimizer = torch.optim.SGD(module.parameters(), lr=1e-2)
        *_, before = debiasing.loss(model, triples, sides)
        optimizer.zero_grad()
        before.backward()
        optimizer.step()
        *_, after = debiasing.loss(model, triples, sides)
        module.load_state_dict(saved)
        return float(before.detach()), float(after.detach())

    before, after = lost_after_a_step(reader)
    assert after < before
    before, after = lost_after_a_step(model)
    assert after > before


def test_an_attack_finds_what_is_there_and_nothing_in_noise() -> None:
    generator = torch.Generator().manual_seed(0)
    labels = [i % 3 == 0 for i in range(400)]
    noise = torch.randn(400, 8, generator=generator)
    signal = noise + 6 * torch.tensor(labels).float().unsqueeze(1)
    qids = [f"{i // 10}" for i in range(400)]

    there, nothing = attack(signal, labels, qids), attack(noise, labels, qids)

    assert there.balanced_accuracy is not None
    assert nothing.balanced_accuracy is not None
    assert there.balanced_accuracy > 0.95
    assert nothing.balanced_accuracy < 0.62
    assert there.is_above_chance
    assert not nothing.is_above_chance
    assert (there.n_train, there.n_test) == (320, 80)
    assert 0.5 < there.majority < 0.8
    # Vectors that are almost alike hide nothing.
    assert attack(1 + signal / 1000, labels, qids).is_above_chance


def test_an_attack_does_not_guess_gender_from_the_query() -> None:
    gender_of_query = [i % 2 == 0 for i in range(40)]
    labels = [gender for gender in gender_of_query for _ in range(10)]
    qids = [f"{i}" for i in range(40) for _ in range(10)]
    vectors = torch.eye(40).repeat_interleave(10, dim=0)

    assert not attack(vectors, labels, qids).is_above_chance


def test_an_attack_is_tested_on_the_queries_that_are_named() -> None:
    """What tells gender in the queries that it learns from is turned round in the tested one."""
    labels = [i % 2 == 0 for i in range(200)]
    qids = [f"{i // 50}" for i in range(200)]
    turned = [label != (qid == "3") for label, qid in zip(labels, qids, strict=True)]
    vectors = torch.tensor(turned).float().unsqueeze(1)

    found = attack(vectors, labels, qids, learning_rate=0.05, tested={"3"})

    assert (found.n_train, found.n_test, found.balanced_accuracy) == (150, 50, 0)


def test_an_attack_in_folds_tests_each_query_once() -> None:
    """What tells gender is turned round in one query: that alone is guessed wrong."""
    labels = [i % 2 == 0 for i in range(200)]
    qids = [f"{i // 20}" for i in range(200)]
    turned = [label != (qid == "3") for label, qid in zip(labels, qids, strict=True)]
    vectors = torch.tensor(turned).float().unsqueeze(1)

    found = attack(vectors, labels, qids, learning_rate=0.05, folds=10)

    assert (found.n_train, found.n_test, found.balanced_accuracy) == (180, 200, 0.9)


def test_an_attack_leaves_the_model_as_it_was() -> None:
    model = tiny_bert(TEXTS).train()
    model.model.dropout.eval()
    before = state_hash(model)
    were_training = [module.training for module in model.modules()]
    random = torch.get_rng_state()
    vectors = represent(model, [("river", text) for text in TEXTS * 4])
    attack(vectors, [True, False] * 6, [f"{i // 2}" for i in range(12)])

    assert state_hash(model) == before
    assert all(parameter.requires_grad for parameter in model.parameters())
    assert [module.training for module in model.modules()] == were_training
    assert torch.equal(torch.get_rng_state(), random)


def test_a_balanced_accuracy_of_few_pairs_of_a_class_is_withheld() -> None:
    generator = torch.Generator().manual_seed(0)
    qids = [f"{i // 10}" for i in range(400)]

    def result(gendered: set[int]) -> AttackResult:
        labels = [i in gendered for i in range(400)]
        return attack(torch.randn(400, 8, generator=generator), labels, qids, tested=TESTED)

    spread = set(range(0, 300, 10))
    none, few, enough = (result(spread | set(range(300, 300 + n))) for n in (0, 4, 5))

    for withheld in (none, few):
        assert (withheld.balanced_accuracy, withheld.low, withheld.high) == (None, None, None)
        assert not withheld.is_above_chance
    assert none.n_test_gendered == 0
    assert enough.low is not None


TESTED = {f"{i}" for i in range(30, 40)}


def test_the_interval_of_an_attack_on_noise_holds_chance() -> None:
    generator = torch.Generator().manual_seed(1)
    held, widths = 0, []
    for trial in range(40):
        labels = [i % 50 == trial % 50 for i in range(2000)]  # 2 % gendered
        qids = [f"{i // 20}" for i in range(2000)]
        noise = torch.randn(2000, 4, generator=generator)
        tested = {f"{i}" for i in range(50)}
        found = attack(noise, labels, qids, seed=trial, epochs=3, tested=tested)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0.5 <= found.high
        widths.append(found.high - found.low)

    assert held >= 36
    assert max(widths) < 0.5


def test_the_interval_grows_where_the_pairs_of_a_query_are_alike() -> None:
    truth = np.tile([0, 1], 200)
    alike = np.repeat(np.arange(8) % 4 > 0, 50)  # right in six queries, wrong in two
    queries = np.repeat(np.arange(8).astype(str), 50)
    shuffled = np.random.default_rng(0).permutation(alike)

    low, high = balanced_interval(alike, truth, queries)
    other_low, other_high = balanced_interval(shuffled, truth, queries)
    assert high - low > 2 * (other_high - other_low)
    # Without an error there is no spread, and Wilson's interval is left.
    low, high = balanced_interval(np.ones(400, dtype=np.bool_), truth, queries)
    assert low == pytest.approx(1 - 0.01885 / 2**0.5, abs=1e-4)
    assert high == 1


def test_an_attack_takes_a_pair_for_gendered_as_the_adversary_does(
    material: Material, tmp_path: Path
) -> None:
    """Of a query with a word of the list all pairs are gendered, but not all passages."""
    texts = [line.split("\t")[1] for line in material.queries.read_text().splitlines()]
    gendered = [f"{text} she and her" if i < 5 else text for i, text in enumerate(texts)]
    queries = tmp_path / "queries.tsv"
    lines = "".join(f"{i}\t{text}\n" for i, text in enumerate(gendered))
    queries.write_text(lines, encoding="utf-8")
    model = tiny_bert([*gendered, *TEXTS], dimensions=16)
    save_model(model, tmp_path / "m", {})
    call = [
        "attack", "--model", tmp_path / "m", "--run", material.run, "--collection",
        material.collection, "--queries", queries, "--device", "cpu",
    ]  # fmt: skip

    pairs, passages = (
        run_json(*call, "--scores", material.magnitudes, "--labels", labels)
        for labels in ("pairs", "passages")
    )

    assert pairs["n_test"] == passages["n_test"] == 120
    assert passages["n_test_gendered"] == 80
    assert pairs["n_test_gendered"] > 80
    # A collection with other passages has no pair of the run.
    other = tmp_path / "other.tsv"
    other.write_text("x\triver\n", encoding="utf-8")
    score_collection(other, tmp_path / "other.parquet", lexicon=read_lexicon())
    said = failure(*call, "--scores", tmp_path / "other.parquet")
    assert "--scores" in said
    assert "fault of Fairpool" not in said


def test_an_attack_on_passages_of_one_kind_is_refused() -> None:
    with pytest.raises(InputError):
        attack(torch.ones(4, 2), [True] * 4, ["1", "2", "3", "4"])


def options(
    material: Material, output: Path, *more: object, command: str = "train"
) -> list[object]:
    return [
        command, "--qrels", material.qrels, "--run", material.run,
        "--collection", material.collection, "--queries", material.queries, "--device", "cpu",
        "--dimensions", 16, "--output", output, *more,
    ]  # fmt: skip


@pytest.mark.parametrize("method", ["regulariser", "adversarial"])
def test_a_debiased_bert_is_trained_and_attacked_on_the_command_line(
    material: Material, tmp_path: Path, method: str
) -> None:
    debias = ("--method", method, "--scores", material.magnitudes, "--biased-negatives", 1)
    model = ("--model", "bert", *debias)
    made = run_json(*options(material, tmp_path / "m", *model, command="debias"))
    found = run_json(
        "attack", "--model", tmp_path / "m", "--run", material.run,
        "--scores", material.magnitudes, "--collection", material.collection,
        "--queries", material.queries, "--depth", 40, "--device", "cpu",
    )  # fmt: skip

    assert made["mitigation"]["method"] == method
    assert found["n_test"] == 80
    assert 0 <= found["low"] <= found["balanced_accuracy"] <= found["high"] <= 1
    assert found["chance"] == 0.5


def test_a_regulariser_of_weight_0_is_plain_training(material: Material, tmp_path: Path) -> None:
    run_json(*options(material, tmp_path / "plain", "--model", "knrm"))
    debias = ("--method", "regulariser", "--alpha", "0,0,0", "--scores", material.magnitudes)
    model = ("--model", "knrm", *debias)
    run_json(*options(material, tmp_path / "zero", *model, command="debias"))

    plain, zero = (tmp_path / name / "model.safetensors" for name in ("plain", "zero"))
    assert plain.read_bytes() == zero.read_bytes()


@pytest.mark.parametrize(
    "more",
    [
        ["debias", "--model", "knrm", "--method", "adversarial"],  # no first token
        ["debias", "--model", "knrm", "--method", "negatives"],  # without --biased-negatives
        ["train", "--model", "unknown"],
        ["train", "--model", "knrm", "--init", "bert-base-uncased"],
    ],
)
def test_what_cannot_be_trained_is_refused(
    material: Material, tmp_path: Path, more: list[str]
) -> None:
    command, *arguments = more
    if command == "debias":
        arguments += ["--scores", str(material.magnitudes)]

    assert failure(*options(material, tmp_path / "m", *arguments, command=command))
    assert not (tmp_path / "m").exists()
