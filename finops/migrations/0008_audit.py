from pathlib import Path

from django.db import migrations

SCHEMA = Path(__file__).resolve().parent.parent / "sql" / "audit.sql"


class Migration(migrations.Migration):
    dependencies = [("finops", "0007_trial")]
    operations = [migrations.RunSQL(SCHEMA.read_text(), migrations.RunSQL.noop)]
