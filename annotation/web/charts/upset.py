"""UpSet plot (Lex et al., 2014): number of items in exactly these sets and in no other."""

from collections.abc import Callable, Mapping, Sequence

from metrics.reports.plots.looks import shortened

from .shapes import LETTER, Chart, Group, Mark, Scale, Shape, Text, box, line

_STEP, _ROW, _TOP, _BARS, _SIZES, _RIGHT = 22, 20, 36, 110, 70, 12


def upset_chart(
    title: str,
    sets: Mapping[str, int],
    shared: Sequence[tuple[frozenset[str], int]],
    noun: str,
    address: Callable[[frozenset[str] | str], str],
) -> Chart:
    """`sets` with their sizes, one row each; `shared` are combinations and their counts, in order.

    `noun` is the plural of what is counted; `address` gives the link to the items of a set or
    combination.
    """
    short = shortened(list(sets), 22)
    names_end = _SIZES + 14 + LETTER * max(map(len, short.values()), default=0)
    start = names_end + 12
    width = round(start + max(_STEP * len(shared), 60) + _RIGHT)
    rows = {name: _TOP + _BARS + 14 + _ROW * (n + 0.5) for n, name in enumerate(sets)}
    height = round(_TOP + _BARS + 20 + _ROW * len(sets))
    up = Scale(0, max((n for _, n in shared), default=1) or 1, _TOP + _BARS, _TOP)
    long = Scale(0, max(sets.values(), default=1) or 1, 0, _SIZES - 8)
    groups = [Group(texts=[Text(4, 12, f"{noun} in exactly the lists below", kind="axis")])]
    for n, (name, size) in enumerate(sets.items()):
        y = rows[name]
        band = [Shape("band", box(0, y - _ROW / 2, width, _ROW))] if n % 2 == 0 else []
        bar = box(_SIZES - long(size), y - 6, long(size), 12)
        mark = Mark(0, 0, bar, f"{name}: {size:,} {noun}", address(name), "mark size")
        label = Text(names_end, y + 4, short[name], "end", "name", name)
        groups.append(Group(shapes=band, marks=[mark], texts=[label]))
    for n, (members, count) in enumerate(shared):
        x = round(start + _STEP * (n + 0.5), 1)
        inside = sorted(rows[name] for name in members)
        shapes = [
            Shape("dot", f"M{x:g},{rows[name]:g}m-5,0a5,5 0 1 0 10,0a5,5 0 1 0 -10,0")
            if name in members
            else Shape("absent", f"M{x:g},{rows[name]:g}m-3,0a3,3 0 1 0 6,0a3,3 0 1 0 -6,0")
            for name in sets
        ]
        shapes.append(Shape("link", line((x, inside[0]), (x, inside[-1]))))
        text = f"{count:,} {noun} in exactly: {', '.join(sorted(members))}"
        bar = box(x - 7, up(count), 14, _TOP + _BARS - up(count))
        groups.append(
            Group(
                "series s0",
                shapes,
                [Mark(0, 0, bar, text, address(members))],
                [Text(x, up(count) - 4, f"{count}", "middle")],
            )
        )
    return Chart(title, width, height, groups)
