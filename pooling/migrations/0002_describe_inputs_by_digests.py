from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pooling", "0001_initial")]

    operations = [
        migrations.AlterField(
            "pool",
            "inputs",
            models.JSONField(
                default=dict,
                help_text="Names and digests of magnitudes, queries and runs; versions.",
            ),
        ),
    ]
