"""compile: the kernels, before anything waits for them."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..extras import need
from ..kernels import are_compiled
from .command import Command


class Compile(Command):
    help = (
        "Compile the kernels for this processor now, so that later commands need not wait. They "
        "are kept beside the program, or in NUMBA_CACHE_DIR, which machines of a cluster may "
        "share."
    )
    example = "compile"

    def handle(self, *_args: Any, **options: Any) -> None:
        need("numba")
        before = {module for module in _MODULES if are_compiled(module)}
        _use_all()
        compiled = [module for module in _MODULES if module not in before and are_compiled(module)]
        kept = "compiled and kept" if compiled else "compiled already"
        if not all(map(are_compiled, _MODULES)):
            kept = "compiled, but they cannot be kept here: set NUMBA_CACHE_DIR"
        self.print_result(options, {"compiled": compiled}, f"Kernels: {kept}.")


_MODULES = ("marks", "lines", "json_lines", "tokens", "words", "runs")


def _use_all() -> None:
    """Score and read a little in every way: each kernel is compiled when it is first called."""
    from ..io.columns import string_column
    from ..runs.fast import FastReader
    from ..texts.lexicon import read_lexicon
    from ..texts.scan.docnos import digests_of
    from ..texts.scan.fast import with_kernels
    from ..texts.scan.fast_texts import scoring_columns
    from ..texts.scan.reading import Workspace
    from ..vocabulary import TOKENIZERS

    lexicon, texts = read_lexicon(), string_column(["She said so.", "He did."])
    lines = {
        "tsv": [b"a\tShe said so.", b"b\tHe did."],
        "jsonl": [b'{"id": "a", "text": "She said so."}', b'{"id": "b", "text": "He did."}'],
    }
    for tokenizer in TOKENIZERS:
        for format_, block in lines.items():
            with_kernels(lexicon, tokenizer, format_)(Workspace.of_lines(block))
        scoring_columns(lexicon, tokenizer)(texts)
    digests_of(texts, with_kernels=True)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.run"
        ranked = (f"{q} Q0 {d} {d} {9 - d} a\n" for q in (1, 2) for d in range(1, 9))
        path.write_text("".join(ranked), encoding="utf-8")
        FastReader(path, order="default", queries=None, depth=None, ties=False).read()
