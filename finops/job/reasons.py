"""Why a price and why a team: the entries that decided, taken from the Book."""

from bisect import bisect_right
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal

from finops.accounting.ownership import UNASSIGNED, Rule, sanitised
from finops.accounting.rates import SPECIFICITY
from finops.book import Book
from finops.facts import About, Node
from finops.job.explanation import Applied, Decided
from finops.models import ExchangeRate, TeamRule
from finops.models import Rate as Entered


class Reasons:
    """Of one cluster's book; asked for the same twice it answers at once. `currency`: the reporting one."""

    def __init__(self, book: Book, *, currency: str) -> None:
        self.book, self.currency = book, currency
        # Entries that only describe a team decide nothing; the others stand in the book in the same order.
        rows = TeamRule.objects.exclude(kind="describe").order_by("position")
        self._places = {id(rule): row.position + 1 for rule, row in zip(book.rules, rows, strict=True)}
        self._exchange = list(ExchangeRate.objects.order_by("start"))
        self._cuts = sorted({int(t.timestamp()) for rate in book.rates for t in (rate.start, rate.end) if t})
        self._prices: dict[tuple, Applied | None] = {}
        self._teams: dict[tuple, Decided] = {}

    def price(self, node: Node, model: str, *, at: int) -> Applied | None:
        """The rate in force at that instant; None where there is none."""
        size = node.cpus, node.memory, sum(node.models.values())
        key = (node.pool, node.instance_type, node.capacity_type, model, size, bisect_right(self._cuts, at))
        if key not in self._prices:
            found = self.book.rate(node, model, at=at)
            self._prices[key] = self._applied(*found, at) if found else None
        return self._prices[key]

    def _applied(self, row: Entered, price: Decimal, at: int) -> Applied:
        selector = tuple((key, getattr(row, key)) for key in SPECIFICITY if getattr(row, key))
        exchange = None
        if row.currency != self.currency:
            before = [each for each in self._exchange if each.currency == row.currency and each.start <= datetime.fromtimestamp(at, UTC)]
            exchange = before[-1] if before else None
        factor, since = (exchange.rate, exchange.start) if exchange else (None, None)
        entered, per = (row.price, "GPU") if row.price is not None else (row.instance_price, "instance")
        return Applied(selector, entered, per, row.currency, factor, since, row.start, row.end, row.origin, price)

    def team(self, pod: About, node: Node, *, at: int) -> Decided:
        """The entry that decides the pod's team at that instant, and what of the pod it matched."""
        key = (pod.uid, node.pool, bisect_right(sorted({*pod.changes(), *self.book.turns}), at))
        if key not in self._teams:
            self._teams[key] = self._decided(pod, node, at)
        return self._teams[key]

    def _decided(self, pod: About, node: Node, at: int) -> Decided:
        found = self.book.decided(pod, node, at=at)
        team = str(self.book.holding(pod, node, "", at=at)["team"])
        if found is None:
            return Decided(UNASSIGNED, None, "", ())
        rule, said = found
        reserved = (f"gives the reserved word {said}, which counts as {UNASSIGNED}",) if said != team else ()
        return Decided(team, self._places[id(rule)], rule.kind, (*_matched(rule, said, pod, node, at), *reserved))


def _matched(rule: Rule, said: str, pod: About, node: Node, at: int) -> tuple[str, ...]:
    """One text per thing that held, with the value found."""
    if rule.kind != "match":
        return (f"{rule.kind.removeprefix('from_').replace('_', ' ')} {rule.label} says {said}",)
    own, space = pod.at(at)
    labels = {"pod_label": own.labels, "pod_annotation": own.annotations, "namespace_label": space.labels}
    plain = {"namespace": pod.namespace, "queue": own.queue, "node_pool": node.pool}
    texts: list[str] = []
    for key, wanted in rule.match.items():
        name = key.replace("_", " ")
        if isinstance(wanted, Mapping):
            texts += [f'{name} {label} "{glob}" holds for {_value(labels[key], label)}' for label, glob in wanted.items()]
        else:
            texts.append(f'{name} "{wanted}" holds for {plain[key]}')
    return tuple(texts)


def _value(found: Mapping[str, str], label: str) -> str:
    """What the label says; of several that are spelt alike, the values of all."""
    name = sanitised(label)
    return found.get(name) or ", ".join(dict.fromkeys(value for key, value in found.items() if key.startswith(f"{name}_conflict")))
