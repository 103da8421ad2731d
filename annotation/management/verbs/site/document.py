"""The parts of our documentation that the code writes itself."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.batches.planning.prevalence import SHARES, prevalence_curves
from annotation.core.base_command import FairpoolCommand
from metrics.errors import InputError
from metrics.io.files import replacing, write_text
from metrics.measures import reference
from metrics.reports.plots.figures import Points, line_figure, render

_ACCURACIES = (0.95, 0.85)
_BEGIN = "<!-- From here to the end mark: written by `manage.py site document` -->"
_END = "<!-- End of what is written by `manage.py site document` -->"
_TICKS = (0.25, 0.5, 0.75, 1.0)


class Command(FairpoolCommand):
    needs_databases = False
    help = (
        "Bring the generated parts of the documentation up to date: the measures in metrics.md, "
        "images/agreement.svg, settings.md, and beside the folder .env.example."
    )
    example = "site document"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder",
            nargs="?",
            type=Path,
            default=settings.BASE_DIR / "docs",
            metavar="FOLDER",
            help="The folder of the documentation (default: docs of this checkout).",
        )

    def handle(self, *, folder: Path, **options: Any) -> None:
        page, figure = folder / "metrics.md", folder / "images" / "agreement.svg"
        _section(page, reference.section())
        with replacing(figure) as temporary:
            temporary.write_bytes(_agreement())
        described = folder / "settings.md"
        _section(described, settings_section())
        written = [page, figure, described]
        if (example := folder.parent / ".env.example").exists():
            write_text(example, settings.VARIABLES.example())
            written.append(example)
        self.print_result(
            options, {"files": written}, [f"{path} is up to date." for path in written]
        )


def settings_section() -> str:
    """The section of settings.md with every variable, between its marks."""
    return f"{_BEGIN}\n{settings.VARIABLES.documentation()}\n{_END}"


def _section(path: Path, section: str) -> None:
    """Replace the section of the page between the same marks by `section`."""
    begin, *_, end = section.splitlines()
    text = path.read_text(encoding="utf-8")
    if text.count(begin) != 1 or text.count(end) != 1:
        raise InputError("has not one pair of marks.", path=path, remedy=f"Write {begin} {end}")
    write_text(path, text.partition(begin)[0] + section + text.partition(end)[2])


def _agreement() -> bytes:
    """Draw the coefficients by the share of one category, for voters who stay the same.

    Three votes, four categories, exact expectations.
    """
    points = [
        Points(f"voters right {accuracy:.0%} of the time", name, SHARES, curve)
        for accuracy in _ACCURACIES
        for name, curve in prevalence_curves(accuracy).items()
    ]
    figure = line_figure(points, x_label="share of the most frequent category")
    for panel in figure.axes:
        # Shares crowd on the right, where labels for all of them would overlap.
        panel.set_xticks(_TICKS, [f"{tick:g}" for tick in _TICKS])
    return render(figure, "svg")
