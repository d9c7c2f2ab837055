import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

AUDITED = """
create trigger audited after insert or update or delete on reports_membership for each row execute function audited();
create trigger audited after insert or update or delete on reports_grant for each row execute function audited();
create trigger audited after insert or update or delete on reports_apitoken for each row execute function audited('last_used', '|', 'digest');
create trigger audited after insert or update or delete on auth_user for each row execute function audited('last_login', '|', 'password');
create trigger audited after insert or update or delete on auth_user_groups for each row execute function audited();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0002_team_colour"),
        ("finops", "0008_audit"),
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="Grant",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("group", models.CharField(max_length=253)),
                (
                    "role",
                    models.CharField(
                        choices=[("viewer", "viewer"), ("lead", "lead"), ("engineer", "engineer"), ("finance", "finance"), ("admin", "admin")],
                        max_length=8,
                    ),
                ),
                ("team", models.TextField(blank=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("group", "role", "team"), name="grant_once"),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ("viewer", "lead"))) ^ models.Q(("team", "")), name="grant_of_a_team_or_of_all"
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="Identity",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("groups", models.JSONField(default=list)),
                ("told_by", models.CharField(max_length=20)),
                ("told_at", models.DateTimeField()),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="identity", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.RunSQL(AUDITED, migrations.RunSQL.noop),
    ]
