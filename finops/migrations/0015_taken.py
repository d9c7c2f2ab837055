from django.db import migrations

# When another pod was bound to a device of a lease whose end nobody told: it was over by then.
TAKEN = """
alter table pod_hour add column taken double precision check (finite(taken));
alter table lease add column taken double precision
"""


class Migration(migrations.Migration):
    dependencies = [("finops", "0014_use_after")]
    operations = [migrations.RunSQL(TAKEN, migrations.RunSQL.noop)]
