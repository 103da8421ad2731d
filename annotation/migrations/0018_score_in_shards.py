"""Score a collection in shards: a task for each, about a scoring that is no study's."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0017_forgotten_workers"),
    ]

    operations = [
        migrations.CreateModel(
            name="Scoring",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=64, unique=True)),
                ("plan", models.JSONField(help_text="The files as they were, and their shards.")),
                (
                    "lexicon",
                    models.JSONField(help_text="The word list: its name, groups and words."),
                ),
                ("tokenizer", models.CharField(max_length=20)),
                ("parts", models.TextField(help_text="Folder or URL that all workers reach.")),
                (
                    "actor",
                    models.CharField(
                        help_text="User name, or the command that asked.", max_length=150
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="task",
            name="task_of_a_batch_or_a_study",
        ),
        migrations.RemoveConstraint(
            model_name="task",
            name="task_of_a_known_kind",
        ),
        migrations.AddField(
            model_name="task",
            name="part",
            field=models.PositiveIntegerField(
                default=0,
                db_default=0,
                help_text="Which part of its scoring: the number of the shard.",
            ),
        ),
        migrations.AlterField(
            model_name="task",
            name="kind",
            field=models.CharField(
                choices=[
                    ("publish", "Publish"),
                    ("collect", "Collect answers"),
                    ("expire", "Stop"),
                    ("label", "Decide labels"),
                    ("extend", "Offer for longer"),
                    ("top up", "Ask for further answers"),
                    ("ask", "Ask where votes differ"),
                    ("approve", "Approve answers"),
                    ("bonus", "Pay a bonus"),
                    ("keep out", "Keep workers out"),
                    ("bundle", "Make the bundle"),
                    ("score", "Score the collection"),
                    ("pool", "Pool the queries"),
                    ("report", "Measure the bias"),
                    ("shard", "Score a shard"),
                    ("checksum", "Take a checksum"),
                ],
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="task",
            name="scoring",
            field=models.ForeignKey(
                blank=True,
                help_text="Of a task that does a part of it, and has no batch and no study.",
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="tasks",
                to="annotation.scoring",
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("queued", "running"))),
                fields=("kind", "scoring", "part"),
                name="one_live_task_per_part_of_a_scoring",
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("batch__isnull", False), ("scoring__isnull", True), ("study__isnull", True)
                    ),
                    models.Q(
                        ("batch__isnull", True), ("scoring__isnull", True), ("study__isnull", False)
                    ),
                    models.Q(
                        ("batch__isnull", True), ("scoring__isnull", False), ("study__isnull", True)
                    ),
                    _connector="OR",
                ),
                name="task_of_one_subject",
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
                            "ask",
                            "approve",
                            "bonus",
                            "keep out",
                            "bundle",
                            "score",
                            "pool",
                            "report",
                            "shard",
                            "checksum",
                        ],
                    )
                ),
                name="task_of_a_known_kind",
            ),
        ),
    ]
