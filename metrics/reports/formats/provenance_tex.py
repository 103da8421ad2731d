"""What a report was made from, for the appendix of a paper: `provenance.tex`."""

from collections.abc import Sequence

from .latex import latex_sentence

# A longer piece without a blank, such as a checksum, may be broken after so many signs.
_PIECE = 8


def provenance_tex(facts: Sequence[tuple[str, str]]) -> str:
    r"""A list to \input; nothing beyond the kernel of LaTeX is needed."""
    items = [rf"\item[{latex_sentence(name)}] {_breakable(text)}" for name, text in facts]
    lines = [
        r"\begingroup\footnotesize\raggedright",
        r"\begin{description}",
        *items,
        r"\end{description}",
        r"\endgroup",
    ]
    return "\n".join([*lines, ""])


def _breakable(text: str) -> str:
    return " ".join(map(_breakable_word, text.split()))


def _breakable_word(word: str) -> str:
    pieces = (word[start : start + _PIECE] for start in range(0, len(word), _PIECE))
    return r"\allowbreak{}".join(map(latex_sentence, pieces))
