from pathlib import Path

from django.db import migrations

BOARDS = Path(__file__).resolve().parent.parent / "sql" / "boards_and_findings.sql"


class Migration(migrations.Migration):
    dependencies = [("finops", "0003_scheduling")]
    operations = [migrations.RunSQL(BOARDS.read_text(), migrations.RunSQL.noop)]
