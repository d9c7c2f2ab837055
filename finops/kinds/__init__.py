"""Every kind of fault in the data, once: the ledger's findings, the doctor and the page say the same of it."""

from finops.kinds import measuring, naming, placing, pricing
from finops.kinds.kind import Kind

__all__ = ["KINDS", "Kind", "kind"]

KINDS: dict[str, Kind] = {each.name: each for part in (measuring, naming, placing, pricing) for each in part.KINDS}


def kind(name: str) -> Kind:
    """What is said of `name`; of one that an older or newer release stored, that nothing is known."""
    return KINDS.get(name) or Kind(name, name.replace("_", " "), "this release does not know this kind", "")
