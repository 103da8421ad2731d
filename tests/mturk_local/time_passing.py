"""Time passes in the crowd service: what it has stored moves into the past."""

from datetime import timedelta

from django.apps import apps
from django.db.models import DateTimeField, F

from mturk_local.models import Notification


def let_time_pass(seconds: int) -> None:
    """Move every stored time but those of notifications back, as if it were so much later now."""
    for model in apps.get_app_config("mturk_local").get_models():
        times = [field.name for field in model._meta.fields if isinstance(field, DateTimeField)]
        if times and model is not Notification:
            earlier = {name: F(name) - timedelta(seconds=seconds) for name in times}
            model._base_manager.update(**earlier)
