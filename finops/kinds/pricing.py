"""Faults of prices, and of what unallocated capacity is moved by."""

from finops.kinds.kind import Kind

KINDS = (
    Kind(
        "unpriced", "GPU-hours without a price",
        "its hours are unpriced: their cost is null",
        'rates: - {gpu_model: "$gpu_model", capacity_type: $capacity_type, price: "0.00", currency: $currency, from: $from} with your price',
        "warn",
    ),
    Kind(
        "no_exchange_rate", "Price without an exchange rate",
        "its hours are unpriced: their cost is null",
        'exchange_rates: - {currency: $currency, rate: "0.00", from: $from} with the rate',
    ),
    Kind(
        "absurd_price", "Price out of all proportion",
        "the hours are charged by it as it stands",
        "rates: end the entry with until: and let another follow, with the price of one GPU for one hour",
        "warn", True,
    ),
    Kind(
        "no_pool_owner", "Node pool without an owner",
        "its unallocated cost stays apart: the policy owner names nobody to move it to",
        "teams: - {name: a team, match: {node_pool: $node_pool}}",
    ),
    Kind(
        "no_quota", "Cluster without quotas",
        "its unallocated cost stays apart: the policy quota has nothing to divide it by",
        "clusters: - name: $cluster: unallocated_policy: proportional, or quotas that kube-state-metrics or Kueue show",
    ),
)  # fmt: skip
