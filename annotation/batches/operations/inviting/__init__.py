"""The ways to invite annotators to a batch: one file each, found by `registry`."""
