"""Limits of texts: one constant a fact, and every door refuses what is one character longer."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import models
from django.template import Context, Template
from rest_framework import serializers

from annotation import vocabulary
from annotation.core.forms import form_fields
from annotation.core.parameters import ParametersError, fields_of, read_parameters
from annotation.jobs.registry import OPERATIONS
from annotation.labels.operations.imports import ImportedQuery, store_queries
from annotation.models import Batch
from metrics.errors import InputError
from pooling.pool import Place, Pool, PooledQuery
from pooling.store import pool_build

ROOT = Path(__file__).resolve().parents[2]
#: How long a text of this name may be, and in operations where the name means another fact.
LIMITS: dict[str, int] = {
    "code": vocabulary.LONGEST_CODE,
    "contact": vocabulary.LONGEST_CONTACT,
    "description": vocabulary.LONGEST_DESCRIPTION,
    "feedback": vocabulary.LONGEST_FEEDBACK,
    "name": vocabulary.LONGEST_OWN_NAME,
    "new_name": vocabulary.LONGEST_OWN_NAME,
    "owner": vocabulary.LONGEST_USERNAME,
    "pay_reason": vocabulary.LONGEST_REASON,
    "pool": vocabulary.LONGEST_OWN_NAME,
    "qid": vocabulary.LONGEST_ID,
    "reason": vocabulary.LONGEST_REASON,
    "run": vocabulary.LONGEST_OWN_NAME,
    "suggested_by": vocabulary.LONGEST_ID,
    "user": vocabulary.LONGEST_USERNAME,
    "username": vocabulary.LONGEST_USERNAME,
}
ELSEWHERE = {
    ("add security key", "name"): vocabulary.LONGEST_KEY_NAME,
    ("remove security key", "name"): vocabulary.LONGEST_KEY_NAME,
    ("answer bonus", "reason"): vocabulary.LONGEST_BONUS_REASON,
    ("bonus", "reason"): vocabulary.LONGEST_BONUS_REASON,
    ("reject answer", "reason"): vocabulary.LONGEST_FEEDBACK,
    ("restore answer", "reason"): vocabulary.LONGEST_FEEDBACK,
    # The panel's own limits.
    ("request return", "reason"): 500,
    ("set up bonuses", "reason"): 200,
}
TYPED = [
    pytest.param(operation, name, field, id=f"{operation.name}-{name}")
    for operation in OPERATIONS
    for name, field in fields_of(operation.parameters).items()
    if name in LIMITS and isinstance(field, serializers.CharField)
]


@pytest.mark.parametrize(("operation", "name", "field"), TYPED)
def test_every_door_of_an_operation_has_the_limit_of_the_fact(
    operation: Any, name: str, field: Any
) -> None:
    most = ELSEWHERE.get((operation.name, name), LIMITS[name])

    with pytest.raises(ParametersError) as error:
        read_parameters(operation.parameters, {name: "a" * (most + 1)})
    with pytest.raises(ParametersError) as others:
        read_parameters(operation.parameters, {name: "a" * most, "no such": 1})
    form = form_fields(operation.parameters).get(name)

    assert "max_length" in codes(error.value, name)
    assert "max_length" not in codes(others.value, name)
    assert getattr(form, "max_length", None) in (None, most)


def codes(error: ParametersError, name: str) -> set[str]:
    return {str(getattr(wrong, "code", "")) for wrong in error.errors.get(name, ())}


def test_a_column_holds_what_may_be_typed() -> None:
    columns = {
        (model.__name__, field.name): field.max_length
        for app in ("annotation", "pooling")
        for model in apps.get_app_config(app).get_models()
        for field in model._meta.fields
        if isinstance(field, models.CharField)
    }
    for model in ("Study", "Batch", "StudyReport", "StudyFile", "Pool"):
        assert columns[model, "name"] == vocabulary.LONGEST_OWN_NAME
    for model in ("BatchQuery", "PooledQuery", "ModelLabel", "UncountedAnswer"):
        assert columns[model, "qid"] == vocabulary.LONGEST_ID
    assert columns["Batch", "suggested_by"] == columns["ModelRater", "name"]
    assert columns["Batch", "contact"] == vocabulary.LONGEST_CONTACT
    assert columns["Batch", "title"] == vocabulary.LONGEST_TITLE
    assert columns["Bonus", "reason"] == vocabulary.LONGEST_BONUS_REASON
    assert columns["SecurityKey", "name"] == vocabulary.LONGEST_KEY_NAME


def test_no_template_says_a_length_of_its_own() -> None:
    texts = {
        path: path.read_text(encoding="utf-8")
        for folder in ("templates", "mturk_local/templates")
        for path in (ROOT / folder).rglob("*.html")
    }
    own = {path.name for path, text in texts.items() if re.search(r'maxlength="\d', text)}
    assert own == set()
    named = {name for text in texts.values() for name in re.findall(r'{% longest "(\w+)" %}', text)}
    assert {"reason", "feedback", "own_name", "scheme"} <= named
    for name in named:
        shown = Template('{% load fairpool %}{% longest "' + name + '" %}').render(Context())
        assert int(shown) > 0


@pytest.mark.django_db
def test_a_text_too_long_to_be_read_enters_by_no_door() -> None:
    longer = "a" * (vocabulary.LONGEST_TEXT + 1)
    words = f"more than {vocabulary.LONGEST_TEXT:,}"
    with pytest.raises(InputError, match=words):
        store_queries(Batch(), [ImportedQuery("q1", longer)])
    with pytest.raises(InputError, match=words):
        store_queries(Batch(), [ImportedQuery("q1", "a", passage=longer)])
    place = Place("A", "f", 1)
    pool = Pool(1, {"A:f": ("q1",)}, (PooledQuery("q1", (place,)),))
    with pytest.raises(InputError, match=words):
        pool_build(name="p", pool=pool, texts={"q1": longer}, inputs={}, summary={})
    fields = fields_of(next(of for of in OPERATIONS if of.name == "create batch").parameters)
    query = fields["queries"].child.fields
    assert query["text"].max_length == query["passage"].max_length == vocabulary.LONGEST_TEXT
