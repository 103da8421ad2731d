"""Votes of people: the files that hold them."""
