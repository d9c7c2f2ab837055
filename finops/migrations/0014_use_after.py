from django.db import migrations

# What the last sample of a lease speaks for after the end that the hour itself knows: it counts where other hours show
# that the lease went on, a gap in the scrapes for instance.
AFTER = """
alter table use_quarter add column after_since double precision check (finite(after_since)),
    add column after_seconds double precision check (after_seconds between 0 and 901),
    add column after_busy_seconds double precision check (after_busy_seconds between 0 and after_seconds * share + 0.001)
"""


class Migration(migrations.Migration):
    dependencies = [("finops", "0013_faults")]
    operations = [migrations.RunSQL(AFTER, migrations.RunSQL.noop)]
