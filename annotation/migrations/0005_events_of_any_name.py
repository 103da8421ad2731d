"""Events that are told by mail are named where they are told; nothing changes in the database."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0004_samples_of_doubtful_strata")]

    operations = [
        migrations.AlterField(
            model_name="notice",
            name="event",
            field=models.CharField(help_text="Name of what happened.", max_length=20),
        ),
    ]
