"""Measurements beside the tests: docs/measurements.md has the table of commands."""
