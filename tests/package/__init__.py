"""The public interface: run in the checkout, and against the wheel in an empty environment.

Nothing here imports Django or other tests. The package is `metrics` in the checkout and
`fairpool` where it is installed: FAIRPOOL_MODULE names it.
"""
