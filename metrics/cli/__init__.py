"""The measuring commands: `fairpool score-runs` and `manage.py score_runs` are the same code.

A command's options import no more than `metrics.vocabulary`, so that `--help` and `--version` are
there at once; what computes is imported when the command runs.
"""
