"""What people say when they act on a batch."""

from decimal import Decimal

from django import forms

_REASON = forms.Textarea(attrs={"rows": 3})


class NothingToSay(forms.Form):
    """An act without terms."""


class ExtendForm(forms.Form):
    days = forms.IntegerField(
        min_value=1, max_value=365, label="Offer the HITs for another … days, from now"
    )


class MoreForm(forms.Form):
    assignments = forms.IntegerField(
        min_value=1,
        max_value=1_000,
        label="Answers to each HIT, in all",
        help_text="As many as before asks only for what is missing: unreadable, rejected, expired.",
    )


class ApproveForm(forms.Form):
    feedback = forms.CharField(
        max_length=1_024, label="What workers read", help_text="The same for all of them."
    )


class BonusForm(forms.Form):
    amount = forms.DecimalField(
        max_digits=8, decimal_places=2, min_value=Decimal("0.01"), label="USD for each worker"
    )
    reason = forms.CharField(
        max_length=500, widget=_REASON, label="What workers read as the reason"
    )


class BudgetForm(forms.Form):
    budget = forms.DecimalField(
        max_digits=10,
        decimal_places=2,
        min_value=Decimal("0.01"),
        label="New budget, in USD",
        help_text="Fees included. Publishing and bonuses stop there.",
    )
