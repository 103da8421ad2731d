"""Training re-rankers: they learn, go on after an interruption, and fail plainly."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from metrics.errors import InputError
from metrics.runs import read_run
from metrics.runs.queries import read_query_texts
from metrics.runs.sidecar import parameter_count
from rankers.neural.jobs import ndcg, read_texts
from rankers.neural.starting import Start, start_model
from rankers.neural.training import Trainer, TrainingSettings, checkpoint_path
from rankers.neural.training_data import NegativeSampling, Triple, read_triples, sample_triples
from rankers.word_vectors import word_vectors, write_glove
from tests.integration.commands import failure, run_json
from tests.neural.material import Material, make_material

CPU = torch.device("cpu")
TRIPLES = [Triple("river report", "the river", "the market"), Triple("chess", "chess day", "light")]


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return make_material(tmp_path_factory.mktemp("material"))


def training(material: Material, output: Path, *more: object) -> list[object]:
    return [
        "train_reranker", "--qrels", material.qrels, "--negatives-from", material.run,
        "--collection", material.collection, "--queries", material.queries,
        "--output", output, "--device", "cpu", "--dimensions", 32, *more,
    ]  # fmt: skip


def reranked(material: Material, model: Path, output: Path) -> float:
    """nDCG@10 of the run after re-ranking with a model."""
    run_json(
        "rerank", "--model", model, "--run", material.run, "--collection", material.collection,
        "--queries", material.queries, "--output", output, "--device", "cpu",
    )  # fmt: skip
    run = read_run(output)
    scores = {
        qid: {docno: -float(rank) for rank, docno in enumerate(run.documents(qid))}
        for qid in run.qids
    }
    qrels: dict[str, dict[str, int]] = {}
    for line in material.qrels.read_text().splitlines():
        qid, _, docno, grade = line.split()
        qrels.setdefault(qid, {})[docno] = int(grade)
    return ndcg(scores, qrels)


@pytest.mark.parametrize("name", ["knrm", "convknrm", "matchpyramid", "pacrr"])
def test_a_network_learns_and_its_folder_says_how(
    material: Material, tmp_path: Path, name: str
) -> None:
    settings = ("--batch-size", 16, "--learning-rate", 0.01, "--min-count", 1)
    made = training(material, tmp_path / "after", "--model", name, *settings, "--epochs", 4)
    described = run_json(*made)

    card = json.loads((tmp_path / "after" / "model.json").read_text())
    assert card["architecture"] == name
    assert card["parameters"]["trainable"] <= card["parameters"]["total"]
    assert set(card["inputs"]) == {"collection", "queries", "qrels", "negatives_from"}
    assert card["versions"]["torch"] == torch.__version__
    assert described["n_steps"] == 4 * -(-described["n_triples"] // 16)
    assert reranked(material, tmp_path / "after", tmp_path / "y.run") > 0.7
    # Table 1 of a report reads the number from the sidecar of the run.
    assert parameter_count(tmp_path / "y.run") == card["parameters"]["total"]


def test_bert_is_trained_from_judgements_into_a_folder_of_transformers(
    material: Material, tmp_path: Path
) -> None:
    described = run_json(*training(material, tmp_path / "b", "--model", "bert"))

    assert described["settings"]["learning_rate"] == 3e-5
    assert described["settings"]["loss"] == "cross-entropy"
    assert {"config.json", "model.safetensors", "model.json"} <= {
        path.name for path in (tmp_path / "b").iterdir()
    }
    assert reranked(material, tmp_path / "b", tmp_path / "y.run") > 0


def test_bert_learns_its_triples_by_heart() -> None:
    texts = [text for one in TRIPLES for text in (one.query, one.positive, one.negative)]
    model, _ = start_model(Start("bert", dimensions=32, seed=1), texts, CPU)
    settings = TrainingSettings(1e-3, batch_size=2, epochs=60, loss="cross-entropy")

    losses = Trainer(model, TRIPLES, settings).train().losses

    assert losses[-1] < losses[0] / 2


def test_the_same_seed_gives_the_same_bytes(material: Material, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        run_json(*training(material, tmp_path / folder, "--model", "knrm", "--seed", 3))
    run_json(*training(material, tmp_path / "c", "--model", "knrm", "--seed", 4))

    a, b, c = ((tmp_path / name / "model.safetensors").read_bytes() for name in "abc")
    assert a == b
    assert a != c


class Interrupting:
    """Progress that presses Ctrl-C after some steps."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def __call__(self, _loss: float) -> None:
        self._left -= 1
        if not self._left:
            raise KeyboardInterrupt


def test_a_resumed_training_gives_what_an_uninterrupted_one_gives(
    material: Material, tmp_path: Path
) -> None:
    texts = list(read_texts(material.collection).values())
    start = Start("bert", dimensions=16, seed=1)
    triples = TRIPLES * 8
    settings = TrainingSettings(
        learning_rate=1e-3, batch_size=4, epochs=3, loss="cross-entropy", seed=1
    )
    whole, _ = start_model(start, texts, CPU)
    Trainer(whole, triples, settings).train()

    checkpoint = checkpoint_path(tmp_path / "model")
    first, _ = start_model(start, texts, CPU)
    with pytest.raises(InputError) as caught:
        Trainer(first, triples, settings, checkpoint=checkpoint).train(Interrupting(5))
    assert caught.value.path == str(checkpoint)
    again, _ = start_model(start, texts, CPU)
    trainer = Trainer(again, triples, settings, checkpoint=checkpoint)
    assert trainer.resume() == 5
    history = trainer.train()

    assert history.n_steps == 12
    for name, tensor in whole.state_dict().items():
        assert torch.equal(tensor, again.state_dict()[name]), name
    assert not checkpoint.exists()


def test_a_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    checkpoint = tmp_path / "x.checkpoint"
    model, _ = start_model(Start("knrm", dimensions=4), ["river market"], CPU)
    settings = TrainingSettings(batch_size=1)
    with pytest.raises(InputError):
        Trainer(model, TRIPLES, settings, checkpoint=checkpoint).train(Interrupting(1))
    other = TrainingSettings(batch_size=1, learning_rate=0.5)

    with pytest.raises(InputError):
        Trainer(model, TRIPLES, other, checkpoint=checkpoint).resume()


def validations(values: list[float]) -> Iterator[float]:
    yield from values


def test_the_rate_is_halved_training_ends_and_the_best_weights_stay() -> None:
    model, _ = start_model(Start("knrm", dimensions=4), ["river market chess"], CPU)
    values = validations([0.1, 0.9, *[0.5] * 99])
    snapshots = []

    def validate() -> float:
        snapshots.append(model.network.output.weight.detach().clone())
        return next(values)

    settings = TrainingSettings(batch_size=1, epochs=50, patience=2, stop_after=5, validate_every=1)
    trainer = Trainer(model, TRIPLES, settings, validate=validate)
    history = trainer.train()

    assert history.n_steps == 7  # the second is the best, then five without gain
    assert trainer._optimizers[0].param_groups[0]["lr"] == 1e-3 / 4
    assert torch.equal(model.network.output.weight, snapshots[1])


def test_word_vectors_of_a_file_are_the_rows_that_training_starts_from(tmp_path: Path) -> None:
    glove = tmp_path / "g.txt"
    glove.write_text("river 1 2 3\nviolin 4 5 6\n", encoding="utf-8")

    model, transferred = start_model(Start("knrm", f"glove:{glove}"), ["river market"], CPU)

    row = model.embedding.weight[model.vocabulary.number_of["river"]]
    assert row.tolist() == [1, 2, 3]
    assert transferred == 3  # violin is no word of the collection


@pytest.mark.parametrize(
    ("text", "line"),
    [("river 1 2\nmarket 1\n", 2), ("river 1 x\n", 1), ("river 1 inf\n", 1), ("other 1 2\n", None)],
)
def test_bad_word_vectors_are_refused_with_their_line(
    tmp_path: Path, text: str, line: int | None
) -> None:
    path = tmp_path / "g.txt"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(InputError) as caught:
        start_model(Start("knrm", f"glove:{path}"), ["river market"], CPU)

    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_vectors_made_of_a_collection_put_words_of_one_topic_together(tmp_path: Path) -> None:
    texts = ["cat sat mat", "cat mat", "dog ran field", "dog field"] * 5
    words, vectors = word_vectors(texts, 3)
    write_glove(words, vectors, tmp_path / "g.txt")
    near = {word: vectors[i] for i, word in enumerate(words)}

    assert near["cat"] @ near["mat"] > near["cat"] @ near["field"]
    assert len((tmp_path / "g.txt").read_text().splitlines()) == len(words)


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\tb\n", 1), ("0\td1\td2\n0\td1\tmissing\n", 2), ("0\td1\td2\n77\td1\td2\n", 2)],
)
def test_triples_without_texts_are_refused_with_their_line(
    material: Material, tmp_path: Path, text: str, line: int
) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(InputError) as caught:
        read_triples(path, read_query_texts(material.queries), read_texts(material.collection))

    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_biased_negatives_are_drawn_more_often_where_they_are_gendered(material: Material) -> None:
    qrels, run = {"0": {"d0": 1}}, read_run(material.run)
    queries, texts = {"0": "river report"}, read_texts(material.collection)
    gendered = {docno: float(int(docno[1:]) % 3 == 0) for docno in texts}

    def share(magnitude: dict[str, float] | None) -> float:
        sampling = NegativeSampling(per_positive=5, magnitude=magnitude, bias_strength=9)
        drawn = [
            gendered[triple.negative_docno]
            for seed in range(40)
            for triple in sample_triples(qrels, run, queries, texts, sampling=sampling, seed=seed)
        ]
        return float(np.mean(drawn))

    assert share(gendered) > share(None) + 0.2


def test_a_learning_rate_that_explodes_is_a_plain_error(material: Material, tmp_path: Path) -> None:
    made = training(material, tmp_path / "m", "--model", "knrm", "--learning-rate", 1e38)

    assert failure(*made, "--epochs", 3)
    assert not (tmp_path / "m").exists()


def test_a_run_that_names_unknown_documents_is_refused_with_its_line(
    material: Material, tmp_path: Path
) -> None:
    run_json(*training(material, tmp_path / "m", "--model", "knrm"))
    run = tmp_path / "bad.run"
    run.write_text("0 Q0 d1 1 2 t\n0 Q0 nowhere 2 1 t\n", encoding="utf-8")

    said = failure(
        "rerank", "--model", tmp_path / "m", "--run", run, "--collection", material.collection,
        "--queries", material.queries, "--output", tmp_path / "y.run",
    )  # fmt: skip

    assert f"{run}:2:" in said
    assert "nowhere" in said
    assert not (tmp_path / "y.run").exists()


def test_triples_and_judgements_exclude_one_another(material: Material, tmp_path: Path) -> None:
    made = training(material, tmp_path / "m", "--model", "knrm", "--triples", material.queries)

    assert failure(*made)
