"""The bundle: one zip with everything that a study's numbers follow from, and its verification."""
