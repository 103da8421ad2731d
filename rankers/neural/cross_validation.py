"""A fine-tuned model on queries that it was not trained on, in folds and with several seeds."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from metrics.api import evaluate
from metrics.errors import InputError
from metrics.io.files import write_text
from metrics.io.run_names import run_name
from metrics.runs import Run, read_run
from metrics.runs.queries import read_query_texts
from metrics.statistics.significance import paired_t_test
from metrics.version import VERSION
from rankers.fine_tuning_settings import FineTuning
from rankers.neural.device import choose_device
from rankers.neural.fine_tuning import fine_tune
from rankers.neural.jobs import Sources, as_passages, described, judged_run
from rankers.neural.model_folder import load_model
from rankers.neural.passages import Passages
from rankers.neural.pretrained import model_hash
from rankers.neural.reranking import Ranking, rerank, write_run
from rankers.neural.sampling import Sampling, sample_triples
from rankers.neural.triples import TripleList

EFFECTIVENESS = "nDCG"
BIAS = ("RaB", "ARaB", "NFaiRR", "TExFAIR")
CUTOFF = 10
_CARD = "cross-validation.json"
_UNTRAINED = "untrained"


@dataclass(frozen=True)
class Design:
    """`folds` of the judged queries of the run, each trained on the others once for each seed.

    The first `depth` passages of each query are re-ranked.
    """

    folds: int = 5
    seeds: int = 3
    depth: int = 100


@dataclass(frozen=True)
class Row:
    """A system of the table: its measures @10, of a fine-tuned one the mean over the seeds.

    `p` holds, by the other system's name, the paired t-test of nDCG@10 over queries; None where
    the two do not differ on any.
    """

    system: str
    values: dict[str, float]
    p: dict[str, float | None]


class CrossValidation:
    """Every query ranked by models that were trained on the queries of the other folds.

    The folder `output` gets a run of each seed and fold as soon as it is there: the same call goes
    on where one was interrupted, and one with more seeds adds them. A folder of another call is
    refused.
    """

    def __init__(
        self,
        model: str,
        sources: Sources,
        settings: FineTuning,
        output: Path,
        *,
        design: Design,
        sampling: Sampling,
        device: str = "auto",
        note: Callable[[str], object] = lambda _text: None,
    ) -> None:
        qrels, run = sources.judged()
        self._model, self._settings, self._output = model, settings, output
        self._design, self._sampling = design, sampling
        self._device = choose_device(device)
        self._qrels_path = qrels
        self._queries = read_query_texts(sources.queries)
        self._qrels, self._run = judged_run(sources, self._queries, note)
        judged = sorted(q for q in self._run.qids if q in self._qrels and q in self._queries)
        if len(judged) < design.folds:
            raise InputError(
                f"{len(judged)} of the run's queries have a text and judgements, too few for "
                f"{design.folds} folds.",
                path=run,
                remedy="Use fewer --folds, or check --queries and --qrels.",
            )
        self._folds = [judged[fold :: design.folds] for fold in range(design.folds)]
        first = read_run(run, queries=judged, depth=design.depth)
        output.mkdir(parents=True, exist_ok=True)
        self._passages = Passages(sources.collection, output)
        _, self._first = as_passages({}, first, self._passages, note)
        self._qrels, self._run = as_passages(self._qrels, self._run, self._passages, note)
        self.card: dict[str, Any] = {
            "model": {"name": model, "sha256": model_hash(model)},
            "settings": asdict(settings),
            "sampling": described(sampling),
            "design": {"folds": design.folds, "depth": design.depth},
            "inputs": sources.digests(),
            "device": self._device.type,
            "fairpool": VERSION,
        }
        self._check_card()

    def _check_card(self) -> None:
        """Write the parameters of the folder, or compare them with those of an earlier call."""
        path = self._output / _CARD
        text = json.dumps(self.card, ensure_ascii=False, indent=2) + "\n"
        if path.exists() and path.read_text(encoding="utf-8") != text:
            raise InputError(
                "was written by a command with other settings or files.",
                path=path,
                remedy="Repeat that command to go on, or choose a new --output.",
            )
        write_text(path, text)

    def train(
        self, started: Callable[[int], Callable[[], object]] = lambda _n: lambda: None
    ) -> list[Path]:
        """Fine-tune for each seed and fold that is not there yet; the runs, one of each seed.

        `started` is called with the number of batches and gives what is called after each.
        """
        todo = [
            (seed, fold)
            for seed in range(self._design.seeds)
            for fold in range(self._design.folds)
            if not self._part(seed, fold).exists()
        ]
        triples = {part: self._triples(*part) for part in todo}
        progress = started(
            sum(self._settings.n_steps(len(of_part)) for of_part in triples.values())
        )
        for seed, fold in todo:
            settings = replace(self._settings, seed=seed)
            some = triples.pop((seed, fold))
            tuned, _found = fine_tune(self._model, some, settings, self._device, progress=progress)
            ranked = self._ranked(tuned, self._folds[fold])
            write_run(ranked, self._part(seed, fold), name=f"seed {seed}, fold {fold}", sizes={})
        return [self._merged(seed) for seed in range(self._design.seeds)]

    def untrained(self) -> Path:
        """The run of the model as it is."""
        path = self._output / "runs" / f"{_UNTRAINED}.run"
        if not path.exists():
            qids = [qid for fold in self._folds for qid in fold]
            ranked = self._ranked(load_model(self._model, self._device), qids)
            path.parent.mkdir(exist_ok=True)
            write_run(ranked, path, name=self._model, sizes={})
        return path

    def _part(self, seed: int, fold: int) -> Path:
        folder = self._output / "folds"
        folder.mkdir(exist_ok=True)
        return folder / f"seed-{seed}-fold-{fold}.run"

    def _triples(self, seed: int, fold: int) -> TripleList:
        held_out = set(self._folds[fold])
        queries = {qid: text for qid, text in self._queries.items() if qid not in held_out}
        try:
            triples = sample_triples(
                self._qrels, self._run, queries, self._passages, sampling=self._sampling, seed=seed
            )
        except InputError as error:
            raise InputError(
                f"without the queries of fold {fold} there is nothing to train on: {error.message}",
                path=self._qrels_path,
                remedy="Use more --folds, or judgements of more queries.",
            ) from error
        return TripleList(triples)

    def _ranked(self, model: Any, qids: list[str]) -> Iterator[tuple[str, Ranking]]:
        scores = self._first.to_dict()
        some = Run.from_dict({qid: scores[qid] for qid in qids}, self._first.name)
        return rerank(model, some, self._queries, self._passages)

    def _merged(self, seed: int) -> Path:
        """One run of all folds: each query by the model that has not seen it."""
        path = self._output / "runs" / f"fine-tuned-seed-{seed}.run"
        path.parent.mkdir(exist_ok=True)
        parts = [read_run(self._part(seed, fold)) for fold in range(self._design.folds)]
        rankings = (
            (qid, list(ranking.items()))
            for part in parts
            for qid, ranking in part.to_dict().items()
        )
        write_run(rankings, path, name=self._model, sizes={})
        return path

    def table(self, tuned: list[Path], magnitudes: Path) -> list[Row]:
        """The first stage, the model as it is, and the fine-tuned one, on the same passages."""
        first = run_name(self._first.path)
        systems: dict[str, list[Any]] = {
            first: [self._first],
            _UNTRAINED: [self.untrained()],
            "fine-tuned": tuned,
        }
        ndcg = {name: self._ndcg(runs) for name, runs in systems.items()}
        values = {name: self._bias(runs, magnitudes) for name, runs in systems.items()}
        return [
            Row(
                name,
                {EFFECTIVENESS: fmean(ndcg[name].values()), **values[name]},
                {other: _p(ndcg[name], ndcg[other]) for other in systems if other != name},
            )
            for name in systems
        ]

    def _ndcg(self, runs: list[Any]) -> dict[str, float]:
        """nDCG@10 by query, the mean over the runs."""
        frame = evaluate(
            runs, EFFECTIVENESS, qrels=self._qrels_path, cutoffs=CUTOFF, per_query=True
        )
        mean_of = frame.groupby("qid")["value"].mean()
        return {qid: float(mean_of[qid]) for fold in self._folds for qid in fold}

    def _bias(self, runs: list[Any], magnitudes: Path) -> dict[str, float]:
        frame = evaluate(runs, BIAS, magnitudes, cutoffs=CUTOFF, background="collection")
        means = frame.groupby("measure")["value"].mean()
        return {name: float(means[name]) for name in BIAS}


def _p(first: Mapping[str, float], second: Mapping[str, float]) -> float | None:
    test = paired_t_test([first[qid] for qid in first], [second[qid] for qid in first])
    return None if test is None else test[1]
