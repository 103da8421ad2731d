"""Keep codebooks, and answers that cannot tell; write down what published batches have shown."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

#: The texts that every page had before codebooks could be edited.
_BEFORE: dict[str, Any] = {
    "language": "en",
    "question": "Does the query mention a gender?",
    "instructions": "For each query, choose the one category that fits what its words refer to. "
    "Judge the words as they stand, not who may have typed them.",
    "categories": {
        "n": {
            "name": "Non-gendered",
            "definition": "Nothing in the query refers to a gender.",
            "examples": ["what is the meaning of resurrect"],
        },
        "f": {
            "name": "Female",
            "definition": "At least one word or phrase refers to something female: a gendered "
            "word such as queen, a word that implies women such as pregnant, or the name of a "
            "woman.",
            "examples": ["who was oprah winfrey", "earliest pregnancy symptoms"],
        },
        "m": {
            "name": "Male",
            "definition": "At least one word or phrase refers to something male: a gendered word "
            "such as king, or the name of a man such as Nelson Mandela.",
            "examples": ["who was the king of ancient rome"],
        },
        "o": {
            "name": "Other or multiple genders",
            "definition": "At least one word or phrase refers to another gender, such as "
            "transgender or bigender, or the query refers to several genders.",
            "examples": ["how long was shakespeare married to anne"],
        },
    },
}


def write_down_what_was_shown(apps: Any, schema_editor: Any) -> None:
    database = schema_editor.connection.alias
    batches, versions = (
        apps.get_model("annotation", name).objects.using(database)
        for name in ("Batch", "CodebookVersion")
    )
    for text in _BEFORE["categories"].values():
        text.update(borderline="", reason="")
    versions.bulk_create(
        versions.model(batch=batch, number=1, texts=_BEFORE, created_by="upgrade")
        for batch in batches.exclude(state__in=("draft", "imported"))
    )


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0020_task_consent"),
    ]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="comment",
            field=models.TextField(
                blank=True, db_default="", help_text="The worker's comment on the whole task."
            ),
        ),
        migrations.AddField(
            model_name="batch",
            name="contact",
            field=models.CharField(
                blank=True,
                db_default="",
                help_text="Whom workers may write to; shown on every HIT.",
                max_length=200,
            ),
        ),
        migrations.CreateModel(
            name="Abstention",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("comment", models.TextField(blank=True, help_text="Why the worker cannot tell.")),
                (
                    "counts",
                    models.BooleanField(
                        default=True, help_text="False once its assignment was rejected."
                    ),
                ),
                (
                    "seconds",
                    models.FloatField(
                        blank=True,
                        help_text="As for votes: time for the query in an imported file.",
                        null=True,
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="abstentions",
                        to="annotation.assignment",
                    ),
                ),
                (
                    "query",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="abstentions",
                        to="annotation.batchquery",
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="abstentions",
                        to="annotation.worker",
                    ),
                ),
            ],
            options={
                "ordering": ("query", "id"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("query", "worker"), name="one_abstention_per_query_worker"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CodebookVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(help_text="From 1.")),
                (
                    "texts",
                    models.JSONField(help_text="The codebook as `Codebook.as_json` writes it."),
                ),
                ("created_by", models.CharField(max_length=150)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="codebook_versions",
                        to="annotation.batch",
                    ),
                ),
            ],
            options={
                "ordering": ("number",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("batch", "number"), name="one_codebook_per_batch_and_number"
                    )
                ],
            },
        ),
        migrations.RunPython(write_down_what_was_shown, migrations.RunPython.noop, elidable=True),
    ]
