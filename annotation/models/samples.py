"""Samples: queries of a pool that were drawn at random for people to label."""

from django.db import models
from django.db.models import Q

from annotation.models.labels import LONGEST_VALUE
from annotation.schemes import LONGEST_NAME
from annotation.vocabulary import (
    LONGEST_OWN_NAME,
    LONGEST_USERNAME,
    SampleDesign,
    WidthOf,
)
from pooling.models import Pool

#: Fields of the design of a sample, beside its pools.
SAMPLE_TERMS = (
    *("design", "seed", "question", "category", "run", "raters", "chances", "strata"),
    *("half_width", "width_of"),
)


class DrawnSample(models.Model):
    """A sample: the queries of `pool`, drawn from `parent`.

    A sample is a pool of its own, so that batches are made from it as from any other. One that
    `continues` another has the queries that were added to it; together they are one sample, and
    `chances` and `strata` are those of all of them.
    """

    pool = models.OneToOneField(Pool, on_delete=models.CASCADE, related_name="drawn")
    parent = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="samples")
    continues = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="continued_by"
    )
    design = models.CharField(max_length=10, choices=SampleDesign)
    seed = models.PositiveIntegerField(help_text="Of the random numbers.")
    question = models.CharField(
        max_length=LONGEST_NAME,
        blank=True,
        help_text="What the models whose belief it used had answered.",
    )
    category = models.CharField(
        max_length=LONGEST_VALUE,
        blank=True,
        help_text="The options that their belief was about, joined.",
    )
    run = models.CharField(max_length=LONGEST_OWN_NAME, blank=True, help_text="Whose bias it used.")
    raters = models.JSONField(default=list, help_text="Names of the models whose belief it used.")
    chances = models.JSONField(
        help_text="By the id of each query of the pool, its chance to be drawn."
    )
    strata = models.JSONField(
        default=dict, help_text="By the id of each query of the pool, its stratum; may be empty."
    )
    half_width = models.FloatField(
        null=True,
        blank=True,
        help_text="Of the intervals: so narrow, no more is drawn.",
    )
    width_of = models.CharField(max_length=10, choices=WidthOf, default=WidthOf.ALL)
    actor = models.CharField(
        max_length=LONGEST_USERNAME, help_text="User name, or the command that drew it."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(design__in=SampleDesign.values), name="sample_of_known_design"
            ),
            models.CheckConstraint(
                condition=Q(half_width__isnull=True) | Q(half_width__gt=0, half_width__lte=1),
                name="sample_of_a_wanted_width",
            ),
            models.CheckConstraint(
                condition=Q(width_of__in=WidthOf.values), name="sample_width_of_known_figures"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pool_id} drawn from {self.parent_id}"

    @property
    def parts(self) -> list["DrawnSample"]:
        """The samples that it continues, the first one first, and itself."""
        return [*(self.continues.parts if self.continues else ()), self]
