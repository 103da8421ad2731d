"""Votes from files of other programs."""
