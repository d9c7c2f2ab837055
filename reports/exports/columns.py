"""A file's column: its name, what it is in SQL over `charges`, and its type; and the columns of the plain formats."""

from collections.abc import Sequence
from dataclasses import dataclass

from finops.scope import GROUP_KEYS
from reports.exports.charges import HOURS

TEXT, NUMBER, PRICE, INSTANT, JSON = "text", "number", "price", "instant", "json"
DETAIL = (*GROUP_KEYS, "uid")  # every key: a row for each holding, as the ledger keeps it


@dataclass(frozen=True, slots=True)
class Column:
    """`sql` yields numeric for `number` (up to 20 decimals) and `price` (10), else text; an instant is UTC with a Z."""

    name: str
    sql: str
    type: str = TEXT


def plain(keys: Sequence[str], *, currency: str) -> list[Column]:
    """Of CSV, XLSX and Parquet."""
    return [
        Column("period_start", "c.period_start", INSTANT),
        Column("period_end", "c.period_end", INSTANT),
        Column("charge", "c.kind"),
        Column("billed_to", "c.billed_to"),
        *(Column(key, f"c.k{n}") for n, key in enumerate(keys)),
        Column("currency", literal(currency)),
        Column("price", "trim_scale(c.price)", PRICE),
        Column("gpu_hours", "trim_scale(c.quantity)", NUMBER),
        Column("cost", "trim_scale(c.cost)", NUMBER),
        Column("distributed_cost", "trim_scale(c.distributed_cost)", NUMBER),
        *(Column(f"{name}_gpu_hours", f"trim_scale(c.{name})", NUMBER) for name in HOURS),
    ]


def literal(text: str) -> str:
    """The text inside a statement that is given parameters."""
    return "'" + text.replace("'", "''").replace("%", "%%") + "'"
