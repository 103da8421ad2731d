"""The compiled inner loops: each does what a readable definition elsewhere says, so skip them."""
