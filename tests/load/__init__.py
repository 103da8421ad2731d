"""Hundreds of annotators at once: `python -m tests.load --help`."""
