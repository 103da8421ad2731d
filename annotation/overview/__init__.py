"""The site as a whole: studies and their steps, logs, invariants, retention."""
