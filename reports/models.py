"""People's teams, and the tokens of their scripts."""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import uuid4

from django.conf import settings
from django.db import models

SCOPES = ("read", "export", "metrics", "admin")


class Membership(models.Model):
    class Role(models.TextChoices):
        VIEWER = "viewer"
        LEAD = "lead"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    team = models.TextField()
    role = models.CharField(max_length=8, choices=Role.choices, default=Role.VIEWER)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "team"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user} {self.role} of {self.team}"


class Grant(models.Model):
    """What a group of the identity provider may do: a role that sees all, or one in a team."""

    ROLES = ("viewer", "lead", "engineer", "finance", "admin")
    group = models.CharField(max_length=253)
    role = models.CharField(max_length=8, choices=[(role, role) for role in ROLES])
    team = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["group", "role", "team"], name="grant_once"),
            models.CheckConstraint(condition=models.Q(role__in=("viewer", "lead")) ^ models.Q(team=""), name="grant_of_a_team_or_of_all"),
        ]

    def __str__(self) -> str:
        return f"group {self.group}: {self.role}" + (f" of {self.team}" if self.team else "")


class Identity(models.Model):
    """What the identity provider or the proxy said of a person at the last log-in."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="identity")
    groups = models.JSONField(default=list)
    told_by = models.CharField(max_length=20)
    told_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user} as {self.told_by} told"


class TeamColour(models.Model):
    """Teams in the order they were first shown: a team keeps its colour, whatever the window or filter."""

    team = models.TextField(unique=True)

    def __str__(self) -> str:
        return self.team

    @classmethod
    def remembered(cls, teams: Sequence[str]) -> list[str]:
        """Every team shown so far in its order; new ones follow in the order given."""
        known = list(cls.objects.order_by("id").values_list("team", flat=True))
        new = [team for team in dict.fromkeys(teams) if team not in set(known)]
        if new:
            cls.objects.bulk_create([cls(team=team) for team in new], ignore_conflicts=True)
        return known + new


def digest_of(text: str) -> str:
    """SHA-256 as hex. The secret has 256 random bits, so a slow hash would add nothing."""
    return hashlib.sha256(text.encode()).hexdigest()


class ApiToken(models.Model):
    """`fin_<prefix>_<secret>`; only the prefix and the digest of the whole are kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100, blank=True)
    prefix = models.CharField(max_length=12, unique=True)
    digest = models.CharField(max_length=64)
    scopes = models.JSONField(default=list)
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"fin_{self.prefix}_… of {self.user}"

    @classmethod
    def issue(cls, user, *, scopes: list[str], expires: datetime, name: str = "") -> str:
        """The token's text: this once, it cannot be shown again."""
        prefix = secrets.token_hex(6)
        text = f"fin_{prefix}_{secrets.token_urlsafe(32)}"
        cls.objects.create(user=user, name=name, prefix=prefix, digest=digest_of(text), scopes=scopes, expires=expires)
        return text

    @classmethod
    def find(cls, text: str, *, now: datetime) -> "ApiToken | None":
        """The token in force that this text is, of a person who may still log in."""
        kind, _, rest = text.partition("_")
        prefix, _, secret = rest.partition("_")
        if kind != "fin" or not secret or "\x00" in text:
            return None
        token = cls.objects.select_related("user").filter(prefix=prefix).first()
        if token is None or not hmac.compare_digest(token.digest, digest_of(text)):
            return None
        return token if token.in_force(now) and token.user.is_active else None

    def in_force(self, now: datetime) -> bool:
        return self.revoked_at is None and now < self.expires


class ExportOrder(models.Model):
    """An export that a person ordered: made by a worker, kept in the data folder until it expires.

    `words`: the parameters, name → values. `teams`: what the person might see then, None for all.
    """

    KEPT = timedelta(days=2)
    STATES = ("waiting", "running", "done", "failed")
    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="exports")
    words = models.JSONField()
    teams = models.JSONField(null=True)
    name = models.CharField(max_length=200)
    state = models.CharField(max_length=7, default="waiting", choices=[(state, state) for state in STATES])
    problem = models.TextField(blank=True)
    rows = models.BigIntegerField(null=True)
    size = models.BigIntegerField(null=True)
    left_out = models.TextField(blank=True)
    ordered = models.DateTimeField()
    expires = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} of {self.user}: {self.state}"
