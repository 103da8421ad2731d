"""Votes from files that others wrote: plain tables, and Mechanical Turk's results."""
