"""No operation takes a text with what turns text around, nor does a bundle bring one in."""

import pytest
from rest_framework import serializers

from annotation.core.operations import AnyOperation
from annotation.core.parameters import fields_of
from annotation.jobs.registry import OPERATIONS
from annotation.labels.operations.imports import check_batch_name
from annotation.models import Study
from annotation.reports.operations.reports import create_report
from annotation.reports.operations.request import ReportRequest
from metrics.errors import InputError

_TEXTS = (serializers.CharField,)
_OTHERS = (serializers.EmailField, serializers.ChoiceField)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_no_text_of_an_operation_turns_text_around(operation: AnyOperation) -> None:
    for field in fields_of(operation.parameters).values():
        is_text = isinstance(field, _TEXTS) and not isinstance(field, _OTHERS)
        if not is_text or field.style.get("hidden"):
            continue
        for sign in "\u202e\u2066\x1b\x85":
            with pytest.raises(serializers.ValidationError):
                field.run_validation(f"a{sign}b" * 8)


@pytest.mark.django_db
def test_names_that_no_operation_brings_are_looked_at_too() -> None:
    with pytest.raises(InputError):
        check_batch_name(name="a\u202eb")
    study = Study.objects.create(name="s")
    with pytest.raises(InputError):
        create_report(
            study=study, request=ReportRequest(runs=[], scored=""), actor="test", name="a\u202eb"
        )
