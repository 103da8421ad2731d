"""The results of measures for runs, and the provenance of these results."""
