"""All tables of the site at once.

A database that has some of what this replaces goes on from there.
"""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("annotation", "0001_initial"),
        ("annotation", "0002_identify_batches_and_commit_money"),
        ("annotation", "0003_add_labellings_and_what_is_set_aside"),
        ("annotation", "0004_keep_the_cost_of_an_assignment"),
        ("annotation", "0005_keep_a_ledger_of_bonuses"),
        ("annotation", "0006_add_tasks"),
        ("annotation", "0007_say_who_may_work_and_what_they_agree_to"),
        ("annotation", "0008_ask_adaptively"),
        ("annotation", "0009_say_how_many_answers_a_hit_is_to_bring"),
        ("annotation", "0010_test_comprehension_before_the_first_hit"),
        ("annotation", "0011_add_studies"),
        ("annotation", "0012_keep_workers_out"),
        ("annotation", "0013_point_to_files"),
        ("annotation", "0014_add_study_reports"),
        ("annotation", "0015_log_amounts"),
        ("annotation", "0016_count_workers_that_die_at_a_task"),
        ("annotation", "0017_forgotten_workers"),
        ("annotation", "0018_score_in_shards"),
        ("annotation", "0019_add_links_that_sign_in_once"),
        ("annotation", "0020_task_consent"),
        ("annotation", "0021_keep_codebooks_and_answers_that_cannot_tell"),
        ("annotation", "0022_permit_spending_and_keep_a_budget_of_the_site"),
        ("annotation", "0023_prepare_the_sample"),
        ("annotation", "0024_know_whose_identity_is_proved"),
    ]

    dependencies = [
        ("pooling", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
                    "state",
                    models.CharField(
                        choices=[
                            ("Submitted", "Submitted"),
                            ("Approved", "Approved"),
                            ("Rejected", "Rejected"),
                        ],
                        max_length=10,
                    ),
                ),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                ("submitted_at", models.DateTimeField(blank=True, null=True)),
                ("answer_xml", models.TextField(blank=True)),
                ("problem", models.TextField(blank=True)),
                (
                    "comment",
                    models.TextField(
                        blank=True,
                        db_default="",
                        help_text="The worker's comment on the whole task.",
                    ),
                ),
            ],
            options={
                "ordering": ("submitted_at", "id"),
            },
        ),
        migrations.CreateModel(
            name="Scoring",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=64, unique=True)),
                ("plan", models.JSONField(help_text="The files as they were, and their shards.")),
                (
                    "lexicon",
                    models.JSONField(help_text="The word list: its name, groups and words."),
                ),
                ("tokenizer", models.CharField(max_length=20)),
                ("parts", models.TextField(help_text="Folder or URL that all workers reach.")),
                (
                    "actor",
                    models.CharField(
                        help_text="User name, or the command that asked.", max_length=150
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="SiteAccount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "environment",
                    models.CharField(
                        choices=[
                            ("local", "Local crowd service"),
                            ("sandbox", "Mechanical Turk sandbox"),
                            ("production", "Mechanical Turk"),
                            ("imported", "Imported from a file"),
                        ],
                        max_length=10,
                        unique=True,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Study",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100, unique=True)),
                ("description", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name_plural": "studies",
                "ordering": ("-created_at", "name"),
                "permissions": (
                    ("create_studies", "begin studies"),
                    ("publish", "publish and ask for answers"),
                    ("pay", "approve and pay"),
                ),
            },
        ),
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100, unique=True)),
                (
                    "uid",
                    models.UUIDField(
                        default=uuid.uuid4,
                        editable=False,
                        help_text="Tells the batch's HITs from those of every other batch of "
                        "the account.",
                        unique=True,
                    ),
                ),
                (
                    "environment",
                    models.CharField(
                        choices=[
                            ("local", "Local crowd service"),
                            ("sandbox", "Mechanical Turk sandbox"),
                            ("production", "Mechanical Turk"),
                            ("imported", "Imported from a file"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "endpoint",
                    models.CharField(
                        blank=True,
                        help_text="URL of the crowd that the HITs were published to.",
                        max_length=200,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("publishing", "Publishing"),
                            ("published", "Published"),
                            ("stopped", "Stopped"),
                            ("imported", "Imported"),
                        ],
                        default="draft",
                        max_length=10,
                    ),
                ),
                ("title", models.CharField(blank=True, max_length=128)),
                ("description", models.CharField(blank=True, max_length=2000)),
                ("keywords", models.CharField(blank=True, max_length=1000)),
                (
                    "reward",
                    models.DecimalField(
                        decimal_places=2,
                        default=0,
                        help_text="USD per assignment of a HIT.",
                        max_digits=8,
                    ),
                ),
                (
                    "budget",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        help_text="USD, fees included.",
                        max_digits=10,
                        null=True,
                    ),
                ),
                (
                    "committed",
                    models.DecimalField(
                        decimal_places=2,
                        default=0,
                        help_text="USD that the HITs sent and the bonuses may cost, fees included.",
                        max_digits=10,
                    ),
                ),
                ("assignments_per_hit", models.PositiveSmallIntegerField(default=3)),
                ("queries_per_hit", models.PositiveSmallIntegerField(default=10)),
                ("lifetime_seconds", models.PositiveIntegerField(default=604800)),
                (
                    "duration_seconds",
                    models.PositiveIntegerField(
                        default=1800, help_text="Time that one worker has for one HIT."
                    ),
                ),
                ("auto_approval_seconds", models.PositiveIntegerField(default=259200)),
                (
                    "seed",
                    models.PositiveIntegerField(
                        default=0, help_text="Shuffles the queries over the HITs."
                    ),
                ),
                ("hit_type_id", models.CharField(blank=True, max_length=64)),
                (
                    "conditions",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="Who may work: the fields of WorkerConditions.",
                    ),
                ),
                (
                    "kept_out_type_id",
                    models.CharField(
                        blank=True,
                        help_text="Id of the qualification that marks workers who may not go on.",
                        max_length=64,
                    ),
                ),
                (
                    "comprehension",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="The test before the first HIT: [text, category] pairs.",
                    ),
                ),
                (
                    "comprehension_type_id",
                    models.CharField(
                        blank=True,
                        help_text="Id of the qualification that is the test.",
                        max_length=64,
                    ),
                ),
                (
                    "consent",
                    models.TextField(
                        blank=True, help_text="What workers are told, and agree to by answering."
                    ),
                ),
                (
                    "contact",
                    models.CharField(
                        blank=True,
                        db_default="",
                        help_text="Whom workers may write to; shown on every HIT.",
                        max_length=200,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "pool",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="batches",
                        to="pooling.pool",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        blank=True,
                        help_text="Without a study, only members of staff see the batch.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="batches",
                        to="annotation.study",
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at", "name"),
            },
        ),
        migrations.CreateModel(
            name="BatchQuery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("qid", models.CharField(max_length=200)),
                ("text", models.TextField()),
                (
                    "position",
                    models.PositiveIntegerField(
                        help_text="Place in the batch's fixed shuffled order."
                    ),
                ),
                (
                    "gold",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("n", "Non-gendered"),
                            ("f", "Female"),
                            ("m", "Male"),
                            ("o", "Other or multiple genders"),
                        ],
                        help_text="Known category; hidden from workers.",
                        max_length=1,
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="queries",
                        to="annotation.batch",
                    ),
                ),
            ],
            options={
                "ordering": ("position",),
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
                (
                    "amount",
                    models.DecimalField(
                        decimal_places=2, help_text="USD, without the fee.", max_digits=8
                    ),
                ),
                ("fee", models.DecimalField(decimal_places=2, help_text="USD.", max_digits=8)),
                ("reason", models.CharField(help_text="What the worker reads.", max_length=500)),
                ("request_token", models.CharField(max_length=64, unique=True)),
                ("intended_at", models.DateTimeField(auto_now_add=True)),
                ("paid_at", models.DateTimeField(blank=True, null=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bonuses",
                        to="annotation.assignment",
                    ),
                ),
            ],
            options={
                "ordering": ("intended_at", "id"),
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
            },
        ),
        migrations.CreateModel(
            name="ComprehensionTry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("worker_id", models.CharField(max_length=200)),
                ("request_id", models.CharField(max_length=64, unique=True)),
                (
                    "number",
                    models.PositiveSmallIntegerField(
                        help_text="First, second, ... try of the worker."
                    ),
                ),
                ("n_right", models.PositiveSmallIntegerField()),
                ("passed", models.BooleanField()),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="comprehension_tries",
                        to="annotation.batch",
                    ),
                ),
            ],
            options={
                "ordering": ("at", "id"),
            },
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
                ("index", models.PositiveIntegerField(help_text="Place in the batch, from 0.")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("planned", "Planned"),
                            ("sent", "Sent, outcome not known yet"),
                            ("published", "Published"),
                            ("refused", "Refused by the crowd"),
                        ],
                        default="planned",
                        max_length=10,
                    ),
                ),
                (
                    "attempt",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="Counts the times that a person had the HIT published anew.",
                    ),
                ),
                ("request_token", models.CharField(max_length=64, unique=True)),
                (
                    "annotation",
                    models.CharField(help_text="RequesterAnnotation of the HIT.", max_length=255),
                ),
                ("hit_id", models.CharField(blank=True, max_length=64, null=True, unique=True)),
                ("max_assignments", models.PositiveSmallIntegerField()),
                (
                    "answers_wanted",
                    models.PositiveSmallIntegerField(
                        default=1,
                        help_text="Readable, unrejected answers that the HIT is to bring.",
                    ),
                ),
                (
                    "unit_cost",
                    models.DecimalField(
                        decimal_places=2,
                        default=0,
                        help_text="USD of one assignment with its fee.",
                        max_digits=8,
                    ),
                ),
                (
                    "sent_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="First use of the token, which is forgotten a day later.",
                        null=True,
                    ),
                ),
                ("published_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("error", models.TextField(blank=True)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="hits",
                        to="annotation.batch",
                    ),
                ),
            ],
            options={
                "ordering": ("index",),
            },
        ),
        migrations.AddField(
            model_name="assignment",
            name="hit",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="assignments",
                to="annotation.hit",
            ),
        ),
        migrations.CreateModel(
            name="HITQuery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("place", models.PositiveSmallIntegerField()),
                (
                    "hit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="places",
                        to="annotation.hit",
                    ),
                ),
                (
                    "query",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="places",
                        to="annotation.batchquery",
                    ),
                ),
            ],
            options={
                "ordering": (models.F("hit__index"), models.F("place")),
            },
        ),
        migrations.CreateModel(
            name="Label",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "method",
                    models.CharField(
                        choices=[
                            ("majority", "Majority of the votes"),
                            ("dawid_skene", "Dawid-Skene"),
                            ("mace", "MACE"),
                            ("gold_weighted", "Votes weighted by accuracy on gold queries"),
                            ("adjudicated", "Decided by an adjudicator"),
                            ("released", "Imported decision"),
                        ],
                        max_length=15,
                    ),
                ),
                (
                    "value",
                    models.CharField(
                        choices=[
                            ("n", "Non-gendered"),
                            ("f", "Female"),
                            ("m", "Male"),
                            ("o", "Other or multiple genders"),
                            ("tie", "Tie"),
                        ],
                        max_length=3,
                    ),
                ),
                ("n_votes", models.PositiveSmallIntegerField(default=0)),
                (
                    "n_for",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Votes for the label's category."
                    ),
                ),
                (
                    "confidence",
                    models.FloatField(blank=True, help_text="Posterior, 0 to 1.", null=True),
                ),
                ("reason", models.TextField(blank=True, help_text="Why a person decided so.")),
                ("decided_by", models.CharField(blank=True, max_length=150)),
                ("decided_at", models.DateTimeField(auto_now=True)),
                (
                    "query",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="labels",
                        to="annotation.batchquery",
                    ),
                ),
            ],
            options={
                "ordering": ("query", "method"),
            },
        ),
        migrations.CreateModel(
            name="Labelling",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "method",
                    models.CharField(
                        choices=[
                            ("majority", "Majority of the votes"),
                            ("dawid_skene", "Dawid-Skene"),
                            ("mace", "MACE"),
                            ("gold_weighted", "Votes weighted by accuracy on gold queries"),
                            ("adjudicated", "Decided by an adjudicator"),
                            ("released", "Imported decision"),
                        ],
                        default="majority",
                        max_length=15,
                    ),
                ),
                (
                    "strict",
                    models.BooleanField(
                        default=False, help_text="Majority: more than half of the votes."
                    ),
                ),
                ("seed", models.PositiveIntegerField(default=0)),
                (
                    "batch",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="labelling",
                        to="annotation.batch",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Redundancy",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "full_share",
                    models.FloatField(
                        help_text="Share (0 to 1) of queries with three votes in any case."
                    ),
                ),
                (
                    "most_votes",
                    models.PositiveSmallIntegerField(help_text="Votes on one query, at most."),
                ),
                ("seed", models.PositiveIntegerField(default=0, help_text="Chooses the share.")),
                (
                    "batch",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="redundancy",
                        to="annotation.batch",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SetAsideAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("blank", "Blank"),
                            ("several", "Several values in one answer"),
                            ("left out", "Mapped to nothing on purpose"),
                            ("rejected", "Assignment rejected by its requester"),
                            ("superseded", "Assignment given again by a later file"),
                            ("repeated", "Worker had voted on the query before"),
                        ],
                        max_length=12,
                    ),
                ),
                ("source", models.CharField(help_text="Name of the file.", max_length=300)),
                ("line", models.PositiveIntegerField(help_text="From 1.")),
                ("qid", models.CharField(max_length=200)),
                ("worker", models.CharField(max_length=200)),
                ("answer", models.TextField(blank=True)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="set_aside_answers",
                        to="annotation.batch",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="SignInLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "digest",
                    models.CharField(
                        help_text="SHA-256 of the link's token.", max_length=64, unique=True
                    ),
                ),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sign_in_links",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("owner", "Owner"),
                            ("adjudicator", "Adjudicator"),
                            ("viewer", "Viewer"),
                            ("annotator", "Annotator"),
                        ],
                        max_length=12,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="studies",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="annotation.study",
                    ),
                ),
            ],
            options={
                "ordering": ("user__username",),
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
                    "role",
                    models.CharField(
                        choices=[
                            ("owner", "Owner"),
                            ("adjudicator", "Adjudicator"),
                            ("viewer", "Viewer"),
                            ("annotator", "Annotator"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "digest",
                    models.CharField(
                        help_text="SHA-256 of the link's token.", max_length=64, unique=True
                    ),
                ),
                (
                    "actor",
                    models.CharField(
                        help_text="User name, or the command that invited.", max_length=150
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "used_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="invites_used",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invites",
                        to="annotation.study",
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at",),
            },
        ),
        migrations.CreateModel(
            name="AuditEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "actor",
                    models.CharField(
                        help_text="User name, or the command that did it.", max_length=150
                    ),
                ),
                ("action", models.CharField(max_length=50)),
                ("detail", models.JSONField(default=dict)),
                (
                    "committed",
                    models.DecimalField(
                        decimal_places=2,
                        default=0,
                        help_text="USD more (or less) that the batch may cost since the event "
                        "before.",
                        max_digits=10,
                    ),
                ),
                (
                    "paid",
                    models.DecimalField(
                        decimal_places=2,
                        default=0,
                        help_text="USD more that were paid since the event before, fees included.",
                        max_digits=10,
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="annotation.batch",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="annotation.study",
                    ),
                ),
            ],
            options={
                "ordering": ("-at", "-id"),
            },
        ),
        migrations.CreateModel(
            name="StudyFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("collection", "Collection"),
                            ("queries", "Queries"),
                            ("run", "Run"),
                            ("qrels", "Relevance judgements"),
                            ("lexicon", "Word list"),
                            ("magnitudes", "Scored collection"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="The run's name; the file's own name for every other kind.",
                        max_length=100,
                    ),
                ),
                (
                    "path",
                    models.CharField(
                        help_text="In the storage of files, or where the site keeps files.",
                        max_length=500,
                    ),
                ),
                (
                    "is_pointed",
                    models.BooleanField(
                        default=False, help_text="Stays in FAIRPOOL_FILES_DIR; it was not uploaded."
                    ),
                ),
                ("size", models.PositiveBigIntegerField(help_text="Bytes as stored.")),
                ("sha256", models.CharField(max_length=64)),
                (
                    "summary",
                    models.JSONField(default=dict, help_text="What checking the file found."),
                ),
                (
                    "actor",
                    models.CharField(
                        help_text="User name, or the command that added it.", max_length=150
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="annotation.study",
                    ),
                ),
            ],
            options={
                "ordering": ("kind", "name"),
            },
        ),
        migrations.CreateModel(
            name="StudyPool",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "documents",
                    models.JSONField(
                        default=dict,
                        help_text="Where the rankings and texts behind its queries are stored.",
                    ),
                ),
                (
                    "pool",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="belongs",
                        to="pooling.pool",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pools",
                        to="annotation.study",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="StudyReport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("parameters", models.JSONField(default=dict)),
                ("inputs", models.JSONField(default=dict)),
                (
                    "labels_sha256",
                    models.CharField(
                        blank=True,
                        help_text="Of the labelled queries; empty without labels.",
                        max_length=64,
                    ),
                ),
                (
                    "files",
                    models.JSONField(
                        default=dict,
                        help_text="By name: path in the storage of files, SHA-256, bytes.",
                    ),
                ),
                (
                    "summary",
                    models.JSONField(
                        default=dict, help_text="Counts to show without opening a file."
                    ),
                ),
                (
                    "actor",
                    models.CharField(
                        help_text="User name, or the command that asked.", max_length=150
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("made_at", models.DateTimeField(blank=True, null=True)),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="annotation.study",
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="Task",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("publish", "Publish"),
                            ("collect", "Collect answers"),
                            ("expire", "Stop"),
                            ("label", "Decide labels"),
                            ("extend", "Offer for longer"),
                            ("top up", "Ask for further answers"),
                            ("ask", "Ask where votes differ"),
                            ("approve", "Approve answers"),
                            ("bonus", "Pay a bonus"),
                            ("approve answer", "Approve an answer"),
                            ("reject answer", "Reject an answer"),
                            ("restore answer", "Restore an answer"),
                            ("answer bonus", "Pay a bonus for an answer"),
                            ("keep out", "Keep workers out"),
                            ("bundle", "Make the bundle"),
                            ("score", "Score the collection"),
                            ("pool", "Pool the queries"),
                            ("report", "Measure the bias"),
                            ("shard", "Score a shard"),
                            ("checksum", "Take a checksum"),
                            ("sample", "Prepare the sample"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "part",
                    models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        help_text="Which part of its scoring: the number of the shard.",
                    ),
                ),
                ("arguments", models.JSONField(default=dict)),
                (
                    "consent",
                    models.JSONField(
                        db_default={},
                        default=dict,
                        help_text="What somebody agreed to pay: see annotation.core.consent.",
                    ),
                ),
                (
                    "actor",
                    models.CharField(
                        help_text="User name, or the command that asked.", max_length=150
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                (
                    "done",
                    models.PositiveIntegerField(
                        default=0, help_text="Units of work done in this attempt."
                    ),
                ),
                (
                    "total",
                    models.PositiveIntegerField(
                        blank=True, help_text="Units to do, if known.", null=True
                    ),
                ),
                ("result", models.JSONField(default=dict)),
                (
                    "error",
                    models.TextField(blank=True, help_text="Why it failed or waits, for a person."),
                ),
                ("cancel_requested", models.BooleanField(default=False)),
                (
                    "attempts",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="How often it was begun."
                    ),
                ),
                (
                    "deaths",
                    models.PositiveSmallIntegerField(
                        db_default=0, help_text="Attempts of which nothing was heard again."
                    ),
                ),
                (
                    "run_after",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        help_text="Not to be started before.",
                    ),
                ),
                ("claim", models.UUIDField(blank=True, null=True, unique=True)),
                (
                    "worker",
                    models.CharField(
                        blank=True, help_text="host:process of the claim.", max_length=150
                    ),
                ),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        blank=True,
                        help_text="Of a task that is about one answer of its batch.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tasks",
                        to="annotation.assignment",
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tasks",
                        to="annotation.batch",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        help_text="Whose permission counts when it is done; none for the "
                        "command line. The number stays when the account is deleted.",
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "scoring",
                    models.ForeignKey(
                        blank=True,
                        help_text="Of a task that does a part of it, and has no batch and no "
                        "study.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tasks",
                        to="annotation.scoring",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        blank=True,
                        help_text="Of a task that is about a study as a whole, which then has "
                        "no batch.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tasks",
                        to="annotation.study",
                    ),
                ),
            ],
            options={
                "ordering": ("-id",),
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
                    "environment",
                    models.CharField(
                        choices=[
                            ("local", "Local crowd service"),
                            ("sandbox", "Mechanical Turk sandbox"),
                            ("production", "Mechanical Turk"),
                            ("imported", "Imported from a file"),
                        ],
                        max_length=10,
                    ),
                ),
                ("worker_id", models.CharField(max_length=200)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("human", "Person"),
                            ("simulated", "Simulated worker"),
                            ("model", "Language model"),
                        ],
                        default="human",
                        max_length=10,
                    ),
                ),
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
                    "forgotten",
                    models.BooleanField(
                        db_default=False,
                        help_text="Stands for a person whose data were deleted; no crowd knows "
                        "the id.",
                    ),
                ),
            ],
            options={
                "ordering": ("environment", "worker_id"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "worker_id"),
                        name="one_worker_per_environment_and_id",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Vote",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "category",
                    models.CharField(
                        choices=[
                            ("n", "Non-gendered"),
                            ("f", "Female"),
                            ("m", "Male"),
                            ("o", "Other or multiple genders"),
                        ],
                        max_length=1,
                    ),
                ),
                ("counts", models.BooleanField(default=True)),
                (
                    "seconds",
                    models.FloatField(
                        blank=True,
                        help_text="Time for the query in an imported file: its share of the "
                        "assignment's.",
                        null=True,
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="votes",
                        to="annotation.assignment",
                    ),
                ),
                (
                    "query",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="votes",
                        to="annotation.batchquery",
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="votes",
                        to="annotation.worker",
                    ),
                ),
            ],
            options={
                "ordering": ("query", "id"),
            },
        ),
        migrations.CreateModel(
            name="SetAsideWorker",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField()),
                (
                    "by",
                    models.CharField(
                        help_text="User name, or the command that did it.", max_length=150
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("brought_back_by", models.CharField(blank=True, max_length=150)),
                ("brought_back_at", models.DateTimeField(blank=True, null=True)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="set_aside_workers",
                        to="annotation.batch",
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="set_asides",
                        to="annotation.worker",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="KeptOutWorker",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField()),
                (
                    "by",
                    models.CharField(
                        help_text="User name, or the command that did it.", max_length=150
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("let_in_by", models.CharField(blank=True, max_length=150)),
                ("let_in_at", models.DateTimeField(blank=True, null=True)),
                ("told_at", models.DateTimeField(blank=True, null=True)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="kept_out_workers",
                        to="annotation.batch",
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="kept_outs",
                        to="annotation.worker",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.AddField(
            model_name="assignment",
            name="worker",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="assignments",
                to="annotation.worker",
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
            },
        ),
        migrations.AddConstraint(
            model_name="batchquery",
            constraint=models.UniqueConstraint(
                fields=("batch", "qid"), name="one_query_per_batch_and_qid"
            ),
        ),
        migrations.AddConstraint(
            model_name="batchquery",
            constraint=models.UniqueConstraint(
                fields=("batch", "position"), name="one_query_per_position"
            ),
        ),
        migrations.AddConstraint(
            model_name="bonus",
            constraint=models.CheckConstraint(
                condition=models.Q(("amount__gt", 0)), name="bonus_is_something"
            ),
        ),
        migrations.AddConstraint(
            model_name="codebookversion",
            constraint=models.UniqueConstraint(
                fields=("batch", "number"), name="one_codebook_per_batch_and_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="comprehensiontry",
            constraint=models.UniqueConstraint(
                fields=("batch", "worker_id", "number"), name="one_comprehension_try_per_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="hit",
            constraint=models.UniqueConstraint(
                fields=("batch", "index"), name="one_hit_per_batch_and_index"
            ),
        ),
        migrations.AddConstraint(
            model_name="hit",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "published"), _negated=True),
                    ("hit_id__isnull", False),
                    _connector="OR",
                ),
                name="published_hit_has_its_id",
            ),
        ),
        migrations.AddConstraint(
            model_name="hitquery",
            constraint=models.UniqueConstraint(fields=("hit", "place"), name="one_query_per_place"),
        ),
        migrations.AddConstraint(
            model_name="hitquery",
            constraint=models.UniqueConstraint(fields=("hit", "query"), name="query_once_per_hit"),
        ),
        migrations.AddConstraint(
            model_name="label",
            constraint=models.UniqueConstraint(
                fields=("query", "method"), name="one_label_per_query_method"
            ),
        ),
        migrations.AddConstraint(
            model_name="label",
            constraint=models.CheckConstraint(
                condition=models.Q(("value__in", ["n", "f", "m", "o", "tie"])),
                name="label_is_category_or_tie",
            ),
        ),
        migrations.AddConstraint(
            model_name="labelling",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "method__in",
                        [
                            "majority",
                            "dawid_skene",
                            "mace",
                            "gold_weighted",
                            "adjudicated",
                            "released",
                        ],
                    )
                ),
                name="labelling_by_a_known_method",
            ),
        ),
        migrations.AddConstraint(
            model_name="redundancy",
            constraint=models.CheckConstraint(
                condition=models.Q(("full_share__gte", 0), ("full_share__lte", 1)),
                name="redundancy_share_is_a_share",
            ),
        ),
        migrations.AddConstraint(
            model_name="redundancy",
            constraint=models.CheckConstraint(
                condition=models.Q(("most_votes__gte", 3)), name="redundancy_allows_three_votes"
            ),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(
                fields=("study", "user"), name="one_role_per_study_and_user"
            ),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["owner", "adjudicator", "viewer", "annotator"])),
                name="member_of_known_role",
            ),
        ),
        migrations.AddConstraint(
            model_name="invite",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["owner", "adjudicator", "viewer", "annotator"])),
                name="invite_to_known_role",
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.CheckConstraint(
                condition=models.Q(("reward__gte", 0)), name="batch_reward_not_negative"
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.CheckConstraint(
                condition=models.Q(("assignments_per_hit__gte", 1), ("queries_per_hit__gte", 1)),
                name="batch_asks_for_something",
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.CheckConstraint(
                condition=models.Q(("budget__isnull", True), ("budget__gt", 0), _connector="OR"),
                name="batch_budget_positive",
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("committed__gte", 0),
                    models.Q(
                        ("budget__isnull", True),
                        ("committed__lte", models.F("budget")),
                        _connector="OR",
                    ),
                ),
                name="batch_committed_within_budget",
            ),
        ),
        migrations.AddConstraint(
            model_name="auditevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("batch__isnull", False), ("study__isnull", False), _connector="OR"
                ),
                name="event_is_about_something",
            ),
        ),
        migrations.AddConstraint(
            model_name="studyfile",
            constraint=models.UniqueConstraint(
                fields=("study", "kind", "name"), name="one_file_per_kind_and_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="studyfile",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kind__in", ["collection", "queries", "run", "qrels", "lexicon", "magnitudes"])
                ),
                name="file_of_a_known_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="studyreport",
            constraint=models.CheckConstraint(
                condition=models.Q(("made_at__isnull", False), ("files", {}), _connector="OR"),
                name="report_made_has_files",
            ),
        ),
        migrations.AddIndex(
            model_name="task",
            index=models.Index(
                condition=models.Q(("state__in", ("queued", "running"))),
                fields=["run_after", "id"],
                name="task_to_be_done",
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("assignment__isnull", True), ("state__in", ("queued", "running"))
                ),
                fields=("kind", "batch"),
                name="one_live_task_per_kind_and_batch",
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("queued", "running"))),
                fields=("kind", "assignment"),
                name="one_live_task_per_kind_and_answer",
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("queued", "running"))),
                fields=("kind", "study"),
                name="one_live_task_per_kind_and_study",
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("queued", "running"))),
                fields=("kind", "scoring", "part"),
                name="one_live_task_per_part_of_a_scoring",
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("batch__isnull", False), ("scoring__isnull", True), ("study__isnull", True)
                    ),
                    models.Q(
                        ("batch__isnull", True), ("scoring__isnull", True), ("study__isnull", False)
                    ),
                    models.Q(
                        ("batch__isnull", True), ("scoring__isnull", False), ("study__isnull", True)
                    ),
                    _connector="OR",
                ),
                name="task_of_one_subject",
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("assignment__isnull", True), ("batch__isnull", False), _connector="OR"
                ),
                name="task_of_an_answer_has_its_batch",
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "publish",
                            "collect",
                            "expire",
                            "label",
                            "extend",
                            "top up",
                            "ask",
                            "approve",
                            "bonus",
                            "approve answer",
                            "reject answer",
                            "restore answer",
                            "answer bonus",
                            "keep out",
                            "bundle",
                            "score",
                            "pool",
                            "report",
                            "shard",
                            "checksum",
                            "sample",
                        ],
                    )
                ),
                name="task_of_a_known_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("claim__isnull", False),
                        ("lease_until__isnull", False),
                        ("state", "running"),
                    ),
                    models.Q(
                        models.Q(("state", "running"), _negated=True), ("claim__isnull", True)
                    ),
                    _connector="OR",
                ),
                name="task_claimed_while_running",
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", True), ("state__in", ("queued", "running"))),
                    models.Q(
                        models.Q(("state__in", ("queued", "running")), _negated=True),
                        ("finished_at__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="task_finished_has_its_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="vote",
            constraint=models.UniqueConstraint(
                condition=models.Q(("counts", True)),
                fields=("query", "worker"),
                name="one_vote_per_query_worker",
            ),
        ),
        migrations.AddConstraint(
            model_name="vote",
            constraint=models.UniqueConstraint(
                fields=("query", "assignment"), name="one_vote_per_query_and_assignment"
            ),
        ),
        migrations.AddConstraint(
            model_name="vote",
            constraint=models.CheckConstraint(
                condition=models.Q(("category__in", ["n", "f", "m", "o"])),
                name="vote_in_a_known_category",
            ),
        ),
        migrations.AddConstraint(
            model_name="setasideworker",
            constraint=models.UniqueConstraint(
                condition=models.Q(("brought_back_at__isnull", True)),
                fields=("batch", "worker"),
                name="worker_set_aside_once_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="keptoutworker",
            constraint=models.UniqueConstraint(
                condition=models.Q(("let_in_at__isnull", True)),
                fields=("batch", "worker"),
                name="worker_kept_out_once_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                fields=("assignment_id", "worker"), name="one_assignment_per_id_and_worker"
            ),
        ),
        migrations.AddConstraint(
            model_name="abstention",
            constraint=models.UniqueConstraint(
                fields=("query", "worker"), name="one_abstention_per_query_worker"
            ),
        ),
    ]
