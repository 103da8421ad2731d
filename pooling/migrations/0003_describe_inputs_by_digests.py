from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pooling", "0002_archive_and_remove_pools")]

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
