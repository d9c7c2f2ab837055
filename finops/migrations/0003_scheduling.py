from pathlib import Path

from django.db import migrations, models

SCHEMA = Path(__file__).resolve().parent.parent / "sql" / "scheduling.sql"


class Migration(migrations.Migration):
    dependencies = [("finops", "0002_ledger")]
    operations = [
        migrations.RunSQL(SCHEMA.read_text(), migrations.RunSQL.noop),
        migrations.AddField("cluster", "first_hour", models.DateTimeField(null=True)),
    ]
