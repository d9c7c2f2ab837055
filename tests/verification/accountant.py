"""A slow, obvious accountant: the accounting model told again, from raw series to figures, in exact fractions.

It shares no line with the product. Leases, nodes, prices and teams are read off a whole world at once: no windows, no stored facts.
Where the model leaves room, these are its readings:
- measured use is kept by lease and quarter of an hour: a price or a label that changes inside a quarter divides its use by time;
- an hour's use is reckoned from the hour and ten minutes on both sides, so a lease that shows in neither is unmeasured there;
- a sample taken in a lease before the pod's start speaks for the time after it, as far as it is the nearest.
"""

from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from fractions import Fraction

from tests.verification.known import Known, Part, hours, parts
from tests.verification.sightings import MARGIN, Lease, Node, nodes
from tests.verification.told import HOUR, QUARTER, Figures, Rate, Told

Key = tuple[datetime, str, str, str, str, str]  # hour, team, job, pod, node, pool


class Accountant:
    """The account of one cluster."""

    def __init__(self, told: Told) -> None:
        self.told, self.nodes = told, {node.name: node for node in nodes(told)}
        self.known = Known(told, self.nodes)
        self.hourly: dict[int, Known] = {}
        self.account: dict[Key, Figures] = defaultdict(Figures)

    def bill(self) -> dict[Key, Figures]:
        for begin in range(self.told.first, self.told.end, HOUR):
            self.hourly[begin] = Known(self.told.during(begin - MARGIN, begin + HOUR + MARGIN), self.nodes)
            for node in self.nodes.values():
                for model, boards in node.boards.items():
                    self._hour(begin, node, model, boards)
        return {key: figures for key, figures in self.account.items() if any(figures.hours.values())}

    # Who holds what

    def _gpus(self, lease: Lease, model: str) -> Fraction:
        """Its share of the boards of `model`."""
        node = self.nodes[lease.node]
        if len(node.boards) == 1:
            return lease.units * node.unit(lease.resource)
        return Fraction(sum(self.known.meter.model[device] == model for device in self.known.devices[lease.uid]))

    def _factor(self, holders: list[tuple[Lease, Fraction]], boards: int, part: Part) -> Fraction:
        """Leases above the boards are scaled to them."""
        held = sum(gpus for lease, gpus in holders if lease.bound <= part[0] < lease.end)
        return min(Fraction(1), boards / held) if held else Fraction(1)

    # One hour of one node's boards of one model

    def _hour(self, begin: int, node: Node, model: str, boards: int) -> None:
        alive = max(Fraction(begin), node.start), min(Fraction(begin + HOUR), node.end)
        holders = [
            (_within(lease, alive), gpus) for lease in self.known.leases if lease.node == node.name and (gpus := self._gpus(lease, model))
        ]
        holders = [(lease, gpus) for lease, gpus in holders if lease.end > lease.bound]
        turns = [moment for lease, _ in holders for moment in (lease.bound, lease.runs()[0], lease.end)]
        turns += [moment for lease, _ in holders for moment in self._team_turns(lease)] + self._price_turns()
        turns += [Fraction(q) for q in range(begin, begin + HOUR, QUARTER)]
        place = node.name, node.labels.get("label_karpenter_sh_nodepool", "")
        hour = datetime.fromtimestamp(begin, UTC)
        for part in parts(alive, turns):
            factor, price = self._factor(holders, boards, part), self._price(node, model, part[0])
            free = boards * hours(part)
            for lease, gpus in holders:
                if lease.bound <= part[0] < lease.end:
                    buckets = self._lease_part(lease, gpus, factor, part)
                    free -= sum(buckets.values())
                    self.account[hour, self._team(lease, node, part[0]), self._job(lease), lease.pod, *place].add(buckets, price)
            self.account[hour, "unallocated", "", "", *place].add({"unallocated": free}, price)

    def _lease_part(self, lease: Lease, gpus: Fraction, factor: Fraction, part: Part) -> dict[str, Fraction]:
        whole = gpus * factor * hours(part)
        if part[0] < lease.runs()[0]:
            return {"starting": whole}
        measured, used = self._quarter(lease, gpus, part[0])
        return {"used": whole * used, "idle": whole * (measured - used), "unmeasured": whole * (1 - measured)}

    def _quarter(self, lease: Lease, gpus: Fraction, at: Fraction) -> tuple[Fraction, Fraction]:
        """(measured, used) as parts of the lease's running time in the quarter of `at`.

        Its hour may know of a later end, that of the next lease being known elsewhere: what is left was as busy as the whole.
        """
        begin = self.told.first + (int(at) - self.told.first) // QUARTER * QUARTER
        hour = self.hourly[self.told.first + (begin - self.told.first) // HOUR * HOUR]
        measured, used = hour.use(lease.uid, begin)
        runs = next(each for each in self.known.leases if each.uid == lease.uid).runs()
        whole = max(gpus * hours((max(runs[0], begin), min(runs[1], begin + QUARTER))), measured)
        return measured / whole, used / whole

    # Prices and teams

    def _price_turns(self) -> list[Fraction]:
        return [Fraction(moment) for entry in self.told.rates for moment in (entry.start, entry.end) if moment is not None]

    def _price(self, node: Node, model: str, at: Fraction) -> Fraction | None:
        """The most specific of the rates that match; None where there is none."""
        place = (
            self.told.cluster,
            node.labels.get("label_karpenter_sh_nodepool", ""),
            node.labels["label_karpenter_sh_capacity_type"],
            model,
        )
        fitting = [
            rate
            for rate in self.told.rates
            if _valid(rate, at) and all(w in ("", is_) for w, is_ in zip(_wanted(rate), place, strict=True))
        ]
        return max(fitting, key=lambda rate: [bool(word) for word in _wanted(rate)]).price if fitting else None

    def _team_turns(self, lease: Lease) -> list[Fraction]:
        rules = [Fraction(m) for rule in self.told.rules for m in (rule.start, rule.end) if m is not None]
        return rules + [Fraction(since) for since, _ in self._label_sets(lease)]

    def _label_sets(self, lease: Lease) -> list[tuple[int, dict[str, str]]]:
        """The pod's label sets by when each appeared."""
        return sorted(
            ((s.samples[0][0], s.labels) for s in self.told.of("kube_pod_labels", uid=lease.uid) if s.samples), key=lambda each: each[0]
        )

    def _team(self, lease: Lease, node: Node, at: Fraction) -> str:
        sets = self._label_sets(lease)
        labels = ([labels for since, labels in sets if since <= at] or [labels for _, labels in sets[:1]] or [{}])[-1]
        for rule in self.told.rules:
            if _valid(rule, at):
                words = {"namespace": lease.namespace, "node_pool": node.labels.get("label_karpenter_sh_nodepool", "")}
                if rule.kind == "from_pod_label" and labels.get(f"label_{rule.key}"):
                    return labels[f"label_{rule.key}"]
                if rule.kind in words and fnmatchcase(words[rule.kind], rule.key):
                    return rule.name
        return "unassigned"

    def _job(self, lease: Lease) -> str:
        """Its top owner's name: the Deployment above a ReplicaSet, the CronJob above a Job, else the owner, else the pod."""
        for s in self.told.of("kube_pod_owner", uid=lease.uid):
            kind, name = s.labels["owner_kind"], s.labels["owner_name"]
            above = {"ReplicaSet": ("kube_replicaset_owner", "replicaset"), "Job": ("kube_job_owner", "job_name")}.get(kind)
            owners = self.told.of(above[0], **{above[1]: name, "namespace": lease.namespace}) if above else ()
            return next((owner.labels["owner_name"] for owner in owners), name)
        return lease.pod


def _wanted(rate: Rate) -> tuple[str, ...]:
    return rate.cluster, rate.pool, rate.capacity_type, rate.model


def _valid(entry, at: Fraction) -> bool:
    return (entry.start is None or entry.start <= at) and (entry.end is None or at < entry.end)


def _within(lease: Lease, alive: Part) -> Lease:
    return replace(lease, bound=max(lease.bound, alive[0]), end=min(lease.end, alive[1]))
