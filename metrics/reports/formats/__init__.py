"""How tables and pages are written: rows, tables as in a paper, LaTeX, pages."""
