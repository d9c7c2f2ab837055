from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("finops", "0006_applied_file")]
    operations = [
        migrations.CreateModel(
            name="Trial",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source", models.JSONField()),
                ("state", models.CharField(default="asked", max_length=7)),
                ("problem", models.TextField(blank=True)),
                ("found", models.JSONField(default=dict)),
                ("asked_by", models.CharField(max_length=150)),
                ("asked_at", models.DateTimeField()),
                ("begun_at", models.DateTimeField(null=True)),
            ],
        ),
    ]
