"""A scheme from one annotation program to another."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.core.base_command import FairpoolCommand
from annotation.schemes import LONGEST_SCHEME
from annotation.schemes.formats import WRITERS, left_out, read_scheme
from metrics.errors import InputError
from metrics.io.file_kinds import text_kind
from metrics.io.files import replacing
from metrics.io.outputs import InputFile, add_output_option, output_file

_SCHEME = text_kind("a scheme", "name: ", "<View>", "annotation_schemes:")


class Command(FairpoolCommand):
    help = (
        "Write a scheme of labels in another format: Label Studio's XML, Potato's YAML, or our "
        "own YAML. The file's format is recognised by what it holds; a file with anything but "
        "closed questions about one text is refused, with the line."
    )
    example = "scheme convert labels.xml --to yaml --output scheme.yaml"
    needs_databases = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=InputFile, help="The scheme to read.")
        parser.add_argument(
            "--to", choices=list(WRITERS), default="yaml", help="Format to write (default: yaml)."
        )
        add_output_option(parser, output_file(_SCHEME), "FILE")

    def handle(self, **options: Any) -> None:
        file, output = options["file"], options["output"]
        try:
            with Path(file).open(encoding="utf-8-sig") as source:
                text = source.read(LONGEST_SCHEME + 1)
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror}).", path=file) from None
        except UnicodeDecodeError:
            raise InputError("is not UTF-8.", path=file) from None
        try:
            written = WRITERS[options["to"]](scheme := read_scheme(text))
        except InputError as error:
            raise InputError(error.message, path=file, remedy=error.remedy) from None
        with replacing(output) as temporary:
            temporary.write_text(written, encoding="utf-8")
        values = {"output": output, "format": options["to"], "questions": len(scheme.questions)}
        notes = left_out(text)
        line = f"{len(scheme.questions)} questions written to {output}."
        self.print_result(options, values | {"left_out": notes}, "\n".join([line, *notes]))
