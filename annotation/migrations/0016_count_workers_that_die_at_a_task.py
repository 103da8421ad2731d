"""Count apart how often a worker died at a task; let the database's clock say when it is due."""

from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [("annotation", "0015_log_amounts")]

    operations = [
        migrations.AddField(
            model_name="task",
            name="deaths",
            field=models.PositiveSmallIntegerField(
                db_default=0, help_text="Attempts of which nothing was heard again."
            ),
        ),
        migrations.AlterField(
            model_name="task",
            name="attempts",
            field=models.PositiveSmallIntegerField(default=0, help_text="How often it was begun."),
        ),
        migrations.AlterField(
            model_name="task",
            name="run_after",
            field=models.DateTimeField(db_default=Now(), help_text="Not to be started before."),
        ),
    ]
