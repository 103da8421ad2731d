"""What the measures give for runs, and what those results were made from."""
