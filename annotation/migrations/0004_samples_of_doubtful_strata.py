"""Samples may be drawn from strata of belief with more of the doubtful ones."""

from django.db import migrations, models

DESIGNS = ["simple", "stratified", "neyman", "unequal", "queries"]


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_log_of_accounts")]

    operations = [
        migrations.RemoveConstraint(model_name="drawnsample", name="sample_of_known_design"),
        migrations.AlterField(
            model_name="drawnsample",
            name="design",
            field=models.CharField(
                choices=[
                    ("simple", "All with the same chance"),
                    ("stratified", "From strata of the models' belief"),
                    ("neyman", "From strata of the models' belief, more of the doubtful"),
                    ("unequal", "Rather those that tell more"),
                    ("queries", "Whole queries with all their passages"),
                ],
                max_length=10,
            ),
        ),
        migrations.AddConstraint(
            model_name="drawnsample",
            constraint=models.CheckConstraint(
                condition=models.Q(("design__in", DESIGNS)), name="sample_of_known_design"
            ),
        ),
    ]
