"""Batches of HITs: planned, published, collected, reviewed, paid."""
