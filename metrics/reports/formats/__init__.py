"""Formats of tables and pages: rows, tables as in a paper, LaTeX, pages."""
