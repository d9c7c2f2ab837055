"""What every hour of one cluster is charged by: settings, team rules and rates, read once."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from finops import policies
from finops.accounting import ownership, rates
from finops.accounting.charge import Hold, Span
from finops.accounting.distribution import Policies, in_force
from finops.accounting.hour_findings import Unpriced
from finops.accounting.instance_price import size
from finops.facts import About, Node
from finops.models import Cluster, ExchangeRate, Rate, Setting, TeamRule

HOLDING = (
    "team department cost_center namespace job_kind job run pod uid user node node_pool instance_type gpu_model capacity_type queue labels"
).split()


class Book:
    """The rules and rates of one cluster. Instants are unix seconds."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        setting = Setting.objects.first() or Setting()
        self.zone = ZoneInfo(setting.timezone)
        entries = list(TeamRule.objects.order_by("position"))
        self.rules = [ownership.Rule(r.kind, r.name, r.label, r.match, r.start, r.end) for r in entries if r.kind != "describe"]
        self.turns = sorted({int(t.timestamp()) for rule in self.rules for t in (rule.start, rule.end) if t})
        self.about = {r.name: r for r in entries if r.cost_center or r.department}
        self.policies = policies.said(cluster)
        # Of two for the same GPUs the one that was entered first holds until it ends: what a month cost, it keeps.
        self.entered = [(row, rate) for row in Rate.objects.order_by("id") for rate in self._in_currency(row, setting.currency)]
        self.rates = [rate for _, rate in self.entered]

    def _in_currency(self, row: Rate, currency: str) -> list[rates.Rate]:
        rate = row.as_rate()
        if row.currency == currency:
            return [rate]
        exchange = list(ExchangeRate.objects.filter(currency=row.currency).order_by("start").values_list("start", "rate"))
        if not exchange:
            raise ValueError(f"rate in {row.currency} has no exchange rate to {currency}; add one under exchange_rates")
        return rates.converted(rate, exchange, currency=row.currency)

    def prices(self, node: Node, model: str, alive: Span) -> list[tuple[int, int, Decimal | None]]:
        """The prices of the node's boards of `model` over `alive`."""
        return [(int(s.start.timestamp()), int(s.end.timestamp()), s.price) for s in self._priced(node, model, alive)]

    def unpriced(self, node: Node, model: str, *, at: int) -> Unpriced:
        """Why the node's boards of `model` have no price at that instant."""
        lacks = self._priced(node, model, (at, at + 1))[0].lacks
        return Unpriced(node.pool, model, node.capacity_type, node.name if lacks == rates.LACKS_SIZE else "", lacks)

    def _priced(self, node: Node, model: str, alive: Span) -> list[rates.Priced]:
        begin, until = (datetime.fromtimestamp(t, UTC) for t in alive)
        return rates.in_force(self.rates, self._asked(node, model), start=begin, end=until)

    def rate(self, node: Node, model: str, *, at: int) -> tuple[Rate, Decimal] | None:
        """The rate in force at that instant, as it was entered, and what it makes of a GPU-hour in the reporting currency; None where unpriced."""
        asked = self._asked(node, model)
        found = rates.most_specific(self.rates, asked, at=datetime.fromtimestamp(at, UTC))
        price = found.of_a_gpu(asked.size) if found else None
        return None if price is None else next((row, price) for row, rate in self.entered if rate is found)

    def _asked(self, node: Node, model: str) -> rates.Asked:
        of = size(sum(node.models.values()), cpus=node.cpus, memory=node.memory)
        return rates.Asked(self.cluster.name, node.pool, node.instance_type, node.capacity_type, model, of)

    def turns_of(self, pod: About, hold: Hold) -> list[int]:
        """The instants inside the lease at which its labels change or a team rule begins or ends."""
        return sorted(t for t in {*pod.changes(), *self.turns} if hold.start < t < hold.end)

    def holding(self, pod: About, node: Node, model: str, *, at: int) -> dict:
        """Whose and what a line of the pod is at that instant."""
        own, _ = pod.at(at)
        about = _place(node, model) | {
            "namespace": pod.namespace,
            "job_kind": pod.job_kind,
            "job": pod.job,
            "run": pod.run,
            "pod": pod.pod,
            "uid": pod.uid,
            "user": own.user,
            "queue": own.queue,
            "labels": own.labels,
        }
        return about | self._team(ownership.team(_claim(pod, node, at), self.rules, at=datetime.fromtimestamp(at, UTC)))

    def nobody(self, node: Node, model: str) -> dict:
        """What a line of capacity is that no lease holds."""
        return _place(node, model) | self._team(ownership.UNALLOCATED)

    def decided(self, pod: About, node: Node, *, at: int) -> tuple[ownership.Rule, str] | None:
        """The rule that gives the pod its team at that instant, and what it gives; None where none holds."""
        return ownership.deciding(_claim(pod, node, at), self.rules, at=datetime.fromtimestamp(at, UTC))

    def claimed(self, pod: About, node: Node, *, at: int) -> str:
        """The reserved word that a label of the pod gives as its team; "" where none does."""
        return ownership.reserved(_claim(pod, node, at), self.rules, at=datetime.fromtimestamp(at, UTC))

    def team_labels(self, at: int) -> list[str]:
        """The labels of pods whose value is the team, by the rules in force at that instant."""
        then = datetime.fromtimestamp(at, UTC)
        told = [rule for rule in self.rules if rule.kind == "from_pod_label"]
        return [rule.label for rule in told if not (rule.start and then < rule.start) and not (rule.end and then >= rule.end)]

    def policies_at(self, at: int) -> Policies:
        """Who bears what nobody held, as it was said last before that instant."""
        return in_force(self.policies, at=datetime.fromtimestamp(at, UTC))

    def owner(self, pool: str, *, at: int) -> str:
        """The team that owns the node pool at that instant; "" where no rule tells."""
        return ownership.pool_owner(pool, self.rules, at=datetime.fromtimestamp(at, UTC))

    def team_of(self, namespace: str, labels: Mapping[str, str], pool: str, *, at: int) -> str:
        """Whose a namespace is at that instant, as far as it and its labels alone tell."""
        return ownership.team(ownership.Claim(namespace, {}, {}, labels, "", pool), self.rules, at=datetime.fromtimestamp(at, UTC))

    def bearer(self, team: str, pool: str) -> dict:
        """What a line is of the cost of a node pool that a team bears without having held it: the team's and the pool's, nothing else's."""
        return dict.fromkeys(HOLDING, "") | {"node_pool": pool, "labels": {}} | self._team(team)

    def _team(self, team: str) -> dict[str, str]:
        described = self.about.get(team)
        return {"team": team} | ({"department": described.department, "cost_center": described.cost_center} if described else {})


def _place(node: Node, model: str) -> dict:
    return dict.fromkeys(HOLDING, "") | {
        "node": node.name,
        "node_pool": node.pool,
        "instance_type": node.instance_type,
        "gpu_model": model,
        "capacity_type": node.capacity_type,
        "labels": {},
    }


def _claim(pod: About, node: Node, at: int) -> ownership.Claim:
    own, space = pod.at(at)
    return ownership.Claim(pod.namespace, own.labels, own.annotations, space.labels, own.queue, node.pool)
