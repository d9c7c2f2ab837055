from pathlib import Path

from django.db import migrations, models
from django.db.models import Q

SIZES = Path(__file__).resolve().parent.parent / "sql" / "node_sizes.sql"


class Migration(migrations.Migration):
    dependencies = [("finops", "0009_distributed_cost")]
    operations = [
        migrations.AlterField("rate", "price", models.DecimalField(decimal_places=10, max_digits=20, null=True)),
        migrations.AddField("rate", "instance_price", models.DecimalField(decimal_places=10, max_digits=20, null=True)),
        migrations.AddField("rate", "weights", models.JSONField(default=dict)),
        migrations.AddConstraint(
            "rate",
            models.CheckConstraint(
                condition=Q(price__isnull=True, instance_price__isnull=False) | Q(price__isnull=False, instance_price__isnull=True),
                name="one_price",
            ),
        ),
        migrations.RunSQL(SIZES.read_text(), migrations.RunSQL.noop),
    ]
