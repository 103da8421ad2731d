"""Tables of a report for LaTeX, with booktabs."""

from collections.abc import Sequence

from metrics.report.layout import DOWN, SAME, UP, Table
from metrics.tables import latex_text

# Signs that a TeX engine without Unicode fonts does not know.
_SIGNS = {UP: r"$\uparrow$", DOWN: r"$\downarrow$", "ρ": r"$\rho$", "τ": r"$\tau$"}

# From so many columns on, a table needs the smallest type to fit a page; with more rows than
# these it does not fit one page at all.
_WIDE = 9
_LONG = 45


def latex_of(table: Table) -> str:
    r"""A table to paste into a paper: floating, or over several pages where it has many rows.

    The preamble needs \usepackage{booktabs}, and \usepackage{longtable} where the first line of
    the result says so.
    """
    return _long(table) if len(table.rows) > _LONG else _floating(table)


def _floating(table: Table) -> str:
    lines = [
        r"% Needs \usepackage{booktabs} in the preamble.",
        r"\begin{table}",
        r"\centering",
        _size(table),
        _caption(table),
        rf"\begin{{tabular}}{{{_alignment(table)}}}",
        *_head(table),
        *_body(table),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join([*lines, ""])


def _long(table: Table) -> str:
    lines = [
        r"% Needs \usepackage{booktabs,longtable} in the preamble.",
        r"\begingroup",
        _size(table),
        rf"\begin{{longtable}}{{{_alignment(table)}}}",
        _caption(table) + r" \\",
        *_head(table),
        r"\endfirsthead",
        *_head(table),
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
        *_body(table),
        r"\end{longtable}",
        r"\endgroup",
    ]
    return "\n".join([*lines, ""])


def _caption(table: Table) -> str:
    text = " ".join(_text(part) for part in (table.title, *table.notes))
    return rf"\caption{{{text}}}\label{{tab:{table.name}}}"


def _alignment(table: Table) -> str:
    return "".join("r" if table.is_number(column) else "l" for column in table.printed)


def _size(table: Table) -> str:
    if len(table.printed) < _WIDE:
        return r"\small"
    return r"\scriptsize\setlength{\tabcolsep}{3pt}"


def _head(table: Table) -> list[str]:
    titles = _line([column.title for column in table.printed])
    return [r"\toprule", *_groups(table), titles, r"\midrule"]


def _groups(table: Table) -> list[str]:
    if not table.has_groups:
        return []
    cells, rules, place = [], [], 1
    for name, width in table.head:
        if name:
            cells.append(rf"\multicolumn{{{width}}}{{c}}{{{_text(name)}}}")
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
    text = f"$-${_text(cell[1:])}" if is_negative else _text(cell)
    return text.replace(f"({SAME}", f"(${SAME}$")


def _text(text: str) -> str:
    escaped = latex_text(text)
    for sign, command in _SIGNS.items():
        escaped = escaped.replace(sign, command)
    return escaped
