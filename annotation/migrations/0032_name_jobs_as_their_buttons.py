from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0031_know_the_lease_of_a_claim"),
    ]

    operations = [
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
                    ("ask", "Adaptive round"),
                    ("approve", "Approve answers"),
                    ("bonus", "Pay a bonus"),
                    ("approve answer", "Approve an answer"),
                    ("reject answer", "Reject an answer"),
                    ("restore answer", "Restore an answer"),
                    ("answer bonus", "Pay a bonus for an answer"),
                    ("keep out", "Exclude workers"),
                    ("bundle", "Make the bundle"),
                    ("score", "Score the collection"),
                    ("pool", "Build pool"),
                    ("report", "Measure the bias"),
                    ("shard", "Score a shard"),
                    ("checksum", "Take a checksum"),
                    ("sample", "Prepare the sample"),
                    ("erase", "Delete personal data"),
                    ("rank", "Rank the queries"),
                ],
                max_length=20,
            ),
        ),
    ]
