from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models

SQL = Path(__file__).resolve().parent.parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("finops", "0008_audit")]
    operations = [
        migrations.RunSQL((SQL / "distributed_cost.sql").read_text(), migrations.RunSQL.noop),
        migrations.CreateModel(
            name="UnallocatedPolicy",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("policy", models.CharField(max_length=20)),
                ("node_pools", models.JSONField(default=list)),
                ("start", models.DateTimeField(null=True)),
                (
                    "cluster",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="unallocated_policies", to="finops.cluster"),
                ),
            ],
        ),
        migrations.RunSQL((SQL / "dated_policies.sql").read_text(), migrations.RunSQL.noop),
        migrations.RemoveField("cluster", "unallocated_policy"),
    ]
