"""Give a study the files that it measures with."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.accounts.queries.members import get_study
from annotation.core.base_command import FairpoolCommand
from annotation.core.operations import Actor
from annotation.core.origin import actor
from annotation.core.perform import perform_here
from annotation.labels.operations.model_labels import IMPORT_MODEL_LABELS
from annotation.models import Study, StudyFile
from annotation.studies.archives import unpack_files
from annotation.studies.file_store import workplace
from annotation.studies.operations.add_file import ADD_FILE
from annotation.studies.operations.files import shown_name
from annotation.studies.queries.file_kind import adding_order, is_of_models
from annotation.vocabulary import KIND_BY_CONTENT, FileKind
from metrics.cli.run_arguments import add_run_option, named_paths
from metrics.errors import InputError
from metrics.io.storage import open_raw

#: What a study may be given, runs apart, by option.
_KINDS = {
    "collection": (FileKind.COLLECTION, "A collection, or one part of it; may be repeated."),
    "queries": (FileKind.QUERIES, "The queries with their texts."),
    "qrels": (FileKind.QRELS, "Relevance judgements."),
    "lexicon": (FileKind.LEXICON, "A word list (default: the built-in one)."),
    "magnitudes": (FileKind.MAGNITUDES, "A collection that `fairpool score` has scored."),
}


class Command(FairpoolCommand):
    help = (
        "Copy files into a study, as uploading them does. Each file is checked by its content, "
        "and added whole or not at all. A file that cannot be used ends the command; files "
        "before it stay."
    )
    example = "study add-files gender-2026 --collection collection.tsv.gz --run BM25=bm25.run"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="Name of the study.")
        parser.add_argument(
            "files",
            nargs="*",
            default=[],
            type=Path,
            metavar="FILE",
            help="Files of any kind, or zips of them, known by what is in them; models' labels are "
            "imported.",
        )
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
        study = get_study(name=options["study"])
        with workplace() as folder:
            self._add(study, _chosen(options, folder), options)

    def _add(
        self,
        study: Study,
        chosen: Sequence[tuple[str, str, Path, str]],
        options: Mapping[str, Any],
    ) -> None:
        if not chosen:
            raise InputError(
                "say what to add.", remedy="Name files, or give --collection, --queries or --run."
            )
        added, imported = [], []
        for kind, filename, path, name in chosen:
            if kind == KIND_BY_CONTENT and is_of_models(path):
                done = perform_here(IMPORT_MODEL_LABELS, study, {"file": path}, Actor(actor()))
                imported.append(done)
                continue
            with open_raw(path) as stream:
                parameters = {"kind": kind, "name": name, "filename": shown_name(filename)}
                done = perform_here(
                    ADD_FILE, study, {**parameters, "stream": stream}, Actor(actor())
                )
            added.append(done)
        values: dict[str, Any] = {"study": study.name, "files": [result.values for result in added]}
        if imported:
            values["model_labels"] = [result.values for result in imported]
        self.print_result(
            options,
            values,
            [
                f"{file.get_kind_display()}: {file.name}, {file.size:,} bytes{_why(file)}."
                for file in (result.made for result in added)
            ]
            + [result.message for result in imported],
        )


def _chosen(options: Mapping[str, Any], folder: Path) -> list[tuple[str, str, Path, str]]:
    """Kind, file name, path and name of the run of each file, those of a zip below `folder`."""
    files = [
        file
        for number, path in enumerate(options["files"])
        for file in unpack_files(path, folder / str(number))
    ]
    chosen = [
        (KIND_BY_CONTENT, name, path, "")
        for name, path in sorted(files, key=lambda file: adding_order(file[1]))
    ]
    chosen += [
        (kind, path.name, path, "")
        for option, (kind, _) in _KINDS.items()
        for path in options[option]
    ]
    runs = named_paths(options["runs"]).items()
    return chosen + [(FileKind.RUN, path.name, path, name) for name, path in runs]


def _why(file: StudyFile) -> str:
    reason = file.summary.get("recognised_by")
    return f" (known by this: {reason})" if reason else ""
