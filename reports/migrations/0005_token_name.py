from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0004_export_orders")]
    operations = [migrations.AddField("apitoken", "name", models.CharField(blank=True, max_length=100))]
