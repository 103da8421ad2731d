"""Counts of a whole collection, by both word lists and both tokenizers, to be given to others.

    python -m measurements.collection_backgrounds COLLECTION... --output FOLDER

Who has these files measures runs on the collection without its texts, with the whole collection as
background. `backgrounds.json` has what this adds: the ideals of NFaiRR, the collection's own bias,
and the digests of the collection and of each file.
"""

import argparse
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from metrics.io.files import write_text
from metrics.measures.fairr import neutrality
from metrics.measures.nfairr import ideal_fairr
from metrics.texts.lexicon import BUILT_IN
from metrics.texts.magnitude_store import Magnitudes, open_magnitudes
from metrics.texts.scoring import score_collection
from metrics.vocabulary import CUTOFFS, MAGNITUDE_NAMES, TOKENIZERS


def write(collection: Sequence[Path], folder: Path) -> dict[str, Any]:
    """Score `collection` into four Parquet files in `folder`, and describe them there."""
    folder.mkdir(parents=True, exist_ok=True)
    described = {}
    for lexicon in BUILT_IN:
        for tokenizer in TOKENIZERS:
            path = folder / f"{lexicon}.{tokenizer}.parquet"
            made_of = score_collection(collection, path, lexicon=lexicon, tokenizer=tokenizer)
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            described[path.name] = {
                "sha256": digest,
                **asdict(made_of),
                **background(open_magnitudes(path)),
            }
    write_text(folder / "backgrounds.json", f"{json.dumps(described, indent=1)}\n")
    return described


def background(magnitudes: Magnitudes) -> dict[str, Any]:
    """The ideal FaiRR by cut-off, and the mean magnitude of the men's words minus the women's."""
    female, male = magnitudes.groups
    neutral = neutrality(magnitudes.tc[female], magnitudes.tc[male])[None, :]
    return {
        "ideal_fairr": {
            cutoff: float(ideal_fairr(neutral, np.ones(neutral.shape, bool), cutoff)[0])
            for cutoff in CUTOFFS
        },
        "mean_bias": {
            kind: magnitudes.mean_magnitude(kind, male) - magnitudes.mean_magnitude(kind, female)
            for kind in MAGNITUDE_NAMES
        },
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Count the words of a whole collection.")
    parser.add_argument("collection", nargs="+", type=Path)
    parser.add_argument("--output", required=True, type=Path, metavar="FOLDER")
    chosen = parser.parse_args()
    write(chosen.collection, chosen.output)
