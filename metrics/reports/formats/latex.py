"""Tables of a report for LaTeX: floats with booktabs that fit a column, or the page.

A table that fits one column of a paper in two columns is a `table`, a wider one a `table*`; one
that is too wide for a page of `article` in one column is split by its groups of columns, one with
too many rows into several floats. Tables wider than estimated are scaled down, so that none leaves
the page.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..sides import GENDERS, Sides
from .display_names import short_names
from .escaped_latex import latex_text, lines_above
from .layout import SAME, Table, counted_queries

_MEANINGS = {
    "RaB": "rank bias, {sides.high} minus {sides.low}",
    "ARaB": "RaB averaged over the ranks from 1 on",
    "TF": "term frequency",
    "Bool": "whether any word occurs",
    "MRR": "mean reciprocal rank",
    "nDCG": "normalised discounted cumulative gain",
    "FaiRR": "fairness of a ranked list by the neutrality of its documents",
    "NFaiRR": "FaiRR as a share of the best that the background allows",
    "TExFAIR": "term exposure-based fairness",
    "AWRF": "attention-weighted rank fairness",
    "RBDF": "discount for few documents with group words",
    "CRBO": "counterfactual rank-biased overlap",
    "LIWC": "words of a category per 100 words",
}


def abbreviations_in(table: Table, sides: Sides = GENDERS) -> list[str]:
    """`RaB: rank bias ...` for each abbreviation of the table's title, head and cells."""
    titles = [text for column in table.columns for text in (column.title, column.group)]
    cells = [cell for cells in table.body for cell in cells]
    words = set(re.findall(r"\w+", " ".join([table.title, *titles, *cells])))
    return [
        f"{short}: {meaning.format(sides=sides)}"
        for short, meaning in _MEANINGS.items()
        if short in words
    ]


# A longer piece without a blank, such as a checksum, may be broken after so many signs; in running
# text only one that is longer than a word.
_PIECE = 8
_LONGEST_WORD = 20
# A number, and its suffix: the change in parentheses, the mark.
_NUMBER = re.compile(r"(-?[\d,]*\.?\d+|–)(.*)")
# That of a number, wherever it stands in a cell; a hyphen within a name is none.
_MINUS = re.compile(r"(?<![\w.\-)}])-(?=\.?\d)")

# In points: a column of acmart and of article in two columns, the text of article in one.
_COLUMN, _PAGE = 228.0, 343.0
_MOST_ROWS = 32

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


def latex_of(table: Table, *, prefix: str = "") -> str:
    r"""Floats to paste into a paper, or to \input, one caption each; the notes stand below.

    The preamble needs \usepackage{booktabs,graphicx}. `prefix` tells apart the labels of tables of
    one name that a paper may take from several commands.
    """
    source = table.in_print or table
    names = short_names(table.runs)
    printed = _shortened(source, names)
    printed_cells = {cell for cells in printed.body for cell in cells} | {
        c.title for c in printed.columns
    }
    cut = [f"{short} is {name}" for name, short in names.items() if short in printed_cells - {name}]
    notes = [
        f"{'; '.join(part)}." for part in (cut, abbreviations_in(printed, table.sides)) if part
    ]
    printed = replace(printed, notes=[*source.notes, *notes], record=table.record)
    panels = [rows for columns in _by_groups(printed) for rows in _by_rows(columns)]
    floats = [
        _float(panel, f"{prefix}{table.name}", number, len(panels))
        for number, panel in enumerate(panels)
    ]
    body = "\n".join(floats)
    return "\n".join([*lines_above(body, "booktabs", "graphicx"), body, ""])


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


def _float(table: Table, label: str, number: int, count: int) -> str:
    choices = [("table", kind, _COLUMN) for kind in _TYPES[:-1]]
    choices += [("table*", kind, _PAGE) for kind in _TYPES]
    fitting = (choice for choice in choices if _width(table, choice[1]) <= choice[2])
    name, kind, _ = next(fitting, choices[-1])
    return "\n".join(
        [
            rf"\begin{{{name}}}",
            r"\centering",
            _caption(table, label, number, count),
            kind.command,
            _FIT[0],
            rf"\begin{{tabular}}{{{_alignment(table)}}}",
            *_head(table),
            *_body(table),
            r"\bottomrule",
            r"\end{tabular}%",
            _FIT[1],
            *_notes(table, label, number),
            rf"\end{{{name}}}",
        ]
    )


def _caption(table: Table, label: str, number: int, count: int) -> str:
    n_queries = (table.record or {}).get("n_queries")
    over = f" ({counted_queries(n_queries)})" if isinstance(n_queries, int) else ""
    part = f", part {number + 1} of {count}" if count > 1 else ""
    label += f"-{number + 1}" if number else ""
    sentence = latex_text(table.title.removesuffix("."))
    return rf"\caption{{{sentence}{over}{part}.}}\label{{tab:{label}}}"


def _notes(table: Table, label: str, number: int) -> list[str]:
    """Notes below the table; further parts of one name the first."""
    text = " ".join(_breakable(" ".join(note.split()), _LONGEST_WORD) for note in table.notes)
    if not text:
        return []
    if number:
        text = rf"Notes as below Table~\ref{{tab:{label}}}."
    return [
        r"\par\smallskip",
        rf"\parbox{{\linewidth}}{{\raggedright\scriptsize {text}}}",
    ]


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


def _parted(table: Table) -> list[bool]:
    """Return whether a column is set as two, its numbers and their suffixes.

    So numbers are aligned at the decimal point, whatever follows them.
    """
    lines = table.body
    return [
        is_number and any((match := _NUMBER.fullmatch(line[place])) and match[2] for line in lines)
        for place, (_, is_number) in enumerate(table.titles)
    ]


def _alignment(table: Table) -> str:
    return "".join(
        "r@{}l" if parted else "r" if is_number else "l"
        for parted, (_, is_number) in zip(_parted(table), table.titles, strict=True)
    )


def _head(table: Table) -> list[str]:
    titles = [
        rf"\multicolumn{{2}}{{c}}{{{_cell(title)}}}" if parted else _cell(title)
        for parted, (title, _) in zip(_parted(table), table.titles, strict=True)
    ]
    return [r"\toprule", *_groups(table), " & ".join(titles) + r" \\", r"\midrule"]


def _groups(table: Table) -> list[str]:
    if not table.has_groups:
        return []
    widths = [1 + parted for parted in _parted(table)]
    cells, rules, place, printed = [], [], 1, 0
    for name, count in table.head:
        width = sum(widths[printed : printed + count])
        if name:
            cells.append(rf"\multicolumn{{{width}}}{{c}}{{{latex_text(name)}}}")
            rules.append(rf"\cmidrule(lr){{{place}-{place + width - 1}}}")
        else:
            cells += [""] * width
        place += width
        printed += count
    return [" & ".join(cells) + r" \\", *rules]


def _body(table: Table) -> list[str]:
    lines, parted = [], _parted(table)
    for starts, cells in table.lines():
        lines += [r"\midrule"] * starts
        parts = (
            _two_cells(cell) if two else _cell(cell)
            for cell, two in zip(cells, parted, strict=True)
        )
        lines.append(" & ".join(parts) + r" \\")
    return lines


def _two_cells(cell: str) -> str:
    match = _NUMBER.fullmatch(cell)
    number, behind = match.groups() if match else (cell, "")
    blank = "~" * behind.startswith(" ")
    return f"{_cell(number)} & {blank}{_cell(behind.strip())}"


def _cell(cell: str) -> str:
    text = _MINUS.sub("$-$", latex_text(cell))
    return text.replace(f"({SAME}", f"(${SAME}$")


def provenance_tex(facts: Sequence[tuple[str, str]]) -> str:
    r"""The provenance of a report, for the appendix of a paper: a list to \input.

    Nothing beyond the kernel of LaTeX is needed.
    """
    items = [rf"\item[{latex_text(name)}] {_breakable(text)}" for name, text in facts]
    lines = [
        r"\begingroup\footnotesize\raggedright",
        r"\begin{description}",
        *items,
        r"\end{description}",
        r"\endgroup",
    ]
    return "\n".join([*lines_above("".join(lines)), *lines, ""])


def _breakable(text: str, longest: int = _PIECE) -> str:
    return " ".join(
        _breakable_word(word) if len(word) > longest else latex_text(word) for word in text.split()
    )


def _breakable_word(word: str) -> str:
    pieces = (word[start : start + _PIECE] for start in range(0, len(word), _PIECE))
    return r"\allowbreak{}".join(map(latex_text, pieces))
