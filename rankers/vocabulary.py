"""Names and defaults that the rankers share with their commands."""

SEED = 2020
