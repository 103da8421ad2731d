"""Intervals, tests and correlations over queries."""
