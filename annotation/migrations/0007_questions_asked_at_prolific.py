"""Prolific's Task Builder may ask the questions of a batch without this site."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0006_new_passwords"),
    ]

    operations = [
        migrations.CreateModel(
            name="ProlificTasks",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="Finds the batch there again.", max_length=100, unique=True
                    ),
                ),
                ("dataset_id", models.CharField(blank=True, max_length=36)),
                (
                    "import_id",
                    models.CharField(blank=True, help_text="Of the one upload.", max_length=36),
                ),
                (
                    "upload_url",
                    models.TextField(blank=True, help_text="Where the file goes, for an hour."),
                ),
                ("upload_type", models.CharField(blank=True, max_length=100)),
                (
                    "place_at",
                    models.DateTimeField(
                        blank=True, help_text="When the place for the file was given.", null=True
                    ),
                ),
                (
                    "tasks_id",
                    models.CharField(blank=True, help_text="Of the batch there.", max_length=36),
                ),
                (
                    "set_up_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When its tasks were asked for, before the answer.",
                        null=True,
                    ),
                ),
                (
                    "is_ready",
                    models.BooleanField(default=False, help_text="Whether a study can show them."),
                ),
                (
                    "working_since",
                    models.DateTimeField(
                        blank=True, help_text="Since when somebody makes it; else empty.", null=True
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "batch",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="prolific_tasks",
                        to="annotation.batch",
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tasks",
                        to="annotation.prolificworkspace",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("is_ready", False),
                            models.Q(("tasks_id", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="ready_tasks_have_their_id",
                    ),
                ],
            },
        ),
        migrations.RemoveConstraint(
            model_name="task",
            name="task_of_a_known_kind",
        ),
        migrations.AlterField(
            model_name="batch",
            name="environment",
            field=models.CharField(
                choices=[
                    ("local", "Local crowd service"),
                    ("sandbox", "Mechanical Turk sandbox"),
                    ("production", "Mechanical Turk"),
                    ("prolific", "Prolific, without this site"),
                    ("imported", "Imported from a file"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="siteaccount",
            name="environment",
            field=models.CharField(
                choices=[
                    ("local", "Local crowd service"),
                    ("sandbox", "Mechanical Turk sandbox"),
                    ("production", "Mechanical Turk"),
                    ("prolific", "Prolific, without this site"),
                    ("imported", "Imported from a file"),
                ],
                max_length=10,
                unique=True,
            ),
        ),
        migrations.AlterField(
            model_name="task",
            name="kind",
            field=models.CharField(
                choices=[
                    ("publish", "Publish batch"),
                    ("collect", "Collect answers"),
                    ("expire", "Stop batch"),
                    ("label", "Decide labels"),
                    ("extend", "Offer for longer"),
                    ("top up", "Request more assignments"),
                    ("adaptive round", "Adaptive round"),
                    ("approve", "Approve answers"),
                    ("bonus", "Pay a bonus"),
                    ("approve answer", "Approve an answer"),
                    ("reject answer", "Reject an answer"),
                    ("restore answer", "Restore an answer"),
                    ("answer bonus", "Pay a bonus for an answer"),
                    ("exclude", "Exclude workers"),
                    ("bundle", "Make the bundle"),
                    ("release", "Make the release"),
                    ("score", "Score the collection"),
                    ("pool", "Build pool"),
                    ("pool pairs", "Build pool of pairs"),
                    ("report", "Measure the bias"),
                    ("sample", "Prepare the sample"),
                    ("erase", "Delete personal data"),
                    ("rank", "Rank the queries"),
                    ("ask model", "Ask a model"),
                    ("classify", "Train a classifier"),
                    ("read prolific", "Read submissions from Prolific"),
                    ("upload tasks", "Have Prolific ask the questions"),
                ],
                max_length=20,
            ),
        ),
        migrations.AlterField(
            model_name="worker",
            name="environment",
            field=models.CharField(
                choices=[
                    ("local", "Local crowd service"),
                    ("sandbox", "Mechanical Turk sandbox"),
                    ("production", "Mechanical Turk"),
                    ("prolific", "Prolific, without this site"),
                    ("imported", "Imported from a file"),
                ],
                max_length=10,
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "publish",
                            "collect",
                            "expire",
                            "label",
                            "extend",
                            "top up",
                            "adaptive round",
                            "approve",
                            "bonus",
                            "approve answer",
                            "reject answer",
                            "restore answer",
                            "answer bonus",
                            "exclude",
                            "bundle",
                            "release",
                            "score",
                            "pool",
                            "pool pairs",
                            "report",
                            "sample",
                            "erase",
                            "rank",
                            "ask model",
                            "classify",
                            "read prolific",
                            "upload tasks",
                        ],
                    )
                ),
                name="task_of_a_known_kind",
            ),
        ),
    ]
