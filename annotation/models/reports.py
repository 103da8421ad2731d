"""Bias reports of a study: parameters, inputs and files."""

from django.db import models
from django.db.models import Q

from annotation.models.studies import Study
from annotation.vocabulary import LONGEST_OWN_NAME, LONGEST_USERNAME
from pooling.removable import Removable


class StudyReport(Removable):
    """One report on the bias of a study's runs. Reports are kept: a later one replaces none.

    `parameters` use names that mean the same later on; `inputs` are the files and labels that were
    used, with their checksums.
    """

    noun, what = "report", "bias report"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="reports")
    name = models.CharField(
        max_length=LONGEST_OWN_NAME,
        blank=True,
        help_text="Empty: it goes by its number.",
    )
    parameters = models.JSONField(default=dict)
    inputs = models.JSONField(default=dict)
    labels_digest = models.CharField(
        max_length=80,
        blank=True,
        help_text="Of the labelled queries; empty without labels.",
    )
    files = models.JSONField(
        default=dict, help_text="By name: path in the storage of files, digest, bytes."
    )
    summary = models.JSONField(default=dict, help_text="Counts to show without opening a file.")
    actor = models.CharField(
        max_length=LONGEST_USERNAME, help_text="User name, or the command that asked."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    made_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name"],
                condition=Q(removed_at=None) & ~Q(name=""),
                name="one_report_per_study_and_name",
            ),
            models.CheckConstraint(
                condition=Q(made_at__isnull=False) | Q(files={}), name="report_made_has_files"
            ),
        ]

    def __str__(self) -> str:
        return f"report {self.pk} of {self.study_id}"

    @property
    def title(self) -> str:
        """Its name, for people."""
        return self.name or f"Report {self.pk}"

    @property
    def called(self) -> str:
        return self.title

    @property
    def label(self) -> str:
        return f"the bias report {self.name or self.pk}"
