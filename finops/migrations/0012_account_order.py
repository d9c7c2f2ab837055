from pathlib import Path

from django.db import migrations

ORDER = Path(__file__).resolve().parent.parent / "sql" / "account_order.sql"


class Migration(migrations.Migration):
    dependencies = [("finops", "0011_gpu_resources")]
    operations = [migrations.RunSQL(ORDER.read_text(), "drop table account_order")]
