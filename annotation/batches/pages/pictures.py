"""When the votes of a batch came in, as a picture."""

from datetime import timedelta
from urllib.parse import urlencode

from django.urls import reverse

from annotation.batches.queries.vote_times import vote_times
from annotation.core.counting import counted
from annotation.models import Batch
from annotation.web.charts.bars import Bar, bar_chart
from annotation.web.charts.shapes import Chart

_DAY = timedelta(days=1)
_LABELS = 6
#: Moments in an address, which are in UTC.
_ISO = "%Y-%m-%dT%H:%MZ"


def votes_chart(batch: Batch) -> Chart | None:
    """A bar for each span of time; None without two of them."""
    times = vote_times(batch=batch)
    if times is None or len(times.counts) == 1:
        return None
    whole_days = times.span >= _DAY
    every = -(-len(times.counts) // _LABELS)
    bars = []
    for number, (start, count) in enumerate(times.counts):
        day = f"{start.day} {start:%b}"
        words = f"{day} {start:%Y}" if whole_days else f"{day} {start:%Y, %H:%M} UTC"
        label = day if whole_days else f"{day}, {start:%H:%M}"
        tick_label = label if number % every == every // 2 else ""
        parameters = {"since": f"{start:{_ISO}}", "until": f"{start + times.span:{_ISO}}"}
        address = f"{reverse('batch-queries', args=[batch.pk])}?{urlencode(parameters)}"
        moment = "" if whole_days else f"{start:{_ISO}}"
        description = f"From {words}: {counted(count, 'vote')}"
        bars.append(Bar(count, description, address, tick_label, moment))
    hours = times.span / timedelta(hours=1)
    per = f"{hours / 24:g} day" if whole_days else f"{hours:g} hour"
    if hours < 1:
        per = f"{hours * 60:.0f} minute"
    plural = "" if per.startswith("1 ") else "s"
    return bar_chart(
        "Votes over time", bars, x_label="handed in (UTC)", y_label=f"votes in {per}{plural}"
    )
