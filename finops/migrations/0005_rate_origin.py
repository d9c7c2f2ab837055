from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("finops", "0004_boards_and_findings")]
    operations = [
        migrations.AddField(
            model_name="rate",
            name="origin",
            field=models.CharField(blank=True, default="", max_length=10),
        )
    ]
