"""The part of docs/metrics.md that the measures write themselves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import fill

import numpy as np
from numpy.typing import NDArray

from . import worked
from .arab import arab
from .awrf import awrf
from .base import Definition
from .fairr import fairr
from .nfairr import nfairr
from .rab import rab
from .registry import available
from .texfair import texfair

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
    """Rankings on which the measures disagree, what to look at, and why."""

    title: str
    before: str
    rankings: Sequence[Ranking]
    after: str


EXAMPLES = (
    Example(
        "When they disagree: documents of one group only",
        "Two rankings of five documents of 20 tokens; every document has four words of one group "
        "and none of the other. The first ranking is female but for its last document, the second "
        "alternates. The background of NFaiRR holds neutral documents.",
        (
            Ranking("lopsided", (4, 4, 4, 4, 0), (0, 0, 0, 0, 4), (20,) * 5),
            Ranking("alternating", (4, 0, 0, 4, 0), (0, 4, 4, 0, 4), (20,) * 5),
        ),
        "FaiRR and NFaiRR look at one document after the other: none is neutral, so both rankings "
        "get 0. TExFAIR and AWRF add up what the whole ranking exposes and tell them apart, and so "
        "does RaB, whose sign also says in which direction. Prefer NFaiRR where each document must "
        "be balanced in itself, TExFAIR where readers see the list as a whole. (The argument is "
        "that of figure 1 of the TExFAIR paper.)",
    ),
    Example(
        "When they disagree: how many words, in how many documents",
        "Three rankings. In the first a single document of five names a gender, once. In the "
        "second a long document has six male words and four short ones two female words each. "
        "In the third every document has two words of each group.",
        (
            Ranking("one word", (0, 0, 0, 0, 0), (1, 0, 0, 0, 0), (20,) * 5),
            Ranking("long and short", (0, 2, 2, 2, 2), (6, 0, 0, 0, 0), (300, 10, 10, 10, 10)),
            Ranking("even", (2,) * 5, (2,) * 5, (20,) * 5),
        ),
        "*One word*: to TExFAIR-noRBDF and AWRF all that is exposed is male, the worst there is; "
        "RBDF weighs that with the share of documents that have group words, which brings TExFAIR "
        "up; RaB is small; NFaiRR is 1, because one word (tau) does not make a document biased. "
        "*Long and short*: RaB counts words and leans a little female at rank 5, ARaB weighs the "
        "top and leans male; to FaiRR every document is one-sided; TExFAIR divides by length, so "
        "that the words of the short documents outweigh those of the long one. *Even*: all "
        "measures agree. Report more than one measure, and say which question each answers.",
    ),
)


def section() -> str:
    """Everything between the two marks, the marks included."""
    parts = [BEGIN, "", "## The measures", "", _overview(), "", _wrapped(worked.INTRODUCTION), ""]
    for definition in available():
        parts += [description(definition), ""]
    for example in EXAMPLES:
        parts += [_example(example), ""]
    return "\n".join([*parts, END])


def _overview() -> str:
    lines = ["| measure | what it says | direction |", "|---|---|---|"]
    lines += [f"| `{d.name}` | {d.summary} | {d.direction} |" for d in available()]
    return "\n".join(lines)


def description(definition: Definition) -> str:
    """The meaning of a measure, as Markdown."""
    facts = [
        ("In the paper", f"`{definition.equation}`"),
        ("Formula", f"`{definition.formula}`"),
        ("Worked example", worked.example(definition)),
        ("Range", definition.range),
        ("Direction", definition.direction),
        ("List shorter than the cut-off", definition.short_list),
        ("No document", definition.empty_list),
        ("Document without group words", definition.no_group_words),
        ("Needs", ", ".join(sorted(definition.needs))),
        ("Source", definition.citation),
    ]
    lines = [f"### {definition.name}", "", definition.summary, ""]
    lines += [f"- {name}: {text}" for name, text in facts]
    if definition.params:
        lines += ["", "| parameter | default | meaning |", "|---|---|---|"]
    for name, info in definition.params.items():
        choices = f" One of {', '.join(f'`{c}`' for c in info.choices)}." * bool(info.choices)
        default = f"`{info.default}`" if info.default != "" else "none"
        lines.append(f"| `{name}` | {default} | {info.description}{choices} |")
    return "\n".join(lines)


def _example(example: Example) -> str:
    lines = [f"## {example.title}", "", _wrapped(example.before), ""]
    lines += ["| ranking | female words by rank | male words by rank |", "|---|---|---|"]
    lines += [f"| {r.name} | {_numbers(r.female)} | {_numbers(r.male)} |" for r in example.rankings]
    lines += ["", "| at 5 | " + " | ".join(r.name for r in example.rankings) + " |"]
    lines.append("|---|" + "---:|" * len(example.rankings))
    for name, measure in _MEASURES.items():
        cells = (f"{float(measure(ranking)) + 0.0:.3f}" for ranking in example.rankings)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", _wrapped(example.after)])


def _wrapped(text: str) -> str:
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
