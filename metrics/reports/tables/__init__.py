"""The tables of a report: each takes the results of a study and gives a table."""
