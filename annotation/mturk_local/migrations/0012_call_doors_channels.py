"""Call the channel by which a worker came in so; the column keeps its name for the version before.

The constraints name the field, so the models' part of them is written anew.
"""

from django.db import migrations, models
from django.db.models import Q

_PANEL, _MEMBER = Q(entry_channel="panel"), Q(entry_channel="member")
_SIMULATED = Q(entry_channel="simulated")
_CONSTRAINTS = [
    models.UniqueConstraint(fields=["person"], condition=_PANEL, name="crowd_participant_once"),
    models.UniqueConstraint(fields=["person"], condition=_MEMBER, name="crowd_member_once"),
    models.CheckConstraint(
        condition=~Q(entry_channel="account") | Q(username__isnull=False),
        name="crowd_account_has_username",
    ),
    models.CheckConstraint(
        condition=Q(entry_channel="simulated", worker_id__startswith="ASIM")
        | (~_SIMULATED & ~Q(worker_id__startswith="ASIM")),
        name="crowd_simulated_ids_are_marked",
    ),
    models.CheckConstraint(
        condition=_PANEL | ~Q(worker_id__startswith="APANEL"),
        name="crowd_participants_ids_are_theirs",
    ),
    models.CheckConstraint(
        condition=_PANEL | Q(verification="verified"), name="crowd_only_participants_need_proof"
    ),
]


class Migration(migrations.Migration):
    dependencies = [("mturk_local", "0011_leave_channel_kinds_to_their_files")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                *(migrations.RemoveConstraint("worker", one.name) for one in _CONSTRAINTS),
                migrations.RenameField("worker", "door", "entry_channel"),
                migrations.AlterField(
                    "worker",
                    "entry_channel",
                    models.CharField(
                        choices=[
                            ("account", "Account"),
                            ("invite", "Invite link"),
                            ("panel", "External panel"),
                            ("member", "Member of a requester's site"),
                            ("simulated", "Simulation"),
                        ],
                        max_length=10,
                        db_column="door",
                    ),
                ),
                *(migrations.AddConstraint("worker", one) for one in _CONSTRAINTS),
            ]
        )
    ]
