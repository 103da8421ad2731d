from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def keep_who_is_told(apps: Apps, _schema: BaseDatabaseSchemaEditor) -> None:
    """Until now the secret stood for both: whether it is known, and whether events come."""
    workspaces = apps.get_model("annotation", "ProlificWorkspace")
    workspaces.objects.exclude(hook_secret="").update(is_told=True)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_items_of_any_kind")]

    operations = [
        migrations.AlterField(
            model_name="prolificworkspace",
            name="hook_secret",
            field=models.TextField(
                blank=True,
                help_text="Encrypted; signs the events that Prolific sends. Empty: it was never "
                "read.",
            ),
        ),
        migrations.AddField(
            model_name="prolificworkspace",
            name="is_told",
            field=models.BooleanField(
                default=False,
                db_default=False,
                help_text="Whether Prolific sends events here, as far as it was read.",
            ),
        ),
        migrations.AddField(
            model_name="prolificworkspace",
            name="n_refused",
            field=models.PositiveIntegerField(
                default=0,
                db_default=0,
                help_text="Rightly formed events refused since the last genuine one.",
            ),
        ),
        migrations.AddField(
            model_name="prolificworkspace",
            name="refused_at",
            field=models.DateTimeField(
                blank=True, help_text="When that was last looked into.", null=True
            ),
        ),
        migrations.AddField(
            model_name="prolificworkspace",
            name="refused_told_at",
            field=models.DateTimeField(
                blank=True, help_text="When members were last told of it.", null=True
            ),
        ),
        migrations.RunPython(keep_who_is_told, migrations.RunPython.noop),
    ]
