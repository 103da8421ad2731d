"""Mark who stands for a person whose data were deleted."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0016_count_workers_that_die_at_a_task")]

    operations = [
        migrations.AddField(
            model_name="worker",
            name="forgotten",
            field=models.BooleanField(
                db_default=False,
                help_text="Stands for a person whose data were deleted; no crowd knows the id.",
            ),
        ),
    ]
