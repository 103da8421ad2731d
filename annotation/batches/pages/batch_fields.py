"""Fields of a new batch that hold what people type as text."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.batches.operations.planning import WorkerConditions, condition_problems
from annotation.batches.operations.terms import LengthField
from annotation.core.durations import DAY, parse_seconds
from metrics.errors import InputError


class LengthOfTime(forms.CharField):
    """A parameter's `7d`, `12h`, `30m`, or a number that counts its unit; cleaned to seconds."""

    def __init__(self, field: LengthField) -> None:
        texts: dict[str, Any] = {"label": field.label, "help_text": field.help_text}
        super().__init__(max_length=20, required=False, initial=field.style["usual"], **texts)
        self._field = field

    def clean(self, value: Any) -> int | None:
        text = super().clean(value)
        if not text:
            return None
        try:
            seconds = parse_seconds(text, unit=self._field.style["unit"])
        except InputError as error:
            raise ValidationError(str(error)) from None
        least, most = self._field.min_value or 0, self._field.max_value or 0
        if not least <= seconds <= most:
            raise ValidationError(f"From {least} seconds to {most // DAY} days.")
        return seconds


class Locales(forms.CharField):
    """Country codes between commas or blanks."""

    def clean(self, value: Any) -> tuple[str, ...]:
        codes = tuple(super().clean(value).replace(",", " ").split())
        problems = condition_problems(WorkerConditions(locales=codes))
        if problems:
            raise ValidationError(f"{'; '.join(problems)}.")
        return codes
