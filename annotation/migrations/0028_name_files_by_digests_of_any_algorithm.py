from django.db import migrations, models

import annotation.models.digests


class Migration(migrations.Migration):
    dependencies = [("annotation", "0027_erase_as_a_job_and_check_versions_again")]

    operations = [
        # The columns keep their names, for processes of the version before.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("studyfile", "sha256", "digest"),
                migrations.RenameField("studyreport", "labels_sha256", "labels_digest"),
                migrations.AlterField(
                    "studyfile", "digest", models.CharField(db_column="sha256", max_length=64)
                ),
                migrations.AlterField(
                    "studyreport",
                    "labels_digest",
                    models.CharField(blank=True, db_column="labels_sha256", max_length=64),
                ),
            ]
        ),
        migrations.AlterField(
            "studyfile",
            "digest",
            annotation.models.digests.DigestField(
                db_column="sha256", help_text="Of its bytes as stored.", max_length=80
            ),
        ),
        migrations.AlterField(
            "studyreport",
            "labels_digest",
            annotation.models.digests.DigestField(
                blank=True,
                db_column="labels_sha256",
                help_text="Of the labelled queries; empty without labels.",
                max_length=80,
            ),
        ),
        migrations.AlterField(
            "studyreport",
            "files",
            models.JSONField(
                default=dict, help_text="By name: path in the storage of files, digest, bytes."
            ),
        ),
    ]
