from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0003_identity_and_audit")]
    operations = [migrations.AddField("apitoken", "name", models.CharField(blank=True, max_length=100))]
