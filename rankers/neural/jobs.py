"""The work of the commands, from files to files."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import ir_measures
import torch

from metrics.errors import InputError
from metrics.io.digests import digest_of
from metrics.io.ids import met, other_spelling, renamed_text
from metrics.measures.base import Qrels
from metrics.results.meeting import meet, renamed_documents
from metrics.runs import Run, read_run
from metrics.runs.qrels import read_qrels
from metrics.runs.queries import read_queries, read_query_texts
from metrics.texts.collection import read_collection, texts_of
from metrics.texts.magnitude_store import Magnitudes, open_magnitudes
from rankers.neural.checkpoints import check_none_waits
from rankers.neural.debiasing import (
    DocumentGenders,
    document_genders,
    pair_genders,
)
from rankers.neural.device import choose_device, seed_everything
from rankers.neural.mitigation import Mitigation, train_and_choose
from rankers.neural.model_folder import PairModel, save_model
from rankers.neural.passages import Passages
from rankers.neural.reranking import rerank
from rankers.neural.sampling import ExactMatch, Sampling, exact_match, sample_triples
from rankers.neural.starting import Start, start_model
from rankers.neural.training import Trainer
from rankers.neural.triples import TripleFile, TripleList, Triples
from rankers.training_settings import TrainingSettings

_LOOKED_AT = 10_000  # triples of which exact matches are counted
_VALIDATED = 100  # ranks of a held-out query


def _silent(_text: str) -> None:
    """Say nothing: what there is to say was said before."""


@dataclass(frozen=True)
class Sources:
    """The files of a training: `triples`, or `qrels` and the `run` that both sides come from.

    Validation re-ranks the run, with triples as well.
    """

    collection: Path
    queries: Path
    triples: Path | None = None
    qrels: Path | None = None
    run: Path | None = None
    magnitudes: Path | None = None
    validate_queries: Path | None = None

    def __post_init__(self) -> None:
        if (self.qrels is None) != (self.run is None):
            raise InputError("--qrels and --run belong together.", remedy="Give both.")
        if self.triples is None and self.qrels is None:
            raise InputError(
                "training needs --triples, or --qrels with --run.", remedy="Give one of the two."
            )
        if self.qrels is None and self.validate_queries:
            raise InputError("--validate-queries needs --qrels and --run.", remedy="Give both.")
        if self.triples and self.qrels and not self.validate_queries:
            raise InputError(
                "--triples leave nothing to do for --qrels and --run.",
                remedy="Give --validate-queries, or leave them out.",
            )

    def judged(self) -> tuple[Path, Path]:
        """The qrels and the run, which the rules above demand where this is called."""
        assert self.qrels is not None and self.run is not None  # noqa: S101, PT018 - their types
        return self.qrels, self.run

    def digests(self) -> dict[str, str]:
        """The digest of every file."""
        named = {name: path for name, path in vars(self).items() if path is not None}
        return {name: digest_of(path) for name, path in named.items()}


def train_reranker(
    start: Start,
    sources: Sources,
    settings: TrainingSettings,
    output: Path,
    *,
    mitigation: Mitigation | None = None,
    sampling: Sampling | None = None,
    device: str = "auto",
    resume: bool = False,
    force: bool = False,
    started: Callable[[int], Callable[[float], object]] = lambda _n: lambda _loss: None,
    warn: Callable[[str], object] = _silent,
) -> dict[str, Any]:
    """Train a model and write its folder; what `model.json` says of the training.

    `started` is called with the number of steps and gives what is called with the loss of each,
    `warn` with what a person should know of the triples.
    """
    mitigation = mitigation or Mitigation()
    checkpoints = mitigation.checkpoints(output)
    if not resume and not force:
        for path in checkpoints.values():
            check_none_waits(path)
    seed_everything(settings.seed)
    place = choose_device(device)
    output.parent.mkdir(parents=True, exist_ok=True)
    passages = Passages(sources.collection, output.parent)
    queries = read_query_texts(sources.queries)
    genders = _genders(sources, mitigation, queries, warn)
    held_out: set[str] = set()
    if sources.validate_queries:
        held_out = set(read_queries(sources.validate_queries, category="all").ids)
    training_queries = {qid: text for qid, text in queries.items() if qid not in held_out}
    sampling = sampling or Sampling()
    if mitigation.biased_negatives:
        strength = mitigation.biased_negatives
        sampling = replace(sampling, magnitude=genders.magnitude, bias_strength=strength)
    triples, shares = drawn_triples(
        sources,
        training_queries,
        passages,
        sampling,
        settings.seed,
        needs_docnos=mitigation.needs_genders,
        warn=warn,
    )
    if shares.warning:
        warn(shares.warning)
    if mitigation.needs_genders:
        some = islice(triples.shuffled(torch.Generator().manual_seed(0)), _LOOKED_AT)
        genders.check_coverage(some, sources.magnitudes, warn)
    model, transferred = start_model(start, passages.texts, place)
    inputs = sources.digests()

    def trainer_of(copied: PairModel, strength: float) -> Trainer:
        mitigated = mitigation.of_strength(strength)
        return Trainer(
            copied,
            triples,
            settings,
            debiasing=mitigated.debiasing(copied, genders),
            validate=_validation(sources, copied, (queries, passages), held_out),
            checkpoint=checkpoints[strength],
            origin={"inputs": inputs, "start": asdict(start), "mitigation": str(mitigated)},
        )

    probe = mitigation.probe(model, triples, genders, settings.seed)
    trained = train_and_choose(
        model, checkpoints, trainer_of, probe, resume=resume, started=started, warn=warn
    )
    history = trained.history
    description = {
        "start": asdict(start),
        "transferred_parameters": transferred,
        "settings": asdict(settings),
        "mitigation": asdict(mitigation),
        "sampling": None if sources.triples else described(sampling),
        "exact_match": asdict(shares),
        **trained.readings,
        "n_triples": len(triples),
        "n_steps": history.n_steps,
        "last_loss": history.losses[-1],
        "validations": history.validations,
        "inputs": inputs,
        "threads": torch.get_num_threads(),
        "device": place.type,
    }
    save_model(trained.model, output, description, force=force)
    for path in checkpoints.values():
        path.unlink(missing_ok=True)
    return description


def _genders(
    sources: Sources,
    mitigation: Mitigation,
    queries: Mapping[str, str],
    warn: Callable[[str], object],
) -> DocumentGenders:
    if not mitigation.needs_genders:
        return DocumentGenders()
    if sources.magnitudes is None:
        raise InputError(
            "training against bias needs --scores.",
            remedy="Make them with fairpool score.",
        )
    magnitudes = open_magnitudes(sources.magnitudes)
    if mitigation.method != "adversarial":
        return document_genders(magnitudes)
    return pair_genders(magnitudes, queries.values(), warn)


def drawn_triples(
    sources: Sources,
    queries: Mapping[str, str],
    passages: Passages,
    sampling: Sampling,
    seed: int,
    *,
    needs_docnos: bool = False,
    warn: Callable[[str], object] = _silent,
) -> tuple[Triples, ExactMatch]:
    """The triples of the file, or drawn from the run; and the exact matches of some of them.

    `InputError` where docnos are needed and the file has texts alone.
    """
    triples: Triples
    if sources.triples is not None:
        triples = TripleFile(sources.triples, queries, passages)
    else:
        qrels, run = as_passages(*judged_run(sources, queries, warn), passages, warn)
        triples = TripleList(
            sample_triples(qrels, run, queries, passages, sampling=sampling, seed=seed)
        )
    some = list(islice(triples.shuffled(torch.Generator().manual_seed(0)), _LOOKED_AT))
    if needs_docnos and not some[0].positive_docno:
        raise InputError(
            "has texts without docnos, whose magnitudes are not known.",
            path=sources.triples,
            remedy="Write qid, docno and docno.",
        )
    return triples, exact_match(some)


def described(sampling: Sampling) -> dict[str, Any]:
    """The sampling as `model.json` has it, without the magnitude of every passage."""
    return {name: value for name, value in vars(sampling).items() if name != "magnitude"}


def _validation(
    sources: Sources,
    model: PairModel,
    texts: tuple[Mapping[str, str], Mapping[str, str]],
    ids: set[str],
) -> Callable[[], float] | None:
    """nDCG@10 of the run re-ranked on the held-out queries."""
    if not ids:
        return None
    judged = judged_run(sources, ids, _silent, _VALIDATED, only=True)
    qrels, run = as_passages(*judged, texts[1], _silent)
    qrels = {qid: grades for qid, grades in qrels.items() if qid in ids}
    return lambda: ndcg(dict_of(rerank(model, run, *texts)), qrels)


def dict_of(rankings: Iterable[tuple[str, list[tuple[str, float]]]]) -> dict[str, dict[str, float]]:
    """Scores by query and docno."""
    return {qid: dict(ranking) for qid, ranking in rankings}


def ndcg(scores: dict[str, dict[str, float]], qrels: Qrels, cutoff: int = 10) -> float:
    """Mean nDCG of scores by query and docno."""
    measure = ir_measures.nDCG @ cutoff
    judged = {qid: dict(grades) for qid, grades in qrels.items()}
    return float(ir_measures.calc_aggregate([measure], judged, scores)[measure])


def run_with_texts(
    run: Run,
    queries: Mapping[str, str],
    collection: str | Path,
    note: Callable[[str], object],
    magnitudes: Magnitudes | None = None,
) -> tuple[Run, dict[str, str]]:
    """The run with ids as queries and `magnitudes` have them, and the texts of its documents.

    They are looked up in one pass, as the collection may be large. `note` is told of ids that are
    written otherwise.
    """
    together = meet([run], ids=queries, magnitudes=magnitudes)
    [run] = together.runs
    texts, remark = texts_of(run.docnos.tolist(), read_collection(collection))
    for text in filter(None, [*together.remarks, remark]):
        note(text)
    return run, texts


def judged_run(
    sources: Sources,
    queries: Collection[str],
    note: Callable[[str], object],
    depth: int | None = None,
    *,
    only: bool = False,
) -> tuple[Qrels, Run]:
    """The judgments and the run with the ids of these queries; `only` these, and to a `depth`."""
    qrels_path, run_path = sources.judged()
    read = read_run(run_path, queries=queries if only else None, depth=depth)
    judgments = {"the judgments": read_qrels(qrels_path)}
    together = meet([read], judgments, ids=queries, depth=depth)
    for text in together.remarks:
        note(text)
    return together.judgments["the judgments"] or {}, together.runs[0]


def as_passages(
    qrels: Qrels, run: Run, passages: Mapping[str, str], note: Callable[[str], object]
) -> tuple[Qrels, Run]:
    """The judgments and the run with docnos as the passages have them."""
    docnos = run.docnos.tolist()
    names = met(docnos, passages)
    if names is None:
        return qrels, run
    note(renamed_text("the documents of the run", docnos, names))
    renamed = {
        qid: {other_spelling(docno): grade for docno, grade in grades.items()}
        for qid, grades in qrels.items()
    }
    return renamed, renamed_documents(run)
