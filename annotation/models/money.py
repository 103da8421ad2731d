"""The account of the site as a whole."""

from django.db import models

from annotation.vocabulary import Environment


class SiteAccount(models.Model):
    """One row for each environment, which is locked while money is committed there.

    Batches have their committed amounts; this row keeps their sum within the site's budget.
    """

    environment = models.CharField(max_length=10, choices=Environment, unique=True)

    def __str__(self) -> str:
        return self.environment
