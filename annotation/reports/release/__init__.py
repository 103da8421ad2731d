"""A release: the votes and labels of a study as a data set that other programs load."""
