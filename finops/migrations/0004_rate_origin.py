from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("finops", "0003_scheduling")]
    operations = [
        migrations.AddField(
            model_name="rate",
            name="origin",
            field=models.CharField(blank=True, default="", max_length=10),
        )
    ]
