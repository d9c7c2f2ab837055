"""Who is charged for what of the hours that a team holds: the policies, in one table."""

from decimal import Decimal

HELD = ("used", "idle", "starting", "unmeasured")
NOT_USED = "not-used"  # the account that takes what a basis does not charge to the team
ALL, HALF, NONE = Decimal(1), Decimal("0.5"), Decimal(0)

# The share of each kind of hour that its team pays. Shares are linear, so that hours, days and months add up to the same.
BASES = {
    "allocated": dict.fromkeys(HELD, ALL),
    "used": {"used": ALL, "idle": NONE, "starting": NONE, "unmeasured": NONE},
    "hybrid": {"used": ALL, "idle": HALF, "starting": ALL, "unmeasured": ALL},
}


def charged(basis: str) -> dict[str, Decimal]:
    """The team's share of each kind of hour it holds."""
    return BASES[basis]


def left(basis: str) -> dict[str, Decimal]:
    """What the account `not-used` takes of each."""
    return {name: 1 - share for name, share in BASES[basis].items()}
