"""A whole installation with servers of its own, so that each part of it can be killed."""
