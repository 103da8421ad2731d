"""Tries at the test before the first HIT."""

from django.db import models

from annotation.models.batches import Batch


class ComprehensionTry(models.Model):
    """One worker's try, decided before the crowd is told; a worker has two."""

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="comprehension_tries")
    worker_id = models.CharField(max_length=200)
    request_id = models.CharField(max_length=64, unique=True)
    number = models.PositiveSmallIntegerField(help_text="First, second, ... try of the worker.")
    n_right = models.PositiveSmallIntegerField()
    passed = models.BooleanField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("at", "id")
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "worker_id", "number"], name="one_comprehension_try_per_number"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker_id}: try {self.number}"
