"""The company's configuration file, as its administrator would have written it."""

from datetime import datetime

from ingest.simulator.company import TEAM_LABEL, TEAMS, USER_LABEL, Team
from ingest.simulator.fleet import A100, STEADY, T4, V100
from ingest.simulator.simulation import PASSING
from ingest.simulator.weeks import CYCLE, TUE, ZONE, Week, week_of

NAME = "demo"
UNALLOCATED_BUDGET = 5720  # with the teams' budgets 35,000 a month
BEFORE, AFTER = "0.46", "0.50"  # a spot V100, until Tuesday of the last story week and since
RULES = f"""teams:
  - {{name: fraud, match: {{namespace: "fraud-*"}}}}
  - {{name: scoring, match: {{queue: "scoring*"}}}}
  - {{from_pod_label: {TEAM_LABEL}}}
  - {{from_namespace_label: team}}
"""


def configuration(port: int, *, seed: int, now: float, host: str = "127.0.0.1") -> str:
    """The whole file for exporters served on `port`; `now`, unix seconds, places the change of the spot price."""
    return "\n".join(
        [
            "currency: CHF\ntimezone: Europe/Zurich\nweek_starts: monday",
            clusters(port, seed=seed, host=host),
            RULES + "\n".join(_about(team) for team in TEAMS),
            _rates(seed=seed, now=now),
            "budgets:\n" + "\n".join(_budget(team.name, team.budget) for team in TEAMS),
            _budget("unallocated", UNALLOCATED_BUDGET),
            'alerts:\n  cost_spike: {above_weekly_mean: 0.20, minimum_cost: "50"}\n  low_utilisation: {below: 0.10, for: 30m}',
            "reports:\n  weekly: {day: monday, hour: 8, to: [finance@example.com], teams: true}\n",
        ]
    )


def clusters(port: int, *, seed: int, host: str = "127.0.0.1") -> str:
    """The section that names the exporters; their addresses carry the seed, so that whoever scrapes them goes on with it."""
    lines = ["clusters:", f"  - name: {NAME}", "    source:", "      exporters:", "        dcgm:"]
    for node in STEADY:
        lines.append(f'          - {{url: "{address(node.name, port, seed=seed, host=host)}", node: {node.name}}}')
    lines.append(f'          - "{address(PASSING, port, seed=seed, host=host)}"')
    state = f"http://{host}:{port}/kube-state-metrics/metrics?seed={seed}"
    return "\n".join([*lines, f'        kube_state_metrics: ["{state}"]', "    scrape_interval: 60s", f"    user_label: {USER_LABEL}"])


def address(node: str, port: int, *, seed: int, host: str) -> str:
    return f"http://{host}:{port}/nodes/{node}/metrics?seed={seed}"


def price_change(*, seed: int, now: float) -> float:
    """Tuesday 00:00 of the last story week that has begun before `now`, unix seconds."""
    this = week_of(now, seed=seed)
    story = Week(this.index - this.position, seed)
    return (story if now >= story.at(TUE, "00:00") else Week(story.index - CYCLE, seed)).at(TUE, "00:00")


def _about(team: Team) -> str:
    lead = team.lead.lower().replace(" ", "")
    return (
        f'  - {{name: {team.name}, cost_center: "{team.cost_center}", owner: {lead}@example.com, '
        f"parent: {team.department}, department: {team.department}}}"
    )


def _budget(team: str, amount: int) -> str:
    return f'  - {{team: {team}, period: month, amount: "{amount}", alert_at: [0.5, 0.8, 1.0], forecast: true}}'


def _rates(*, seed: int, now: float) -> str:
    change = f"{datetime.fromtimestamp(price_change(seed=seed, now=now), ZONE):%Y-%m-%d}"
    begin = "2025-01-01"
    lines = [
        (V100, "on-demand", "1.40", begin, ""), (A100, "on-demand", "2.40", begin, ""), (T4, "on-demand", "0.60", begin, ""),
        (V100, "spot", BEFORE, begin, change), (V100, "spot", AFTER, change, ""),
    ]  # fmt: skip
    return "rates:\n" + "\n".join(_rate(*line) for line in lines)


def _rate(model: str, kind: str, price: str, begin: str, until: str) -> str:
    end = f", until: {until}" if until else ""
    return f'  - {{gpu_model: "{model}", capacity_type: {kind}, price: "{price}", currency: CHF, from: {begin}{end}}}'
