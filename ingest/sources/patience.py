"""When a failed question is asked again."""

import random

from ingest.sources import Passing, SourceError, Throttled

TRIES = 3
BACKOFF_SECONDS = 0.2
PATIENCE_SECONDS = 10.0


def pause_after(error: SourceError, faults: list[SourceError]) -> float | None:
    """Seconds to wait before the next try, None where another try is useless; `faults` are the earlier errors."""
    if isinstance(error, Throttled):
        again = error.pause <= PATIENCE_SECONDS and not any(isinstance(fault, Throttled) for fault in faults)
        return error.pause if again else None
    if isinstance(error, Passing) and len(faults) < TRIES - 1:
        return BACKOFF_SECONDS * 2 ** len(faults) * random.uniform(0.5, 1.5)
    return None
