"""power: how many queries would show a difference of runs."""

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from ..errors import InputError
from ..io.file_kinds import table_kind
from ..io.outputs import add_file_option, add_output_option, output_file
from .command import Command
from .numbers import seed
from .table_output import add_format_option, write_table

_COLUMNS = (
    "measure",
    "magnitude",
    "cutoff",
    "first",
    "second",
    "difference",
    "higher",
    "level",
    "n",
    "power",
    "n_needed",
)
_TABLE = table_kind("a table of power", _COLUMNS[:4])


class PowerOfQueries(Command):
    help = (
        "Print how likely the present queries are to show a difference of two runs, and how "
        "many queries would show it: by simulation from the differences per query, at .05 over "
        "the pairs under one measure (Bonferroni)."
    )
    example = "power --values values.parquet --detect nDCG=0.02,RaB=0.05 --baseline BM25"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_file_option(
            parser,
            "--values",
            "Values per query that fairpool measure --per-query wrote.",
            required=True,
        )
        parser.add_argument(
            "--detect",
            required=True,
            metavar="D|MEASURE=D,...",
            help="The difference that the queries should show: of every measure, or of some.",
        )
        parser.add_argument(
            "--baseline",
            default="",
            metavar="NAME",
            help="Compare the other runs with this one (default: all pairs).",
        )
        parser.add_argument(
            "--seed", type=seed, default=0, help="Seed of the simulated studies (default: 0)."
        )
        add_output_option(parser, output_file(_TABLE, or_printed=True), "OUT", required=False)
        add_format_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..results.value_files import read_values
        from ..statistics.inference import Inference

        inference = Inference(detect=options["detect"])
        values = read_values(options["values"])
        known = {name for measure, _, _ in values for name in (measure, measure.partition("(")[0])}
        if unknown := inference.measures - known:
            raise InputError(
                f"--detect names {min(unknown)!r}, of which there are no values.",
                remedy=f"Name some of {', '.join(sorted(known))}.",
            )
        rows = []
        for (measure, magnitude, cutoff), of_runs in values.items():
            if (difference := inference.detect_of(measure)) is not None:
                keys = {"measure": measure, "magnitude": magnitude, "cutoff": cutoff}
                rows += [keys | row for row in _powers(of_runs, difference, options)]
        write_table(self, rows, _COLUMNS, options)


def _powers(
    of_runs: Mapping[str, Mapping[str, float]], difference: float, options: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    from ..statistics.inference import SIGNIFICANT
    from ..statistics.power import power_of

    baseline = options["baseline"]
    if baseline and baseline not in of_runs:
        raise InputError(
            f"--values have no run {baseline!r}.", remedy=f"Runs are {', '.join(of_runs)}."
        )
    pairs = list(combinations(of_runs, 2))
    if baseline:
        pairs = [(run, baseline) for run in of_runs if run != baseline]
    if not pairs:
        raise InputError("there is nothing to compare.", remedy="Give values of two runs.")
    level = SIGNIFICANT / len(pairs)
    for first, second in pairs:
        qids = [qid for qid in of_runs[first] if qid in of_runs[second]]
        a, b = ([of_runs[run][qid] for qid in qids] for run in (first, second))
        power, needed, sign = power_of(a, b, difference, level=level, seed=options["seed"])
        yield {
            "first": first,
            "second": second,
            "difference": difference,
            "higher": {1: first, -1: second}.get(sign, ""),
            "level": level,
            "n": sum(x == x and y == y for x, y in zip(a, b, strict=True)),  # noqa: PLR0124 - NaN
            "power": power,
            "n_needed": needed,
        }
