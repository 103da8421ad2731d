from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0030_name_models_as_pages_do")]

    operations = [
        migrations.AddField(
            model_name="task",
            name="lease",
            field=models.DurationField(
                blank=True,
                help_text="How long the holder may stay silent, by its own settings; unknown of a "
                "claim that an earlier version made.",
                null=True,
            ),
        ),
    ]
