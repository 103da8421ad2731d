"""Tables of a report for LaTeX: floats with booktabs that fit a column, or the page.

A table that fits one column of a paper in two columns is a `table`, a wider one a `table*`; one
that is too wide for a page of `article` in one column is split by its groups of columns, one with
too many rows into several floats. What its width was estimated too small for is scaled down, so
that no table leaves the page.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .display_names import short_names
from .layout import DOWN, SAME, UP, Table
from .tables import latex_text

# Signs that a TeX engine without Unicode fonts does not know.
_SIGNS = {
    UP: r"$\uparrow$",
    DOWN: r"$\downarrow$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "…": r"\ldots{}",
}

# In points: a column of acmart and of article in two columns, the text of article in one.
_COLUMN, _PAGE = 228.0, 343.0
_MOST_ROWS = 38

# The greatest width of a sign of the type, in its size.
_NARROW, _WIDE_SIGNS = set("iljtfrI.,;:'|()[]-– "), set("mwMW↑↓")
_NARROW_WIDTH, _WIDTH, _CAPITAL_WIDTH, _WIDEST = 0.32, 0.52, 0.72, 0.95


@dataclass(frozen=True)
class _Type:
    """A size of type: its command, its size in points and the blank beside a column."""

    command: str
    size: float
    blank: float


_TYPES = (
    _Type(r"\small", 9.2, 6.0),
    _Type(r"\footnotesize\setlength{\tabcolsep}{4pt}", 8.2, 4.0),
    _Type(r"\scriptsize\setlength{\tabcolsep}{3pt}", 7.2, 3.0),
)

# Sets what `\input` follows with in a box, and scales it down where it is too wide.
_FIT = (
    r"\sbox0{%",
    r"}\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi",
)


def latex_of(table: Table) -> str:
    r"""Floats to paste into a paper, or to \input, one caption each.

    The preamble needs \usepackage{booktabs,graphicx}. Notes and provenance stand in comments.
    """
    names = short_names(table.runs)
    comments = [r"% Needs \usepackage{booktabs,graphicx} in the preamble."]
    comments += [f"% {' '.join(note.split())}" for note in table.notes]
    comments += [f"% {short} is {name}." for name, short in names.items() if short != name]
    printed = _shortened(table.in_print or table, names)
    panels = [rows for columns in _by_groups(printed) for rows in _by_rows(columns)]
    floats = [_float(panel, number, len(panels)) for number, panel in enumerate(panels)]
    return "\n".join([*comments, *floats, ""])


def _shortened(table: Table, names: Mapping[str, str]) -> Table:
    """The table with the short names of runs, in cells and in titles of columns."""
    rows = [
        {
            name: names.get(value, value) if isinstance(value, str) else value
            for name, value in row.items()
        }
        for row in table.rows
    ]
    columns = [replace(c, title=names.get(c.title, c.title)) for c in table.columns]
    return replace(table, rows=rows, columns=columns)


def _by_groups(table: Table) -> Iterator[Table]:
    """The table, or one for each group of columns where it is too wide for a page."""
    groups = [name for name, _ in table.head if name]
    if _width(table, _TYPES[-1]) <= _PAGE or len(groups) < 2:  # noqa: PLR2004 - nothing to split
        yield table
        return
    for group in groups:
        columns = [column for column in table.columns if column.group in ("", group)]
        yield replace(table, columns=columns)


def _by_rows(table: Table) -> Iterator[Table]:
    """Parts of about one length, cut where a block begins if one begins near."""
    rows = list(table.rows)
    while len(rows) > _MOST_ROWS:
        cut = _MOST_ROWS
        if table.block:
            values = [row[table.block] for row in rows]
            starts = [n for n in range(cut // 2, cut + 1) if values[n] != values[n - 1]]
            cut = max(starts, default=cut)
        yield replace(table, rows=rows[:cut])
        rows = rows[cut:]
    yield replace(table, rows=rows)


def _float(table: Table, number: int, count: int) -> str:
    choices = [("table", kind, _COLUMN) for kind in _TYPES[:-1]]
    choices += [("table*", kind, _PAGE) for kind in _TYPES]
    fitting = (choice for choice in choices if _width(table, choice[1]) <= choice[2])
    name, kind, _ = next(fitting, choices[-1])
    return "\n".join(
        [
            rf"\begin{{{name}}}",
            r"\centering",
            _caption(table, number, count),
            kind.command,
            _FIT[0],
            rf"\begin{{tabular}}{{{_alignment(table)}}}",
            *_head(table),
            *_body(table),
            r"\bottomrule",
            r"\end{tabular}%",
            _FIT[1],
            rf"\end{{{name}}}",
        ]
    )


def _caption(table: Table, number: int, count: int) -> str:
    part = f" (part {number + 1} of {count})" if count > 1 else ""
    label = f"tab:{table.name}" + (f"-{number + 1}" if number else "")
    sentence = latex_sentence(table.title.removesuffix("."))
    return rf"\caption{{{sentence}{part}.}}\label{{{label}}}"


def _width(table: Table, kind: _Type) -> float:
    """An estimate of the width of the table in points."""
    lines = [[column.title for column in table.printed], *table.body]
    widths = [max(map(_text_width, cells)) for cells in zip(*lines, strict=True)]
    return sum(widths) * kind.size + 2 * kind.blank * len(widths)


def _text_width(text: str) -> float:
    return sum(map(_sign_width, text))


def _sign_width(sign: str) -> float:
    if sign in _NARROW:
        return _NARROW_WIDTH
    if sign in _WIDE_SIGNS:
        return _WIDEST
    return _CAPITAL_WIDTH if sign.isupper() else _WIDTH


def _alignment(table: Table) -> str:
    return "".join("r" if table.is_number(column) else "l" for column in table.printed)


def _head(table: Table) -> list[str]:
    titles = _line([column.title for column in table.printed])
    return [r"\toprule", *_groups(table), titles, r"\midrule"]


def _groups(table: Table) -> list[str]:
    if not table.has_groups:
        return []
    cells, rules, place = [], [], 1
    for name, width in table.head:
        if name:
            cells.append(rf"\multicolumn{{{width}}}{{c}}{{{latex_sentence(name)}}}")
            rules.append(rf"\cmidrule(lr){{{place}-{place + width - 1}}}")
        else:
            cells += [""] * width
        place += width
    return [" & ".join(cells) + r" \\", *rules]


def _body(table: Table) -> list[str]:
    lines = []
    for starts, cells in table.lines():
        lines += [r"\midrule"] * starts
        lines.append(_line(cells))
    return lines


def _line(cells: Sequence[str]) -> str:
    return " & ".join(_cell(cell) for cell in cells) + r" \\"


def _cell(cell: str) -> str:
    is_negative = cell.startswith("-") and cell[1:2].isdigit()
    text = f"$-${latex_sentence(cell[1:])}" if is_negative else latex_sentence(cell)
    return text.replace(f"({SAME}", f"(${SAME}$")


def latex_sentence(text: str) -> str:
    """Any text as LaTeX, arrows and Greek letters included."""
    escaped = latex_text(text)
    for sign, command in _SIGNS.items():
        escaped = escaped.replace(sign, command)
    return escaped
