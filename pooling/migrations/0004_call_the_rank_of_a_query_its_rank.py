"""Call the rank of a query in a list its rank; the column keeps its name for the version before."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pooling", "0003_describe_inputs_by_digests")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("listplace", "place", "rank"),
                migrations.AlterField(
                    "listplace", "rank", models.PositiveIntegerField(db_column="place")
                ),
                migrations.AlterModelOptions(
                    "listplace", {"ordering": ("run", "direction", "rank")}
                ),
            ]
        )
    ]
