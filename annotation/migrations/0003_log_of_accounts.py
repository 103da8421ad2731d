from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0002_refused_events_of_prolific")]

    operations = [
        migrations.CreateModel(
            name="AccountEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "account",
                    models.CharField(db_index=True, help_text="User name.", max_length=150),
                ),
                (
                    "actor",
                    models.CharField(
                        blank=True, help_text="Who did it; empty: not known.", max_length=150
                    ),
                ),
                (
                    "address",
                    models.CharField(
                        blank=True,
                        help_text="Of the client; or this server, for a command or job.",
                        max_length=45,
                    ),
                ),
                (
                    "action",
                    models.CharField(
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
                ("detail", models.JSONField(default=dict)),
                ("at", models.DateTimeField(auto_now_add=True, db_index=True)),
            ],
            options={"ordering": ("-at", "-id")},
        ),
    ]
