"""Periodic tasks of the crowd service, which Celery's beat queues."""

from celery import shared_task
from django.utils import timezone

from mturk_local.lifecycle.events import deliver_due
from mturk_local.lifecycle.sweep import sweep


@shared_task(expires=60)
def crowd_sweep() -> None:
    """Do what time alone does, and post the notifications that wait."""
    sweep(timezone.now())
    deliver_due()
