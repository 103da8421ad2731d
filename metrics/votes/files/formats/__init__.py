"""Formats of imported votes, each a module that is found by itself."""
