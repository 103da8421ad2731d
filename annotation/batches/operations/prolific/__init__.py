"""Recruiting on Prolific for a batch: one operation a file; what they share is in `study`."""
