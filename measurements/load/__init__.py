"""Hundreds of annotators at once: `python -m measurements.load --help`."""
