"""Let events carry amounts, and open the account of batches that have spent money already."""

from decimal import Decimal
from typing import Any

from django.db import migrations, models
from django.db.models import F, Sum


def open_accounts(apps: Any, schema_editor: Any) -> None:
    database = schema_editor.connection.alias
    batches, events, answers, bonuses = (
        apps.get_model("annotation", name).objects.using(database)
        for name in ("Batch", "AuditEvent", "Assignment", "Bonus")
    )
    for batch in batches.exclude(environment="imported"):
        approved = answers.filter(hit__batch=batch, state="Approved")
        sent = bonuses.filter(assignment__hit__batch=batch, paid_at__isnull=False)
        paid = (approved.aggregate(usd=Sum("hit__unit_cost"))["usd"] or 0) + (
            sent.aggregate(usd=Sum(F("amount") + F("fee")))["usd"] or 0
        )
        if batch.committed or paid:
            events.create(
                batch=batch,
                actor="upgrade",
                action="money so far",
                committed=batch.committed,
                paid=Decimal(paid).quantize(Decimal("0.01")),
            )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0014_add_study_reports")]

    operations = [
        migrations.AddField(
            model_name="auditevent",
            name="committed",
            field=models.DecimalField(
                decimal_places=2,
                default=0,
                help_text="USD more (or less) that the batch may cost since the event before.",
                max_digits=10,
            ),
        ),
        migrations.AddField(
            model_name="auditevent",
            name="paid",
            field=models.DecimalField(
                decimal_places=2,
                default=0,
                help_text="USD more that were paid since the event before, fees included.",
                max_digits=10,
            ),
        ),
        migrations.RunPython(open_accounts, migrations.RunPython.noop, elidable=True),
    ]
