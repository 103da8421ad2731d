"""Swapping the genders of a collection: blocks of lines through the kernels, on one core."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from measurements.bench.collections import write_tsv
from measurements.bench.measuring import MEGA, table, time_rounds
from measurements.bench.scan_blocks import blocks_of
from metrics.texts.counterfactual import Pairs, read_pairs, substitution
from metrics.texts.counterfactual.blocks import BlockSwap
from metrics.texts.scan.reading import Workspace

_REFERENCE = "readable definition, rules"
_LINES_OF_DEFINITION, _LINES_OF_TAGGER, _LINES = 2_000, 1_000, 50_000


def section(folder: Path, texts: list[bytes], rounds: int) -> str:
    """Megabytes per second of TSV, whatever reads and writes the files left out."""
    pairs = read_pairs()
    many = write_tsv(folder / "many.tsv", min(_LINES, len(texts)), texts)
    few = write_tsv(folder / "few.tsv", _LINES_OF_TAGGER, texts)
    some = [text.decode() for text in texts[:_LINES_OF_DEFINITION]]
    techniques: dict[str, tuple[float, Callable[[], object]]] = {
        _REFERENCE: (sum(map(len, some)) / MEGA, partial(_swap_by_definition, pairs, some)),
        "kernels, rules": (
            many.stat().st_size / MEGA,
            partial(_swap, BlockSwap(pairs, "rules"), blocks_of(many)),
        ),
        "kernels, tagger for *her*": (
            few.stat().st_size / MEGA,
            partial(_swap, BlockSwap(pairs, "tagger"), blocks_of(few)),
        ),
    }
    return (
        "### Counterfactual collections\n\n"
        "Lines of TSV in memory with the genders swapped, on one core. The tagger looks at the "
        "sentence of every *her* that the rules do not decide, and takes a word that it does not "
        "know apart once. The words of these generated passages are mostly unknown to it; before "
        "the rounds it has met them. In English of the web few are.\n\n"
        f"{table(time_rounds(techniques, rounds), _REFERENCE)}"
    )


def _swap_by_definition(pairs: Pairs, texts: list[str]) -> list[str]:
    return list(map(substitution(pairs, "rules"), texts))


def _swap(block_swap: BlockSwap, blocks: list[Workspace]) -> int:
    return sum(block_swap.swap(block).n_changed for block in blocks)
