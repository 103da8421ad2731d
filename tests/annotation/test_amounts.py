"""Amounts are plain digits by page, API and command; other spellings are refused."""

from decimal import Decimal
from typing import Any

import pytest
from django.http import QueryDict
from django.test import RequestFactory

from annotation.api.operation_views import body_of
from annotation.batches.operations.bonus import BONUS, BonusParameters
from annotation.batches.operations.prolific.set_up_bonuses import read_bonus_rows
from annotation.core.consent import ConsentError, Estimate, agree
from annotation.core.forms import form_of
from annotation.core.options import ParametersCommand
from annotation.core.parameters import ParametersError, read_parameters
from annotation.web.buttons import amount_sent
from config.variables import GROUPS
from metrics.errors import InputError
from mturk_local.environment.reading import Environment, SettingsError

#: Python reads most of them as numbers: an underscore, an exponent, digits of other scripts.
NOT_PLAIN = [
    "1_000",
    "1e2",
    "1E2",
    "\N{ARABIC-INDIC DIGIT THREE}",
    "\N{FULLWIDTH DIGIT ONE}",
    "+1",
    "Infinity",
    "nan",
    "0x1",
    ".5",
    "5.",
]
_TERMS = {"reason": "careful"}


def errors_of_call(amount: Any = "0.50", **beside: Any) -> set[str]:
    """The members of a call of the API that are refused."""
    serializer = body_of(BONUS)(data={**_TERMS, "amount": amount, **beside})
    serializer.is_valid()
    return set(serializer.errors)


@pytest.mark.parametrize("text", NOT_PLAIN)
def test_no_door_takes_an_amount_that_is_not_plain(text: str) -> None:
    with pytest.raises(ParametersError) as refused:
        read_parameters(BonusParameters, {**_TERMS, "amount": text})
    assert set(refused.value.errors) == {"amount"}
    assert set(form_of(BONUS)({**_TERMS, "amount": text}).errors) == {"amount"}
    assert errors_of_call(text) == {"amount"}
    assert errors_of_call(agreed=text) == {"agreed"}
    with pytest.raises(ParametersError):
        ParametersCommand().amount(text)
    with pytest.raises(InputError, match="line 1"):
        read_bonus_rows(f"6f0c,{text}")
    for variable in ("FAIRPOOL_BUDGET", "PROLIFIC_FEE_PERCENT"):
        with pytest.raises(SettingsError, match=variable):
            Environment(GROUPS, {variable: text})


@pytest.mark.parametrize("text", [*NOT_PLAIN, "", "-1"])
def test_what_is_no_amount_is_no_agreement(text: str) -> None:
    """Also where nobody need agree: whoever writes something has to write what it costs."""
    sent = amount_sent(RequestFactory().post("/", {"agreed": text}), "agreed")
    with pytest.raises(ConsentError):
        agree(Estimate(), sent, is_real=False)


def test_nothing_written_is_not_none_given() -> None:
    assert errors_of_call(agreed="") == {"agreed"}
    form_encoded = body_of(BONUS)(data=QueryDict("reason=careful&amount=0.50&agreed="))
    assert not form_encoded.is_valid()
    assert set(form_encoded.errors) == {"agreed"}
    assert not errors_of_call()
    assert not errors_of_call(agreed=None)
    assert amount_sent(RequestFactory().post("/"), "agreed") is None


@pytest.mark.parametrize("amount", ["0.50", " 0.50 ", 0.5, Decimal("0.50")])
def test_plain_amounts_and_numbers_of_json_are_read(amount: Any) -> None:
    values = read_parameters(BonusParameters, {**_TERMS, "amount": amount})
    assert values.amount == Decimal("0.50")
