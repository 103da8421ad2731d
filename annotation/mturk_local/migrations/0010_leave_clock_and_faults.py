import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Leave the tables of the movable clock and of ordered faults: tests move time by themselves.

    The tables stay for processes of the version before; a later release removes them.
    """

    dependencies = [("mturk_local", "0009_inquiries")]

    operations = [
        # What nobody deletes from any more must keep no key pair from being deleted.
        migrations.AlterField(
            model_name="fault",
            name="key",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="faults",
                to="mturk_local.keypair",
            ),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name="Fault"),
                migrations.DeleteModel(name="Clock"),
            ]
        ),
    ]
