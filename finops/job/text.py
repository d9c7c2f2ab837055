"""The explanation for a terminal of 100 columns."""

import textwrap
from collections.abc import Iterator, Sequence
from decimal import Decimal
from zoneinfo import ZoneInfo

from finops.accounting.charge import BUCKETS
from finops.job import words
from finops.job.explanation import Applied, Decided, Device, Difference, Doubt, Explanation, Held, Pod, Run
from finops.queries import Row, ratio

WIDTH = 100
DEAREST = 10
BAR = 24
NOTABLE = Decimal("0.01")  # GPU-hours; a pod's first seconds before a sample speaks for them are no gap to look for


def text(told: Explanation, *, everything: bool = False) -> str:
    """`everything`: every pod, run, device and finding; else the ten dearest pods and so on, with what is left out counted."""
    return "\n".join(Page(told, everything).lines())


class Page:
    """Rates and rules are told once and numbered: R1, T1."""

    def __init__(self, told: Explanation, everything: bool) -> None:
        self.told, self.everything = told, everything
        self.zone = ZoneInfo(told.zone)
        shown = told.pods if everything else told.pods[:DEAREST]
        self.pods = shown
        charges = [charge for pod in shown for charge in pod.charges]
        self.rates: dict[Applied, str] = {}
        self.rules: dict[Decided, str] = {}
        for charge in sorted(charges, key=lambda charge: charge.start):
            if charge.applied and charge.price is not None:
                self.rates.setdefault(charge.applied, f"R{len(self.rates) + 1}")
            self.rules.setdefault(charge.decided, f"T{len(self.rules) + 1}")

    def lines(self) -> Iterator[str]:
        yield from self._head()
        yield from self._sums()
        yield from self._reasons()
        yield from self._runs()
        yield from self._pods()
        yield from self._doubts()
        yield from self._proof()

    def _head(self) -> Iterator[str]:
        told = self.told
        run = f", run {told.run}" if told.run else ""
        yield from _wrapped(f"{told.namespace}/{told.name} · {told.kind} in cluster {told.cluster}{run}", 0)
        span = f"{words.span(told.begun, told.over, self.zone)} {told.zone}"
        whole = (
            "all the ledger has of it"
            if told.whole_life
            else f"within {words.minute(told.start, self.zone)} – {words.minute(told.end, self.zone)}"
        )
        yield from _wrapped(f"{span} · {whole} · {_count(len(told.pods), 'pod')} · team {words.listed(told.teams)}", 0)

    def _sums(self) -> Iterator[str]:
        sums, currency = self.told.sums, self.told.currency
        yield ""
        yield f"  {'':12}{'GPU-hours':>16}{currency:>16}{'part':>9}"
        for phase in BUCKETS:
            part = ratio(sums.hours(phase), sums.hours("allocated"))
            bar = "█" * round(BAR * float(part)) if part else ""
            yield f"  {phase:12}{words.rounded(sums.hours(phase), 4):>16}{words.rounded(sums.sums[f'{phase}_cost'], 4):>16}{words.per_cent(part):>9}  {bar}".rstrip()
        yield f"  {'allocated':12}{words.rounded(sums.hours('allocated'), 4):>16}{words.rounded(sums.cost, 4):>16}"
        yield ""
        yield from _wrapped(_ratios(sums, currency), 2)

    def _reasons(self) -> Iterator[str]:
        if self.rates:
            yield from ("", "Prices")
            for applied, number in self.rates.items():
                yield from _wrapped(f"{number}  {words.rate(applied, self.told.currency, self.zone)}", 2, hang=4)
        yield from ("", "Whose it is")
        for decided, number in self.rules.items():
            yield from _wrapped(f"{number}  {words.rule(decided)}", 2, hang=4)

    def _runs(self) -> Iterator[str]:
        if not self.told.runs:
            return
        yield from ("", f"Runs ({len(self.told.runs)})")
        yield f"  {'run':34}{'from':18}{'to':18}{'pods':>4}{'GPU-hours':>11}{self.told.currency:>11}"
        shown = self.told.runs if self.everything else self.told.runs[-DEAREST:]
        if len(shown) < len(self.told.runs):
            yield f"  {len(self.told.runs) - len(shown)} earlier ones: --all lists them"
        yield from map(self._run, shown)

    def _run(self, run: Run) -> str:
        span = (
            f"{words.minute(run.start, self.zone):18}{words.minute(run.end, self.zone):18}"
            if run.pods
            else f"{words.NONE:18}{words.NONE:18}"
        )
        return f"  {_short(run.name, 33):34}{span}{run.pods:>4}{words.rounded(run.sums.hours('allocated')):>11}{words.rounded(run.sums.cost):>11}"

    def _pods(self) -> Iterator[str]:
        left = len(self.told.pods) - len(self.pods)
        yield from ("", f"Pods ({len(self.told.pods)})" + (f", the {len(self.pods)} dearest" if left else ""))
        for number, pod in enumerate(self.pods, 1):
            yield from self._pod(number, pod)
        if left:
            yield from ("", f"  and {left} more: --all lists them")

    def _pod(self, number: int, pod: Pod) -> Iterator[str]:
        yield ""
        cost = f"{words.rounded(pod.sums.cost)} {self.told.currency}" if pod.sums.cost is not None else "unpriced"
        yield from _wrapped(f"{number}. {pod.name} · {cost} · {words.rounded(pod.sums.hours('allocated'), 4)} GPU-hours", 2, hang=3)
        run = f" · run {pod.run}" if self.told.runs else ""
        yield from _wrapped(f"uid {pod.uid}{run}", 5)
        for held in pod.held:
            yield from self._held(held, pod)
        yield from self._charges(pod)
        yield from self._gaps(pod)
        yield from self._devices(pod.devices)

    def _held(self, held: Held, pod: Pod) -> Iterator[str]:
        places = [c for c in pod.charges if c.node == held.node]
        pool = f", pool {places[0].node_pool}" if places and places[0].node_pool else ""
        kind = f", {places[0].capacity_type}" if places and places[0].capacity_type else ""
        yield from _field("holds", f"{held.quantity} × {held.resource} = {words.gpus(held.gpus)} on {held.node}{pool}{kind}")
        if held.start < pod.charges[0].start:
            yield from _field("", f"of its life only what comes from {words.clock(pod.charges[0].start, self.zone)} on is told here")
        for name, moment in (("bound", held.bound), ("started", held.started), ("ended", held.ended)):
            at = words.clock(moment.at, self.zone) if moment.at is not None else words.NONE
            yield from _field(name, f"{at:19}  {moment.told_by}", hang=21)

    def _charges(self, pod: Pod) -> Iterator[str]:
        for charge in pod.charges:
            marks = " ".join(filter(None, (self.rates.get(charge.applied) if charge.applied else None, self.rules.get(charge.decided))))
            who = "".join(f", {name} {value}" for name, value in (("user", charge.user), ("queue", charge.queue)) if value)
            span = words.span(charge.start, charge.end, self.zone)
            yield from _field("charged", f"{span}  {charge.gpu_model or 'GPUs of unknown model'}  [{marks}]{who}")
            yield from _field("", words.arithmetic(charge, self.told.currency))
            yield from _field("", words.phases(charge.sums, self.told.currency))
            if charge.missing:
                yield from _field("", _missing(charge.missing))
            for change in charge.restated:
                yield from _field("", f"accounted before a change: {change}; manage.py account makes it so")

    def _gaps(self, pod: Pod) -> Iterator[str]:
        notable = sorted((gap for gap in pod.unmeasured if gap.gpu_hours >= NOTABLE), key=lambda gap: -gap.gpu_hours)
        shown = notable if self.everything else notable[:3]
        for gap in sorted(shown, key=lambda gap: gap.start):
            yield from _field(
                "silent", f"{words.span(gap.start, gap.end, self.zone)}  {words.rounded(gap.gpu_hours, 4)} GPU-hours unmeasured"
            )
        if len(shown) < len(notable):
            yield from _field("", f"and {len(notable) - len(shown)} shorter: --all lists them")

    def _devices(self, devices: Sequence[Device]) -> Iterator[str]:
        if not devices:
            yield from _field("devices", "no series of any names this pod or could be told to be its own")
            return
        shown = devices if self.everything else devices[:8]
        yield f"     {'devices':9}{'':20}{'source':26}{'measured h':>11}{'of':>9}{'busy':>9}{'samples':>10}"
        for device in shown:
            yield from self._device(device)
        if len(shown) < len(devices):
            yield f"     {'':9}and {len(devices) - len(shown)} more: --all lists them"

    def _device(self, device: Device) -> Iterator[str]:
        name = _short(device.uuid, 18 - len(device.instance)) + (f"/{device.instance}" if device.instance else "")
        hours = f"{device.measured_seconds / 3600:>11,.2f}{device.held_seconds / 3600:>9,.2f}"
        whole = device.measured_seconds * device.share
        busy = words.per_cent(device.busy_gpu_seconds / whole if whole else None)
        yield f"     {'':9}{name:20}{words.SOURCES[device.source]:26}{hours}{busy:>9}{device.samples:>10,}"
        if marks := _marks(device):
            yield from _field("", f"  {'; '.join(marks)}", hang=2)

    def _doubts(self) -> Iterator[str]:
        found = self.told.doubts
        if found:
            yield from ("", f"Findings ({len(found)}{' or more' if self.told.more_doubts else ''})")
            shown = found if self.everything else found[:DEAREST]
            for doubt in shown:
                yield from self._doubt(doubt)
            if len(shown) < len(found):
                yield f"  and {len(found) - len(shown)} more: --all lists them"
        if self.told.incomplete:
            first = self.told.incomplete[0]
            yield ""
            told = f"{_count(len(self.told.incomplete), 'hour')} of the window without complete data, the first {first['start']} ({first['reason'] or first['state']})"
            yield from _wrapped(told, 0)

    def _doubt(self, doubt: Doubt) -> Iterator[str]:
        when = words.minute(doubt.first, self.zone) + (
            f" … {words.minute(doubt.last, self.zone)}, {doubt.hours} hours" if doubt.hours > 1 else ""
        )
        yield from _wrapped(f"{doubt.kind}: {doubt.message} ({when})", 2, hang=2)

    def _proof(self) -> Iterator[str]:
        told = self.told
        yield ""
        if not told.differences:
            cost = "no money" if told.sums.cost is None else f"{told.sums.cost:f} {told.currency}"
            whole = f"{_count(told.lines, 'ledger line')} of {_count(len(told.pods), 'pod')} add up to {told.sums.hours('allocated'):f} GPU-hours and {cost}"
            yield from _wrapped(f"{whole}, to the last digit what manage.py costs says. Figures above are rounded.", 0)
        for each in told.differences:
            yield from _wrapped(difference(each), 0)


def difference(each: Difference) -> str:
    """One line for a sum that the lines do not make."""
    lines, queried = ("none" if amount is None else f"{amount:f}" for amount in (each.lines, each.queried))
    by = "" if each.excess is None else f" {abs(each.excess):f} {'more' if each.excess > 0 else 'less'} than"
    return f"does not add up: {each.name} is {lines} by the lines,{by} {queried} by the query layer"


def _ratios(sums: Row, currency: str) -> str:
    texts = [f"efficiency {words.per_cent(sums.efficiency)}", f"coverage {words.per_cent(sums.coverage)}"]
    each = (("allocated", sums.cost_per_allocated_gpu_hour), ("used", sums.cost_per_used_gpu_hour))
    texts += [f"{words.rounded(amount)} {currency} per {name} GPU-hour" for name, amount in each if amount is not None]
    if sums.sums["energy_kwh"] is not None:
        texts.append(f"{float(sums.sums['energy_kwh']):,.1f} kWh")
    if unpriced := sums.hours("unpriced"):
        texts.append(f"{words.rounded(unpriced, 4)} GPU-hours have no price and are not in the money")
    return " · ".join(texts)


def _missing(missing) -> str:
    side = "less" if missing > 0 else "more"
    return f"the ledger has {words.rounded(abs(missing), 4)} {side} than the lease: scaled to what the node has, given way to a newcomer, or the node was gone"


def _marks(device: Device) -> list[str]:
    found = []
    if device.estimated:
        others = f"beside {_count(device.beside, 'other pod')}"
        found.append(f"estimated: holds {device.share:.4g} of this board {others}; its busy time is shared out")
    elif device.share < 0.9999:
        found.append(f"holds {device.share:.4g} of this board" + ("" if device.instance else ", alone on it"))
    if device.inferred:
        found.append("inferred: no series names the pod, it was told by elimination")
    if device.frozen:
        found.append("profiling was frozen, GPU_UTIL taken instead")
    if device.rejected:
        found.append(f"{_count(device.rejected, 'sample')} rejected")
    return found


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _field(name: str, value: str, *, hang: int = 0) -> Iterator[str]:
    return _wrapped(value, 14, hang=hang, first=f"     {name:9}")


def _wrapped(line: str, indent: int, *, hang: int = 0, first: str | None = None) -> Iterator[str]:
    begin = " " * indent if first is None else first
    yield from textwrap.wrap(line, WIDTH, initial_indent=begin, subsequent_indent=" " * (indent + hang), break_on_hyphens=False) or [begin]
