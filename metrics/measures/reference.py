"""Descriptions of the measures: the generated part of docs/metrics.md, and `fairpool measures`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill

import numpy as np
from numpy.typing import NDArray

from . import worked
from .arab import arab
from .awrf import awrf
from .base import Definition, ParamInfo
from .fairr import fairr
from .nfairr import nfairr
from .rab import rab
from .registry import available
from .sources import SOURCES
from .texfair import texfair

_INTRODUCTION = (
    "*Formula* is what is computed (ln is the natural logarithm), with its [source](#sources). "
    "`fairpool measures NAME` also prints the published equation, what the measure needs, a worked "
    "example, the parameters, and the rules for short lists, queries without documents and "
    "documents without group words."
)
BEGIN = "<!-- From here to the end mark: written by `manage.py site document` -->"
END = "<!-- End of what is written by `manage.py site document` -->"


@dataclass(frozen=True)
class Ranking:
    """A made-up ranking: occurrences of the groups' words, and tokens, by rank."""

    name: str
    female: Sequence[int]
    male: Sequence[int]
    n_tokens: Sequence[int]


@dataclass(frozen=True)
class Example:
    """Rankings on which the measures disagree, with an explanation."""

    title: str
    before: str
    rankings: Sequence[Ranking]
    after: str


EXAMPLES = (
    Example(
        "When they disagree: documents of one group only",
        "Every document has 20 tokens and four words of one group. The background of NFaiRR holds "
        "neutral documents.",
        (
            Ranking("lopsided", (4, 4, 4, 4, 0), (0, 0, 0, 0, 4), (20,) * 5),
            Ranking("alternating", (4, 0, 0, 4, 0), (0, 4, 4, 0, 4), (20,) * 5),
        ),
        "FaiRR and NFaiRR look at each document by itself: none is neutral, so both rankings get "
        "0. TExFAIR, AWRF and RaB add up what the whole ranking exposes and tell the two apart; "
        "the sign of RaB also gives the direction. Prefer NFaiRR where each document must be "
        "balanced in itself, TExFAIR where readers see the list as a whole ([AAA24], figure 1).",
    ),
    Example(
        "When they disagree: how many words, in how many documents",
        "Documents have 20 tokens, in the second ranking 300 at the top and 10 below.",
        (
            Ranking("one word", (0, 0, 0, 0, 0), (1, 0, 0, 0, 0), (20,) * 5),
            Ranking("long and short", (0, 2, 2, 2, 2), (6, 0, 0, 0, 0), (300, 10, 10, 10, 10)),
            Ranking("even", (2,) * 5, (2,) * 5, (20,) * 5),
        ),
        "*One word*: for TExFAIR-noRBDF and AWRF all exposure is male, their worst value; NFaiRR "
        "is 1, since one word (tau) does not make a document biased. *Long and short*: RaB leans "
        "female at rank 5, ARaB weighs the top and leans male; TExFAIR divides by length, so the "
        "short documents outweigh the long one. Report more than one measure, and say which "
        "question each answers.",
    ),
)


def section() -> str:
    """Return everything between the two marks, the marks included."""
    parts = [BEGIN, "", "## The measures", "", wrapped(_INTRODUCTION), ""]
    defined: dict[str, str] = {}
    for definition in available():
        parts += [_entry(definition, defined), ""]
    for example in EXAMPLES:
        parts += [_example(example), ""]
    parts += ["## Sources", "", *(f"- [{key}] {paper}" for key, paper in SOURCES.items()), ""]
    return "\n".join([*parts, END])


def description(definition: Definition) -> str:
    """Describe a measure as Markdown; for one of ir_measures, say that it is theirs."""
    if not definition.working:
        source = f"Computed by ir_measures from judgements. Source: {definition.citation}"
        return "\n".join([f"### {definition.name}", "", definition.summary, "", source])
    facts = {
        "In the paper": f"`{definition.equation}`",
        "Formula": f"`{definition.formula}`",
        "Worked example": worked.example(definition),
        "Range": definition.range,
        "Direction": definition.direction,
        "List shorter than the cut-off": definition.short_list,
        "No document": definition.empty_list,
        "Document without group words": definition.no_group_words,
        "Needs": ", ".join(sorted(definition.needs)),
        "Source": definition.citation,
    }
    lines = [f"### {definition.name}", "", definition.summary, "", *_listed(facts)]
    if definition.params:
        lines += ["", "| parameter | default | meaning |", "|---|---|---|"]
    for name, info in definition.params.items():
        lines.append(f"| `{name}` | {_default(info)} | {_meaning(info)} |")
    return "\n".join(lines)


def _entry(definition: Definition, defined: dict[str, str]) -> str:
    """Return the page's entry; `defined` has the symbols explained so far, and by which measure."""
    facts = {
        f"Formula ({definition.source})": _formula(definition, defined),
        "Range": f"{definition.range}; {definition.direction}",
    }
    return "\n".join([f"### {definition.name}", "", definition.summary, "", *_listed(facts)])


def _listed(facts: Mapping[str, str]) -> list[str]:
    return [f"- {name}: {text}" for name, text in facts.items()]


def _formula(definition: Definition, defined: dict[str, str]) -> str:
    """The formula, without the symbols that are explained by an earlier measure."""
    value, *explained = definition.formula.split("; ")
    new = [part for part in explained if part not in defined]
    known = [part for part in explained if part in defined]
    defined |= dict.fromkeys(new, definition.name)
    text = f"`{'; '.join([value, *new])}`"
    if known:
        symbols = ", ".join(f"`{part.partition(' = ')[0]}`" for part in known)
        text += f", {symbols} as for {defined[known[0]]}"
    return text


def _default(info: ParamInfo) -> str:
    return f"`{info.default}`" if info.default != "" else "none"


def _meaning(info: ParamInfo) -> str:
    choices = f" One of {', '.join(f'`{c}`' for c in info.choices)}." * bool(info.choices)
    return info.description + choices


def _example(example: Example) -> str:
    lines = [f"## {example.title}", "", wrapped(example.before), ""]
    lines += ["| ranking | female words by rank | male words by rank |", "|---|---|---|"]
    lines += [f"| {r.name} | {_numbers(r.female)} | {_numbers(r.male)} |" for r in example.rankings]
    lines += ["", "| at 5 | " + " | ".join(r.name for r in example.rankings) + " |"]
    lines.append("|---|" + "---:|" * len(example.rankings))
    for name, measure in _MEASURES.items():
        cells = (f"{float(measure(ranking)) + 0.0:.3f}" for ranking in example.rankings)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", wrapped(example.after)])


def wrapped(text: str) -> str:
    """Break a paragraph into lines of at most 100 characters."""
    return fill(text, 100, break_on_hyphens=False, break_long_words=False)


def _numbers(values: Sequence[int]) -> str:
    return " ".join(map(str, values))


_CUTOFF = 5
_NEUTRAL = (np.zeros(_CUTOFF), np.zeros(_CUTOFF))

_MEASURES: dict[str, Callable[[Ranking], NDArray[np.float64]]] = {
    "RaB (tc)": lambda r: rab(r.female, r.male, _CUTOFF),
    "ARaB (tc)": lambda r: arab(r.female, r.male, _CUTOFF),
    "FaiRR": lambda r: fairr(r.female, r.male, _CUTOFF),
    "NFaiRR": lambda r: nfairr(r.female, r.male, _CUTOFF, background=_NEUTRAL),
    "AWRF": lambda r: awrf([r.female, r.male], _CUTOFF),
    "TExFAIR": lambda r: texfair([r.female, r.male], r.n_tokens, _CUTOFF),
    "TExFAIR-noRBDF": lambda r: texfair([r.female, r.male], r.n_tokens, _CUTOFF, rbdf=False),
}
