from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("finops", "0010_instance_prices")]
    operations = [
        migrations.AddField(model_name="cluster", name="gpu_resources", field=models.JSONField(default=list)),
        # GPUs of a node that were there and that no pod could get, by kind.
        migrations.RunSQL("alter table node_hour add column withheld jsonb not null default '{}'", migrations.RunSQL.noop),
    ]
