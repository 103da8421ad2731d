"""The account of the site as a whole."""

from django.db import models

from annotation.vocabulary import Environment


class SiteAccount(models.Model):
    """One row for each environment: whoever commits money there holds it, one after another.

    What is committed stays with the batches; this row keeps their sum within the site's budget.
    """

    environment = models.CharField(max_length=10, choices=Environment, unique=True)

    def __str__(self) -> str:
        return self.environment
