"""document_measures: bring the generated part of docs/metrics.md up to date."""

from ...measures.reference import BEGIN, END, section
from ..generated import SectionCommand


class Command(SectionCommand):
    help = "Write what the measures say about themselves between the marks of a Markdown file."
    example = "document_measures docs/metrics.md"
    begin, end = BEGIN, END

    def section(self) -> str:
        return section()
