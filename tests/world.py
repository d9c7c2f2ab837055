"""A cluster told by the clock of a zone, and the user's way from its configuration to its figures.

Scrapes lie in the middle of their intervals: what begins and ends at a multiple of the interval is measured and held to the second.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from io import StringIO
from pathlib import Path
from zoneinfo import ZoneInfo

from django.core.management import call_command

from finops.queries import costs, zone
from finops.scope import Scope
from finops.times import window
from tests.cases_opencost.ground import Ground
from tests.fleet import A100, GPU, TEN, commit

NAMES = {"per_used": "cost_per_used_gpu_hour", "per_allocated": "cost_per_allocated_gpu_hour", "unpriced": "unpriced_gpu_hours"}
HOURS = ("allocated", "used", "idle", "starting", "unmeasured", "unallocated", "capacity")


class World(Ground):
    """Instants are ISO 8601 in `zone`; one that the clock shows twice is told with its offset."""

    def __init__(self, zone: str = "UTC", *, every: int = 300) -> None:
        super().__init__()
        self.zone, self.every = ZoneInfo(zone), every

    def at(self, text: str) -> int:
        """Seconds from ten o'clock, as the builders below count."""
        moment = datetime.fromisoformat(text)
        return round((moment if moment.tzinfo else moment.replace(tzinfo=self.zone)).timestamp() - TEN.timestamp())

    def scrapes(self, *spans: tuple[str, str]) -> list[int]:
        """The scrapes of each [first, after)."""
        return [t for first, after in spans for t in range(self.at(first) + self.every // 2, self.at(after), self.every)]

    def machine(self, name: str, gpus: int, *spans: tuple[str, str], created: str = "", resource: str = GPU, **labels: str) -> "World":
        """A node that is scraped in `spans`, from its creation on where nothing else is said."""
        times = self.scrapes(*spans)
        self.put("kube_node_created", {"node": name}, TEN.timestamp() + self.at(created or spans[0][0]), times)
        if labels:
            self.node_labels(name, times, **labels)
        self.put("kube_node_status_capacity", {"node": name, "resource": resource, "unit": "integer"}, gpus, times)
        return self

    def tenant(self, name: str, gpus: int, *spans: tuple[str, str], namespace: str, node: str = "n1", uid: str = "", bound: str = "",
               started: str = "", image_missing: bool = False, done: bool = False, failed: str = "", resource: str = GPU) -> "World":  # fmt: skip
        """A pod seen in `spans`, deleted at their end. `done`: completed there, and the object stays for an hour; `failed`: the object stays
        until then in that phase, with no completion time."""
        begin = self.at(bound or spans[0][0])
        more = {"namespace": namespace, "node": node, "uid": uid, "resource": resource, "bound": begin, "image_missing": image_missing}
        first = self.at(started) if started else begin
        self.hold(name, gpus, times=self.scrapes(*spans), started=first, **more)
        if done:
            end = self.at(spans[-1][1])
            after = range(end + self.every // 2, end + 3600, self.every)
            self.hold(name, gpus, times=after, started=first, completed=end, phase="Succeeded", **more)
        if failed:
            self.hold(name, gpus, times=self.scrapes((spans[-1][1], failed)), started=first, phase="Failed", **more)
        return self

    def board(self, uuid: str, busy: float, *spans: tuple[str, str], pod: str = "", namespace: str = "", node: str = "n1", model: str = A100,
              **more: str) -> "World":  # fmt: skip
        """What the exporter shows of a device in `spans`; `pod`: who it names as its holder."""
        holder = {"exported_pod": pod, "exported_namespace": namespace} if pod else {}
        self.card(uuid, model=model, node=node, busy=busy, times=self.scrapes(*spans), **holder, **more)
        return self

    def bearing(self, pod: str, *spans: tuple[str, str], namespace: str, uid: str = "", **labels: str) -> "World":
        """A pod's labels in `spans`."""
        who = {"namespace": namespace, "pod": pod, "uid": uid or f"uid-{namespace}-{pod}"}
        self.put("kube_pod_labels", who | {f"label_{key}": value for key, value in labels.items()}, 1, self.scrapes(*spans))
        return self

    def text(self) -> str:
        """OpenMetrics text, the samples of a metric together, as promtool wants them."""
        return "\n".join([*sorted(self.lines, key=lambda line: line.split("{")[0]), "# EOF", ""])

    def file(self, folder: Path, name: str = "lab") -> Path:
        path = folder / f"{name}.om"
        path.write_text(self.text())
        return path


def followed(configuration: str, folder: Path, *, start: str, end: str) -> None:
    """The configuration applied, [start, end) of every cluster collected and accounted, each by its command."""
    configured(configuration, folder)
    call_command("collect", "--start", start, "--end", end, stdout=StringIO(), stderr=StringIO())
    commit()


def configured(configuration: str, folder: Path) -> None:
    """The configuration applied by its command."""
    (folder / "finops.yaml").write_text(configuration)
    call_command("apply", str(folder / "finops.yaml"), stdout=StringIO())


def queried(start: str, end: str, *, by: Iterable[str] = ("team",), step: str = "total", **filters: tuple[str, ...]) -> dict:
    """The query layer's answer, its rows under the API's names."""
    answer = costs(Scope(window(start, end, zone=zone()), tuple(by), step, filters))
    assert answer.balanced
    return {"rows": [row.as_json() for row in answer.rows], "total": answer.total.as_json(), "incomplete": answer.incomplete}


def commanded(start: str, end: str, *, by: Iterable[str] = ("team",), step: str = "total") -> dict:
    """`manage.py costs --format json`."""
    out = StringIO()
    call_command("costs", "--start", start, "--end", end, "--group-by", ",".join(by), "--step", step, "--format", "json", stdout=out)
    return json.loads(out.getvalue())


def right(table: str, answer: Mapping) -> None:
    """Asserts that `answer` (rows and, where the table has such a line, total) is `table`, every row and every column of it.

    A table's head names the keys, a bar, the figures; `day` is the day a row's period begins on, "–" a figure that does not exist.
    Ratios are compared to six digits, everything else to the last one stored; a figure in the table may end in … and is then
    compared to the digits it has.
    """
    head, *lines = [line.split() for line in table.strip().splitlines()]
    bar = head.index("|")
    keys, columns = head[:bar], head[bar + 1 :]
    wanted = {tuple(line[:bar]): dict(zip(columns, line[bar + 1 :], strict=True)) for line in lines}
    found = {tuple(_key(row, key) for key in keys): row for row in answer["rows"]}
    assert len(found) == len(answer["rows"]), "two rows of one key"
    if lines[-1][0] == "total":
        found[tuple(lines[-1][:bar])] = answer["total"]
    shown = {key: {column: _figure(row, column, wanted.get(key, {}).get(column, "")) for column in columns} for key, row in found.items()}
    assert set(shown) == set(wanted)
    different = [(*key, name, "is", shown[key][name], "not", figure) for key, row in wanted.items() for name, figure in row.items()
                 if shown[key][name] != figure]  # fmt: skip
    assert not different, different


def _key(row: Mapping, key: str) -> str:
    return row["period_start"][:10] if key == "day" else row[key] or "nobody"


def _figure(row: Mapping, column: str, wanted: str) -> str:
    """The figure as the table writes it, where it is equal to that; else as it is."""
    value = row[NAMES.get(column, f"{column}_gpu_hours" if column in HOURS else column)]
    if value is None or value == "":
        return "–"
    number = Decimal(str(value))
    try:
        expected = Decimal(wanted.removesuffix("…"))
    except ArithmeticError:
        return f"{number.normalize():f}"
    digits = expected if wanted.endswith("…") else Decimal("1e-6") if column in ("efficiency", "coverage") else None
    same = number == expected if digits is None else abs(number - expected) < Decimal(1).scaleb(digits.as_tuple().exponent)
    return wanted if same else f"{number.normalize():f}"
