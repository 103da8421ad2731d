"""Readers of files of votes, and of labels of models, of any program."""
