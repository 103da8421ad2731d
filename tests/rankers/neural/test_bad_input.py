"""What goes wrong around training: a sentence says so, and the last good state stays."""

import json
import resource
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from metrics.errors import InputError
from metrics.runs import Run, read_run
from rankers.neural import reranking
from rankers.neural.model_folder import load_model
from tests.program import failure, run_json
from tests.rankers.neural.material import Material, make_material, save_sentence_encoder, tiny_bert

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return make_material(tmp_path_factory.mktemp("material"))


@pytest.fixture(scope="module")
def models(material: Material) -> dict[str, Path]:
    """The folder of a network, of a cross-encoder and of a bi-encoder."""
    texts = material.collection.read_text().splitlines()
    bert = tiny_bert(texts)
    folders = {name: material.folder / name for name in ("knrm", "cross", "bi")}
    run_json(*train(material, folders["knrm"]))
    for part in (bert.model, bert.tokenizer):
        part.save_pretrained(folders["cross"])
    save_sentence_encoder(bert, folders["bi"], {})
    return folders


def sources(material: Material, **others: Path) -> list[object]:
    names = ("qrels", "run", "collection", "queries")
    options = [(f"--{name}", others.get(name, getattr(material, name))) for name in names]
    return [word for option in options for word in option]


def train(material: Material, output: Path, *more: object, **others: Path) -> list[object]:
    options = ("--model", "knrm", "--dimensions", 64, "--device", "cpu", "--output", output)
    return ["train", *options, *sources(material, **others), *more]


def fine_tune(
    material: Material, model: Path, output: Path, *more: object, **others: Path
) -> list[object]:
    options = ("--model", model, "--max-steps", 1, "--device", "cpu", "--output", output)
    return ["fine-tune", *options, *sources(material, **others), *more]


def cross_validate(
    material: Material, model: Path, output: Path, *more: object, **others: Path
) -> list[object]:
    tuning = fine_tune(material, model, output, "--scores", material.magnitudes, **others)
    return ["cross-validate", *tuning[1:], "--folds", 2, "--seeds", 1, *more]


def rerank(material: Material, model: Path, output: Path, *more: object) -> list[object]:
    options = sources(material)[2:]
    return ["rerank", "--model", model, *options, "--output", output, "--device", "cpu", *more]


@contextmanager
def full_disk(most_bytes: int) -> Iterator[None]:
    """No file can grow beyond this size, as on a disk with no more room."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, hidden ones too, by its path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_gpu_that_is_not_there_is_named(
    material: Material, models: dict[str, Path], tmp_path: Path
) -> None:
    output = tmp_path / "made"
    for call in (
        train(material, output),
        fine_tune(material, models["bi"], output),
        cross_validate(material, models["bi"], output),
        rerank(material, models["knrm"], output),
    ):
        said = failure(*call, "--device", "cuda")

        assert "this machine has no device 'cuda'" in said
        assert not output.exists()


@pytest.mark.parametrize("kind", ["knrm", "cross", "bi"])
def test_weights_that_are_pickled_truncated_or_another_models_are_refused(
    material: Material, models: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    pickled, truncated, other = (
        shutil.copytree(models[kind], tmp_path / name) for name in ("pickled", "truncated", "other")
    )
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    weights = (truncated / "model.safetensors").read_bytes()
    (truncated / "model.safetensors").write_bytes(weights[: len(weights) // 2])
    if kind == "knrm":
        words = "".join(f"word{number}\t1.0\n" for number in range(9))
        (other / "vocabulary.tsv").write_text(words, encoding="utf-8")
    else:
        tiny_bert([f"word{number} alone" for number in range(300)]).tokenizer.save_pretrained(other)

    for folder in (pickled, truncated, other):
        with pytest.raises(InputError, match=str(folder)):
            load_model(str(folder), CPU)
        said = failure(*rerank(material, folder, tmp_path / "y.run"))
        assert str(folder) in said
        assert not (tmp_path / "y.run").exists()


def changed_weights(folder: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    path = folder / "model.safetensors"
    save_file(change(load_file(path)), path, {"format": "pt"})


@pytest.mark.parametrize(
    "case",
    [
        ("knrm", "head", "network.output.weight is missing"),
        ("cross", "head", "classifier.bias, classifier.weight are missing"),
        ("cross", "prefix", "are missing; module.bert.embeddings"),
        ("bi", "prefix", "are missing; module.embeddings"),
        ("cross", "layers", "bert.encoder.layer.1"),
        ("cross", "shape", "bert.pooler.dense.bias is of another shape"),
    ],
)
def test_weights_that_do_not_fit_are_named_and_not_replaced_by_random_ones(
    material: Material, models: dict[str, Path], tmp_path: Path, case: tuple[str, str, str]
) -> None:
    kind, change, named = case
    folder = shutil.copytree(models[kind], tmp_path / "model")
    heads = ("classifier.", "network.output.")
    if change == "head":
        changed_weights(
            folder, lambda all_: {k: v for k, v in all_.items() if not k.startswith(heads)}
        )
    elif change == "prefix":
        changed_weights(folder, lambda all_: {f"module.{k}": v for k, v in all_.items()})
    elif change == "shape":
        changed_weights(folder, lambda all_: all_ | {"bert.pooler.dense.bias": torch.zeros(3)})
    else:
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 1}))

    said = failure(*rerank(material, folder, tmp_path / "y.run"))

    assert f"{folder}" in said
    assert "its weights do not fit its architecture" in said
    assert named in said
    assert not (tmp_path / "y.run").exists()


@pytest.mark.parametrize("kind", ["cross", "bi"])
def test_of_two_kinds_of_weights_safetensors_are_read(
    material: Material, models: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    twins = shutil.copytree(models[kind], tmp_path / "twins")
    (twins / "pytorch_model.bin").write_bytes(b"never read")
    (twins / "training_args.bin").write_bytes(b"never read")

    for name, folder in (("one", models[kind]), ("two", twins)):
        run_json(*rerank(material, folder, tmp_path / f"{name}.run"))
    if kind == "bi":
        run_json(*fine_tune(material, twins, tmp_path / "m"))

    one, two = (read_run(tmp_path / f"{name}.run") for name in ("one", "two"))
    assert one.to_dict() == two.to_dict()


def test_the_head_of_a_model_that_has_none_is_new_where_it_is_trained(
    material: Material, models: dict[str, Path], tmp_path: Path
) -> None:
    options = ("--kind", "cross-encoder")
    assert run_json(*fine_tune(material, models["bi"], tmp_path / "m", *options))["n_steps"] == 1
    made = train(material, tmp_path / "t", "--model", "bert", "--init", models["bi"])
    assert run_json(*made)["n_steps"] > 0


@pytest.mark.parametrize("name", ["models/there-is-none/here", "/no/such/folder"])
def test_a_folder_that_is_not_there_is_named(material: Material, tmp_path: Path, name: str) -> None:
    for call in (
        rerank(material, Path(name), tmp_path / "y.run"),
        fine_tune(material, Path(name), tmp_path / "m"),
    ):
        assert f"{name}: no such folder" in failure(*call)


@pytest.mark.parametrize("package", ["datasets", "accelerate", "peft"])
def test_a_package_that_is_missing_is_named_with_its_extra(
    material: Material,
    models: dict[str, Path],
    tmp_path: Path,
    package: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "rankers.neural.tuning_jobs", raising=False)
    monkeypatch.delitem(sys.modules, "rankers.neural.fine_tuning", raising=False)
    monkeypatch.setitem(sys.modules, package, None)

    said = failure(*fine_tune(material, models["bi"], tmp_path / "m"))

    assert f"this needs the package {package}" in said
    assert "fairpool[train]" in said


def test_judgements_without_a_relevant_passage_are_refused(
    material: Material, models: dict[str, Path], tmp_path: Path
) -> None:
    nothing = tmp_path / "qrels.txt"
    nothing.write_text(material.qrels.read_text().replace(" 1\n", " 0\n"), encoding="utf-8")
    output = tmp_path / "made"

    for call in (
        train(material, output, qrels=nothing),
        fine_tune(material, models["bi"], output, qrels=nothing),
        cross_validate(material, models["bi"], output, qrels=nothing),
    ):
        assert "no query has a relevant passage" in failure(*call)
        assert not (output / "model.json").exists()


def test_queries_without_a_relevant_passage_teach_nothing(
    material: Material, tmp_path: Path
) -> None:
    lines = material.qrels.read_text().splitlines(keepends=True)
    some = tmp_path / "qrels.txt"
    of_nine = [line if line.startswith("0 ") else line.replace(" 1\n", " 0\n") for line in lines]
    some.write_text("".join(of_nine), encoding="utf-8")
    whole = run_json(*train(material, tmp_path / "whole"))

    made = run_json(*train(material, tmp_path / "m", qrels=some))

    assert made["n_triples"] * 10 == whole["n_triples"]


def test_folds_whose_other_queries_teach_nothing_are_refused_before_any_training(
    material: Material, models: dict[str, Path], tmp_path: Path
) -> None:
    qrels = tmp_path / "qrels.txt"
    # Judged queries are dealt out in turns: only the first fold has relevant passages.
    lines = material.qrels.read_text().splitlines(keepends=True)
    kept = [one if int(one.split()[0]) % 2 == 0 else one.replace(" 1\n", " 0\n") for one in lines]
    qrels.write_text("".join(kept), encoding="utf-8")

    said = failure(*cross_validate(material, models["bi"], tmp_path / "cv", qrels=qrels))

    assert "fold 0" in said
    assert not list((tmp_path / "cv").rglob("*.run"))


@pytest.mark.parametrize(
    "case",
    [
        ("train", 2_000, "the texts of the collection cannot be kept"),
        ("train", 6_000, "cannot be written"),
        ("fine-tune", 2_000, "the texts of the collection cannot be kept"),
        ("fine-tune", 90_000, "cannot be written"),
    ],
)
def test_a_full_disk_leaves_the_model_that_was_there(
    material: Material, models: dict[str, Path], tmp_path: Path, case: tuple[str, int, str]
) -> None:
    command, most_bytes, what = case
    call = (
        train(material, tmp_path / "m")
        if command == "train"
        else fine_tune(material, models["bi"], tmp_path / "m")
    )
    run_json(*call)
    before = contents(tmp_path)

    with full_disk(most_bytes):
        said = failure(*call, "--seed", 1)

    assert what in said
    assert "Is the disk full?" in said
    assert len(said.splitlines()) == 1
    assert contents(tmp_path) == before


def test_a_training_goes_on_where_the_disk_was_full(material: Material, tmp_path: Path) -> None:
    call = train(material, tmp_path / "m", "--batch-size", 8)
    whole = run_json(*call)
    shutil.rmtree(tmp_path / "m")
    (tmp_path / "m.checkpoint").write_bytes(b"of a step before")

    with full_disk(9_000):
        said = failure(*call, "--checkpoint-every", 2, "--force")

    assert "m.checkpoint: cannot be written" in said
    assert contents(tmp_path) == {"m.checkpoint": b"of a step before"}
    assert run_json(*call, "--force") == whole


def test_a_fine_tuning_goes_on_from_its_last_whole_checkpoint_where_the_disk_was_full(
    material: Material, models: dict[str, Path], tmp_path: Path
) -> None:
    call = fine_tune(material, models["bi"], tmp_path / "m", "--batch-size", 8, "--max-steps", 3)
    whole = run_json(*call)
    shutil.rmtree(tmp_path / "m")

    with full_disk(9_000):
        said = failure(*call, "--checkpoint-every", 1)

    assert "m.checkpoint: cannot be written" in said
    assert not contents(tmp_path)
    assert "no checkpoint to go on from" in failure(*call, "--resume")
    assert run_json(*call) == whole


class Failed(torch.nn.Module):
    """A model whose weights are not numbers."""

    def prepare(self, queries: Sequence[str], _passages: Sequence[str]) -> int:
        return len(queries)

    def forward(self, n: int) -> torch.Tensor:
        return torch.full((n,), float("nan"))


def test_scores_that_are_no_numbers_are_refused() -> None:
    run = Run.from_dict({"q1": {"d1": 1.0}}, "A")

    with pytest.raises(InputError, match="not numbers"):
        list(reranking.rerank(Failed(), run, {"q1": "who"}, {"d1": "he left"}))


def test_a_checkpoint_that_is_no_checkpoint_is_named(material: Material, tmp_path: Path) -> None:
    (tmp_path / "m.checkpoint").write_bytes(b"PK half a file")

    said = failure(*train(material, tmp_path / "m", "--resume"))

    assert f"{tmp_path / 'm.checkpoint'}: cannot be read" in said


def test_folds_are_not_written_among_other_files(
    material: Material, models: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("of a person", encoding="utf-8")

    said = failure(*cross_validate(material, models["bi"], tmp_path))

    assert f"{tmp_path}: holds other files than" in said
    assert contents(tmp_path) == {"notes.txt": b"of a person"}


def test_a_full_disk_leaves_the_folds_that_are_there(
    material: Material, models: dict[str, Path], tmp_path: Path
) -> None:
    call = cross_validate(material, models["bi"], tmp_path / "cv")
    run_json(*call)
    before = contents(tmp_path / "cv")

    with full_disk(9_000):
        said = failure(*call, "--seeds", 2)

    assert "Is the disk full?" in said
    assert contents(tmp_path / "cv") == before
    run_json(*call, "--seeds", 2)
    after = contents(tmp_path / "cv")
    folds = [path for path in before if path.startswith("folds/")]
    assert len(folds) == 4  # of two folds, each with a sidecar
    assert {path: after[path] for path in folds} == {path: before[path] for path in folds}


def test_a_full_disk_leaves_the_run_that_was_there(
    material: Material, models: dict[str, Path], tmp_path: Path
) -> None:
    run_json(*rerank(material, models["knrm"], tmp_path / "y.run"))
    before = contents(tmp_path)

    with full_disk(2_000):
        said = failure(*rerank(material, models["bi"], tmp_path / "y.run", "--force"))

    assert "too large" in said.lower()
    assert contents(tmp_path) == before
