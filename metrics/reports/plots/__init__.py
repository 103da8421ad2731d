"""The figures of a report, and their numbers as tables."""
