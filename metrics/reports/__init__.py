"""The report of a study: tables and figures ready for a paper, and one page that shows them.

`build` makes it, `folder` writes it. Nothing is imported here: the tables alone need no Matplotlib.
"""
