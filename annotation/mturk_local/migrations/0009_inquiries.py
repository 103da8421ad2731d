import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

import annotation.mturk_local.ids

CASCADE = django.db.models.deletion.CASCADE
_ID = models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


class Migration(migrations.Migration):
    """Let workers ask the requesters of their HITs."""

    dependencies = [("mturk_local", "0008_channels_and_tickets")]

    operations = [
        migrations.CreateModel(
            name="Inquiry",
            fields=[
                ("id", _ID),
                (
                    "inquiry_id",
                    models.CharField(
                        default=annotation.mturk_local.ids.entity_id, max_length=64, unique=True
                    ),
                ),
                ("text", models.TextField(max_length=2_000)),
                ("asked_at", models.DateTimeField()),
                ("answer", models.TextField(blank=True, default="", max_length=2_000)),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                (
                    "hit",
                    models.ForeignKey(
                        on_delete=CASCADE, related_name="inquiries", to="mturk_local.hit"
                    ),
                ),
                (
                    "requester",
                    models.ForeignKey(
                        on_delete=CASCADE, related_name="inquiries", to="mturk_local.requester"
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        on_delete=CASCADE, related_name="inquiries", to="mturk_local.worker"
                    ),
                ),
            ],
            options={"ordering": ("-id",)},
        ),
        migrations.AddConstraint(
            model_name="inquiry",
            constraint=models.CheckConstraint(
                condition=Q(answer="", answered_at=None)
                | (~Q(answer="") & Q(answered_at__isnull=False)),
                name="crowd_inquiry_answered_once",
            ),
        ),
    ]
