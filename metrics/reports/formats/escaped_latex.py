"""Any text as LaTeX that shows it and does nothing else, by whichever engine."""

import re
import unicodedata

from ...io.unseen import all_visible


def _greek(sign: str) -> str:
    name = unicodedata.name(sign).split()[-1].replace("LAMDA", "LAMBDA")
    return rf"$\{name.title() if sign.isupper() else name.lower()}$"


_ESCAPED = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "–": "--",
        "…": r"\ldots{}",
        "±": r"$\pm$",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "≈": r"$\approx$",
        "≤": r"$\leq$",
        "≥": r"$\geq$",
        "−": "$-$",
        "\n": " ",
    }
    | {sign: _greek(sign) for sign in "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"}
)
#: Signs that pdfTeX has in no font that a document loads by itself, and those that T1 has alone.
_WITHOUT_FONT = re.compile("[^\x00-\u017f→‘’‚“”„†‡•‰‹›€™№‐‑―]|[ĦħĸĿŀŉŦŧſ]")
_OF_T1 = re.compile("[«»ÐÞðþĄąĐđĘęĮįŊŋŲų‚„‹›]")


def latex_text(text: str) -> str:
    """Any text as LaTeX that shows it and does nothing else.

    What `lines_above` gives for the result goes before it.
    """
    return all_visible(unicodedata.normalize("NFC", text)).translate(_ESCAPED)


def lines_above(latex: str, *packages: str) -> list[str]:
    """Comments that say what `latex` needs in the preamble, and fallbacks for what pdfTeX lacks.

    Where it has no font for a sign pdfTeX would stop: it prints the sign's code instead. If the
    preamble declares the sign, and with LuaLaTeX and XeLaTeX, the fallbacks do nothing.
    """
    needs = rf"\usepackage{{{','.join(packages)}}}" if packages else ""
    needs += r"\usepackage[T1]{fontenc}" if _OF_T1.search(latex) else ""
    lines = [f"% Needs {needs} in the preamble."] if needs else []
    if signs := sorted(set(_WITHOUT_FONT.findall(latex))):
        lines += [
            r"% pdfLaTeX prints codes, as [U+0436], for what no font has: Cyrillic letters need",
            r"% \usepackage[T2A,T1]{fontenc}, others LuaLaTeX or XeLaTeX and \setmainfont{...}.",
            r"\ifdefined\Umathchar\else",
            *map(_fallback, signs),
            r"\fi",
        ]
    return lines


def _fallback(sign: str) -> str:
    name = rf"\csname u8:\detokenize{{{sign}}}\endcsname"
    return rf"\expandafter\ifx{name}\relax\expandafter\gdef{name}{{[U+{ord(sign):04X}]}}\fi"
