"""How many votes a query gets, where that depends on the votes."""

from django.db import models
from django.db.models import Q

from annotation.models.batches import Batch


class AdaptivePolicy(models.Model):
    """The batch asks adaptively: two votes, a third where they differ, more on a tie."""

    batch = models.OneToOneField(Batch, on_delete=models.CASCADE, related_name="adaptive_policy")
    full_share = models.FloatField(
        help_text="Share (0 to 1) of queries with three votes in any case."
    )
    most_votes = models.PositiveSmallIntegerField(help_text="Votes on one query, at most.")
    seed = models.PositiveIntegerField(default=0, help_text="Chooses the share.")

    class Meta:
        db_table = "annotation_redundancy"
        constraints = [
            models.CheckConstraint(
                condition=Q(full_share__gte=0) & Q(full_share__lte=1),
                name="redundancy_share_is_a_share",
            ),
            models.CheckConstraint(
                condition=Q(most_votes__gte=3), name="redundancy_allows_three_votes"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.batch_id}: adaptive"
