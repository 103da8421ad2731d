"""Keep what was agreed to, and by whom, with the task that spends it; tasks about one answer."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0019_add_links_that_sign_in_once"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="task",
            name="one_live_task_per_kind_and_batch",
        ),
        migrations.RemoveConstraint(
            model_name="task",
            name="task_of_a_known_kind",
        ),
        migrations.AddField(
            model_name="task",
            name="assignment",
            field=models.ForeignKey(
                blank=True,
                help_text="Of a task that is about one answer of its batch.",
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="tasks",
                to="annotation.assignment",
            ),
        ),
        migrations.AddField(
            model_name="task",
            name="consent",
            field=models.JSONField(
                default=dict,
                db_default={},
                help_text="What somebody agreed to pay: see annotation.core.consent.",
            ),
        ),
        migrations.AddField(
            model_name="task",
            name="requested_by",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                help_text="Whose permission counts when it is done; none for the command line. The "
                "number stays when the account is deleted.",
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
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
                    ("approve answer", "Approve an answer"),
                    ("reject answer", "Reject an answer"),
                    ("restore answer", "Restore an answer"),
                    ("answer bonus", "Pay a bonus for an answer"),
                    ("keep out", "Keep workers out"),
                    ("bundle", "Make the bundle"),
                    ("score", "Score the collection"),
                    ("pool", "Pool the queries"),
                    ("report", "Measure the bias"),
                    ("shard", "Score a shard"),
                    ("checksum", "Take a checksum"),
                ],
                max_length=20,
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("assignment__isnull", True), ("state__in", ("queued", "running"))
                ),
                fields=("kind", "batch"),
                name="one_live_task_per_kind_and_batch",
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("queued", "running"))),
                fields=("kind", "assignment"),
                name="one_live_task_per_kind_and_answer",
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("assignment__isnull", True), ("batch__isnull", False), _connector="OR"
                ),
                name="task_of_an_answer_has_its_batch",
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
                            "approve answer",
                            "reject answer",
                            "restore answer",
                            "answer bonus",
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
