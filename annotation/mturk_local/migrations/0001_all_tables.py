"""All tables of the crowd service at once.

A database that has some of what this replaces goes on from there.
"""

import uuid

import django.db.models.deletion
from django.db import migrations, models

import annotation.mturk_local.ids


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("mturk_local", "0001_first_tables"),
        ("mturk_local", "0002_faults"),
        ("mturk_local", "0003_people_and_qualifications"),
        ("mturk_local", "0004_participants_are_one_person"),
        ("mturk_local", "0005_count_failed_sign_ins"),
        ("mturk_local", "0006_post_notifications_in_a_worker"),
        ("mturk_local", "0007_verify_participants_of_panels"),
        ("mturk_local", "0008_channels_and_tickets"),
    ]

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Clock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("offset_seconds", models.BigIntegerField(default=0)),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="HITType",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "hit_type_id",
                    models.CharField(
                        default=annotation.mturk_local.ids.entity_id, max_length=64, unique=True
                    ),
                ),
                (
                    "hit_group_id",
                    models.CharField(
                        default=annotation.mturk_local.ids.entity_id, max_length=64, unique=True
                    ),
                ),
                ("fingerprint", models.CharField(max_length=64)),
                ("title", models.CharField(max_length=128)),
                ("description", models.TextField()),
                ("keywords", models.TextField(blank=True)),
                ("reward_cents", models.PositiveIntegerField()),
                ("assignment_duration", models.PositiveIntegerField(help_text="Seconds.")),
                ("auto_approval_delay", models.PositiveIntegerField(help_text="Seconds.")),
                ("qualification_requirements", models.JSONField(default=list)),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="PanelKeys",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.URLField(unique=True)),
                ("keys", models.JSONField(default=dict)),
                ("fetched_at", models.DateTimeField(blank=True, null=True)),
                ("tried_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="NotificationSetting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("destination", models.TextField()),
                ("transport", models.CharField(max_length=5)),
                ("version", models.CharField(max_length=20)),
                ("event_types", models.JSONField(default=list)),
                ("active", models.BooleanField(default=False)),
                (
                    "hit_type",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notification",
                        to="mturk_local.hittype",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Panel",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(unique=True)),
                (
                    "provider",
                    models.CharField(
                        help_text="Participants of one provider are the same persons everywhere.",
                        max_length=50,
                    ),
                ),
                ("participant_parameter", models.CharField(default="PROLIFIC_PID", max_length=50)),
                ("study_parameter", models.CharField(default="STUDY_ID", max_length=50)),
                ("session_parameter", models.CharField(default="SESSION_ID", max_length=50)),
                (
                    "keys_url",
                    models.URLField(
                        blank=True,
                        db_default="",
                        help_text="Where the panel's public keys are, if it signs its links.",
                    ),
                ),
                (
                    "audience",
                    models.CharField(
                        blank=True,
                        db_default="",
                        help_text="The domain that signed links must be made for.",
                        max_length=200,
                    ),
                ),
                (
                    "token_parameter",
                    models.CharField(
                        db_default="prolific_token", default="prolific_token", max_length=50
                    ),
                ),
                (
                    "token_claim",
                    models.CharField(db_default="prolific", default="prolific", max_length=50),
                ),
                (
                    "hit_group_id",
                    models.CharField(
                        blank=True,
                        help_text="The only group of HITs that is offered; empty: any.",
                        max_length=64,
                    ),
                ),
                ("tasks_per_visit", models.PositiveIntegerField(default=1)),
                ("completion_code", models.CharField(max_length=50)),
                ("completion_url", models.URLField(blank=True)),
                ("screen_out_code", models.CharField(blank=True, max_length=50)),
                ("screen_out_url", models.URLField(blank=True)),
                ("active", models.BooleanField(default=True)),
            ],
            options={
                "ordering": ("slug",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("tasks_per_visit__gte", 1)),
                        name="crowd_panel_asks_for_something",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("keys_url", ""),
                            models.Q(("audience", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="crowd_signed_links_are_for_somebody",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Requester",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=150, unique=True)),
                ("balance_cents", models.BigIntegerField(default=1000000)),
                ("held_cents", models.BigIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ("name",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("held_cents__gte", 0)), name="crowd_hold_not_negative"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("balance_cents__gte", models.F("held_cents"))),
                        name="crowd_balance_covers_holds",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="QualificationType",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "qualification_type_id",
                    models.CharField(
                        default=annotation.mturk_local.ids.entity_id, max_length=64, unique=True
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("description", models.TextField()),
                ("keywords", models.TextField(blank=True)),
                ("active", models.BooleanField(default=True)),
                (
                    "retry_delay",
                    models.PositiveBigIntegerField(
                        blank=True,
                        help_text="Seconds until a worker may ask again; empty: never.",
                        null=True,
                    ),
                ),
                ("test", models.TextField(blank=True, help_text="QuestionForm.")),
                ("answer_key", models.TextField(blank=True, help_text="AnswerKey.")),
                (
                    "test_duration",
                    models.PositiveBigIntegerField(blank=True, help_text="Seconds.", null=True),
                ),
                ("auto_granted", models.BooleanField(default=False)),
                ("auto_granted_value", models.IntegerField(default=1)),
                ("created_at", models.DateTimeField()),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "requester",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="qualification_types",
                        to="mturk_local.requester",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="Notification",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("document_id", models.UUIDField(default=uuid.uuid4, unique=True)),
                ("destination", models.TextField()),
                ("version", models.CharField(max_length=20)),
                ("event", models.JSONField()),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "next_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When it is posted, or tried again; null in a local queue.",
                        null=True,
                    ),
                ),
                ("delivered_at", models.DateTimeField(blank=True, null=True)),
                (
                    "requester",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="mturk_local.requester",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="KeyPair",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("access_key_id", models.CharField(max_length=32, unique=True)),
                ("nonce", models.CharField(max_length=64)),
                ("active", models.BooleanField(default=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "requester",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="keys",
                        to="mturk_local.requester",
                    ),
                ),
            ],
            options={
                "ordering": ("created_at",),
            },
        ),
        migrations.AddField(
            model_name="hittype",
            name="requester",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="hit_types",
                to="mturk_local.requester",
            ),
        ),
        migrations.CreateModel(
            name="HIT",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "hit_id",
                    models.CharField(
                        default=annotation.mturk_local.ids.entity_id, max_length=64, unique=True
                    ),
                ),
                ("question", models.TextField()),
                ("requester_annotation", models.CharField(blank=True, max_length=255)),
                ("max_assignments", models.PositiveIntegerField()),
                ("open_slots", models.PositiveIntegerField()),
                (
                    "cost_cents",
                    models.PositiveIntegerField(help_text="Reward and fee of one assignment."),
                ),
                ("expiration", models.DateTimeField()),
                (
                    "expired",
                    models.BooleanField(
                        default=False,
                        help_text="The expiry has been carried out: open slots hold no money.",
                    ),
                ),
                (
                    "settled",
                    models.BooleanField(
                        default=False,
                        help_text="It has become reviewable, and that was acted upon.",
                    ),
                ),
                ("assignment_review_policy", models.JSONField(blank=True, null=True)),
                ("hit_review_policy", models.JSONField(blank=True, null=True)),
                ("reviewing", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField()),
                ("disposed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "hit_type",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="hits",
                        to="mturk_local.hittype",
                    ),
                ),
                (
                    "requester",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="hits",
                        to="mturk_local.requester",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="RequestToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "scope",
                    models.CharField(help_text="What was asked, e.g. CreateHIT.", max_length=40),
                ),
                ("token", models.CharField(max_length=64)),
                (
                    "subject",
                    models.CharField(blank=True, help_text="Id of what it made.", max_length=64),
                ),
                ("used_at", models.DateTimeField()),
                (
                    "requester",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="mturk_local.requester",
                    ),
                ),
            ],
            options={
                "ordering": ("used_at",),
            },
        ),
        migrations.CreateModel(
            name="ReviewResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "level",
                    models.CharField(
                        choices=[("Assignment", "Assignment"), ("HIT", "Hit")], max_length=10
                    ),
                ),
                ("is_action", models.BooleanField(default=False)),
                (
                    "action_id",
                    models.CharField(default=annotation.mturk_local.ids.entity_id, max_length=64),
                ),
                ("subject_id", models.CharField(max_length=64)),
                ("subject_type", models.CharField(max_length=20)),
                ("question_id", models.CharField(blank=True, max_length=200)),
                (
                    "key",
                    models.CharField(
                        help_text="Of the finding, or the action's name.", max_length=64
                    ),
                ),
                ("value", models.TextField(help_text="Of the finding, or the action's result.")),
                ("succeeded", models.BooleanField(default=True)),
                ("error_code", models.CharField(blank=True, max_length=100)),
                ("at", models.DateTimeField()),
                (
                    "hit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="review_results",
                        to="mturk_local.hit",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="Ticket",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("nonce", models.CharField(max_length=64, unique=True)),
                ("used_at", models.DateTimeField()),
                (
                    "requester",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="mturk_local.requester",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="Worker",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "worker_id",
                    models.CharField(
                        default=annotation.mturk_local.ids.worker_id, max_length=64, unique=True
                    ),
                ),
                ("person", models.CharField(db_index=True, max_length=200)),
                (
                    "door",
                    models.CharField(
                        choices=[
                            ("account", "Account"),
                            ("invite", "Invite link"),
                            ("panel", "External panel"),
                            ("member", "Member of a requester's site"),
                            ("simulated", "Simulation"),
                        ],
                        max_length=10,
                    ),
                ),
                ("username", models.CharField(blank=True, max_length=150, null=True, unique=True)),
                ("password", models.CharField(blank=True, max_length=256)),
                (
                    "verification",
                    models.CharField(
                        choices=[
                            ("verified", "Verified"),
                            ("waiting", "Waits for the panel's list"),
                            ("refused", "Not approved by the panel"),
                        ],
                        db_default="verified",
                        default="verified",
                        max_length=8,
                    ),
                ),
                (
                    "browser",
                    models.CharField(
                        blank=True, db_default="", help_text="SHA-256 of its cookie.", max_length=64
                    ),
                ),
                ("country", models.CharField(blank=True, max_length=2)),
                ("subdivision", models.CharField(blank=True, max_length=2)),
                (
                    "adult",
                    models.BooleanField(default=False, help_text="Agreed to see adult content."),
                ),
                ("masters", models.BooleanField(default=False)),
                ("valid_until", models.DateTimeField(blank=True, null=True)),
                ("failed_sign_ins", models.PositiveIntegerField(default=0)),
                ("last_failed_at", models.DateTimeField(blank=True, null=True)),
                ("active", models.BooleanField(default=True)),
                ("session", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ("id",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("door", "panel")),
                        fields=("person",),
                        name="crowd_participant_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("door", "member")),
                        fields=("person",),
                        name="crowd_member_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("person", ""), _negated=True),
                        name="crowd_worker_is_a_person",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("door", "account"), _negated=True),
                            ("username__isnull", False),
                            _connector="OR",
                        ),
                        name="crowd_account_has_username",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("door", "simulated"), ("worker_id__startswith", "ASIM")),
                            models.Q(
                                models.Q(("door", "simulated"), _negated=True),
                                models.Q(("worker_id__startswith", "ASIM"), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="crowd_simulated_ids_are_marked",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("door", "panel"),
                            models.Q(("worker_id__startswith", "APANEL"), _negated=True),
                            _connector="OR",
                        ),
                        name="crowd_participants_ids_are_theirs",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("door", "panel"), ("verification", "verified"), _connector="OR"
                        ),
                        name="crowd_only_participants_need_proof",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="QualificationRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "request_id",
                    models.CharField(
                        default=annotation.mturk_local.ids.entity_id, max_length=64, unique=True
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("started", "Test open"),
                            ("pending", "Waits for the requester"),
                            ("granted", "Granted"),
                            ("rejected", "Rejected"),
                        ],
                        max_length=10,
                    ),
                ),
                ("answer", models.TextField(blank=True)),
                ("started_at", models.DateTimeField()),
                ("submitted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "reason",
                    models.TextField(
                        blank=True, help_text="Why it was rejected; the worker sees it."
                    ),
                ),
                (
                    "type",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="requests",
                        to="mturk_local.qualificationtype",
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="qualification_requests",
                        to="mturk_local.worker",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="Qualification",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("value", models.IntegerField()),
                ("granted", models.BooleanField(default=True)),
                ("granted_at", models.DateTimeField()),
                (
                    "reason",
                    models.TextField(
                        blank=True, help_text="Why it was revoked; the worker sees it."
                    ),
                ),
                (
                    "type",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="qualifications",
                        to="mturk_local.qualificationtype",
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="qualifications",
                        to="mturk_local.worker",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="PanelVisit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("study", models.CharField(blank=True, max_length=200)),
                ("session", models.CharField(blank=True, max_length=200)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Working"),
                            ("completed", "Completed"),
                            ("screened_out", "Screened out"),
                        ],
                        default="open",
                        max_length=12,
                    ),
                ),
                ("started_at", models.DateTimeField()),
                (
                    "panel",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="visits",
                        to="mturk_local.panel",
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="visits",
                        to="mturk_local.worker",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("subject", models.CharField(max_length=200)),
                ("text", models.TextField()),
                ("sent_at", models.DateTimeField()),
                (
                    "requester",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="mturk_local.requester",
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="mturk_local.worker",
                    ),
                ),
            ],
            options={
                "ordering": ("-id",),
            },
        ),
        migrations.CreateModel(
            name="Invite",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "invite_id",
                    models.CharField(
                        default=annotation.mturk_local.ids.entity_id, max_length=64, unique=True
                    ),
                ),
                (
                    "note",
                    models.CharField(blank=True, help_text="Whom it was made for.", max_length=200),
                ),
                ("expires_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "worker",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invite",
                        to="mturk_local.worker",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="Channel",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "channel_id",
                    models.CharField(
                        default=annotation.mturk_local.ids.entity_id, max_length=64, unique=True
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("link", "Link"),
                            ("account", "Account"),
                            ("panel", "External panel"),
                        ],
                        max_length=10,
                    ),
                ),
                ("reference", models.CharField(help_text="What it recruits for.", max_length=64)),
                ("note", models.CharField(blank=True, help_text="Whom it is for.", max_length=200)),
                (
                    "hit_group_id",
                    models.CharField(
                        blank=True,
                        help_text="The group of HITs that people are shown first.",
                        max_length=64,
                    ),
                ),
                (
                    "places",
                    models.PositiveIntegerField(
                        blank=True, help_text="Null: any number.", null=True
                    ),
                ),
                ("taken", models.PositiveIntegerField(default=0)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField()),
                (
                    "panel",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="channel",
                        to="mturk_local.panel",
                    ),
                ),
                (
                    "requester",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="channels",
                        to="mturk_local.requester",
                    ),
                ),
                (
                    "account",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="channel",
                        to="mturk_local.worker",
                    ),
                ),
            ],
            options={
                "ordering": ("-id",),
            },
        ),
        migrations.CreateModel(
            name="Block",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField()),
                (
                    "requester",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="mturk_local.requester",
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="mturk_local.worker",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("assignment_id", models.CharField(max_length=64)),
                (
                    "person",
                    models.CharField(
                        help_text="Of the worker, when it was accepted.", max_length=200
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("Accepted", "Accepted"),
                            ("Submitted", "Submitted"),
                            ("Approved", "Approved"),
                            ("Rejected", "Rejected"),
                            ("Returned", "Returned"),
                            ("Abandoned", "Abandoned"),
                        ],
                        default="Accepted",
                        max_length=10,
                    ),
                ),
                ("accepted_at", models.DateTimeField()),
                ("deadline", models.DateTimeField()),
                (
                    "ended_at",
                    models.DateTimeField(blank=True, help_text="Returned or abandoned.", null=True),
                ),
                ("submitted_at", models.DateTimeField(blank=True, null=True)),
                ("auto_approval_at", models.DateTimeField(blank=True, null=True)),
                ("approved_at", models.DateTimeField(blank=True, null=True)),
                ("rejected_at", models.DateTimeField(blank=True, null=True)),
                (
                    "answer",
                    models.TextField(blank=True, help_text="QuestionFormAnswers, as it goes out."),
                ),
                ("feedback", models.TextField(blank=True)),
                (
                    "hit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignments",
                        to="mturk_local.hit",
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to="mturk_local.worker",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="Arrival",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("arrived_at", models.DateTimeField()),
                (
                    "channel",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="arrivals",
                        to="mturk_local.channel",
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="arrivals",
                        to="mturk_local.worker",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="Bonus",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("amount_cents", models.PositiveIntegerField()),
                ("reason", models.TextField()),
                ("granted_at", models.DateTimeField()),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bonuses",
                        to="mturk_local.assignment",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("amount_cents__gt", 0)), name="crowd_bonus_positive"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Fault",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("operation", models.CharField(blank=True, max_length=64)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("throttle", "HTTP 400 ThrottlingException"),
                            ("service_fault", "HTTP 500 ServiceFault"),
                            ("unavailable", "HTTP 503 with a page of HTML"),
                            ("refuse", "a refusal of one's own choice"),
                            ("lost_reply", "the operation is carried out, its reply is lost"),
                            ("truncated", "HTTP 200 with half of the JSON"),
                            ("empty", "HTTP 200 with an empty JSON object"),
                            ("delay", "the reply comes late"),
                            ("duplicate_items", "a page of a list holds its first item twice"),
                            (
                                "same_token",
                                "a page of a list comes with the token that asked for it",
                            ),
                        ],
                        max_length=20,
                    ),
                ),
                ("skip", models.PositiveIntegerField(default=0)),
                ("times", models.PositiveIntegerField(default=1)),
                ("chance", models.FloatField(default=1.0)),
                ("detail", models.JSONField(default=dict)),
                ("seen", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="faults",
                        to="mturk_local.keypair",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("chance__gte", 0), ("chance__lte", 1)),
                        name="crowd_fault_chance_is_a_share",
                    )
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="qualificationtype",
            constraint=models.UniqueConstraint(
                condition=models.Q(("deleted_at", None)),
                fields=("requester", "name"),
                name="crowd_qualification_name_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="qualificationtype",
            constraint=models.CheckConstraint(
                condition=models.Q(("auto_granted", False), ("test", ""), _connector="OR"),
                name="crowd_auto_granted_has_no_test",
            ),
        ),
        migrations.AddIndex(
            model_name="notification",
            index=models.Index(
                condition=models.Q(("delivered_at", None)),
                fields=["requester"],
                name="crowd_undelivered",
            ),
        ),
        migrations.AddIndex(
            model_name="notification",
            index=models.Index(
                condition=models.Q(("delivered_at", None)), fields=["next_at"], name="crowd_to_post"
            ),
        ),
        migrations.AddConstraint(
            model_name="hittype",
            constraint=models.UniqueConstraint(
                fields=("requester", "fingerprint"), name="crowd_hit_type_once_per_requester"
            ),
        ),
        migrations.AddIndex(
            model_name="hit",
            index=models.Index(fields=["requester", "id"], name="crowd_hit_by_requester"),
        ),
        migrations.AddIndex(
            model_name="hit",
            index=models.Index(
                condition=models.Q(("disposed_at", None)),
                fields=["expired", "expiration"],
                name="crowd_hit_to_expire",
            ),
        ),
        migrations.AddIndex(
            model_name="hit",
            index=models.Index(
                condition=models.Q(
                    ("disposed_at", None), ("expired", False), ("open_slots__gt", 0)
                ),
                fields=["hit_type", "id"],
                name="crowd_hit_to_do",
            ),
        ),
        migrations.AddConstraint(
            model_name="hit",
            constraint=models.CheckConstraint(
                condition=models.Q(("max_assignments__gte", 1)), name="crowd_hit_has_a_slot"
            ),
        ),
        migrations.AddConstraint(
            model_name="hit",
            constraint=models.CheckConstraint(
                condition=models.Q(("open_slots__lte", models.F("max_assignments"))),
                name="crowd_open_slots_at_most_max",
            ),
        ),
        migrations.AddConstraint(
            model_name="requesttoken",
            constraint=models.UniqueConstraint(
                fields=("requester", "scope", "token"), name="crowd_token_once_per_requester"
            ),
        ),
        migrations.AddConstraint(
            model_name="qualificationrequest",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("started", "pending"))),
                fields=("type", "worker"),
                name="crowd_one_open_request_per_worker",
            ),
        ),
        migrations.AddConstraint(
            model_name="qualification",
            constraint=models.UniqueConstraint(
                fields=("type", "worker"), name="crowd_qualification_once_per_worker"
            ),
        ),
        migrations.AddConstraint(
            model_name="panelvisit",
            constraint=models.UniqueConstraint(
                fields=("panel", "worker", "study", "session"), name="crowd_visit_once_per_session"
            ),
        ),
        migrations.AddIndex(
            model_name="channel",
            index=models.Index(
                fields=["requester", "reference"], name="crowd_channel_by_reference"
            ),
        ),
        migrations.AddConstraint(
            model_name="channel",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("places__isnull", True), ("taken__lte", models.F("places")), _connector="OR"
                ),
                name="crowd_channel_has_places",
            ),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.UniqueConstraint(
                fields=("requester", "worker"), name="crowd_block_once_per_worker"
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(fields=["assignment_id"], name="crowd_assignment_by_id"),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(fields=["hit", "state", "id"], name="crowd_assignment_by_hit"),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("state", "Accepted")),
                fields=["deadline"],
                name="crowd_to_abandon",
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("state", "Submitted")),
                fields=["auto_approval_at"],
                name="crowd_to_approve",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("state__in", ("Accepted", "Submitted", "Approved", "Rejected"))
                ),
                fields=("hit", "worker"),
                name="crowd_one_assignment_per_hit_worker",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("state__in", ("Accepted", "Submitted", "Approved", "Rejected"))
                ),
                fields=("hit", "person"),
                name="crowd_one_assignment_per_hit_person",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("state__in", ("Accepted", "Submitted", "Approved", "Rejected"))
                ),
                fields=("assignment_id",),
                name="crowd_assignment_id_in_use_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ("Submitted", "Approved", "Rejected")), _negated=True),
                    models.Q(("auto_approval_at__isnull", False), ("submitted_at__isnull", False)),
                    _connector="OR",
                ),
                name="crowd_submitted_has_its_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="arrival",
            constraint=models.UniqueConstraint(
                fields=("channel", "worker"), name="crowd_arrival_once_per_worker"
            ),
        ),
    ]
