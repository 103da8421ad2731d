"""What people fill in, as values for services and selectors."""

from collections.abc import Mapping
from typing import Any, Self
from urllib.parse import urlencode

from django import forms

from annotation.labels.queries.exporting import ExportParameters
from annotation.vocabulary import Category


class ExportForm(forms.Form):
    """Which labels to export, and how."""

    category = forms.ChoiceField(
        choices=[*Category.choices, ("all", "All categories")],
        label="Queries",
    )
    layout = forms.ChoiceField(
        choices=[
            ("csv", "CSV: qid,query,label"),
            ("tsv", "TSV: qid and query"),
            ("jsonl", "JSON lines: all that is known"),
        ],
        label="Format",
    )
    header = forms.BooleanField(
        required=False, label="Header and quotes (CSV); without them as released"
    )
    spreadsheet = forms.BooleanField(required=False, label="For Excel and the like")
    ties = forms.BooleanField(required=False, label="With ties (JSON lines)")

    @classmethod
    def asked(cls, data: Mapping[str, Any]) -> Self:
        """The form with what an address asks for; without a question, the study's first export."""
        usual = {"category": "n", "layout": "csv", "header": "" if _flat(data) else "on"}
        form = cls({**usual, **_flat(data)})
        if not form.is_valid():
            form = cls(usual | {"header": "on"})
            form.is_valid()
        return form

    def wanted(self) -> ExportParameters:
        """The same for `export_lines`."""
        return ExportParameters(**self.cleaned_data)

    def question(self) -> str:
        """The same as part of an address."""
        return urlencode({name: value for name, value in self.cleaned_data.items() if value})

    def options(self) -> str:
        """The same as options of `export_queries`."""
        cleaned = self.cleaned_data
        flags = [f"--{name}" for name in ("header", "spreadsheet", "ties") if cleaned[name]]
        return " ".join(["--category", cleaned["category"], "--format", cleaned["layout"], *flags])


def _flat(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: data[name] for name in ExportForm.base_fields if name in data}
