from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0005_events_of_any_name"),
    ]

    operations = [
        migrations.AlterField(
            model_name="accountevent",
            name="action",
            field=models.CharField(
                choices=[
                    ("account made", "Made"),
                    ("account renamed", "Renamed"),
                    ("account closed", "Closed"),
                    ("account opened again", "Reopened"),
                    ("account deleted", "Deleted"),
                    ("account erased", "Erased"),
                    ("signed in", "Signed In"),
                    ("signed out", "Signed Out"),
                    ("sign-in failed", "Sign In Failed"),
                    ("second step passed", "Second Step Passed"),
                    ("second step failed", "Second Step Failed"),
                    ("owner's link made", "Owner Link Made"),
                    ("owner's link used", "Owner Link Used"),
                    ("password changed", "Password Changed"),
                    ("new password requested", "Reset Requested"),
                    ("e-mail address changed", "Email Changed"),
                    ("token made", "Token Made"),
                    ("token ended", "Token Ended"),
                    ("two-step sign-in turned on", "Second Factor On"),
                    ("two-step sign-in turned off", "Second Factor Off"),
                    ("recovery codes made", "Recovery Codes Made"),
                    ("security key added", "Key Added"),
                    ("security key removed", "Key Removed"),
                    ("staff status changed", "Staff Changed"),
                    ("permissions given", "Permits Given"),
                    ("permissions withdrawn", "Permits Withdrawn"),
                ],
                max_length=50,
            ),
        ),
    ]
