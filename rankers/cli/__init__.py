"""The commands of `fairpool` that rank, train and debias."""
