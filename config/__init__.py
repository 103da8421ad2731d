"""Wiring: settings, URLs, Celery. No business logic."""
