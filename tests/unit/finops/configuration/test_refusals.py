"""One line, with its cure, for each kind of error."""

import pytest

from finops.configuration.schema import Invalid, parse


def errors(text: str) -> list[str]:
    with pytest.raises(Invalid) as caught:
        parse(text)
    return [str(error) for error in caught.value.errors]


def rate(rest: str) -> str:
    return f"rates:\n- {{price: 1, currency: CHF, {rest}}}\n"


def cluster(rest: str) -> str:
    return f"clusters:\n- {{name: a, {rest}}}\n"


def prometheus(rest: str) -> str:
    return cluster(f"source: {{prometheus: {{{rest}}}}}")


def exporters(rest: str) -> str:
    return cluster(f"source: {{exporters: {{{rest}}}}}")


ONE = [
    (
        "timezone: Europe/Zurch",
        "line 1: timezone: 'Europe/Zurch' is not an IANA time zone; write it like \"Europe/Zurich\"; did you mean 'Europe/Zurich'?",
    ),
    (
        "week_starts: Monday",
        "line 1: week_starts: 'Monday' is not one of monday, tuesday, wednesday, thursday, friday, saturday, sunday; did you mean 'monday'?",
    ),
    ("teams:", "line 1: teams: must be a list; write [] for an empty one"),
    ("teams: {a: b}", "line 1: teams: must be a list; write [] for an empty one"),
    ("currency: [CHF]", "line 1: currency: must be a single value, not a list or a mapping"),
    ("rates: [x]", 'line 1: rates[0]: must be a mapping, like "key: value"'),
    ("rates:\n- {price: 1}", "line 2: rates[0]: the key 'currency' is missing"),
    (
        rate("price_: 1"),
        "line 2: rates[0].price_: unknown key; known are cluster, node_pool, instance_type, capacity_type, gpu_model, price, instance_price, weights, currency, from, until; did you mean 'price'?",
    ),
    (
        rate("gpu_model: NVIDIA"),
        "line 2: rates[0].gpu_model: 'NVIDIA' names no GPU model; write it like \"NVIDIA A100-SXM4-40GB\"",
    ),
    (rate('cluster: ""'), "line 2: rates[0].cluster: is empty; write a value or leave the key out"),
    (rate('cluster: " a"'), "line 2: rates[0].cluster: ' a' has spaces around it or characters that cannot be printed"),
    (
        rate("from: yesterday"),
        'line 2: rates[0].from: \'yesterday\' is not a date; write it like "2026-01-01" or "2026-01-01T08:00:00+01:00"',
    ),
    (rate("from: 2026-02-01, until: 2026-02-01"), "line 2: rates[0].until: until must be after from (it is exclusive)"),
    (
        "rates:\n- {price: 1000.01, currency: CHF}",
        "line 2: rates[0].price: '1000.01' is above 1000 per GPU-hour; the price is for one hour of one GPU",
    ),
    (
        "rates:\n- {price: 0.12345678901, currency: CHF}",
        "line 2: rates[0].price: '0.12345678901' has more than 10 decimals",
    ),
    (
        "rates:\n- {currency: CHF, gpu_model: T4}",
        "line 2: rates[0]: the key 'price' (per GPU-hour) or 'instance_price' (per hour of a whole instance) is missing",
    ),
    (
        "rates:\n- {price: 1, instance_price: 8, instance_type: x, currency: CHF}",
        "line 2: rates[0]: has both price and instance_price; keep the one that is meant",
    ),
    (
        "rates:\n- {instance_price: 8, cluster: lab, currency: CHF}",
        "line 2: rates[0]: an instance_price needs an instance_type or a node_pool to say whose it is",
    ),
    (
        "rates:\n- {instance_price: 16000.01, node_pool: gpu, currency: CHF}",
        "line 2: rates[0].instance_price: '16000.01' is above 16000 per hour; the price is for one hour of one instance",
    ),
    (rate("weights: {gpu: 1}"), "line 2: rates[0]: weights divide an instance_price; a price per GPU-hour has none"),
    (
        "rates:\n- {instance_price: 8, node_pool: gpu, currency: CHF, weights: {gpu: 0}}",
        "line 2: rates[0].weights.gpu: '0' must be above 0",
    ),
    (
        "rates:\n- {instance_price: 8, node_pool: gpu, currency: CHF, weights: {ram: 1}}",
        "line 2: rates[0].weights.ram: unknown key; known are gpu, cpu, memory",
    ),
    (
        "rates:\n- {instance_price: 8, node_pool: gpu, currency: CHF}\n- {price: 1, node_pool: gpu, currency: CHF}",
        "line 3: rates[1]: applies to the same GPUs at the same time as the rate on line 2; end one with until or remove it",
    ),
    ("rates:\n- {price: -1, currency: CHF}", "line 2: rates[0].price: '-1' must be 0 or above"),
    (
        "exchange_rates:\n- {currency: EUR, rate: 1, from: 2026-01-01}\n- {currency: EUR, rate: 2, from: 2026-01-01}",
        "line 3: exchange_rates[1]: EUR already has a rate from the same moment on line 2",
    ),
    ("exchange_rates:\n- {currency: EUR, rate: 1}", "line 2: exchange_rates[0]: the key 'from' is missing"),
    (cluster("scrape_interval: 60s"), "line 2: clusters[0]: the key 'source' is missing"),
    (cluster("source: {}"), "line 2: clusters[0].source: must name exactly one of prometheus, exporters, openmetrics"),
    (
        cluster('source: {openmetrics: {path: f}, prometheus: {url: "http://p"}}'),
        "line 2: clusters[0].source: must name exactly one of prometheus, exporters, openmetrics",
    ),
    (
        cluster("source: {openmetrics: {path: f}}, scrape_interval: 60"),
        'line 2: clusters[0].scrape_interval: \'60\' is not a duration; write it like "60s", "5m" or "1h", at most "366d"',
    ),
    (
        cluster("source: {openmetrics: {path: f}}, unallocated_policy: evn"),
        "line 2: clusters[0].unallocated_policy: 'evn' is not one of keep, owner, proportional, quota, even; did you mean 'even'?",
    ),
    (
        cluster("source: {openmetrics: {path: f}}, node_pools: [{name: gpu, unallocated_policy: onwer}]"),
        "line 2: clusters[0].node_pools[0].unallocated_policy: 'onwer' is not one of keep, owner, proportional, quota, even; did you mean 'owner'?",
    ),
    (
        cluster("source: {openmetrics: {path: f}}, node_pools: [{name: gpu}]"),
        "line 2: clusters[0].node_pools[0]: the key 'unallocated_policy' is missing",
    ),
    (
        "clusters:\n- name: a\n  source: {openmetrics: {path: f}}\n  node_pools:\n  - {name: x, unallocated_policy: even}\n"
        "  - {name: x, unallocated_policy: keep}",
        "line 6: clusters[0].node_pools[1]: the node pools 'x' are already on line 5",
    ),
    (
        cluster('source: {openmetrics: {path: f}}, user_label: "a b"'),
        "line 2: clusters[0].user_label: 'a b' is not a Kubernetes label name; write it like \"example.com/team\"",
    ),
    (
        "clusters:\n- {name: a, source: {openmetrics: {path: f}}}\n- {name: a, source: {openmetrics: {path: g}}}",
        "line 3: clusters[1]: the cluster 'a' is already on line 2",
    ),
    (
        prometheus('url: "ftp://p"'),
        "line 2: clusters[0].source.prometheus.url: 'ftp://p' is not an http or https address; write it like \"http://prometheus:9090\"",
    ),
    (
        prometheus('url: "http://me:secret@p"'),
        "line 2: clusters[0].source.prometheus.url: the address holds credentials; remove them and name their environment variable in basic_auth_env",
    ),
    (
        prometheus('url: "http://p\\nq"'),
        "line 2: clusters[0].source.prometheus.url: 'http://p\\nq' is not an http or https address; write it like \"http://prometheus:9090\"",
    ),
    (
        prometheus('url: "http://p:99999"'),
        "line 2: clusters[0].source.prometheus.url: 'http://p:99999' is not an http or https address; write it like \"http://prometheus:9090\"",
    ),
    (
        prometheus('url: "http://p", match: {a-b: c}'),
        "line 2: clusters[0].source.prometheus.match.a-b: 'a-b' is not a Prometheus label name (letters, digits, _)",
    ),
    (
        prometheus('url: "http://p", headers: {"a b": c}'),
        "line 2: clusters[0].source.prometheus.headers['a b']: 'a b' is not a header name",
    ),
    (
        prometheus('url: "http://p", headers: {A: "c\\nd"}'),
        "line 2: clusters[0].source.prometheus.headers.A: 'c\\nd' has spaces around it or characters that cannot be printed",
    ),
    (
        prometheus('url: "http://p", headers: {A: b, a: c}'),
        "line 2: clusters[0].source.prometheus.headers: names a header twice; capital letters make no difference",
    ),
    (
        prometheus('url: "http://p", headers: {Authorization: b}'),
        "line 2: clusters[0].source.prometheus.headers.Authorization: is a credential; name its environment variable in bearer_token_env or basic_auth_env",
    ),
    (
        prometheus('url: "http://p", basic_auth_env: "a:b"'),
        'line 2: clusters[0].source.prometheus.basic_auth_env: is not the name of an environment variable; write the name, never the secret, like "PROMETHEUS_TOKEN"',
    ),
    (
        prometheus('url: "http://p", bearer_token_env: DATABASE_URL'),
        "line 2: clusters[0].source.prometheus.bearer_token_env: holds a secret of this product itself; put the source's credential into a variable of its own",
    ),
    (
        prometheus('url: "http://p", basic_auth_env: A, bearer_token_env: B'),
        "line 2: clusters[0].source.prometheus: names both bearer_token_env and basic_auth_env; keep one",
    ),
    (
        prometheus('url: "http://p", max_parallel: 0'),
        "line 2: clusters[0].source.prometheus.max_parallel: '0' is not a whole number from 1 to 1000",
    ),
    (exporters("dcgm: []"), "line 2: clusters[0].source.exporters.dcgm: must name at least one address"),
    (exporters("kube_state_metrics: []"), "line 2: clusters[0].source.exporters: the key 'dcgm' is missing"),
    (
        exporters('dcgm: ["http://p", {url: "http://p"}]'),
        "line 2: clusters[0].source.exporters: 'http://p' is named twice; its GPUs would count double",
    ),
    ("teams:\n- {name: unallocated}", "line 2: teams[0].name: 'unallocated' is reserved; choose another name"),
    (
        "teams:\n- {name: unassigned, match: {namespace: a}}",
        "line 2: teams[0].name: 'unassigned' is reserved; choose another name",
    ),
    ("teams:\n- {match: {namespace: a}}", "line 2: teams[0]: the key 'name' is missing"),
    (
        "teams:\n- {name: a, match: {}}",
        'line 2: teams[0].match: is empty and would hold for every pod; if that is meant write namespace: "*"',
    ),
    (
        "teams:\n- {name: a, match: {pod_label: {}}}",
        'line 2: teams[0].match.pod_label: is empty; write it like "{team: fraud}"',
    ),
    (
        "teams:\n- {name: a, match: {pod_label: x}}",
        'line 2: teams[0].match.pod_label: must be a mapping, like "key: value"',
    ),
    (
        "teams:\n- {name: a, match: {namespaces: x}}",
        "line 2: teams[0].match.namespaces: unknown key; known are pod_label, pod_annotation, namespace_label, namespace, queue, node_pool; did you mean 'namespace'?",
    ),
    (
        "teams:\n- {from_pod_label: a, name: b}",
        "line 2: teams[0]: from_pod_label stands alone; move name to an entry of their own",
    ),
    (
        "teams:\n- {name: a, owner: b}\n- {name: a, owner: c}",
        "line 3: teams[1]: the team 'a' is already described on line 2",
    ),
    ("teams:\n- {name: a, parent: a}", "line 2: teams[0]: the team 'a' is its own ancestor; mend parent"),
    (
        "budgets:\n- {team: a, period: day, amount: 1}",
        "line 2: budgets[0].period: 'day' is not one of month, quarter, year",
    ),
    (
        "budgets:\n- {team: a, period: month, amount: 1, alert_at: [1, 0.5]}",
        'line 2: budgets[0].alert_at: must rise, like "[0.5, 0.8, 1.0]"',
    ),
    (
        "budgets:\n- {team: a, period: month, amount: 1, forecast: yes}",
        "line 2: budgets[0].forecast: 'yes' is neither true nor false",
    ),
    (
        "budgets:\n- {team: a, period: month, amount: 1}\n- {team: a, period: month, amount: 2}",
        "line 3: budgets[1]: 'a' already has a budget per month on line 2",
    ),
    (
        "alerts: {low_utilisation: {below: 10}}",
        "line 1: alerts.low_utilisation.below: '10' is above 1; write 10 % as \"0.10\"",
    ),
    (
        "reports: {weekly: {day: monday, hour: 24, to: [a@example.com]}}",
        "line 1: reports.weekly.hour: '24' is not a whole number from 0 to 23",
    ),
    (
        "reports: {weekly: {day: monday, hour: 8, to: [nobody]}}",
        "line 1: reports.weekly.to[0]: 'nobody' is not an e-mail address; write it like \"finance@example.com\"",
    ),
]


@pytest.mark.parametrize(("text", "expected"), ONE)
def test_refusals(text: str, expected: str) -> None:
    assert errors(text) == [expected]
