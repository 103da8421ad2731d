"""document_api: bring the generated part of docs/api.md up to date."""

from annotation.api.table import BEGIN, END, operation_table
from metrics.management.generated import SectionCommand


class Command(SectionCommand):
    help = "Write a table of every operation of the API between the marks of a Markdown file."
    example = "document_api docs/api.md"
    begin, end = BEGIN, END

    def section(self) -> str:
        return f"{BEGIN}\n{operation_table()}{END}"
