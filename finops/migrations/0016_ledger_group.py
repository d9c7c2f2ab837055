from pathlib import Path

from django.db import migrations

SQL = Path(__file__).resolve().parent.parent / "sql"


def group(apps, schema_editor):
    """The days there are."""
    statement = (SQL / "group_day.sql").read_text()
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("select distinct cluster_id, day from ledger_day order by 2, 1")
        for cluster, day in cursor.fetchall():
            cursor.execute(statement, {"cluster": cluster, "day": day})


class Migration(migrations.Migration):
    dependencies = [("finops", "0015_taken")]
    operations = [
        migrations.RunSQL((SQL / "ledger_group.sql").read_text(), migrations.RunSQL.noop),
        migrations.RunPython(group, migrations.RunPython.noop),
    ]
