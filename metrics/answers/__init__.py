"""From retrieved lists to answers: bias along the chain of retrieval-augmented generation."""
