"""The forms of the API's answers, in OpenAPI's words. Figures that do not exist are null, never 0 and never left out."""

from finops.queries import MONEY
from finops.selection import HOURS

DECIMAL = r"^-?[0-9]+(\.[0-9]{1,10})?$"
TEXTS = {
    "allocated_gpu_hours": "used + idle + starting + unmeasured.",
    "capacity_gpu_hours": "allocated + unallocated.",
    "cost": "The sum of the five `*_cost` parts, in the reporting currency.",
    "distributed_cost": "What a policy moved here of what others left free; it sums to 0 and is not in `cost`.",
    "unpriced_gpu_hours": "Hours for which no price is known; they are in no cost.",
    "efficiency": "used ÷ (used + idle).",
    "coverage": "(used + idle) ÷ (allocated − starting): how much of it was measured.",
    "cost_per_allocated_gpu_hour": "(used + idle + starting + unmeasured cost) ÷ allocated hours, of priced hours.",
    "cost_per_used_gpu_hour": "(used + idle cost) ÷ used hours, of priced hours.",
}
DECIMALS = [
    *(f"{name}_gpu_hours" for name in HOURS), *MONEY, "distributed_cost", "unpriced_gpu_hours",
    "cost_per_allocated_gpu_hour", "cost_per_used_gpu_hour",
]  # fmt: skip


def text(about: str = "", **more) -> dict:
    return {"type": "string"} | ({"description": about} if about else {}) | more


def instant(about: str = "", **more) -> dict:
    return text(about, format="date-time", **more)


def decimal(about: str = "") -> dict:
    return text(about, pattern=DECIMAL, nullable=True)


def number(about: str = "") -> dict:
    return {"type": "number", "nullable": True} | ({"description": about} if about else {})


def texts() -> dict:
    return {"type": "array", "items": {"type": "string"}}


def whole(properties: dict, *, optional: tuple[str, ...] = ()) -> dict:
    return {"type": "object", "properties": properties, "required": [name for name in properties if name not in optional]}


def ref(name: str) -> dict:
    return {"$ref": f"#/components/schemas/{name}"}


def paged(row: dict) -> dict:
    """A list by pages, as far as every list has it."""
    more = {} if row is RATE else {"as_of": AS_OF}
    return whole({"rows": {"type": "array", "items": row}, "next": NEXT, **more, "currency": text("The reporting currency.")})


def listed(*keys: str, names: tuple[str, ...], **more: dict) -> dict:
    return {"allOf": [ref("Figures"), whole({key: text() for key in keys} | {name: texts() for name in names} | more)]}


NEXT = text("The cursor of the next page; null after the last.", nullable=True)
AS_OF = instant("Up to when the data of every cluster asked reach; null where there are none.", nullable=True)
FIGURES = whole(
    {name: decimal(TEXTS.get(name, "")) for name in DECIMALS}
    | {name: number(TEXTS.get(name, "")) for name in ("efficiency", "coverage", "energy_kwh")}
    | {"currency": text()}
)
ROW = {
    "allOf": [
        ref("Figures"),
        {
            "type": "object",
            "description": "With the group's keys, and period_start and period_end where there is a step.",
            "properties": {"period_start": instant(), "period_end": instant()},
        },
    ]
}
INCOMPLETE = whole({"cluster": text(), "start": instant(), "end": instant(), "state": text(), "reason": text()})
COSTS = whole(
    {
        "rows": {"type": "array", "items": ref("Row")},
        "total": ref("Figures"),
        "next": NEXT,
        "as_of": AS_OF,
        "balanced": {"type": "boolean", "description": "Whether the rows add up to the total to the last digit."},
        "incomplete": {"type": "array", "items": ref("Incomplete"), "description": "The windows whose data miss, at most 1000."},
        "currency": text("The reporting currency."),
    }
)
RATE = whole(
    {
        "cluster": text("Empty for all, as each of the next four."), "node_pool": text(), "instance_type": text(), "capacity_type": text(),
        "gpu_model": text(), "price": decimal("Of a GPU-hour; null where the instance has one."), "instance_price": decimal("Of an hour of a whole node."),
        "weights": {"type": "object", "additionalProperties": {"type": "string"}}, "currency": text("The rate's own."),
        "from": instant(nullable=True), "until": instant(nullable=True), "origin": text("`list` for a public list price that stands in."),
    }
)  # fmt: skip
LISTED = {
    "teams": listed("team", names=("departments", "cost_centers", "namespaces", "clusters")),
    "jobs": listed("cluster", "namespace", "job_kind", "job", names=("teams", "users", "node_pools", "gpu_models")),
    "nodes": listed("cluster", "node", names=("node_pools", "instance_types", "gpu_models", "capacity_types")),
    "clusters": listed(
        "cluster", names=("node_pools", "gpu_models", "capacity_types"), begins=instant("From when its data reach.", nullable=True), as_of=AS_OF,
    ),
}  # fmt: skip
TOKEN = whole(
    {
        "prefix": text(), "name": text(), "scopes": texts(), "created": instant(), "expires": instant(),
        "last_used": instant("To the minute.", nullable=True), "revoked": instant(nullable=True),
    }
)  # fmt: skip
TOKENS = whole({"rows": {"type": "array", "items": TOKEN}})
PROBLEM = ref("Problem")
SHARED = {
    "Figures": FIGURES,
    "Row": ROW,
    "Incomplete": INCOMPLETE,
    "Problem": whole({"type": text(), "title": text(), "status": {"type": "integer"}, "detail": text(), "instance": text()}),
}
