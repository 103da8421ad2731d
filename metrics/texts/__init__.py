"""From texts to gender magnitudes: word lists, tokenizers, collections, their scores."""
