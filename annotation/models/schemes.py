"""The scheme of a batch that asks other questions than the paper's."""

from django.db import models

from annotation.models.batches import Batch


class SchemeVersion(models.Model):
    """The scheme of a batch as of one edit; the one with the highest number is in force.

    A batch without any asks for the paper's categories. None is added once publishing has begun:
    every HIT of a batch asks the same.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="scheme_versions")
    number = models.PositiveSmallIntegerField(help_text="From 1.")
    content = models.JSONField(help_text="The scheme as `Scheme.as_json` writes it.")
    created_by = models.CharField(max_length=150)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "number"], name="one_scheme_per_batch_and_number"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.batch_id}: scheme {self.number}"
