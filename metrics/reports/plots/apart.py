"""Draws a plot in a process that ends: matplotlib would stay in one that goes on, with 45 MB.

Run by `render_apart` as `python -m`, with the plot on standard input and the file on the output.
"""

import pickle
import subprocess
import sys
from pathlib import Path

from ...errors import InputError
from .figures import FORMATS, Format, render
from .histogram import HistogramPlot
from .plots import LinePlot

#: The folder that Python finds this module from.
_ROOT = Path(__file__).parents[__name__.count(".")]


def render_apart(plot: LinePlot | HistogramPlot, kind: Format) -> bytes:
    """The plot as a file, as `render` makes it of its figure."""
    command = [sys.executable, "-m", __name__, kind]
    done = subprocess.run(  # noqa: S603 - our own arguments
        command, input=pickle.dumps(plot), cwd=_ROOT, capture_output=True, check=False
    )
    if done.returncode:
        raise InputError(f"the figure cannot be drawn: {done.stderr.decode().strip()[-200:]}")
    return done.stdout


if __name__ == "__main__":
    plot_to_draw: LinePlot | HistogramPlot = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own
    file_kind = next(kind for kind in FORMATS if kind == sys.argv[1])
    sys.stdout.buffer.write(render(plot_to_draw.figure(), file_kind))
