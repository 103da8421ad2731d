"""Training re-rankers: they learn, go on after an interruption, and fail plainly."""

import gzip
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from metrics.errors import InputError
from metrics.runs import read_run
from metrics.runs.queries import read_query_texts
from metrics.runs.sidecar import model_sizes
from metrics.texts.collection import read_collection
from rankers.fine_tuning_settings import FineTuning
from rankers.neural import fine_tuning
from rankers.neural.fine_tuning import fine_tune
from rankers.neural.jobs import ndcg
from rankers.neural.model_folder import load_model
from rankers.neural.passages import Passages
from rankers.neural.sampling import Sampling, exact_match, sample_triples
from rankers.neural.starting import Start, start_model
from rankers.neural.training import Trainer, checkpoint_path
from rankers.neural.triples import Triple, TripleFile, TripleList
from rankers.presets import PRESETS
from rankers.training_settings import TrainingSettings
from rankers.word_vectors import word_vectors, write_glove
from tests.program import failure, run_json
from tests.rankers.neural.material import Material, make_material, save_sentence_encoder, tiny_bert

CPU = torch.device("cpu")
TRIPLES = [Triple("river report", "the river", "the market"), Triple("chess", "chess day", "light")]


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return make_material(tmp_path_factory.mktemp("material"))


def training(material: Material, output: Path, *more: object) -> list[object]:
    return [
        "train", "--qrels", material.qrels, "--run", material.run,
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
    assert set(card["inputs"]) == {"collection", "queries", "qrels", "run"}
    assert card["versions"]["torch"] == torch.__version__
    assert described["n_steps"] == 4 * -(-described["n_triples"] // 16)
    assert reranked(material, tmp_path / "after", tmp_path / "y.run") > 0.7
    # Table 1 of a report reads the number from the sidecar of the run.
    assert model_sizes(tmp_path / "y.run") == {
        "n_parameters": card["parameters"]["total"],
        "n_transferred": card["transferred_parameters"],
    }


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
    model, _ = start_model(Start("bert", dimensions=32, seed=1), lambda: texts, CPU)
    settings = TrainingSettings(1e-3, batch_size=2, epochs=60, loss="cross-entropy")

    losses = Trainer(model, TripleList(TRIPLES), settings).train().losses

    assert losses[-1] < losses[0] / 2


def test_the_same_seed_gives_the_same_bytes(material: Material, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        run_json(*training(material, tmp_path / folder, "--model", "knrm", "--seed", 3))
    run_json(*training(material, tmp_path / "c", "--model", "knrm", "--seed", 4))

    a, b, c = ((tmp_path / name / "model.safetensors").read_bytes() for name in "abc")
    assert a == b
    assert a != c


class Interrupting:
    """A triple list that ends the process in the middle of a step, as Ctrl-C or `kill` do."""

    def __init__(self, triples: TripleList, signal_number: int, after: int) -> None:
        self._triples, self._signal, self._left = triples, signal_number, after

    def __len__(self) -> int:
        return len(self._triples)

    def shuffled(self, generator: torch.Generator, start: int = 0) -> Iterator[Triple]:
        for triple in self._triples.shuffled(generator, start):
            self._left -= 1
            if not self._left:
                signal.raise_signal(self._signal)
            yield triple


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("n_triples", [1, 7, 17, 30, 45])
def test_a_resumed_training_gives_what_an_uninterrupted_one_gives(
    material: Material, tmp_path: Path, signal_number: int, n_triples: int
) -> None:
    texts = Passages(material.collection).texts
    start = Start("bert", dimensions=16, seed=1)
    triples = TripleList(TRIPLES * 8)
    settings = TrainingSettings(
        learning_rate=1e-3, batch_size=4, epochs=3, loss="cross-entropy", seed=1
    )
    whole, _ = start_model(start, texts, CPU)
    Trainer(whole, triples, settings).train()

    checkpoint = checkpoint_path(tmp_path / "model")
    first, _ = start_model(start, texts, CPU)
    stopped = Interrupting(triples, signal_number, n_triples)
    with pytest.raises(InputError) as caught:
        Trainer(first, stopped, settings, checkpoint=checkpoint).train()
    assert caught.value.path == str(checkpoint)
    again, _ = start_model(start, texts, CPU)
    trainer = Trainer(again, triples, settings, checkpoint=checkpoint)
    assert trainer.resume() == -(-n_triples // 4)
    history = trainer.train()

    assert history.n_steps == 12
    for name, tensor in whole.state_dict().items():
        assert torch.equal(tensor, again.state_dict()[name]), name
    assert Trainer(again, triples, settings, checkpoint=checkpoint).resume() == 12


@pytest.mark.parametrize("kind", ["train", "fine-tune", "fine-tune --lora"])
def test_an_interrupted_command_goes_on_to_the_same_bytes(
    material: Material, tmp_path: Path, kind: str
) -> None:
    """By the command alone, as somebody ends it: SIGTERM, then --resume."""
    if kind == "train":
        made = training(material, tmp_path / "m", "--model", "knrm", "--epochs", 60)
        more: list[object] = ["--batch-size", 8, "--checkpoint-every", 3]
    else:
        bert = tiny_bert(material.collection.read_text().splitlines())
        save_sentence_encoder(bert, tmp_path / "encoder", {})
        made = [
            "fine-tune", "--model", tmp_path / "encoder", "--qrels", material.qrels,
            "--run", material.run, "--collection", material.collection, "--queries",
            material.queries, "--device", "cpu", "--output", tmp_path / "m", "--max-tokens", 24,
        ]  # fmt: skip
        rank = 4 if "lora" in kind else 0
        more = ["--batch-size", 8, "--epochs", 15, "--checkpoint-every", 7, "--lora", rank]
    command = [*map(str, [sys.executable, "-m", "config.program", *made, *more])]
    checkpoint = tmp_path / "m.checkpoint"

    # As many threads as here: the order of sums follows from it.
    threads = os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=threads) as process:
        while not checkpoint.is_file() and not list(checkpoint.glob("*/trainer_state.json")):
            assert process.poll() is None, process.communicate()
            time.sleep(0.005)
        process.terminate()
        said = process.communicate()[1]
    forgotten = failure(*made, *more)
    resumed = run_json(*made, *more, "--resume")
    bytes_of_resumed = (tmp_path / "m" / "model.safetensors").read_bytes()
    left = checkpoint.exists()
    whole = run_json(*made, *more, "--force")

    assert re.search(r"m\.checkpoint: interrupted after \d+ steps\. Run the same comm", said)
    assert process.returncode == 1
    # Without --resume the checkpoint is not removed: what was resumed is all of it.
    assert f"{checkpoint}: " in forgotten
    assert not left
    assert bytes_of_resumed == (tmp_path / "m" / "model.safetensors").read_bytes()
    assert resumed == whole
    assert "no checkpoint to go on from" in failure(*made, *more, "--resume")


def test_a_fine_tuning_reads_no_more_triples_than_it_takes(
    material: Material, tmp_path: Path
) -> None:
    bert = tiny_bert(material.collection.read_text().splitlines())
    save_sentence_encoder(bert, tmp_path / "encoder", {})
    drawn = []

    class Endless(TripleList):
        def shuffled(self, generator: torch.Generator, start: int = 0) -> Iterator[Triple]:
            assert generator
            for number in itertools.count(start):
                drawn.append(number)
                yield Triple(f"river {number}", f"the river {number}", f"a market {number}")

    settings = FineTuning(batch_size=4, max_steps=3)
    fine_tune(str(tmp_path / "encoder"), Endless(TRIPLES * 1_000), settings, CPU)

    assert len(drawn) <= 4 * 4


def test_a_batch_has_no_text_twice_and_no_triple_is_left_out() -> None:
    triples = TripleList([Triple(f"q{i % 5}", f"p{i}", f"n{i % 7}") for i in range(60)])
    batches = fine_tuning.distinct_batches(triples, FineTuning(batch_size=4))

    rows = [row for batch in itertools.islice(batches, 15) for row in batch]

    for place in range(0, len(rows), 4):
        texts = [text for row in rows[place : place + 4] for text in row.values()]
        assert len(set(texts)) == len(texts) == 12
    assert len({row["positive"] for row in rows}) >= 50


def test_a_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    checkpoint = tmp_path / "x.checkpoint"
    model, _ = start_model(Start("knrm", dimensions=4), lambda: ["river market"], CPU)
    settings = TrainingSettings(batch_size=1)
    stopped = Interrupting(TripleList(TRIPLES), signal.SIGTERM, 1)
    with pytest.raises(InputError):
        Trainer(model, stopped, settings, checkpoint=checkpoint).train()
    other = TrainingSettings(batch_size=1, learning_rate=0.5)

    with pytest.raises(InputError):
        Trainer(model, TripleList(TRIPLES), other, checkpoint=checkpoint).resume()


def validations(values: list[float]) -> Iterator[float]:
    yield from values


def test_the_rate_is_halved_training_ends_and_the_best_weights_stay() -> None:
    model, _ = start_model(Start("knrm", dimensions=4), lambda: ["river market chess"], CPU)
    values = validations([0.1, 0.9, *[0.5] * 99])
    snapshots = []

    def validate() -> float:
        snapshots.append(model.network.output.weight.detach().clone())
        return next(values)

    settings = TrainingSettings(batch_size=1, epochs=50, patience=2, stop_after=5, validate_every=1)
    trainer = Trainer(model, TripleList(TRIPLES), settings, validate=validate)
    history = trainer.train()

    assert history.n_steps == 7  # the second is the best, then five without gain
    assert trainer._optimizers[0].param_groups[0]["lr"] == 1e-3 / 4
    assert torch.equal(model.network.output.weight, snapshots[1])


def test_word_vectors_of_a_file_are_the_rows_that_training_starts_from(tmp_path: Path) -> None:
    glove = tmp_path / "g.txt"
    glove.write_text("river 1 2 3\nviolin 4 5 6\n", encoding="utf-8")

    model, transferred = start_model(Start("knrm", f"glove:{glove}"), lambda: ["river market"], CPU)

    row = model.embedding.weight[model.vocabulary.number_of["river"]]
    assert row.tolist() == [1, 2, 3]
    assert transferred == 3  # violin is not a word of the collection


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
        start_model(Start("knrm", f"glove:{path}"), lambda: ["river market"], CPU)

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
        TripleFile(path, read_query_texts(material.queries), Passages(material.collection))

    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_biased_negatives_are_drawn_more_often_where_they_are_gendered(material: Material) -> None:
    qrels, run = {"0": {"d0": 1}}, read_run(material.run)
    queries, texts = {"0": "river report"}, Passages(material.collection)
    gendered = {docno: float(int(docno[1:]) % 3 == 0) for docno in texts}

    def share(magnitude: dict[str, float] | None) -> float:
        sampling = Sampling(per_positive=5, magnitude=magnitude, bias_strength=9)
        drawn = [
            gendered[triple.negative_docno]
            for seed in range(40)
            for triple in sample_triples(qrels, run, queries, texts, sampling=sampling, seed=seed)
        ]
        return float(np.mean(drawn))

    assert share(gendered) > share(None) + 0.2


def test_a_learning_rate_that_explodes_is_a_plain_error(material: Material, tmp_path: Path) -> None:
    made = training(material, tmp_path / "m", "--model", "knrm", "--learning-rate", 1e38)

    assert failure(*made, "--epochs", 3, status=2)
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


def test_triples_need_no_judgements_but_for_validation(material: Material, tmp_path: Path) -> None:
    triples = tmp_path / "t.tsv"
    triples.write_text("0\td0\td1\n1\td1\td2\n" * 20, encoding="utf-8")
    made = training(material, tmp_path / "m", "--model", "knrm", "--triples", triples)

    assert "--validate-queries" in failure(*made)
    held_out = ("--validate-queries", material.held_out, "--validate-every", 2)
    described = run_json(*made, *held_out, "--batch-size", 8)

    assert (described["n_triples"], len(described["validations"])) == (40, 2)


def test_a_file_of_triples_is_shuffled_by_blocks_and_can_be_taken_up_anywhere(
    material: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankers.neural.triples._BLOCK", 4)
    monkeypatch.setattr("rankers.neural.triples._WINDOW", 3)
    path = tmp_path / "t.tsv.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"q{i}\tp{i}\tn{i}\n" for i in range(30))
    triples = TripleFile(path, {}, Passages(material.collection))

    def order(start: int, seed: int = 1) -> list[str]:
        drawn = triples.shuffled(torch.Generator().manual_seed(seed), start)
        return [triple.query for triple in drawn]

    whole = order(0)
    assert sorted(whole) == sorted(f"q{i}" for i in range(30))
    assert whole != [f"q{i}" for i in range(30)] != order(0, seed=2)
    for start in (1, 11, 12, 13, 29):
        assert order(start) == whole[start:], start


def test_passages_are_looked_up_in_their_file(material: Material) -> None:
    passages, texts = Passages(material.collection), dict(read_collection(material.collection))

    assert dict(passages) == texts
    assert list(passages.texts()) == list(texts.values())
    assert passages.docno_at(7) == "d7"
    assert "nowhere" not in passages


#: The run (a, b and c) has what a lexical ranker finds, the words of the query. A relevant passage
#: (d), which a judgement alone names, has none of them; nor have all others.
_PASSAGES = {"a": "river bank", "b": "river boat", "c": "river mud", "d": "a flow of water"}
_PASSAGES |= {f"e{i}": "light" for i in range(500)}


@pytest.fixture
def judged(tmp_path: Path) -> tuple[Any, Any, dict[str, str], Passages]:
    """Judgements, a run, queries and passages of one query."""
    (tmp_path / "c.tsv").write_text("".join(f"{d}\t{t}\n" for d, t in _PASSAGES.items()))
    (tmp_path / "x.run").write_text("".join(f"1 Q0 {d} {r} {-r} x\n" for r, d in enumerate("abc")))
    qrels = {"1": {"a": 1, "d": 1}}
    return qrels, read_run(tmp_path / "x.run"), {"1": "river"}, Passages(tmp_path / "c.tsv")


@pytest.mark.parametrize(
    ("how", "shares", "warned"),
    [
        ({}, (1, 1, 0.5), ""),
        ({"positives": "judged"}, (0.5, 1, 0.25), "exact matches are bad"),
        ({"negatives": "random"}, (1, 0, 1), "use hard or mixed"),
    ],
)
def test_a_sample_says_whether_exact_matches_alone_tell_its_sides_apart(
    judged: Any, how: Any, shares: tuple[float, ...], warned: str
) -> None:
    drawn = sample_triples(*judged, sampling=Sampling(2, **how), seed=0)

    match = exact_match(drawn)

    assert (match.positive, match.negative, match.told_apart) == shares
    assert warned in match.warning


def test_mixed_negatives_are_half_hard_and_half_random(judged: Any) -> None:
    sampling = Sampling(per_positive=4, negatives="mixed")
    negatives = {
        triple.negative_docno
        for seed in range(9)
        for triple in sample_triples(*judged, sampling=sampling, seed=seed)
    }

    assert {"b", "c"} < negatives
    assert {docno[0] for docno in negatives} == {"b", "c", "e"}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_what_trains_where_no_option_says_otherwise(
    material: Material, tmp_path: Path, preset: str
) -> None:
    made = training(material, tmp_path / "m", "--model", "knrm", "--preset", preset)
    described = run_json(*made, "--epochs", 1, "--loss", "cross-entropy")

    expected = {**PRESETS[preset].networks, "epochs": 1, "loss": "cross-entropy"}
    assert expected.items() <= {**described["start"], **described["settings"]}.items()
    card = json.loads((tmp_path / "m" / "model.json").read_text())
    assert card["exact_width"] == expected["exact_width"]
    loaded: Any = load_model(str(tmp_path / "m"), CPU)
    assert loaded.network.pooling.widths[0] == pytest.approx(expected["exact_width"])


@pytest.mark.parametrize("name", ["knrm", "convknrm", "matchpyramid", "pacrr"])
def test_a_network_starts_with_its_last_layer_near_zero(name: str) -> None:
    model: Any = start_model(Start(name, dimensions=8), lambda: ["river market"], CPU)[0]

    weights = model.network.output.weight
    assert 0 < float(weights.detach().abs().max()) <= 0.014


@pytest.mark.parametrize("name", ["knrm", "convknrm", "matchpyramid", "pacrr"])
def test_words_that_the_vocabulary_does_not_have_match_nothing(name: str) -> None:
    model: Any = start_model(Start(name, dimensions=8), lambda: ["river market boat"], CPU)[0]
    model.eval()

    def score(query: str, text: str) -> float:
        return float(model(model.prepare([query], [text])).detach())

    assert score("river zebra", "market quagga") == score("river okapi", "market okapi")
    assert score("river okapi market", "boat okapi river") == pytest.approx(
        score("river zebra market", "boat quagga river")
    )


def test_gradients_are_clipped_and_adam_has_its_epsilon() -> None:
    model, _ = start_model(Start("bert", dimensions=16), lambda: ["river market chess"], CPU)
    settings = TrainingSettings(batch_size=2, epochs=1, clip=1e-6, epsilon=1e-5)
    trainer = Trainer(model, TripleList(TRIPLES), settings)
    trainer.train()

    gradients = [one.grad for one in model.parameters() if one.grad is not None]
    assert float(torch.stack([one.norm() for one in gradients]).norm()) <= 1.01e-6
    assert trainer._optimizers[0].param_groups[0]["eps"] == 1e-5
