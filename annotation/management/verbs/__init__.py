"""Verbs of `manage.py NOUN VERB` that no operation defines: a folder for a noun, a module each."""
