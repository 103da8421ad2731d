"""agreement_figure: the picture of docs/agreement.md."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.agreement.prevalence import SHARES, prevalence_curves
from metrics.io.file_kinds import text_kind
from metrics.io.files import replacing
from metrics.io.outputs import add_output_option, output_file
from metrics.management.command import FairpoolCommand
from metrics.reports.plots.figures import Points, line_figure, render

_ACCURACIES = (0.95, 0.85)
_TICKS = (0.25, 0.5, 0.75, 1.0)


class Command(FairpoolCommand):
    help = (
        "Draw how the coefficients of agreement move with the share of one category while the "
        "voters stay the same: three votes, four categories, exact expectations."
    )
    example = "agreement_figure --output docs/images/agreement.svg"

    def add_arguments(self, parser: CommandParser) -> None:
        kind = text_kind("a figure of SVG", "<?xml", "<svg")
        add_output_option(parser, output_file(kind), "FILE.svg", "File to write.")

    def handle(self, **options: Any) -> None:
        points = [
            Points(f"voters right {accuracy:.0%} of the time", name, SHARES, curve)
            for accuracy in _ACCURACIES
            for name, curve in prevalence_curves(accuracy).items()
        ]
        figure = line_figure(points, x_label="share of the most frequent category")
        for panel in figure.axes:
            # The shares crowd to the right; every second label would hide the next.
            panel.set_xticks(_TICKS, [f"{tick:g}" for tick in _TICKS])
        with replacing(options["output"]) as temporary:
            temporary.write_bytes(render(figure, "svg"))
        output = options["output"]
        self.print_result(options, {"output": output}, f"Figure written to {output}.")
