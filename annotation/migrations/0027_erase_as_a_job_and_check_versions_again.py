from django.db import migrations, models

KINDS = [
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
    ("sample", "Prepare the sample"),
    ("erase", "Delete personal data"),
]


class Migration(migrations.Migration):
    dependencies = [("annotation", "0025_archive_and_remove")]

    operations = [
        migrations.RemoveConstraint(model_name="task", name="task_of_a_known_kind"),
        migrations.AlterField(
            model_name="task",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=20),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(kind__in=[kind for kind, _label in KINDS]),
                name="task_of_a_known_kind",
            ),
        ),
        migrations.AddField(
            model_name="task",
            name="version",
            field=models.TextField(
                blank=True,
                db_default="",
                help_text="Of what somebody saw when they decided: see annotation.core.versions.",
            ),
        ),
    ]
