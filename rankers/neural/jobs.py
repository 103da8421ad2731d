"""What the commands do, from files to files."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import ir_measures
import torch

from metrics.errors import InputError
from metrics.grepbias import Alpha
from metrics.io.digests import digest_of
from metrics.runs import Run, read_run
from metrics.runs.qrels import Qrels, read_qrels
from metrics.runs.queries import read_queries, read_query_texts
from metrics.texts.collection import read_collection, texts_of
from metrics.texts.magnitude_store import open_magnitudes
from rankers.neural.debiasing import (
    Adversarial,
    Debiasing,
    DocumentGenders,
    NoDebiasing,
    Regulariser,
    document_genders,
)
from rankers.neural.device import choose_device, seed_everything
from rankers.neural.model_folder import PairModel, save_model
from rankers.neural.reranking import rerank
from rankers.neural.starting import Start, start_model
from rankers.neural.training import Trainer, TrainingSettings, checkpoint_path
from rankers.neural.training_data import NegativeSampling, Triple, read_triples, sample_triples
from rankers.neural.transformer_models import CrossEncoder


@dataclass(frozen=True)
class Sources:
    """The files of a training: either `triples`, or `qrels` and the run `negatives_from`."""

    collection: Path
    queries: Path
    triples: Path | None = None
    qrels: Path | None = None
    negatives_from: Path | None = None
    magnitudes: Path | None = None
    validate_queries: Path | None = None

    def __post_init__(self) -> None:
        if (self.triples is None) == (self.qrels is None or self.negatives_from is None):
            raise InputError(
                "training needs either --triples, or --qrels with --negatives-from.",
                remedy="Give one of the two.",
            )
        if self.validate_queries and self.qrels is None:
            raise InputError("--validate-queries needs --qrels and --negatives-from.")

    @property
    def judged(self) -> tuple[Path, Path]:
        """The qrels and the run; `InputError` where the training has triples."""
        if self.qrels is None or self.negatives_from is None:
            raise InputError("--qrels and --negatives-from are missing.")
        return self.qrels, self.negatives_from

    def digests(self) -> dict[str, str]:
        """The digest of every file."""
        named = {name: path for name, path in vars(self).items() if path is not None}
        return {name: digest_of(path) for name, path in named.items()}


@dataclass(frozen=True)
class Mitigation:
    """How to train against gender bias, see `debiasing`."""

    method: str = "none"
    alpha: Alpha = field(default_factory=Alpha)
    biased_negatives: float = 0.0

    @property
    def needs_genders(self) -> bool:
        return self.method != "none" or self.biased_negatives > 0


def read_texts(path: Path) -> dict[str, str]:
    """The passages of a collection by docno."""
    return dict(read_collection(path))


def train_reranker(
    start: Start,
    sources: Sources,
    settings: TrainingSettings,
    output: Path,
    *,
    mitigation: Mitigation | None = None,
    sampling: NegativeSampling | None = None,
    device: str = "auto",
    resume: bool = False,
    force: bool = False,
    started: Callable[[int], Callable[[float], object]] = lambda _n: lambda _loss: None,
) -> dict[str, Any]:
    """Train a model and write its folder; what `model.json` says of the training.

    `started` is called with the number of steps and gives what is called with the loss of each.
    """
    mitigation = mitigation or Mitigation()
    seed_everything(settings.seed)
    place = choose_device(device)
    collection, queries = read_texts(sources.collection), read_query_texts(sources.queries)
    genders = _genders(sources, mitigation)
    held_out: set[str] = set()
    if sources.validate_queries:
        held_out = set(read_queries(sources.validate_queries, category="all").ids)
    training_queries = {qid: text for qid, text in queries.items() if qid not in held_out}
    sampling = sampling or NegativeSampling()
    if mitigation.biased_negatives:
        strength = mitigation.biased_negatives
        sampling = replace(sampling, magnitude=genders.magnitude, bias_strength=strength)
    triples = _triples(sources, training_queries, collection, sampling, settings.seed)
    if mitigation.needs_genders and not triples[0].positive_docno:
        raise InputError(
            "has texts without docnos, whose magnitudes are not known.",
            path=sources.triples,
            remedy="Write qid, docno and docno.",
        )
    model, transferred = start_model(start, collection.values(), place)
    trainer = Trainer(
        model,
        triples,
        settings,
        debiasing=_debiasing(mitigation, model, genders),
        validate=_validation(sources, model, (queries, collection), held_out, place),
        checkpoint=checkpoint_path(output),
    )
    n_done = trainer.resume() if resume else 0
    history = trainer.train(started(settings.n_steps(len(triples)) - n_done))
    description = {
        "init": start.init,
        "transferred_parameters": transferred,
        "settings": asdict(settings),
        "mitigation": asdict(mitigation),
        "n_triples": len(triples),
        "n_steps": history.n_steps,
        "last_loss": history.losses[-1],
        "validations": history.validations,
        "inputs": sources.digests(),
        "threads": torch.get_num_threads(),
        "device": place.type,
    }
    save_model(model, output, description, force=force)
    return description


def _genders(sources: Sources, mitigation: Mitigation) -> DocumentGenders:
    if not mitigation.needs_genders:
        return DocumentGenders()
    if sources.magnitudes is None:
        raise InputError(
            "--debias and --biased-negatives need --magnitudes.",
            remedy="Make them with score_collection.",
        )
    return document_genders(open_magnitudes(sources.magnitudes))


def _triples(
    sources: Sources,
    queries: Mapping[str, str],
    collection: Mapping[str, str],
    sampling: NegativeSampling,
    seed: int,
) -> list[Triple]:
    if sources.triples is not None:
        return read_triples(sources.triples, queries, collection)
    qrels, run = read_qrels(sources.judged[0]), read_run(sources.judged[1])
    return sample_triples(qrels, run, queries, collection, sampling=sampling, seed=seed)


def _debiasing(mitigation: Mitigation, model: PairModel, genders: DocumentGenders) -> Debiasing:
    if mitigation.method == "none":
        return NoDebiasing()
    if mitigation.method == "regulariser":
        return Regulariser(mitigation.alpha, genders)
    if not isinstance(model, CrossEncoder):
        raise InputError("--debias adversarial needs --model bert.", remedy="Use regulariser.")
    return Adversarial(int(model.model.config.hidden_size), genders)


def _validation(
    sources: Sources,
    model: PairModel,
    texts: tuple[Mapping[str, str], Mapping[str, str]],
    ids: set[str],
    device: torch.device,
) -> Callable[[], float] | None:
    """nDCG@10 of the run re-ranked on the held-out queries."""
    if not ids:
        return None
    qrels_path, run_path = sources.judged
    qrels = {qid: grades for qid, grades in read_qrels(qrels_path).items() if qid in ids}
    run = read_run(run_path, queries=ids, depth=100)
    return lambda: ndcg(dict_of(rerank(model, run, *texts, device=device)), qrels)


def dict_of(rankings: Iterable[tuple[str, list[tuple[str, float]]]]) -> dict[str, dict[str, float]]:
    """Scores by query and docno."""
    return {qid: dict(ranking) for qid, ranking in rankings}


def ndcg(scores: dict[str, dict[str, float]], qrels: Qrels, cutoff: int = 10) -> float:
    """Mean nDCG of scores by query and docno."""
    measure = ir_measures.nDCG @ cutoff
    return float(ir_measures.calc_aggregate([measure], qrels, scores)[measure])


def needed_texts(path: Path, run: Run) -> dict[str, str]:
    """The passages of a run, out of a collection that may be large."""
    return texts_of(run.docnos.to_pylist(), read_collection(path))
