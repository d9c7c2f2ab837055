"""What people configure. Facts and the ledger are plain tables: finops/sql/schema.sql."""

from django.db import models


class Setting(models.Model):
    """The one row of settings for the whole ledger."""

    currency = models.CharField(max_length=3, default="CHF")
    timezone = models.CharField(max_length=64, default="UTC")
    week_starts = models.CharField(max_length=9, default="monday")


class Cluster(models.Model):
    """One source of facts; `source` as in the configuration file, secrets only as names of variables."""

    id = models.SmallAutoField(primary_key=True)
    name = models.CharField(max_length=100, unique=True)
    source = models.JSONField()
    scrape_interval = models.FloatField(null=True)
    node_pool_label = models.CharField(max_length=317, blank=True)
    user_label = models.CharField(max_length=317, blank=True)
    ended_at = models.DateTimeField(null=True)
    first_hour = models.DateTimeField(null=True)  # since when its source has samples


class UnallocatedPolicy(models.Model):
    """Who bears what capacity of a cluster cost that nobody held: from `start` on (None: from the beginning) until the next one's.

    `node_pools`: [glob, policy] pairs, the first that matches decides; else `policy`. Never edited: another follows.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="unallocated_policies")
    policy = models.CharField(max_length=20)
    node_pools = models.JSONField(default=list)
    start = models.DateTimeField(null=True)


class TeamRule(models.Model):
    """One entry of `teams`, in file order: whose a pod is, or what a team is."""

    position = models.PositiveIntegerField()
    kind = models.CharField(max_length=30)
    name = models.CharField(max_length=253, blank=True)
    label = models.CharField(max_length=317, blank=True)
    match = models.JSONField(default=dict)
    start = models.DateTimeField(null=True)
    end = models.DateTimeField(null=True)
    cost_center = models.CharField(max_length=100, blank=True)
    department = models.CharField(max_length=253, blank=True)
    owner = models.CharField(max_length=253, blank=True)
    parent = models.CharField(max_length=253, blank=True)


class Rate(models.Model):
    """A price per physical GPU-hour for [start, end); never edited: it ends and another follows.

    `origin`: "list" for a public list price that stands in until the reader's own is known, else "".
    """

    cluster = models.CharField(max_length=100, blank=True)
    node_pool = models.CharField(max_length=253, blank=True)
    instance_type = models.CharField(max_length=253, blank=True)
    capacity_type = models.CharField(max_length=20, blank=True)
    gpu_model = models.CharField(max_length=253, blank=True)
    price = models.DecimalField(max_digits=20, decimal_places=10)
    currency = models.CharField(max_length=3)
    start = models.DateTimeField(null=True)
    end = models.DateTimeField(null=True)
    origin = models.CharField(max_length=10, blank=True, default="")


class ExchangeRate(models.Model):
    """One unit of `currency` in the reporting currency, from `start` on."""

    currency = models.CharField(max_length=3)
    rate = models.DecimalField(max_digits=20, decimal_places=10)
    start = models.DateTimeField()


class AppliedFile(models.Model):
    """A configuration file as it was last applied, and what the database held right after."""

    path = models.TextField(primary_key=True)
    content = models.TextField()
    state = models.TextField()
    applied_at = models.DateTimeField()


class Trial(models.Model):
    """A source named in the browser, and what was found there; `source` as `Cluster.source`.

    `state`: asked, running, done or failed. `problem`: one line where it failed. `found`: what the examination reports.
    """

    source = models.JSONField()
    state = models.CharField(max_length=7, default="asked")
    problem = models.TextField(blank=True)
    found = models.JSONField(default=dict)
    asked_by = models.CharField(max_length=150)
    asked_at = models.DateTimeField()
    begun_at = models.DateTimeField(null=True)
