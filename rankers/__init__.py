"""Retrieval models that make runs, one file each."""
