"""One piece of a window as SQL: the relation `charges`, a row for each line of the ledger, price and account charged.

A row's cost is price × quantity to the last digit. The ledger rounds each line's cost to ten digits instead; what that comes to
is a row of its own for each account, so that the sums are the ledger's.

Columns: period_start, period_end (texts), kind, billed_to, k0… (the keys), price, quantity, cost, distributed_cost, and the
quantity's kinds of hours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from finops.scope import Scope
from finops.selection import column, conditions
from reports.exports.basis import HELD, NOT_USED, charged, left
from reports.exports.periods import Piece, written

FORMULA = "=+-@\t\r"  # what makes a spreadsheet compute a cell (CWE-1236)
FREE = "unallocated"
HOURS = (*HELD, FREE)
SUMMED = ("quantity", "cost", "distributed_cost", *HOURS)
ACCOUNT = ("cluster", "team", "department", "cost_center")  # whose rounding is one row
ADDED = (*HOURS, "capacity", "cost", *(f"{name}_cost" for name in HOURS), "distributed_cost")
OWN = {"uid": "h.uid", "labels": "h.labels"}  # keys that no group_by knows
NOTHING = {"labels": "null::jsonb"}

Params = dict[str, object]


@dataclass(frozen=True, slots=True)
class Shape:
    """What a row is of. `keys`: its columns k0…; `grouped`: rows of equal keys are one, else each holding is its own.

    `by_account`: rounding is a row for each account, else for each value of the keys.
    `harmless`: texts that a spreadsheet would compute are defused by an apostrophe.
    """

    keys: tuple[str, ...]
    grain: str
    basis: str
    grouped: bool
    by_account: bool
    harmless: bool


def statement(scope: Scope, piece: Piece, shape: Shape, *, columns: Sequence[str]) -> tuple[str, Params]:
    """`columns`, expressions over `charges`, of every row of the piece."""
    params: Params = {"start": piece.start, "end": piece.end}
    keys = [f"k{n}" for n in range(len(shape.keys))]
    parts = [_part(shape, keys, charged(shape.basis), FREE), _moved(keys)]
    if any(left(shape.basis).values()):
        parts.insert(1, _part(shape, keys, left(shape.basis), ""))
    charges = " union all ".join([*parts, _rounding(shape, keys)])
    sql = f"""with periods as (select * from {_periods(piece, params)}),
        lines as materialized ({_lines(shape.grain)}),
        held as materialized ({_held(scope, shape, params)}),
        charges as ({_grouped(charges, keys) if shape.grouped else charges})
        select {", ".join(columns)} from charges c"""
    return sql, params


def _periods(piece: Piece, params: Params) -> str:
    params |= {
        "hours": [period.start for period in piece.periods],
        "starts": [written(period.start) for period in piece.periods],
        "ends": [written(period.end) for period in piece.periods],
    }
    return "unnest(%(hours)s::timestamptz[], %(starts)s::text[], %(ends)s::text[]) p (period, period_start, period_end)"


def _lines(grain: str) -> str:
    """The piece's lines; every cluster is named, for keys begin with it."""
    where = """from ledger_hour where cluster_id = any(array(select id from finops_cluster)) and hour >= %(start)s and hour < %(end)s"""
    if grain == "hour":
        return f"select cluster_id, holding, hour as period, price, {', '.join(ADDED)} {where} order by hour"
    sums = ", ".join(f"sum({name}) as {name}" for name in ADDED)
    return f"select cluster_id, holding, (%(hours)s::timestamptz[])[1] as period, price, {sums} {where} group by 1, 2, 4"


def _held(scope: Scope, shape: Shape, params: Params) -> str:
    """The holdings of the lines that are in the scope."""
    columns = [OWN.get(key) or column(key, params) for key in shape.keys]
    if shape.harmless:
        columns = [_harmless(name) for name in columns]
    named = "".join(f", {name} as k{n}" for n, name in enumerate(columns))
    team = _harmless("h.team") if shape.harmless else "h.team"
    return f"""select h.cluster_id, h.key, {team} as team{named} from holding h join finops_cluster c on c.id = h.cluster_id
        where (h.cluster_id, h.key) in (select cluster_id, holding from lines) {conditions(scope, params)}"""


def _harmless(text: str) -> str:
    codes = ", ".join(str(ord(sign)) for sign in FORMULA)
    return f"case when ascii({text}) in ({codes}) then '''' || {text} else {text} end"


JOINED = "from lines l join held h on h.cluster_id = l.cluster_id and h.key = l.holding join periods p using (period)"


def _part(shape: Shape, keys: Sequence[str], shares: Mapping[str, Decimal], free: str) -> str:
    """The rows of what the shares make of the lines, and of capacity that nobody held where `free` names it."""
    quantity = _quantity(shares, free)
    kind, account = (f"case when l.{FREE} > 0 then '{FREE}' else 'allocated' end", "h.team") if free else ("'not used'", f"'{NOT_USED}'")
    hours = ", ".join(_of(name, shares) if name in HELD else f"l.{name}" if free else "0" for name in HOURS)
    return f"""select p.period_start, p.period_end, {kind} as kind, {account} as billed_to{_listed(keys)}, l.price, {quantity} as quantity,
        l.price * ({quantity}) as cost, null::numeric as distributed_cost, {_named(hours)} {JOINED} where {quantity} > 0"""


def _named(hours: str) -> str:
    return ", ".join(f"{text} as {name}" for text, name in zip(hours.split(", "), HOURS, strict=True))


def _of(name: str, shares: Mapping[str, Decimal], suffix: str = "") -> str:
    share = shares[name]
    return f"l.{name}{suffix}" if share == 1 else f"l.{name}{suffix} * {share}" if share else "0"


def _quantity(shares: Mapping[str, Decimal], free: str, suffix: str = "") -> str:
    if all(share == 1 for share in shares.values()) and free:
        return "l.cost" if suffix else "l.capacity"
    return " + ".join([_of(name, shares, suffix) for name in HELD if shares[name]] + ([f"l.{FREE}{suffix}"] if free else []))


def _moved(keys: Sequence[str]) -> str:
    """What policies moved from capacity that nobody held to those who bear it: neither hours nor price."""
    nothing = ", ".join("null::numeric" for _ in HOURS)
    return f"""select p.period_start, p.period_end, 'distributed', h.team{_listed(keys)}, null::numeric, null::numeric,
        null::numeric, l.distributed_cost, {nothing} {JOINED} where l.distributed_cost <> 0"""


def _rounding(shape: Shape, keys: Sequence[str]) -> str:
    """The ledger's cost less price × quantity, by account."""
    kept = [key if not shape.by_account or name in ACCOUNT else NOTHING.get(name, "''") for key, name in zip(keys, shape.keys, strict=True)]
    parts = [_difference(charged(shape.basis), FREE, "h.team", keys)]
    if any(left(shape.basis).values()):
        parts.append(_difference(left(shape.basis), "", f"'{NOT_USED}'", keys))
    nothing = ", ".join("null::numeric" for _ in HOURS)
    groups = [key for key in kept if key in keys]
    return f"""select period_start, period_end, 'rounding', billed_to{_listed(kept)}, null::numeric, null::numeric, sum(off), null::numeric,
        {nothing} from ({" union all ".join(parts)}) r group by {", ".join(("period_start", "period_end", "billed_to", *groups))}
        having sum(off) <> 0"""


def _difference(shares: Mapping[str, Decimal], free: str, account: str, keys: Sequence[str]) -> str:
    money, product = _quantity(shares, free, "_cost"), f"l.price * ({_quantity(shares, free)})"
    return f"""select p.period_start, p.period_end, {account} as billed_to{_listed(keys)}, {money} - {product} as off {JOINED}
        where {money} <> {product}"""


def _grouped(charges: str, keys: Sequence[str]) -> str:
    names = ("period_start", "period_end", "kind", "billed_to", *keys, "price")
    sums = ", ".join(f"sum({name}) as {name}" for name in SUMMED)
    return f"select {', '.join(names)}, {sums} from ({charges}) u group by {', '.join(names)}"


def _listed(keys: Sequence[str]) -> str:
    return "".join(f", {key}" for key in keys)
