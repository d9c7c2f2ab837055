"""The whole file: what is read, and one line for everything that is refused."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finops.configuration.export import dump
from finops.configuration.schema import SECTIONS, Invalid, parse
from finops.configuration.specs import DcgmEndpoint, ExchangeRate, ExportersSpec, OpenMetricsSpec, PrometheusSpec

EXAMPLE = """\
currency: CHF                       # reporting currency
timezone: Europe/Zurich             # reporting zone, IANA name
week_starts: monday
exchange_rates:
  - {currency: EUR, rate: "0.94", from: 2026-01-01}
clusters:
  - name: eks-prod
    source:                         # exactly one of prometheus | exporters | openmetrics
      prometheus:
        url: http://prometheus:9090
        match: {cluster: eks-prod}  # label matchers added to every selector
        headers: {X-Scope-OrgID: gpu}      # also bearer_token_env, basic_auth_env, ca_file, timeout, max_parallel
    scrape_interval: 60s            # optional; measured where absent
    node_pool_label: example.com/pool      # optional; Karpenter's, EKS', GKE's, AKS' are known
    user_label: example.com/user    # optional: who runs a pod
    unallocated_policy: keep        # keep | owner | proportional | quota | even
  - name: lab
    source:
      exporters:                    # direct scrape, no Prometheus needed
        dcgm: [http://10.0.0.11:9400/metrics, {url: http://10.0.0.12:9400/metrics, node: lab-2}]
        kube_state_metrics: [http://10.0.0.2:8080/metrics]
  - name: audit
    source: {openmetrics: {path: dump.om.gz}}
teams:                              # file order decides: the first entry whose match holds
  - {from_pod_label: finops.example.com/team}          # the label's value is the team
  - {from_namespace_label: team}
  - {name: fraud, match: {namespace: "fraud-*"}}
  - {name: scoring, match: {queue: "scoring-*"}, from: 2026-01-01}
  - {name: scoring, cost_center: "0471", owner: lead@example.com, parent: risk}     # no match: describes the team
rates:
  - {gpu_model: "NVIDIA A100-SXM4-40GB", capacity_type: on-demand, price: "3.80", currency: CHF, from: 2026-01-01}
  - {cluster: eks-prod, node_pool: gpu-spot, gpu_model: "NVIDIA A100-SXM4-40GB", capacity_type: spot, price: "1.30", currency: CHF, from: 2026-01-01, until: 2026-07-01}
budgets:
  - {team: fraud, period: month, amount: "12000", alert_at: [0.5, 0.8, 1.0], forecast: true}
alerts:                             # thresholds of the built-in rules; each has a documented default
  cost_spike: {above_weekly_mean: 0.20, minimum_cost: "50"}     # mean of the 7 complete local days before, today excluded
  low_utilisation: {below: 0.10, for: 30m}
reports:
  weekly: {day: monday, hour: 8, to: [finance@example.com], teams: true}
"""


def errors(text: str, **env: str) -> list[str]:
    with pytest.raises(Invalid) as caught:
        parse(text, env=env)
    return [str(error) for error in caught.value.errors]


def test_the_contracts_example() -> None:
    found = parse(EXAMPLE)
    assert found.clusters and found.teams and found.rates and found.budgets and found.alerts and found.reports
    assert (found.currency, found.timezone, found.week_starts) == ("CHF", "Europe/Zurich", "monday")
    new_year = datetime(2025, 12, 31, 23, tzinfo=UTC)
    assert found.exchange_rates == (ExchangeRate("EUR", Decimal("0.94"), new_year),)
    assert [cluster.source for cluster in found.clusters] == [
        PrometheusSpec("http://prometheus:9090", {"cluster": "eks-prod"}, {"X-Scope-OrgID": "gpu"}),
        ExportersSpec(
            (DcgmEndpoint("http://10.0.0.11:9400/metrics"), DcgmEndpoint("http://10.0.0.12:9400/metrics", "lab-2")),
            ("http://10.0.0.2:8080/metrics",),
        ),
        OpenMetricsSpec("dump.om.gz"),
    ]
    assert found.clusters[0].scrape_interval == 60.0
    kinds = ["from_pod_label", "from_namespace_label", "match", "match", "describe"]
    assert [rule.kind for rule in found.teams] == kinds
    assert found.teams[4].cost_center == "0471"
    assert [rate.line for rate in found.rates] == [31, 32]
    assert found.rates[1].end == datetime(2026, 6, 30, 22, tzinfo=UTC)
    assert found.budgets[0].alert_at == (Decimal("0.5"), Decimal("0.8"), Decimal("1.0"))
    assert found.alerts.low_utilisation and found.alerts.low_utilisation.duration == 1800.0
    assert found.reports.weekly and found.reports.weekly.to == ("finance@example.com",)
    assert parse(dump(found)) == found


def test_sections_not_in_force_say_so() -> None:
    assert parse(EXAMPLE).not_in_force() == ("budgets", "alerts", "reports")
    assert parse("budgets: []").not_in_force() == ("budgets",)
    assert parse("currency: CHF").not_in_force() == ()


def test_unquoted_0471_stays_0471() -> None:
    teams = parse("teams: [{name: a, cost_center: 0471}]").teams
    assert teams and teams[0].cost_center == "0471"


def test_dates_take_the_files_zone_or_their_own_offset() -> None:
    text = "{zone}exchange_rates: [{{currency: EUR, rate: 1, from: {when}}}]"

    def start(zone: str, when: str) -> datetime:
        found = parse(text.format(zone=zone, when=when)).exchange_rates
        assert found
        return found[0].start

    assert start("timezone: Europe/Zurich\n", "2026-07-01") == datetime(2026, 6, 30, 22, tzinfo=UTC)
    assert start("", "2026-07-01") == datetime(2026, 7, 1, tzinfo=UTC)
    assert start("timezone: Europe/Zurich\n", '"2026-07-01T00:00:00-05:00"') == datetime(2026, 7, 1, 5, tzinfo=UTC)


def cluster(rest: str) -> str:
    return f"clusters:\n- {{name: a, {rest}}}\n"


def prometheus(rest: str) -> str:
    return cluster(f"source: {{prometheus: {{{rest}}}}}")


@pytest.mark.parametrize("price", ["NaN", "Infinity", "-Infinity", "1e2", "1_0", "abc", "3,80", "٣"])
def test_no_number(price: str) -> None:
    text = f'rates:\n- {{currency: CHF, price: "{price}"}}\n'
    assert errors(text) == [f"line 2: rates[0].price: '{price}' is not a decimal number; write it like \"3.80\""]


def test_all_errors_are_reported_in_file_order() -> None:
    text = "currency: chf\ncurency: CHF\nrates:\n- {price: abc, currency: CHF}\n- {price: -1, currency: X}\ncurrency: EUR\n"
    assert errors(text) == [
        "line 1: currency: 'chf' is not a currency code of three capital letters; write it like \"CHF\"",
        f"line 2: curency: unknown key; known are {', '.join(SECTIONS)}; did you mean 'currency'?",
        "line 4: rates[0].price: 'abc' is not a decimal number; write it like \"3.80\"",
        "line 5: rates[1].currency: 'X' is not a currency code of three capital letters; write it like \"CHF\"",
        "line 5: rates[1].price: '-1' must be 0 or above",
        "line 6: currency: the key is already on line 1",
    ]


def test_rates_that_meet_or_differ_are_fine() -> None:
    row = "- {price: 1, currency: CHF, gpu_model: T4, "
    assert parse(f"rates:\n{row}until: 2026-02-01}}\n{row}from: 2026-02-01}}\n{row}cluster: a}}\n").rates


def test_rates_of_one_model_in_two_spellings_overlap() -> None:
    text = "rates:\n- {price: 1, currency: CHF, gpu_model: Tesla T4}\n- {price: 2, currency: CHF, gpu_model: nvidia-t4, from: 2026-01-01}\n"
    assert errors(text) == [
        "line 3: rates[1]: applies to the same GPUs at the same time as the rate on line 2; end one with until or remove it"
    ]


def test_unset_variables_are_refused_where_an_environment_is_given() -> None:
    text = prometheus('url: "http://p", bearer_token_env: TOKEN')
    assert parse(text).clusters and parse(text, env={"TOKEN": "x"}).clusters
    assert errors(text, OTHER="x") == [
        "line 2: clusters[0].source.prometheus.bearer_token_env: no environment variable of that name is set; set it or mend the name"
    ]


def test_a_secret_is_never_repeated() -> None:
    for text in (
        prometheus('url: "http://me:hunter2@p"'),
        prometheus("url: me:hunter2@p"),
        prometheus('url: "http://me:hunter2/@p"'),
        prometheus('url: "http://p", bearer_token_env: hunter2='),
    ):
        assert "hunter2" not in "".join(errors(text))


@settings(deadline=None)
@given(st.integers(0, len(EXAMPLE)), st.integers(0, 12), st.text(alphabet="ab:-[]{}&*!\"' \n0,#~", max_size=6))
def test_a_damaged_file_gives_one_line_errors(start: int, length: int, text: str) -> None:
    try:
        found = parse(EXAMPLE[:start] + text + EXAMPLE[start + length :])
    except Invalid as invalid:
        assert invalid.errors and all(len(str(error).splitlines()) == 1 for error in invalid.errors)
    else:
        assert parse(dump(found)) == found
