"""Alpha and Dawid-Skene of files of votes beside the packages krippendorff and crowd-kit.

`python -m measurements.public_votes FILE...` takes the options of `fairpool agree`; each file is a
set of votes of its own.
"""

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from metrics.cli.vote_arguments import add_vote_file_options, listed, merged
from metrics.extras import has
from metrics.votes.agreeing import agree
from metrics.votes.files.reader import IMPORT_FORMATS
from metrics.votes.frames import votes_of_file
from metrics.votes.majority import UNDECIDED
from metrics.votes.methods.dawid_skene import dawid_skene
from metrics.votes.reading import read_votes
from metrics.votes.table import Kind, Votes

#: Rounds of crowd-kit, far more than its own 100.
_ROUNDS = 5_000
_HEADS = (
    *("votes", "items x workers, votes", "alpha", "krippendorff differs by"),
    *("seconds with the interval", "Dawid-Skene", "seconds", "crowd-kit: labels that differ"),
)


def main(words: list[str]) -> None:
    parser = ArgumentParser(description=__doc__)
    add_vote_file_options(
        parser,
        str,
        IMPORT_FORMATS,
        several="Each is a set of its own",
        labels="As of `fairpool agree`.",
    )
    parser.add_argument("--kind", choices=tuple(map(str, Kind)), default=Kind.NOMINAL.value)
    options = vars(parser.parse_args(words))
    sys.stdout.write(f"| {' | '.join(_HEADS)} |\n{'|---' * len(_HEADS)}|\n")
    for path in options["files"]:
        read = read_votes(
            path,
            layout=options["layout"],
            columns=merged(options["columns"]),
            labels=merged(options["labels"]),
            people=listed(options["people"]),
            ignore=listed(options["ignore"]),
            gold=merged(options["gold"]),
        )
        votes = votes_of_file(read, options["kind"]).told()
        cells = [Path(path).stem, f"{len(votes.items):,} x {len(votes.workers):,}, {len(votes):,}"]
        sys.stdout.write(f"| {' | '.join([*cells, *_alpha(votes), *_models(votes)])} |\n")
        sys.stdout.flush()


def _alpha(votes: Votes) -> list[str]:
    measured, seconds = _timed(lambda: agree(votes).krippendorff_alpha)
    differs = "not installed"
    if has("krippendorff"):
        units = np.full((len(votes.workers), len(votes.items)), np.nan)
        points = np.array(votes.points or range(len(votes.options)), dtype=np.float64)
        units[votes.worker, votes.item] = points[votes.answer]
        theirs = import_module("krippendorff").alpha(
            units, level_of_measurement=votes.kind.value, value_domain=points
        )
        differs = f"{abs(measured.value - theirs):.0e}"
    return [f"{measured.value:.6f}", differs, f"{seconds:.2f}"]


def _models(votes: Votes) -> list[str]:
    if votes.kind != Kind.NOMINAL:
        return ["", "", ""]
    ours, seconds = _timed(lambda: dawid_skene(votes))
    cells = [f"{ours.iterations:,} rounds", f"{seconds:.2f}"]
    if not has("crowdkit"):
        return [*cells, "not installed"]
    frame = pd.DataFrame({"task": votes.item, "worker": votes.worker, "label": votes.answer})
    # Its own end, by the likelihood, comes long before the maximum.
    model = import_module("crowdkit.aggregation").DawidSkene(n_iter=_ROUNDS, tol=-np.inf)
    theirs = model.fit_predict(frame).sort_index().to_numpy()
    decided = ours.codes()[np.unique(votes.item)]
    differ = int(((decided != theirs) & (decided != UNDECIDED)).sum())
    return [*cells, f"{differ} of {len(theirs):,}"]


def _timed(compute: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.process_time()
    value = compute()
    return value, time.process_time() - begin


if __name__ == "__main__":
    main(sys.argv[1:])
