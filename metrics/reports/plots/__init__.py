"""The figures of a report: what is drawn, and the same numbers as a table."""
