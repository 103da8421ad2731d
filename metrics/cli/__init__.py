"""The commands on files, each a verb of `fairpool`; `config.program` lists them.

A command's options import no more than `metrics.vocabulary`, so that `--help` and `--version` are
there at once; what computes is imported when the command runs.
"""
