"""Fine-tuning from files to a model's folder."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from metrics.runs.queries import read_query_texts
from rankers.fine_tuning_settings import FineTuning
from rankers.neural.checkpoints import Checkpoints, check_none_waits
from rankers.neural.device import choose_device
from rankers.neural.fine_tuning import fine_tune
from rankers.neural.jobs import Sources, described, drawn_triples
from rankers.neural.model_folder import save_model
from rankers.neural.passages import Passages
from rankers.neural.pretrained import model_hash
from rankers.neural.sampling import Sampling
from rankers.neural.training import checkpoint_path


def fine_tune_model(
    model: str,
    sources: Sources,
    settings: FineTuning,
    output: Path,
    *,
    sampling: Sampling,
    device: str = "auto",
    checkpoint_every: int = 1_000,
    resume: bool = False,
    force: bool = False,
    started: Callable[[int], Callable[[], object]] = lambda _n: lambda: None,
    warn: Callable[[str], object] = lambda _text: None,
) -> dict[str, Any]:
    """Fine-tune a model and write its folder; returns the training's record for `model.json`.

    `started` is called with the number of batches and gives what is called after each, `warn` with
    what a person should know of the triples. `resume` continues an interrupted training of the same
    call.
    """
    if not resume and not force:
        check_none_waits(checkpoint_path(output))
    place = choose_device(device)
    output.parent.mkdir(parents=True, exist_ok=True)
    passages = Passages(sources.collection, output.parent)
    queries = read_query_texts(sources.queries)
    triples, shares = drawn_triples(sources, queries, passages, sampling, settings.seed, warn=warn)
    if shares.warning:
        warn(shares.warning)
    origin = {
        "start": {"model": model, "sha256": model_hash(model)},
        "settings": asdict(settings),
        "sampling": None if sources.triples else described(sampling),
        "exact_match": asdict(shares),
        "n_triples": len(triples),
        "inputs": sources.digests(),
        "device": place.type,
    }
    checkpoints = Checkpoints(checkpoint_path(output), origin, checkpoint_every, resume)
    progress = started(settings.n_steps(len(triples)))
    try:
        tuned, facts = fine_tune(
            model, triples, settings, place, progress=progress, checkpoints=checkpoints
        )
        description = {**origin, **facts}
        save_model(tuned, output, description, force=force)
    except BaseException:
        checkpoints.tidy()
        raise
    checkpoints.remove()
    return description
