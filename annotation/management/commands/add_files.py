"""add_files: give a study the files that it measures with."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.accounts.queries.members import study_get
from annotation.core.commands import actor
from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.studies.operations.add_file import ADD_FILE
from annotation.studies.operations.files import shown_name
from annotation.vocabulary import FileKind
from metrics.cli.run_arguments import add_run_option, named_paths
from metrics.errors import InputError
from metrics.management.command import FairpoolCommand

#: What a study may be given, runs apart, by option.
_KINDS = {
    "collection": (FileKind.COLLECTION, "A collection, or one part of it; may be repeated."),
    "queries": (FileKind.QUERIES, "The queries with their texts."),
    "qrels": (FileKind.QRELS, "Relevance judgements."),
    "lexicon": (FileKind.LEXICON, "A word list (default: the built-in one)."),
    "magnitudes": (FileKind.MAGNITUDES, "A collection that score_collection has scored."),
}


class Command(FairpoolCommand):
    help = (
        "Copy files into a study, as uploading them does: each is checked by what it holds, and "
        "added whole or not at all. One that cannot be used ends the command; those before it stay."
    )
    example = "add_files gender-2026 --collection collection.tsv.gz --run BM25=bm25.run"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="Name of the study.")
        for option, (_, help_text) in _KINDS.items():
            parser.add_argument(
                f"--{option}",
                action="append",
                default=[],
                type=Path,
                metavar="FILE",
                help=help_text,
            )
        add_run_option(parser, required=False)

    def handle(self, **options: Any) -> None:
        study = study_get(name=options["study"])
        chosen = [
            (kind, path, "") for option, (kind, _) in _KINDS.items() for path in options[option]
        ]
        runs = named_paths(options["runs"]).items()
        chosen += [(FileKind.RUN, path, name) for name, path in runs]
        if not chosen:
            raise InputError("say what to add.", remedy="Give --collection, --queries or --run.")
        added = []
        for kind, path, name in chosen:
            with path.open("rb") as stream:
                sent = {"kind": kind, "name": name, "filename": shown_name(path.name)}
                done = perform_here(ADD_FILE, study, {**sent, "stream": stream}, Actor(actor()))
            added.append(done)
        shown = {"study": study.name, "files": [one.values for one in added]}
        self.print_result(
            options,
            shown,
            (
                f"{file.get_kind_display()}: {file.name}, {file.size:,} bytes."
                for file in (one.made for one in added)
            ),
        )
