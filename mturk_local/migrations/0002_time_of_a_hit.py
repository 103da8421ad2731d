from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("mturk_local", "0001_service_of_1_0")]

    operations = [
        migrations.AddField(
            model_name="channel",
            name="seconds",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="What a HIT takes, as its pay was reckoned; null: unknown.",
                null=True,
            ),
        ),
    ]
