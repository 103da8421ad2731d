"""Bias reports and bundles of a study."""
