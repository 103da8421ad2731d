"""The people who work on batches: their quality, exclusion and personal data."""
