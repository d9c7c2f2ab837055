from pathlib import Path

from django.db import migrations

SCHEMA = Path(__file__).resolve().parent.parent / "sql" / "schema.sql"


class Migration(migrations.Migration):
    dependencies = [("finops", "0001_initial")]
    operations = [migrations.RunSQL(SCHEMA.read_text(), migrations.RunSQL.noop)]
