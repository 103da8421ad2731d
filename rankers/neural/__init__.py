"""Neural rankers: the only package that imports torch."""
