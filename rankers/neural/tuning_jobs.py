"""Fine-tuning from files to a model's folder."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from metrics.runs.queries import read_query_texts
from rankers.fine_tuning_settings import FineTuning
from rankers.neural.device import choose_device
from rankers.neural.fine_tuning import fine_tune
from rankers.neural.jobs import Sources, described, drawn_triples
from rankers.neural.model_folder import save_model
from rankers.neural.passages import Passages
from rankers.neural.pretrained import model_hash
from rankers.neural.sampling import Sampling


def fine_tune_model(
    model: str,
    sources: Sources,
    settings: FineTuning,
    output: Path,
    *,
    sampling: Sampling,
    device: str = "auto",
    force: bool = False,
    started: Callable[[int], Callable[[], object]] = lambda _n: lambda: None,
    warn: Callable[[str], object] = lambda _text: None,
) -> dict[str, Any]:
    """Fine-tune a model and write its folder; what `model.json` says of the training.

    `started` is called with the number of batches and gives what is called after each, `warn` with
    what a person should know of the triples.
    """
    place = choose_device(device)
    output.parent.mkdir(parents=True, exist_ok=True)
    passages = Passages(sources.collection, output.parent)
    queries = read_query_texts(sources.queries)
    triples, shares = drawn_triples(sources, queries, passages, sampling, settings.seed)
    if shares.warning:
        warn(shares.warning)
    progress = started(settings.n_steps(len(triples)))
    tuned, found = fine_tune(model, triples, settings, place, progress)
    description = {
        "start": {"model": model, "sha256": model_hash(model)},
        "settings": asdict(settings),
        "sampling": None if sources.triples else described(sampling),
        "exact_match": asdict(shares),
        "n_triples": len(triples),
        **found,
        "inputs": sources.digests(),
        "device": place.type,
    }
    save_model(tuned, output, description, force=force)
    return description
