from pathlib import Path

from django.db import migrations

FAULTS = Path(__file__).resolve().parent.parent / "sql" / "faults.sql"


class Migration(migrations.Migration):
    dependencies = [("finops", "0012_account_order")]
    operations = [migrations.RunSQL(FAULTS.read_text(), migrations.RunSQL.noop)]
