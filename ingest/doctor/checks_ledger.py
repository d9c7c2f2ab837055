"""What is configured against what is there: prices of the models present, teams of the pods that hold GPUs."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

from finops.accounting.ownership import UNASSIGNED, Claim, Rule, team
from finops.accounting.rates import Asked
from finops.kinds import kind
from ingest.doctor.diagnosis import Diagnosis, named
from ingest.doctor.evidence import Evidence
from ingest.tidy.facts import QUEUES
from ingest.tidy.pods import Pod

UNPRICED = kind("unpriced")


def rates(seen: Evidence) -> Iterator[Diagnosis]:
    """Models that no rate in force matches."""
    now = _now(seen)
    known = [row.as_rate() for row in seen.configured.rates]
    valid = [rate for rate in known if rate.holds(now)]
    lacking = {}
    for node in seen.nodes:
        for model in node.models:
            asked = Asked(seen.cluster.name, node.pool, node.instance_type, node.capacity_type, model)
            if not any(rate.matches(asked) for rate in valid):
                lacking[model, node.capacity_type] = asked
    for (model, capacity), asked in sorted(lacking.items()):
        yield seen.say("warn", "rates", f"no rate in force matches {model or 'GPUs of unknown model'}, {capacity}", UNPRICED.meaning,
                       UNPRICED.cure_for({"gpu_model": model or "name of the model", "capacity_type": asked.capacity_type} | _today(seen)))
    if seen.nodes and not lacking:
        yield seen.say("ok", "rates", "a rate is in force for every model present")


def exchange_rates(seen: Evidence) -> Iterator[Diagnosis]:
    """Rates in a currency that nothing turns into the reporting one."""
    lacking = {rate.currency for rate in seen.configured.rates} - seen.configured.exchange - {seen.configured.currency}
    for currency in sorted(lacking):
        yield seen.say("fault", "exchange rates", f"rates are in {currency} and no exchange rate to {seen.configured.currency} is known",
                       "nothing is accounted", kind("no_exchange_rate").cure_for(_today(seen) | {"currency": currency}))


def teams(seen: Evidence) -> Iterator[Diagnosis]:
    """The share of held GPUs whose pods fall to no team."""
    rules = [Rule(r.kind, r.name, r.label, r.match, r.start, r.end) for r in seen.configured.rules if r.kind != "describe"]
    holding = seen.holding
    pools = {node.name: node.pool for node in seen.nodes}
    lost = [pod for pod in holding if team(_claim(pod, pools), rules, at=_now(seen)) == UNASSIGNED]
    if not holding:
        return
    if lost:
        commonest = Counter(pod.namespace for pod in lost).most_common(1)[0][0]
        yield seen.say("warn", "teams", f"{len(lost)} of {len(holding)} leases fall to no team, in {named(pod.namespace for pod in lost)}",
                       kind("no_team").meaning, kind("no_team").cure_for({"namespace": commonest}))
    else:
        yield seen.say("ok", "teams", f"every one of {len(holding)} leases has a team")


def _claim(pod: Pod, pools: dict[str, str]) -> Claim:
    labels, annotations, spaces = (dict(runs[-1].labels) if runs else {} for runs in (pod.labels, pod.annotations, pod.namespace_labels))
    queue = next((labels[name] for name in QUEUES if labels.get(name)), "")
    return Claim(pod.namespace, labels, annotations, spaces, queue, pools.get(pod.node, ""))


def _today(seen: Evidence) -> dict[str, str]:
    return {"currency": seen.configured.currency, "from": str(_now(seen).date())}


def _now(seen: Evidence) -> datetime:
    return datetime.fromtimestamp(seen.at, UTC)
