"""Turkle, installed from the package index in an environment of its own: never a dependency."""
