from django.db import migrations, models


class Migration(migrations.Migration):
    """The kinds of channels are those of `channels`, and no list of them is part of a table."""

    dependencies = [("mturk_local", "0010_leave_clock_and_faults")]

    operations = [
        migrations.AlterField(
            model_name="channel",
            name="kind",
            field=models.CharField(help_text="The name of one of `channels`.", max_length=20),
        ),
    ]
