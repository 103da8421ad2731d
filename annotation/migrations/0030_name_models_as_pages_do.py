"""Give models and fields the words that pages and documents have; the database keeps its names.

So processes of this version and of the one before can run side by side.
"""

from typing import Any

from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import CASCADE, PROTECT, ForeignKey, Q


def _renamed(model: str, old: str, new: str, field: "models.Field[Any, Any]") -> list[Operation]:
    """A field of another name whose column keeps the old one."""
    return [
        migrations.RenameField(model, old, new),
        migrations.AlterField(model, new, field),
    ]


_DISCARDED = [
    migrations.RemoveConstraint("setasideworker", "worker_set_aside_once_at_a_time"),
    migrations.RenameModel("SetAsideWorker", "DiscardedVotes"),
    migrations.AlterModelTable("discardedvotes", "annotation_setasideworker"),
    *_renamed(
        "discardedvotes",
        "brought_back_by",
        "restored_by",
        models.CharField(max_length=150, blank=True, db_column="brought_back_by"),
    ),
    *_renamed(
        "discardedvotes",
        "brought_back_at",
        "restored_at",
        models.DateTimeField(null=True, blank=True, db_column="brought_back_at"),
    ),
    migrations.AlterField(
        "discardedvotes",
        "batch",
        ForeignKey("annotation.batch", on_delete=CASCADE, related_name="discarded_votes"),
    ),
    migrations.AlterField(
        "discardedvotes",
        "worker",
        ForeignKey("annotation.worker", on_delete=PROTECT, related_name="discarded_votes"),
    ),
    migrations.AddConstraint(
        "discardedvotes",
        models.UniqueConstraint(
            fields=["batch", "worker"],
            condition=Q(restored_at__isnull=True),
            name="worker_set_aside_once_at_a_time",
        ),
    ),
]
_EXCLUDED = [
    migrations.RemoveConstraint("keptoutworker", "worker_kept_out_once_at_a_time"),
    migrations.RenameModel("KeptOutWorker", "ExcludedWorker"),
    migrations.AlterModelTable("excludedworker", "annotation_keptoutworker"),
    *_renamed(
        "excludedworker",
        "let_in_by",
        "readmitted_by",
        models.CharField(max_length=150, blank=True, db_column="let_in_by"),
    ),
    *_renamed(
        "excludedworker",
        "let_in_at",
        "readmitted_at",
        models.DateTimeField(null=True, blank=True, db_column="let_in_at"),
    ),
    *_renamed(
        "excludedworker",
        "told_at",
        "sent_at",
        models.DateTimeField(null=True, blank=True, db_column="told_at"),
    ),
    migrations.AlterField(
        "excludedworker",
        "batch",
        ForeignKey("annotation.batch", on_delete=CASCADE, related_name="excluded_workers"),
    ),
    migrations.AlterField(
        "excludedworker",
        "worker",
        ForeignKey("annotation.worker", on_delete=PROTECT, related_name="exclusions"),
    ),
    migrations.AddConstraint(
        "excludedworker",
        models.UniqueConstraint(
            fields=["batch", "worker"],
            condition=Q(readmitted_at__isnull=True),
            name="worker_kept_out_once_at_a_time",
        ),
    ),
]
_UNCOUNTED = [
    migrations.RenameModel("SetAsideAnswer", "UncountedAnswer"),
    migrations.AlterModelTable("uncountedanswer", "annotation_setasideanswer"),
    migrations.AlterField(
        "uncountedanswer",
        "batch",
        ForeignKey("annotation.batch", on_delete=CASCADE, related_name="uncounted_answers"),
    ),
]
_ADAPTIVE = [
    migrations.RenameModel("Redundancy", "AdaptivePolicy"),
    migrations.AlterModelTable("adaptivepolicy", "annotation_redundancy"),
    migrations.AlterField(
        "adaptivepolicy",
        "batch",
        models.OneToOneField("annotation.batch", on_delete=CASCADE, related_name="adaptive_policy"),
    ),
]


class Migration(migrations.Migration):
    dependencies = [("annotation", "0029_rank_the_queries")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                *_DISCARDED,
                *_EXCLUDED,
                *_UNCOUNTED,
                *_ADAPTIVE,
                *_renamed(
                    "batch",
                    "kept_out_type_id",
                    "exclusion_qualification_id",
                    models.CharField(
                        max_length=64,
                        blank=True,
                        db_column="kept_out_type_id",
                        help_text="Id of the qualification that marks workers who may not go on.",
                    ),
                ),
                *_renamed(
                    "worker",
                    "forgotten",
                    "is_erased",
                    models.BooleanField(
                        db_default=False,
                        db_column="forgotten",
                        help_text=(
                            "Stands for a person whose data were deleted; no crowd knows the id."
                        ),
                    ),
                ),
                *_renamed(
                    "task",
                    "deaths",
                    "crash_count",
                    models.PositiveSmallIntegerField(
                        db_default=0,
                        db_column="deaths",
                        help_text="Attempts of which nothing was heard again.",
                    ),
                ),
            ]
        )
    ]
