"""`python -m measurements.neural.penalty_seeds`: the penalty on a tiny BERT, with five seeds.

The encoder is random, of two layers with 128 dimensions, and all of it is trained on the category
Career of Grep-BiasIR, once for each seed and weight. Every number is printed, whatever it says.
"""

import tempfile

import numpy as np
import torch

from rankers.grepbias import Alpha, read_pairs
from rankers.grepbias.statistics import accuracy, gender_gap, other_categories
from rankers.neural.grepbias import Encoder, settings_for, train_tuned
from tests.conftest import SHARED_DATA
from tests.rankers.neural.material import tiny_bert

SEEDS, ALPHAS = range(5), (0, 0.25, 2)


def main() -> None:
    torch.set_num_threads(1)
    pairs = read_pairs(SHARED_DATA / "grepbias")
    model = tiny_bert([f"{pair.query_text} {pair.text}" for pair in pairs], dimensions=128)
    with tempfile.TemporaryDirectory() as folder:
        model.model.bert.save_pretrained(folder)
        model.tokenizer.save_pretrained(folder)
        for seed in SEEDS:
            settings = settings_for("full", learning_rate=5e-4, epochs=12, seed=seed)
            for alpha in ALPHAS:
                run = train_tuned(
                    "full",
                    Encoder(folder, device="cpu"),
                    pairs,
                    "Career",
                    alpha=Alpha(alpha, alpha, alpha),
                    settings=settings,
                )
                print(  # noqa: T201
                    f"seed {seed}, alpha {alpha}: accuracy on Career "
                    f"{accuracy(run, 'Career').value:.3f}, mean |z_M - z_F| on the others "
                    f"{gender_gap(run, other_categories(run)):.4f}, mean |z| "
                    f"{np.abs(run.logit).mean():.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
