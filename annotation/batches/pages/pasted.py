"""Lists of queries and texts that people paste into a form, or upload with it."""

import io
from collections.abc import Collection, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.datastructures import MultiValueDict
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.batches.operations.gold_pairs import gold_pairs
from metrics.errors import InputError
from metrics.io.lines import as_text
from metrics.runs.queries import Queries, parse_queries
from metrics.vocabulary import CATEGORIES

#: Encoding of files that are not UTF-8, so that the form can show them again.
_UNREADABLE = "\ufffd"


class TextOrFile(forms.Textarea):
    """A field to paste into, with one for a file beside it.

    A file's text is put into the field, so that it is still there when the form is shown again.
    """

    needs_multipart_form = True

    def value_from_datadict(
        self, data: Mapping[str, Any], files: MultiValueDict[str, Any], name: str
    ) -> Any:
        upload = files.get(_file_name(name))
        if upload is None:
            return super().value_from_datadict(data, files, name)
        upload.seek(0)
        content = upload.read()
        try:
            content = as_text(io.BufferedReader(io.BytesIO(content)), None).read()
        except InputError:  # then it has what `to_python` refuses, with the line
            content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return content.decode("utf-8", "replace")

    def render(self, name: str, *rest: Any, **options: Any) -> SafeString:
        area = super().render(name, *rest, **options)
        return format_html(
            '{}<label class="or-file">or a file <input type="file" name="{}"></label>',
            area,
            _file_name(name),
        )


def _file_name(name: str) -> str:
    return f"{name}_file"


def file_names(form: type[forms.Form]) -> set[str]:
    """Return the names of the file fields, which browsers send even where no file is chosen."""
    fields = form.base_fields.items()
    return {_file_name(name) for name, field in fields if isinstance(field.widget, TextOrFile)}


class PastedText(forms.CharField):
    """Text that may come as a file; at most `limit` characters."""

    widget = TextOrFile

    def __init__(self, *, limit: int, **options: Any) -> None:
        # Not stripped, so that errors name the right line after an empty first one.
        super().__init__(required=False, max_length=limit, strip=False, **options)

    def widget_attrs(self, _widget: forms.Widget) -> dict[str, Any]:
        """Leave out `maxlength`: browsers would cut off a longer text without a word."""
        return {"rows": 4, "spellcheck": "false"}

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        for number, line in enumerate(text.split("\n"), start=1):
            if _UNREADABLE in line or "\0" in line:
                wrong = f"Line {number} is not text in UTF-8."
                raise ValidationError(f"{wrong} Save the file as UTF-8.")
        return text


class PastedQueries(PastedText):
    """Lines of a query file; cleaned to `Queries`, or None where nothing was pasted.

    `labels` are the codes that a label may be, None for any.
    """

    def __init__(self, *, labels: Collection[str] | None = CATEGORIES, **options: Any) -> None:
        super().__init__(**options)
        self._labels = labels

    def clean(self, value: Any) -> Queries | None:
        text = super().clean(value)
        if not text.strip():
            return None
        try:
            return self._read(text)
        except InputError as error:
            raise ValidationError(problem_of(error)) from None

    def _read(self, text: str) -> Queries:
        return parse_queries(text, "all", labels=self._labels)


class PastedGold(PastedQueries):
    """Lines with known answers: of queries, or of pairs."""

    def _read(self, text: str) -> Queries:
        return gold_pairs(text) or super()._read(text)


def problem_of(error: InputError) -> str:
    """Return the error for a field, with the line alone instead of a file."""
    place = "" if error.line is None else f"Line {error.line}: "
    return f"{place}{error.message} {error.remedy}".strip()
