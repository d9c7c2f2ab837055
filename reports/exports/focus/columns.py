"""A charge as FOCUS names it, versions 1.2 and 1.4: each column's SQL over `charges`. docs/exports.md explains the mapping.

Texts are raw. An adjustment (rounding, or cost that a policy moved) has neither SKU nor price nor quantities.
"""

from reports.exports.columns import INSTANT, JSON, NUMBER, PRICE, TEXT, Column, literal

VERSIONS = ("1.2", "1.4")
KEYS = tuple("cluster team department cost_center namespace job_kind job node_pool gpu_model capacity_type labels".split())
K = {name: f"c.k{n}" for n, name in enumerate(KEYS)}
PROVIDER = "'GPU platform'"
UNIT = "'GPU-Hours'"

USAGE = "c.quantity is not null"
MODEL = f"coalesce(nullif(trim(both '-' from regexp_replace(lower({K['gpu_model']}), '[^a-z0-9]+', '-', 'g')), ''), 'unknown')"
SKU = f"'gpu/' || {MODEL}"
TIER = f"coalesce(nullif({K['capacity_type']}, ''), 'standard')"
JOB = f"nullif(concat_ws('/', {K['cluster']}, {K['namespace']}, {K['job_kind']}, {K['job']}), '')"
POOL = f"{K['cluster']} || '/' || {K['node_pool']}"
NAMED = f"{K['job']} <> ''"
FREE = "c.kind = 'unallocated'"
COST = "c.cost"
BILLED = "coalesce(c.cost, c.distributed_cost)"
OWED = "coalesce(c.cost, 0)"
BUCKET = """case c.kind when 'allocated' then 'Allocated' when 'unallocated' then 'Unallocated' when 'not used' then 'NotUsed'
 when 'distributed' then 'SharedIdle' else 'Rounding' end"""


def columns(version: str, *, currency: str, basis: str) -> list[Column]:
    """In the order of the file: FOCUS's by name, then ours."""
    own = _ours(basis)
    found = {**_ledger(currency), **_sku(), **_who(), **_absent()}
    if version == "1.2":
        found |= {"ProviderName": (PROVIDER, TEXT), "PublisherName": (PROVIDER, TEXT)}
    else:
        found |= {"ServiceProviderName": (PROVIDER, TEXT), "HostProviderName": (PROVIDER, TEXT), **_split()}
    named = [*sorted(found.items()), *own.items()]
    return [Column(name, _plain(sql, type), type) for name, (sql, type) in named]


def _plain(sql: str, type: str) -> str:
    return f"trim_scale({sql})" if type in (NUMBER, PRICE) else sql


def _ledger(currency: str) -> dict[str, tuple[str, str]]:
    """Periods, money and quantities."""
    return {
        "BillingPeriodStart": ("%(billing_start)s::text", INSTANT),
        "BillingPeriodEnd": ("%(billing_end)s::text", INSTANT),
        "ChargePeriodStart": ("c.period_start", INSTANT),
        "ChargePeriodEnd": ("c.period_end", INSTANT),
        "BillingCurrency": (literal(currency), TEXT),
        "PricingCurrency": (literal(currency), TEXT),
        "BilledCost": (BILLED, NUMBER),
        "EffectiveCost": (OWED, NUMBER),
        "ContractedCost": (OWED, NUMBER),
        "ListCost": (OWED, NUMBER),
        "PricingCurrencyEffectiveCost": (OWED, NUMBER),
        "ContractedUnitPrice": ("c.price", PRICE),
        "ListUnitPrice": ("c.price", PRICE),
        "PricingCurrencyContractedUnitPrice": ("c.price", PRICE),
        "PricingCurrencyListUnitPrice": ("c.price", PRICE),
        "PricingQuantity": ("c.quantity", NUMBER),
        "PricingUnit": (f"case when {USAGE} then {UNIT} end", TEXT),
        "ConsumedQuantity": (f"case when {USAGE} then c.used end", NUMBER),
        "ConsumedUnit": (f"case when {USAGE} then {UNIT} end", TEXT),
        "ChargeCategory": (f"case when {USAGE} then 'Usage' else 'Adjustment' end", TEXT),
        "ChargeClass": ("null", TEXT),
        "ChargeFrequency": (f"case when {USAGE} then 'Usage-Based' else 'One-Time' end", TEXT),
        "ChargeDescription": (_description(), TEXT),
    }


def _description() -> str:
    model = f"coalesce(nullif({K['gpu_model']}, ''), 'GPU of unknown model')"
    return f"""case c.kind when 'allocated' then {model} || ' time' || case when {NAMED} then ', job ' || {K["job"]} else '' end
 when 'not used' then {model} || ' time held and not used' || case when {NAMED} then ', job ' || {K["job"]} else '' end
 when 'unallocated' then {model} || ' time that nobody held'
 when 'distributed' then 'Share of GPU time that nobody held' else 'Rounding of the ledger to ten decimals' end"""


def _sku() -> dict[str, tuple[str, str]]:
    return {
        "ServiceCategory": ("'Compute'", TEXT),
        "ServiceSubcategory": ("'Containers'", TEXT),
        "ServiceName": ("'GPU cluster'", TEXT),
        "SkuId": (f"case when {USAGE} then {SKU} end", TEXT),
        "SkuPriceId": (f"case when {USAGE} then {SKU} || '/' || {TIER} end", TEXT),
        "SkuMeter": (f"case when {USAGE} then 'GPU time' end", TEXT),
        "SkuPriceDetails": (f"case when {USAGE} then jsonb_build_object('GpuCount', 1, 'x_GpuModel', {K['gpu_model']})::text end", JSON),
        "PricingCategory": (f"case when {USAGE} then case when {K['capacity_type']} = 'spot' then 'Dynamic' else 'Standard' end end", TEXT),
    }


def _who() -> dict[str, tuple[str, str]]:
    tags = ", ".join(f"'gpu-finops/{name}', nullif({K[name]}, '')" for name in ("team", "department", "cost_center", "namespace", "job"))
    return {
        "BillingAccountId": ("'gpu-platform'", TEXT),
        "BillingAccountName": (PROVIDER, TEXT),
        "BillingAccountType": ("'Platform'", TEXT),
        "InvoiceIssuerName": (PROVIDER, TEXT),
        "SubAccountId": ("c.billed_to", TEXT),
        "SubAccountName": ("c.billed_to", TEXT),
        "SubAccountType": ("case when c.billed_to in ('unallocated', 'not-used', 'unassigned') then 'Pool' else 'Team' end", TEXT),
        "ResourceId": (f"case when {NAMED} then {JOB} when {FREE} then {POOL} end", TEXT),
        "ResourceName": (f"case when {NAMED} then {K['job']} when {FREE} then coalesce(nullif({K['node_pool']}, ''), {K['cluster']}) end", TEXT),
        "ResourceType": (f"case when {NAMED} then coalesce(nullif({K['job_kind']}, ''), 'Pod') when {FREE} then 'GPU pool' end", TEXT),
        "Tags": (f"(coalesce({K['labels']}, '{{}}') || jsonb_strip_nulls(jsonb_build_object({tags})))::text", JSON),
    }


def _absent() -> dict[str, tuple[str, str]]:
    """Columns without a value of ours: validators want them there and empty."""
    names = """AvailabilityZone CapacityReservationId CapacityReservationStatus CommitmentDiscountCategory CommitmentDiscountId
        CommitmentDiscountName CommitmentDiscountStatus CommitmentDiscountType CommitmentDiscountUnit InvoiceId RegionId RegionName"""
    return {name: ("null", TEXT) for name in names.split()} | {"CommitmentDiscountQuantity": ("null::numeric", NUMBER)}


def _split() -> dict[str, tuple[str, str]]:
    texts = "AllocatedMethodId AllocatedResourceId AllocatedResourceName InvoiceDetailId"
    objects = "AllocatedMethodDetails AllocatedTags CommitmentProgramEligibilityDetails ContractApplied"
    return {name: ("null", TEXT) for name in texts.split()} | {name: ("null", JSON) for name in objects.split()}


def _ours(basis: str) -> dict[str, tuple[str, str]]:
    texts = {"Cluster": "cluster", "Team": "team", "Department": "department", "CostCenter": "cost_center", "Namespace": "namespace",
             "JobKind": "job_kind", "NodePool": "node_pool", "GpuModel": "gpu_model", "CapacityType": "capacity_type"}  # fmt: skip
    return {
        **{f"x_{name}": (f"nullif({K[key]}, '')", TEXT) for name, key in texts.items()},
        "x_ChargebackBasis": (f"'{basis}'", TEXT),
        "x_CostBucket": (BUCKET, TEXT),
        "x_UsedGpuHours": ("c.used", NUMBER),
        "x_IdleGpuHours": ("c.idle", NUMBER),
        "x_StartingGpuHours": ("c.starting", NUMBER),
        "x_UnmeasuredGpuHours": ("c.unmeasured", NUMBER),
        "x_UnallocatedGpuHours": ("c.unallocated", NUMBER),
        "x_DistributedCost": ("c.distributed_cost", NUMBER),
    }
